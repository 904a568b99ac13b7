//===- Rules.cpp - The table of derivatives -------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"
#include "../Utils/ScalarCast.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;
using Context = RuleContext;
using Predicate = arith::CmpFPredicate;

namespace {

//===----------------------------------------------------------------------===//
// Parts of rules
//===----------------------------------------------------------------------===//

Value one(Context &c) { return c.constant(c.in().getType(), 1.0); }
Value zero(Context &c) { return c.constant(c.in().getType(), 0.0); }
Value square(Context &c, Value x) { return c.mul(x, x); }

/// 1 - x^2 in the form that does not cancel near one.
Value oneMinusSquare(Context &c, Value x) {
  return c.mul(c.sub(one(c), x), c.add(one(c), x));
}

/// cotangent / conj(denominator).
void accumulateQuotient(Context &c, Value denominator) {
  c.accumulate(0, c.over(c.cotangent(), c.conj(denominator)));
}

/// Maxima and minima that a NaN goes through: the operand that the result is.
/// Equal ones get half each, and a NaN makes none of them the other's loser: as
/// torch.maximum and torch.minimum have it.
template <bool isMax> void extremum(Context &c) {
  Value a = c.in(0), b = c.in(1), whole = c.cotangent();
  Predicate loses = isMax ? Predicate::OLT : Predicate::OGT;
  Value isTie = c.compare(Predicate::OEQ, a, b);
  Value share = c.select(isTie, c.scale(0.5, whole), whole);
  c.accumulateUnless(0, c.compare(loses, a, b), share);
  c.accumulateUnless(1, c.compare(loses, b, a), share);
}

/// Maxima and minima that drop a NaN: the first of equal operands, as
/// torch.fmax and torch.fmin have it.
template <bool isMax> void numberExtremum(Context &c) {
  Predicate wins = isMax ? Predicate::OGE : Predicate::OLE;
  Value first = c.compare(wins, c.in(0), c.in(1));
  Value secondIsNaN = c.isNaN(c.in(1));
  first = arith::OrIOp::create(c.builder, c.loc, first, secondIsNaN);
  c.accumulateWhere(0, first, c.cotangent());
  c.accumulateUnless(1, first, c.cotangent());
}

/// The operation on a part of a complex number made complex.
Value makeComplex(Context &c, Value re, Value im) {
  return complex::CreateOp::create(c.builder, c.loc,
                                   ComplexType::get(re.getType()), re, im);
}

Value realPart(Context &c, Value z) {
  return complex::ReOp::create(c.builder, c.loc, z);
}
Value imaginaryPart(Context &c, Value z) {
  return complex::ImOp::create(c.builder, c.loc, z);
}

/// The sign of a real number, 0 for 0. Always finite.
Value sign(Context &c, Value x) {
  Value unit = math::CopySignOp::create(c.builder, c.loc, one(c), x);
  return c.select(c.isZero(x), zero(c), unit);
}

/// x^y: y x^(y-1) and x^y log x, both 0 where a factor of 0 would meet an
/// infinite one.
template <typename PowOp, typename LogOp> void power(Context &c) {
  Value x = c.in(0), y = c.in(1);
  Value less = c.sub(y, one(c));
  Value slope = c.mul(y, PowOp::create(c.builder, c.loc, x, less));
  c.accumulateProduct(0, c.select(c.isZero(y), zero(c), slope));
  Value safe = c.select(c.isZero(x), one(c), x);
  c.accumulateProduct(1, c.mul(c.out(), c.apply<LogOp>(safe)));
}

//===----------------------------------------------------------------------===//
// Functions that real and complex numbers have in common
//===----------------------------------------------------------------------===//

void add(Context &c) {
  c.accumulate(0, c.cotangent());
  c.accumulate(1, c.cotangent());
}
void sub(Context &c) {
  c.accumulate(0, c.cotangent());
  c.accumulate(1, c.neg(c.cotangent()));
}
void mul(Context &c) {
  c.accumulateProduct(0, c.in(1));
  c.accumulateProduct(1, c.in(0));
}
void div(Context &c) {
  Value scaled = c.over(c.cotangent(), c.conj(c.in(1)));
  c.accumulate(0, scaled);
  c.accumulate(1, c.neg(c.times(scaled, c.conj(c.out()))));
}
void neg(Context &c) { c.accumulate(0, c.neg(c.cotangent())); }
void pass(Context &c) { c.accumulate(0, c.cotangent()); }
void nothing(Context &) {}
void exp(Context &c) { c.accumulateProduct(0, c.out()); }
void expm1(Context &c) { c.accumulateProduct(0, c.add(c.out(), one(c))); }
void log(Context &c) { accumulateQuotient(c, c.in()); }
void log1p(Context &c) { accumulateQuotient(c, c.add(c.in(), one(c))); }
void sqrt(Context &c) { accumulateQuotient(c, c.scale(2.0, c.out())); }
void rsqrt(Context &c) {
  c.accumulateProduct(0, c.scale(-0.5, c.mul(square(c, c.out()), c.out())));
}
void tan(Context &c) {
  c.accumulateProduct(0, c.add(one(c), square(c, c.out())));
}
void tanh(Context &c) { c.accumulateProduct(0, oneMinusSquare(c, c.out())); }
template <typename CosOp> void sin(Context &c) {
  c.accumulateProduct(0, c.apply<CosOp>(c.in()));
}
template <typename SinOp> void cos(Context &c) {
  c.accumulateProduct(0, c.neg(c.apply<SinOp>(c.in())));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

struct NamedRule {
  StringLiteral name;
  Rule rule;
};

const NamedRule kRules[] = {
    // arith
    {"arith.addf", add},
    {"arith.subf", sub},
    {"arith.mulf", mul},
    {"arith.divf", div},
    {"arith.negf", neg},
    {"arith.remf", // x - trunc(x / y) y
     [](Context &c) {
       c.accumulate(0, c.cotangent());
       Value times = c.apply<math::TruncOp>(c.div(c.in(0), c.in(1)));
       c.accumulateProduct(1, c.neg(times));
     }},
    {"arith.maximumf", extremum<true>},
    {"arith.minimumf", extremum<false>},
    {"arith.maxnumf", numberExtremum<true>},
    {"arith.minnumf", numberExtremum<false>},
    {"arith.select",
     [](Context &c) {
       c.accumulateWhere(1, c.in(0), c.cotangent());
       c.accumulateUnless(2, c.in(0), c.cotangent());
     }},
    {"arith.extf",
     [](Context &c) {
       c.accumulate(
           0, castScalar(c.builder, c.loc, c.cotangent(), c.in().getType()));
     }},
    {"arith.truncf",
     [](Context &c) {
       c.accumulate(
           0, castScalar(c.builder, c.loc, c.cotangent(), c.in().getType()));
     }},

    // math
    {"math.absf",
     [](Context &c) {
       c.accumulate(0, c.mul(sign(c, c.in()), c.cotangent()));
     }},
    {"math.acos",
     [](Context &c) {
       accumulateQuotient(
           c, c.neg(c.apply<math::SqrtOp>(oneMinusSquare(c, c.in()))));
     }},
    {"math.acosh",
     [](Context &c) {
       Value less = c.sub(c.in(), one(c)), more = c.add(c.in(), one(c));
       accumulateQuotient(
           c, c.mul(c.apply<math::SqrtOp>(less), c.apply<math::SqrtOp>(more)));
     }},
    {"math.asin",
     [](Context &c) {
       accumulateQuotient(c, c.apply<math::SqrtOp>(oneMinusSquare(c, c.in())));
     }},
    {"math.asinh",
     [](Context &c) {
       accumulateQuotient(
           c, c.apply<math::SqrtOp>(c.add(square(c, c.in()), one(c))));
     }},
    {"math.atan",
     [](Context &c) {
       accumulateQuotient(c, c.add(square(c, c.in()), one(c)));
     }},
    {"math.atanh",
     [](Context &c) { accumulateQuotient(c, oneMinusSquare(c, c.in())); }},
    {"math.atan2",
     [](Context &c) {
       Value norm = c.add(square(c, c.in(0)), square(c, c.in(1)));
       Value scaled = c.over(c.cotangent(), norm);
       c.accumulate(0, c.times(scaled, c.in(1)));
       c.accumulate(1, c.neg(c.times(scaled, c.in(0))));
     }},
    {"math.cbrt",
     [](Context &c) {
       accumulateQuotient(c, c.scale(3.0, square(c, c.out())));
     }},
    {"math.ceil", nothing},
    {"math.clampf", // value, min, max
     [](Context &c) {
       Value low = c.compare(Predicate::OLT, c.in(0), c.in(1));
       Value high = c.compare(Predicate::OGT, c.in(0), c.in(2));
       Value outside = arith::OrIOp::create(c.builder, c.loc, low, high);
       // The whole cotangent at the bounds, as torch.clamp has it.
       c.accumulateUnless(0, outside, c.cotangent());
       c.accumulateWhere(1, low, c.cotangent());
       // Below `min` nothing is left for `max`.
       c.accumulateUnless(2, low, c.select(high, c.cotangent(), zero(c)));
     }},
    {"math.copysign", // |x| with the sign of y
     [](Context &c) {
       Value signs =
           math::CopySignOp::create(c.builder, c.loc, one(c), c.in(1));
       c.accumulate(0, c.mul(c.mul(sign(c, c.in(0)), signs), c.cotangent()));
     }},
    {"math.cos", cos<math::SinOp>},
    {"math.cosh",
     [](Context &c) { c.accumulateProduct(0, c.apply<math::SinhOp>(c.in())); }},
    {"math.erf",
     [](Context &c) {
       Value bell = c.apply<math::ExpOp>(c.neg(square(c, c.in())));
       c.accumulateProduct(0, c.scale(2.0 / std::sqrt(M_PI), bell));
     }},
    {"math.erfc",
     [](Context &c) {
       Value bell = c.apply<math::ExpOp>(c.neg(square(c, c.in())));
       c.accumulateProduct(0, c.scale(-2.0 / std::sqrt(M_PI), bell));
     }},
    {"math.exp", exp},
    {"math.exp2",
     [](Context &c) { c.accumulateProduct(0, c.scale(M_LN2, c.out())); }},
    {"math.expm1", expm1},
    {"math.floor", nothing},
    {"math.fma",
     [](Context &c) {
       c.accumulateProduct(0, c.in(1));
       c.accumulateProduct(1, c.in(0));
       c.accumulate(2, c.cotangent());
     }},
    {"math.fpowi", // n x^(n-1), and 0 for n = 0
     [](Context &c) {
       Value n = c.in(1);
       Value unit = arith::ConstantOp::create(
           c.builder, c.loc, c.builder.getIntegerAttr(n.getType(), 1));
       Value less = arith::SubIOp::create(c.builder, c.loc, n, unit);
       Value times =
           arith::SIToFPOp::create(c.builder, c.loc, c.in().getType(), n);
       Value power = math::FPowIOp::create(c.builder, c.loc, c.in(), less);
       Value slope = c.mul(times, power);
       c.accumulateProduct(0, c.select(c.isZero(times), zero(c), slope));
     }},
    {"math.log", log},
    {"math.log10",
     [](Context &c) { accumulateQuotient(c, c.scale(M_LN10, c.in())); }},
    {"math.log1p", log1p},
    {"math.log2",
     [](Context &c) { accumulateQuotient(c, c.scale(M_LN2, c.in())); }},
    {"math.powf", power<math::PowFOp, math::LogOp>},
    {"math.round", nothing},
    {"math.roundeven", nothing},
    {"math.rsqrt", rsqrt},
    {"math.sin", sin<math::CosOp>},
    {"math.sincos",
     [](Context &c) {
       if (Value ofSin = c.cotangent(0))
         c.accumulate(0, c.times(ofSin, c.out(1)));
       if (Value ofCos = c.cotangent(1))
         c.accumulate(0, c.neg(c.times(ofCos, c.out(0))));
     }},
    {"math.sinh",
     [](Context &c) { c.accumulateProduct(0, c.apply<math::CoshOp>(c.in())); }},
    {"math.sqrt", sqrt},
    {"math.tan", tan},
    {"math.tanh", tanh},
    {"math.trunc", nothing},

    // complex
    {"complex.add", add},
    {"complex.sub", sub},
    {"complex.mul", mul},
    {"complex.div", div},
    {"complex.neg", neg},
    {"complex.exp", exp},
    {"complex.expm1", expm1},
    {"complex.log", log},
    {"complex.log1p", log1p},
    {"complex.sqrt", sqrt},
    {"complex.rsqrt", rsqrt},
    {"complex.sin", sin<complex::CosOp>},
    {"complex.cos", cos<complex::SinOp>},
    {"complex.tan", tan},
    {"complex.tanh", tanh},
    {"complex.pow", power<complex::PowOp, complex::LogOp>},
    {"complex.conj",
     [](Context &c) { c.accumulate(0, c.conj(c.cotangent())); }},
    {"complex.re",
     [](Context &c) {
       Value none = c.constant(c.cotangent().getType(), 0.0);
       c.accumulate(0, makeComplex(c, c.cotangent(), none));
     }},
    {"complex.im",
     [](Context &c) {
       Value none = c.constant(c.cotangent().getType(), 0.0);
       c.accumulate(0, makeComplex(c, none, c.cotangent()));
     }},
    {"complex.create",
     [](Context &c) {
       c.accumulate(0, realPart(c, c.cotangent()));
       c.accumulate(1, imaginaryPart(c, c.cotangent()));
     }},
    {"complex.abs", // z / |z|, and 0 for 0
     [](Context &c) {
       Value none = c.constant(c.out().getType(), 0.0);
       Value norm = c.select(c.isZero(c.out()),
                             c.constant(c.out().getType(), 1.0), c.out());
       Value scale = makeComplex(c, c.over(c.cotangent(), norm), none);
       c.accumulate(0, c.times(scale, c.in()));
     }},
    {"complex.angle", // i z / |z|^2
     [](Context &c) {
       Value re = realPart(c, c.in()), im = imaginaryPart(c, c.in());
       Value norm = c.add(c.mul(re, re), c.mul(im, im));
       Value scaled = c.over(c.cotangent(), norm);
       c.accumulate(
           0, makeComplex(c, c.neg(c.times(scaled, im)), c.times(scaled, re)));
     }},

    // scan
    {"scan.clone", pass},
};

} // namespace

Rule differentiate::lookupRule(Operation *op) {
  StringRef name = op->getName().getStringRef();
  const NamedRule *entry =
      llvm::find_if(kRules, [&](const NamedRule &e) { return e.name == name; });
  return entry == std::end(kRules) ? nullptr : entry->rule;
}

bool differentiate::isOnlyRealDifferentiable(Operation *op) {
  return isa<complex::ConjOp, complex::ReOp, complex::ImOp, complex::CreateOp,
             complex::AbsOp, complex::AngleOp>(op);
}
