//===- VectorMath.h - Functions as straight-line arithmetic -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PIPELINES_VECTORMATH_H
#define SCAN_LIB_PIPELINES_VECTORMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::scan {

/// What an expansion has to know of a format of floating-point numbers.
struct MathFormat;

/// Emits functions as arithmetic without branches, which works on vectors as it
/// does on scalars.
class VectorMath {
public:
  /// Whether there is arithmetic for values of `type`: f32 and f64, and vectors
  /// of them with a fixed number of lanes.
  static bool supports(Type type);

  /// Of values of the type of `like`, which is supported. `fuses` says that
  /// the processor has math.fma as one instruction.
  VectorMath(OpBuilder &builder, Value like, bool fuses);

  Value exp(Value x);
  Value exp2(Value x);
  Value expm1(Value x);
  Value log(Value x);
  Value log1p(Value x);
  Value tanh(Value x);
  Value sin(Value x) { return sinOrCos(x, /*isCos=*/false); }
  Value cos(Value x) { return sinOrCos(x, /*isCos=*/true); }

private:
  /// x = n*ln2 + r with |r| <= ln2/2.
  struct Reduced {
    Value bits;  ///< n + offset in the low bits.
    Value expm1; ///< exp(r) - 1.
  };
  Reduced reduce(Value x, int64_t offset);
  /// exp(r) - 1 for a small r.
  Value polynomial(Value r);
  /// 2^n * (1 + p), rounded once also where that is below the normal numbers,
  /// for 2 * bias + n in the low `bits`.
  Value scale(Value p, Value bits);
  /// log(1 + f) + e*ln2, for f between sqrt(1/2) - 1 and sqrt(2) - 1.
  Value logPolynomial(Value f, Value e);
  Value logQuotient(Value f, Value e);

  /// x = n*pi/2 + r with |r| <= pi/4.
  struct Angle {
    Value quadrant; ///< n modulo 4 in the low bits, an i64.
    Value rest;     ///< r, an f64.
  };
  /// Of the same value as an f64.
  Angle reduceAngle(Value x);
  Angle reduceSmallAngle(Value x);
  /// Of one lane, a scalar.
  Angle reduceLargeAngle(Value x);
  Value sinOrCos(Value x, bool isCos);
  /// The sine or the cosine of an angle, by polynomials of r*r.
  Value combineAngle(Angle angle, ArrayRef<double> sinTerms,
                     ArrayRef<double> cosTerms, bool isCos);
  /// A polynomial in x, the highest power first.
  Value evaluate(ArrayRef<double> coefficients, Value x);

  Value constant(double value) {
    return splat(floats, b.getFloatAttr(element, value));
  }
  Value integer(int64_t value) {
    return splat(ints, b.getIntegerAttr(word, value));
  }
  Value splat(Type type, TypedAttr value);
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  /// x * y + z, rounded once or twice.
  Value mulAdd(Value x, Value y, Value z);
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value compare(arith::CmpFPredicate predicate, Value x, double y) {
    return arith::CmpFOp::create(b, predicate, x, constant(y));
  }
  /// `x` between `low` and `high`; NaN stays NaN.
  Value clamp(Value x, double low, double high);
  /// The number that has the low `bits` as its exponent, and nothing else.
  Value fromExponent(Value bits);

  ImplicitLocOpBuilder b;
  const MathFormat &format;
  Type element, word;
  Type floats, ints;
  bool fuses;
};

} // namespace mlir::scan

#endif // SCAN_LIB_PIPELINES_VECTORMATH_H
