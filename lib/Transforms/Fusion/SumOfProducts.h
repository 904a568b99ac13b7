//===- SumOfProducts.h - Sums as fused multiply-adds ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums over what a scan has computed, whose bracketing is free already, keep no
// roundings. A term that is a product takes one operation in place of two, the
// real or the imaginary part of a product of complex numbers two in place of
// four. Where only one of each two states that are complex conjugates is
// computed, as in S4 and S5 layers, every term is twice such a part: the sum is
// multiplied by two in their place.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_FUSION_SUMOFPRODUCTS_H
#define SCAN_LIB_TRANSFORMS_FUSION_SUMOFPRODUCTS_H

#include "mlir/IR/Builders.h"

namespace mlir::scan {

/// One sum, from its first addition on. Of types other than floats it stays as
/// it is.
class SumOfProducts {
public:
  /// Notes that `sum` is `before` and a term; or, if `before` is null, the
  /// first term.
  void add(Value sum, Value before);

  /// The sum as fused multiply-adds, created by `b`; or `sum`, which is the one
  /// noted last, if it is not what can be contracted.
  Value contract(OpBuilder &b, Value sum) const;

private:
  /// What the terms are added to; null if there is nothing.
  Value start;
  SmallVector<Value> terms;
  bool isKnown = true;
};

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_FUSION_SUMOFPRODUCTS_H
