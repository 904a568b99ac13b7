//===- Extents.h - Extents that are the same without running ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_IR_EXTENTS_H
#define SCAN_IR_EXTENTS_H

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

/// True if `extent` is the extent of `shaped`, a tensor or memref, in dimension
/// `dim`.
bool isExtentOf(OpFoldResult extent, Value shaped, int64_t dim);

/// True if the two shaped values have the same extents in these dimensions.
bool haveSameExtent(Value lhs, int64_t lhsDim, Value rhs, int64_t rhsDim);

} // namespace mlir::scan

#endif // SCAN_IR_EXTENTS_H
