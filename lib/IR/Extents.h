//===- Extents.h - Extents that are the same without running ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_EXTENTS_H
#define SCAN_LIB_IR_EXTENTS_H

#include "mlir/IR/OpDefinition.h"

namespace mlir::scan {

/// True if the two extents are equal in every run: the same constant, or the
/// same value after looking through what leaves an extent alone (casts, slices,
/// updates of a tensor, loops that carry one).
///
/// Reads the operations around the values, adds none. Can be asked in a loop
/// body that has no terminator yet, which tiling builds: what such a loop
/// carries is taken to keep its shape.
bool isSameExtent(OpFoldResult lhs, OpFoldResult rhs);

/// The number of elements of a tensor of this shape: INT64_MAX if there are
/// more of them, or an unknown number. The product that
/// ShapedType::getNumElements returns wraps around.
int64_t countElements(llvm::ArrayRef<int64_t> shape);

/// An extent, as far back as it can be followed: a constant or an index value
/// (`dim` < 0), or dimension `dim` of a shaped value.
struct ExtentSource {
  OpFoldResult value;
  int64_t dim = -1;

  bool operator==(const ExtentSource &other) const;
};

/// Where the extent of `shaped` in dimension `dim` comes from. Adds no
/// operations.
ExtentSource resolveExtent(Value shaped, int64_t dim);

/// True if `extent` is the extent of `shaped`, a tensor or memref, in dimension
/// `dim`.
bool isExtentOf(OpFoldResult extent, Value shaped, int64_t dim);

/// True if the two shaped values have the same extents in these dimensions.
bool haveSameExtent(Value lhs, int64_t lhsDim, Value rhs, int64_t rhsDim);

/// The extent of `shaped` in dimension `dim`, from as far back as it is known:
/// a constant, a value, or what a `tensor.dim` (`memref.dim`) finds that is
/// added at the place of `builder`. `shaped` has to be visible there.
OpFoldResult createExtent(OpBuilder &builder, Location loc, Value shaped,
                          int64_t dim);

} // namespace mlir::scan

#endif // SCAN_LIB_IR_EXTENTS_H
