//===- ScalarScatter.h - The ways to write a scatter ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scatter of one scalar along one dimension: what --scan-scatter-to-select
// rewrites, however it is written.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_SCATTER_SCALARSCATTER_H
#define SCAN_LIB_TRANSFORMS_SCATTER_SCALARSCATTER_H

#include "Scan/IR/ScanDialect.h"
#include "mlir/IR/AffineMap.h"

namespace mlir::scan {

/// The one value that all elements of a tensor have: a constant, or a scalar of
/// the program.
struct UniformValue {
  Value value;
  /// Not null if it is a constant.
  Attribute constant;

  explicit operator bool() const { return value || constant; }
};

/// The value of all elements of `value`, a tensor or a scalar; nothing if it is
/// not known that they are equal. Follows fills, splats, constants and casts.
UniformValue getUniformValue(Value value);

/// For each point of `dest` outside `dim` one element is `source`, that at
/// index[indexMap(point)]; all others are `fill`.
struct ScalarScatter {
  UniformValue source, fill;
  /// The tensor that is written to: for its type and extents.
  Value dest;
  int64_t dim = 0;
  Value index;
  /// From the dimensions of `dest` to those of `index`: without `dim`.
  AffineMap indexMap;
};

/// What became of a search: a scatter, or the reason why an operation that is
/// one stays. Neither for an operation that is none.
struct ScatterMatch {
  std::optional<ScalarScatter> scatter;
  std::string reason;

  static ScatterMatch missed(const Twine &reason) {
    return {std::nullopt, reason.str()};
  }
};

/// Looks at `op`: `scan.scatter`, `tensor.scatter`, the outermost `scf.for` of
/// a nest, `scf.forall`. The result of the scatter is result 0 of `op`.
ScatterMatch matchScalarScatter(Operation *op);
/// The part of it that knows loops.
ScatterMatch matchScatterLoop(Operation *op);

/// Reasons that several forms have.
constexpr const char *kDestNotConstant =
    "the destination is not known to be constant: expected linalg.fill, "
    "tensor.splat or a splat constant";
constexpr const char *kSourceNotScalar =
    "the source is not a scalar: its elements may differ";
constexpr const char *kSeveralWrites =
    "several indices along the dimension (a dense index): expected one write "
    "for each point of the other dimensions";

/// "the indices do not cover dimension 0 of the destination: ..."
std::string describeShorter(int64_t dim);

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_SCATTER_SCALARSCATTER_H
