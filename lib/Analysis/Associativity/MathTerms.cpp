//===- MathTerms.cpp - Functions of real numbers as terms -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionTerms.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan::associativity;

/// Natural exponents up to here are products.
static constexpr int64_t kMaxPower = 16;

LogicalResult RegionTerms::evaluateRealMath(Operation *op, ArrayRef<Part> in,
                                            Symbol &out) {
  Term x = in[0].value, y = in.back().value;
  Term zero = pool.real(0), one = pool.real(1), two = pool.real(2);
  Term defined = in[0].defined;
  for (Part part : in.drop_front())
    defined = pool.andOf(defined, part.defined);
  auto add = [&](Term value) {
    out.push_back({value, defined});
    return success();
  };
  auto addLog = [&](StringRef base, Term argument) {
    defined = pool.andOf(defined, require(pool.lessThan(zero, argument),
                                          "the logarithm of a number that is "
                                          "not positive"));
    return add(pool.log(base, argument));
  };
  auto exp = [&](Term argument) { return pool.exp("e", argument); };

  if (isa<math::ExpOp>(op))
    return add(exp(x));
  if (isa<math::Exp2Op>(op))
    return add(pool.exp("2", x));
  if (isa<math::ExpM1Op>(op))
    return add(pool.subtract(exp(x), one));
  if (isa<math::LogOp>(op))
    return addLog("e", x);
  if (isa<math::Log2Op>(op))
    return addLog("2", x);
  if (isa<math::Log10Op>(op))
    return addLog("10", x);
  if (isa<math::Log1pOp>(op))
    return addLog("e", pool.add(one, x));
  if (isa<math::SinhOp, math::CoshOp, math::TanhOp>(op)) {
    Term up = exp(x), down = exp(pool.negate(x));
    Term sum = pool.add(up, down), difference = pool.subtract(up, down);
    if (isa<math::TanhOp>(op))
      return add(pool.divide(difference, sum));
    return add(pool.divide(isa<math::SinhOp>(op) ? difference : sum, two));
  }
  if (isa<math::SqrtOp, math::RsqrtOp>(op)) {
    bool isInverse = isa<math::RsqrtOp>(op);
    defined =
        pool.andOf(defined, require(isInverse ? pool.lessThan(zero, x)
                                              : pool.lessEqual(zero, x),
                                    "the root of a number that has none"));
    Term root = pool.squareRoot(x);
    return add(isInverse ? pool.divide(one, root) : root);
  }
  if (isa<math::CbrtOp>(op))
    return add(pool.cubeRoot(x));
  if (isa<math::FmaOp>(op))
    return add(pool.add(pool.multiply(x, in[1].value), y));
  if (isa<math::AbsFOp>(op))
    return add(absolute(x));
  if (isa<math::CopySignOp>(op)) {
    Term magnitude = absolute(x);
    return add(pool.ifThenElse(pool.lessThan(y, zero), pool.negate(magnitude),
                               magnitude));
  }
  if (isa<math::ClampFOp>(op)) {
    Term low = in[1].value;
    Term above = pool.ifThenElse(pool.lessThan(y, x), y, x);
    return add(pool.ifThenElse(pool.lessThan(x, low), low, above));
  }
  if (isa<math::IsNaNOp, math::IsInfOp>(op))
    return add(pool.boolean(pool.get(x).kind == TermKind::Infinity &&
                            isa<math::IsInfOp>(op)));
  if (isa<math::IsFiniteOp>(op))
    return add(pool.boolean(pool.get(x).kind != TermKind::Infinity));
  Term half = pool.real(Rational(1, 2));
  auto floorOf = [&](Term argument) { return pool.floor(argument); };
  auto ceilOf = [&](Term argument) {
    return pool.negate(pool.floor(pool.negate(argument)));
  };
  Term isNegative = pool.lessThan(x, zero);
  if (isa<math::FloorOp>(op))
    return add(floorOf(x));
  if (isa<math::CeilOp>(op))
    return add(ceilOf(x));
  if (isa<math::TruncOp>(op))
    return add(pool.ifThenElse(isNegative, ceilOf(x), floorOf(x)));
  if (isa<math::RoundOp>(op))
    return add(pool.ifThenElse(isNegative, ceilOf(pool.subtract(x, half)),
                               floorOf(pool.add(x, half))));

  if (isa<math::PowFOp, math::FPowIOp>(op)) {
    const Rational *value = pool.getValue(y);
    // The other operand of fpowi is an integer, which is not negative here.
    if (value && value->den == 1 && *value >= Rational(0, 1) &&
        *value <= Rational(kMaxPower, 1))
      return add(pool.power(x, static_cast<unsigned>(int64_t(value->num))));
    if (isa<math::FPowIOp>(op))
      return refuse(op, "has an exponent that is not a small constant, and no "
                        "translation for the solver");
    defined = pool.andOf(defined, require(pool.lessThan(zero, x),
                                          "the power of a number that is not "
                                          "positive"));
    return add(exp(pool.multiply(y, pool.log("e", x))));
  }

  // Of the others the solver knows that equal arguments give equal results.
  StringRef name = op->getName().stripDialect();
  SmallVector<Term> arguments;
  for (Part part : in)
    arguments.push_back(part.value);
  for (unsigned i = 0, e = op->getNumResults(); i < e; ++i)
    (void)add(pool.uninterpreted(
        pool.intern("math_" + name + (e > 1 ? "_" + Twine(i) : "")),
        Sort::real(), arguments));
  return success();
}

LogicalResult RegionTerms::evaluateComplex(Operation *op, ArrayRef<Part> in,
                                           Symbol &out) {
  Term defined = in[0].defined;
  for (Part part : in.drop_front())
    defined = pool.andOf(defined, part.defined);
  auto add = [&](Term value) { out.push_back({value, defined}); };
  // Operations that move and negate are those of each theory.
  if (isa<complex::CreateOp>(op)) {
    llvm::append_range(out, in);
    return success();
  }
  if (isa<complex::ReOp, complex::ImOp>(op)) {
    out.push_back(in[isa<complex::ReOp>(op) ? 0 : 1]);
    return success();
  }
  auto negate = [&](Term x) {
    Type type = op->getResult(0).getType();
    auto complex = cast<ComplexType>(getElementTypeOrSelf(type));
    return theory == FloatTheory::Real
               ? pool.negate(x)
               : negateFloat(x, cast<FloatType>(complex.getElementType()));
  };
  if (isa<complex::NegOp, complex::ConjOp>(op)) {
    add(isa<complex::NegOp>(op) ? negate(in[0].value) : in[0].value);
    add(negate(in[1].value));
    return success();
  }
  if (theory == FloatTheory::Exact)
    return evaluateRounded(op, in, out);
  if (theory != FloatTheory::Real)
    return refuseUnknown(op);
  for (Part part : in)
    if (pool.get(part.value).isInfinite)
      return refuse(op,
                    "computes with an infinity, and floats that are computed "
                    "with are treated as real numbers");
  Term a = in[0].value, b = in[1].value;
  if (isa<complex::AbsOp>(op)) {
    add(pool.squareRoot(pool.add(pool.multiply(a, a), pool.multiply(b, b))));
    return success();
  }
  if (in.size() != 4)
    return refuseUnknown(op);
  Term c = in[2].value, d = in[3].value;
  if (isa<complex::AddOp, complex::SubOp>(op)) {
    bool isSum = isa<complex::AddOp>(op);
    add(isSum ? pool.add(a, c) : pool.subtract(a, c));
    add(isSum ? pool.add(b, d) : pool.subtract(b, d));
    return success();
  }
  if (isa<complex::EqualOp, complex::NotEqualOp>(op)) {
    Term equal = pool.andOf(pool.equal(a, c), pool.equal(b, d));
    add(isa<complex::EqualOp>(op) ? equal : pool.notOf(equal));
    return success();
  }
  bool isQuotient = isa<complex::DivOp>(op);
  if (!isQuotient && !isa<complex::MulOp>(op))
    return refuseUnknown(op);
  if (isQuotient)
    d = pool.negate(d);
  Term re = pool.subtract(pool.multiply(a, c), pool.multiply(b, d));
  Term im = pool.add(pool.multiply(a, d), pool.multiply(b, c));
  if (isQuotient) {
    Term norm = pool.add(pool.multiply(c, c), pool.multiply(d, d));
    defined =
        pool.andOf(defined, require(pool.notOf(pool.equal(norm, pool.real(0))),
                                    "a division by 0"));
    re = pool.divide(re, norm);
    im = pool.divide(im, norm);
  }
  add(re);
  add(im);
  return success();
}
