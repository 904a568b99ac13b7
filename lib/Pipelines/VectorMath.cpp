//===- VectorMath.cpp - Functions as straight-line arithmetic -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// exp and expm1: x = n*ln2 + r with |r| <= ln2/2, and exp(r) - 1 = r + r*r*P(r)
// with polynomials P that interpolate in the zeros of Chebyshev's. n comes out
// of an addition, in the low bits of a number that is so large that its unit in
// the last place is 1.
//
// log: x = 2^e * (1 + f). In f32 log(1 + f) = f - f*f/2 + f*f*f*Q(f) with the
// polynomial Q of Cephes' logf (S. Moshier); in f64 by s = f / (2 + f), with
// the polynomial in s*s of fdlibm's log. tanh: from expm1. log1p: after
// Goldberg, What Every Computer Scientist Should Know About Floating-Point
// Arithmetic, theorem 4.
//
// sin and cos are in VectorTrigonometry.cpp.
//
// Comparisons are such that NaN passes through them, for which no instruction
// is spent then.
//
//===----------------------------------------------------------------------===//

#include "VectorMath.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include <limits>

using namespace mlir;
using namespace mlir::scan;

struct scan::MathFormat {
  unsigned width;    ///< Bits of a number.
  unsigned mantissa; ///< Stored bits of the mantissa.
  int64_t bias;
  /// ln2 in two parts, the first of which times any exponent is exact.
  double ln2High, ln2Low;
  /// Of P, the highest power first.
  ArrayRef<double> exp;
  /// Beyond these exp(x) is zero and infinite, and below `expm1Low` expm1(x)
  /// is -1.
  double expLow, expHigh, expm1Low;
  /// Bits of sqrt(1/2).
  int64_t rootHalf;
  double leastNormal;
};

static constexpr double exp32[] = {0x1.6d113cp-10, 0x1.120ba2p-7, 0x1.55551ap-5,
                                   0x1.5554dcp-3, 0x1p-1};
static constexpr double exp64[] = {0x1.af38d53857513p-26, 0x1.2891a8c1d838dp-22,
                                   0x1.71de0d9c145d0p-19, 0x1.a019b8ef67c6cp-16,
                                   0x1.a01a01a7c8d47p-13, 0x1.6c16c17893833p-10,
                                   0x1.11111111109adp-7,  0x1.5555555553d4fp-5,
                                   0x1.5555555555556p-3,  0x1.0000000000001p-1};

static const MathFormat format32 = {
    32,     23,   127,   0x1.63p-1,  -0x1.bd0106p-13, exp32,
    -104.0, 89.0, -20.0, 0x3F3504F3, 0x1p-126};
static const MathFormat format64 = {
    64,       52,     1023,  0x1.62e42feep-1, 0x1.a39ef35793c76p-33,
    exp64,    -746.0, 710.0, -40.0,           0x3FE6A09E667F3BCD,
    0x1p-1022};

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kLog2E = 0x1.71547652b82fep+0;
static constexpr double kLn2 = 0x1.62e42fefa39efp-1;

bool VectorMath::supports(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (isa<ShapedType>(type) && (!vector || vector.isScalable()))
    return false;
  Type element = getElementTypeOrSelf(type);
  return element.isF32() || element.isF64();
}

VectorMath::VectorMath(OpBuilder &builder, Value like, bool fuses)
    : b(like.getLoc(), builder),
      format(getElementTypeOrSelf(like).isF32() ? format32 : format64),
      element(getElementTypeOrSelf(like)),
      word(builder.getIntegerType(format.width)), floats(like.getType()),
      ints(word), fuses(fuses) {
  if (auto vector = dyn_cast<VectorType>(floats))
    ints = vector.clone(word);
}

Value VectorMath::splat(Type type, TypedAttr value) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    value = DenseElementsAttr::get(shaped, Attribute(value));
  return arith::ConstantOp::create(b, value);
}

Value VectorMath::mulAdd(Value x, Value y, Value z) {
  if (fuses)
    return math::FmaOp::create(b, x, y, z);
  return add(mul(x, y), z);
}

Value VectorMath::clamp(Value x, double low, double high) {
  x = select(compare(arith::CmpFPredicate::OLT, x, low), constant(low), x);
  return select(compare(arith::CmpFPredicate::OGT, x, high), constant(high), x);
}

Value VectorMath::fromExponent(Value bits) {
  Value shifted = arith::ShLIOp::create(b, bits, integer(format.mantissa));
  return arith::BitcastOp::create(b, floats, shifted);
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

Value VectorMath::polynomial(Value r) {
  Value p = constant(format.exp.front());
  for (double coefficient : format.exp.drop_front())
    p = mulAdd(p, r, constant(coefficient));
  return mulAdd(p, mul(r, r), r);
}

/// A number with `offset` in its low bits and a unit in the last place of 1,
/// also for some way below and above.
static double getRounder(const MathFormat &format, int64_t offset) {
  return 1.5 * static_cast<double>(int64_t{1} << format.mantissa) + offset;
}

VectorMath::Reduced VectorMath::reduce(Value x, int64_t offset) {
  Value rounder = constant(getRounder(format, offset));
  Value shifted = mulAdd(x, constant(kLog2E), rounder);
  Value n = sub(shifted, rounder);
  Value r = mulAdd(n, constant(-format.ln2High), x);
  r = mulAdd(n, constant(-format.ln2Low), r);
  return {arith::BitcastOp::create(b, ints, shifted), polynomial(r)};
}

Value VectorMath::scale(Value p, Value bits) {
  // In two steps, so that results below the normal numbers are rounded once and
  // those above overflow. The high bits are shifted out.
  Value half = arith::ShRUIOp::create(b, bits, integer(1));
  Value rest = arith::SubIOp::create(b, bits, half);
  Value first = fromExponent(half);
  return mul(mulAdd(p, first, first), fromExponent(rest));
}

Value VectorMath::exp(Value x) {
  auto [bits, p] =
      reduce(clamp(x, format.expLow, format.expHigh), 2 * format.bias);
  return scale(p, bits);
}

Value VectorMath::exp2(Value x) {
  x = clamp(x, format.expLow * kLog2E, format.expHigh * kLog2E);
  Value rounder = constant(getRounder(format, 2 * format.bias));
  Value shifted = add(x, rounder);
  // The difference is exact.
  Value r = mul(sub(x, sub(shifted, rounder)), constant(kLn2));
  return scale(polynomial(r), arith::BitcastOp::create(b, ints, shifted));
}

Value VectorMath::expm1(Value x) {
  // Half of the result has a scale that is a finite number.
  auto [bits, p] =
      reduce(clamp(x, format.expm1Low, format.expHigh), format.bias - 1);
  Value scale = fromExponent(bits);
  Value y = mulAdd(p, scale, sub(scale, constant(0.5)));
  // The sums lose the sign of zero.
  return math::CopySignOp::create(b, add(y, y), x);
}

Value VectorMath::tanh(Value x) {
  // Of the magnitude: 1 - exp(-2|x|) over 1 + exp(-2|x|), which loses no digits
  // near zero.
  Value magnitude = math::AbsFOp::create(b, x);
  Value t = expm1(mul(magnitude, constant(-2.0)));
  Value y = div(t, add(t, constant(2.0)));
  return math::CopySignOp::create(b, y, x);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

Value VectorMath::logPolynomial(Value f, Value e) {
  Value p = constant(7.0376836292e-2f);
  for (float coefficient :
       {-1.1514610310e-1f, 1.1676998740e-1f, -1.2420140846e-1f,
        1.4249322787e-1f, -1.6668057665e-1f, 2.0000714765e-1f,
        -2.4999993993e-1f, 3.3333331174e-1f})
    p = mulAdd(p, f, constant(coefficient));
  Value square = mul(f, f);
  Value y = mul(p, mul(square, f));
  y = mulAdd(e, constant(format.ln2Low), y);
  y = mulAdd(square, constant(-0.5), y);
  return mulAdd(e, constant(format.ln2High), add(f, y));
}

Value VectorMath::logQuotient(Value f, Value e) {
  Value s = div(f, add(f, constant(2.0)));
  Value square = mul(s, s);
  Value p = constant(1.479819860511658591e-01);
  for (double coefficient :
       {1.531383769920937332e-01, 1.818357216161805012e-01,
        2.222219843214978396e-01, 2.857142874366239149e-01,
        3.999999999940941908e-01, 6.666666666666735130e-01})
    p = mulAdd(p, square, constant(coefficient));
  Value half = mul(mul(f, f), constant(0.5));
  Value y = mul(s, mulAdd(p, square, half));
  y = sub(half, mulAdd(e, constant(format.ln2Low), y));
  return mulAdd(e, constant(format.ln2High), sub(f, y));
}

Value VectorMath::log(Value x) {
  // Numbers below the normal ones are scaled up first.
  Value isSmall = compare(arith::CmpFPredicate::OLT, x, format.leastNormal);
  double up = static_cast<double>(int64_t{1} << format.mantissa);
  Value scaled = select(isSmall, mul(x, constant(up)), x);
  // m * 2^e with sqrt(1/2) <= m < sqrt(2).
  Value root = integer(format.rootHalf);
  Value bits = arith::BitcastOp::create(b, ints, scaled);
  Value above = arith::SubIOp::create(b, bits, root);
  Value biased =
      arith::AddIOp::create(b, above, integer(format.bias << format.mantissa));
  Value exponent = arith::ShRUIOp::create(b, biased, integer(format.mantissa));
  // As the low bits of a number of which the high ones are `up`.
  Value high = integer((format.bias + format.mantissa) << format.mantissa);
  exponent = arith::OrIOp::create(b, exponent, high);
  double offset = up + format.bias;
  Value e = sub(
      arith::BitcastOp::create(b, floats, exponent),
      select(isSmall, constant(offset + format.mantissa), constant(offset)));
  Value mantissa = arith::AndIOp::create(
      b, above, integer((int64_t{1} << format.mantissa) - 1));
  mantissa = arith::AddIOp::create(b, mantissa, root);
  Value f = sub(arith::BitcastOp::create(b, floats, mantissa), constant(1.0));
  Value y = format.width == 32 ? logPolynomial(f, e) : logQuotient(f, e);

  Value isInfinite = compare(arith::CmpFPredicate::OEQ, x, kInfinity);
  y = select(isInfinite, x, y);
  Value isZero = compare(arith::CmpFPredicate::OEQ, x, 0.0);
  Value other = select(isZero, constant(-kInfinity),
                       constant(std::numeric_limits<double>::quiet_NaN()));
  return select(compare(arith::CmpFPredicate::OGT, x, 0.0), y, other);
}

Value VectorMath::log1p(Value x) {
  // The rounding of u = 1 + x is undone by the factor x / (u - 1).
  Value u = add(x, constant(1.0));
  Value rounded = sub(u, constant(1.0));
  Value y = mul(x, div(log(u), rounded));
  Value isTiny = compare(arith::CmpFPredicate::OEQ, rounded, 0.0);
  Value isInfinite = compare(arith::CmpFPredicate::OEQ, u, kInfinity);
  return select(arith::OrIOp::create(b, isTiny, isInfinite), x, y);
}
