//===- ScalarMath.h - Arithmetic on real and complex scalars ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Derivatives are written once for real and complex numbers. What is multiplied
// by a constant one stays itself: that is how the structure of a Jacobian is
// seen.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_DIFFERENTIATE_SCALARMATH_H
#define SCAN_LIB_TRANSFORMS_DIFFERENTIATE_SCALARMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/Builders.h"

namespace mlir::scan::differentiate {

/// True for the types whose values have derivatives: floating-point and complex
/// scalars, and tensors of them.
bool isDifferentiable(Type type);

/// The scalar type in which sums of values of the scalar type `type` are kept:
/// f32 for f16 and bf16, `type` itself otherwise.
Type getSumType(Type type);

/// True if `value` is the constant one, real or complex.
bool isConstantOne(Value value);

/// True if `value` is a finite constant, real or complex.
bool isFiniteConstant(Value value);

/// Builds operations on scalars of one type, real or complex.
struct ScalarMath {
  OpBuilder &builder;
  Location loc;

  /// The constant `number` of a floating-point or complex type.
  Value constant(Type type, double number);
  Value add(Value a, Value b);
  /// The same, for a long sum that nobody has asked to be in any order.
  Value addTerm(Value sum, Value term);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value div(Value a, Value b);
  Value neg(Value a);
  /// The complex conjugate; a real number itself.
  Value conj(Value a);
  /// `number` times `a`.
  Value scale(double number, Value a);
  Value select(Value condition, Value a, Value b);
  /// A comparison of real numbers.
  Value compare(arith::CmpFPredicate predicate, Value a, Value b);
  /// A condition on whether a number, real or complex, is zero.
  Value isZero(Value a);
  /// A condition on whether a number, or a part of it, is not a number.
  Value isNaN(Value a);

  /// An operation on one real or complex number that has a result of its type.
  template <typename OpTy> Value apply(Value a) {
    return OpTy::create(builder, loc, a);
  }
};

} // namespace mlir::scan::differentiate

#endif // SCAN_LIB_TRANSFORMS_DIFFERENTIATE_SCALARMATH_H
