//===- Sigmoids.h - Exponentials and divisions of sigmoids ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_SIGMOIDS_H
#define SCAN_LIB_IR_SIGMOIDS_H

#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::scan {

/// Whether `op` is 1 / (1 + exp(x)) in f32: the divisor is at least 1, so that
/// the only special case of its reciprocal is a result below 2^-126.
bool isSigmoid(Operation *op);

/// Whether `exponential` is of a number that was extended from bf16, and needed
/// for nothing but such divisors, and for its products with their reciprocals,
/// which are sigmoids of -x. Where it is below 2^-126 the divisors are those of
/// zero, and the products below 2^-126, too; and of all numbers in bf16 there
/// are few enough to know the largest error.
bool isOfNarrowSigmoids(math::ExpOp exponential);

} // namespace mlir::scan

#endif // SCAN_LIB_IR_SIGMOIDS_H
