//===- Exponentials.h - Exponentials of inexact arguments -------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_EXPONENTIALS_H
#define SCAN_LIB_IR_EXPONENTIALS_H

#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::scan {

/// Whether `value` is computed by functions that are right to some units in the
/// last place only.
bool dependsOnFunction(Value value);

/// Whether `exponential` is, in f32, of a product one of whose factors depends
/// on functions, or of its negation. The exponential of such an x is off by
/// |x| times what the argument is off by relative to it, so that one more
/// rounding, as the argument is scaled to the base of 2, leaves that error what
/// it is. Decays of recurrences are such: exp(softplus(l) * sigmoid(x)).
bool isOfInexactProduct(math::ExpOp exponential);

} // namespace mlir::scan

#endif // SCAN_LIB_IR_EXPONENTIALS_H
