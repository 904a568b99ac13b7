//===- VectorTrigonometry.cpp - sin and cos as arithmetic -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// x = n*pi/2 + r with |r| <= pi/4, in f64 for f32 too, and the polynomials of
// fdlibm's and FreeBSD's sin and cos in r. For |x| up to kMaxSmall, r is x
// minus n times pi/2 in four parts (Cody and Waite): the first three have 33
// bits, so that their products with n are exact. Where a lane is larger, the
// lanes are taken one by one (Payne and Hanek): of the mantissa of x times 2/pi
// those bits are computed that are neither multiples of 4 nor too small to
// matter.
//
//===----------------------------------------------------------------------===//

#include "VectorMath.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::scan;

static constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
static constexpr double kHalfPi = 0x1.921fb54442d18p+0;
/// pi/2 in parts.
static constexpr double kHalfPiParts[] = {
    0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2ep-69, 0x1.b839a252049c1p-104};
/// n has 20 bits up to there.
static constexpr double kMaxSmall = 0x1p20;

/// The bits of 2/pi behind the point, behind 64 zeros.
static constexpr uint64_t kTwoOverPiBits[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0,
    0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

/// (sin(r) - r) / r^3 and, with f32, (cos(r) - 1) / r^2, else
/// (cos(r) - 1 + r^2/2) / r^4 as polynomials in r^2.
static constexpr double sin32[] = {0x1.6cd878c3b46a7p-19,
                                   -0x1.a00f9e2cae774p-13, 0x1.11110896efbb2p-7,
                                   -0x1.5555554cbac77p-3};
static constexpr double cos32[] = {0x1.99342e0ee5069p-16,
                                   -0x1.6c087e80f1e27p-10, 0x1.55553e1053a42p-5,
                                   -0x1.ffffffd0c5e81p-2};
static constexpr double sin64[] = {
    1.58969099521155010221e-10, -2.50507602534068634195e-08,
    2.75573137070700676789e-06, -1.98412698298579493134e-04,
    8.33333333332248946124e-03, -1.66666666666666324348e-01};
static constexpr double cos64[] = {
    -1.13596475577881948265e-11, 2.08757232129817482790e-09,
    -2.75573143513906633035e-07, 2.48015872894767294178e-05,
    -1.38888888888741095749e-03, 4.16666666666666019037e-02};

Value VectorMath::evaluate(ArrayRef<double> coefficients, Value x) {
  Value p = constant(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    p = mulAdd(p, x, constant(coefficient));
  return p;
}

VectorMath::Angle VectorMath::reduceSmallAngle(Value x) {
  // n is in the low bits of a number whose unit in the last place is 1.
  Value rounder = constant(0x1.8p52);
  Value shifted = mulAdd(x, constant(kTwoOverPi), rounder);
  Value n = sub(shifted, rounder);
  Value r = x;
  for (double part : kHalfPiParts)
    r = mulAdd(n, constant(-part), r);
  return {arith::BitcastOp::create(b, ints, shifted), r};
}

VectorMath::Angle VectorMath::reduceLargeAngle(Value x) {
  Type word = b.getI64Type();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, word, value);
  };
  auto shiftLeft = [&](Value value, Value by) -> Value {
    return arith::ShLIOp::create(b, value, by);
  };
  auto shiftRight = [&](Value value, Value by) -> Value {
    return arith::ShRUIOp::create(b, value, by);
  };
  auto mask = [&](Value value, int64_t bits) -> Value {
    return arith::AndIOp::create(b, value, number(bits));
  };
  // The words `high` and `low` moved left by 2 bits, of which the high one is
  // left.
  auto moveByTwo = [&](Value high, Value low) -> Value {
    return arith::OrIOp::create(b, shiftLeft(high, number(2)),
                                shiftRight(low, number(62)));
  };

  // |x| = mantissa * 2^exponent.
  Value bits = arith::BitcastOp::create(b, word, x);
  Value mantissa = mask(bits, (int64_t{1} << 52) - 1);
  mantissa = arith::OrIOp::create(b, mantissa, number(int64_t{1} << 52));
  Value biased = mask(shiftRight(bits, number(52)), 0x7FF);
  // 192 bits of 2/pi: times 2^exponent, the first one counts 2, and those in
  // front of it multiples of 4. Smaller numbers and those that are none get
  // something else at the end.
  Value first = arith::AddIOp::create(b, biased, number(62 - 1075));
  first = arith::MaxSIOp::create(b, first, number(0));
  Value position = arith::IndexCastOp::create(b, b.getIndexType(),
                                              shiftRight(first, number(6)));
  Value offset = mask(first, 63);
  Value opposite = arith::XOrIOp::create(b, offset, number(63));
  auto tableType = VectorType::get(std::size(kTwoOverPiBits), word);
  Value table = arith::ConstantOp::create(
      b, DenseElementsAttr::get(tableType, ArrayRef(kTwoOverPiBits)));
  SmallVector<Value> words;
  for (int64_t i = 0; i < 4; ++i) {
    Value at = arith::AddIOp::create(b, position,
                                     arith::ConstantIndexOp::create(b, i));
    words.push_back(
        vector::ExtractOp::create(b, table, SmallVector<OpFoldResult>{at}));
  }
  SmallVector<Value> part;
  for (int64_t i = 0; i < 3; ++i)
    part.push_back(arith::OrIOp::create(
        b, shiftLeft(words[i], offset),
        shiftRight(shiftRight(words[i + 1], number(1)), opposite)));

  // The product modulo 2^192: the first two bits are n, the others r by pi/2.
  auto low = arith::MulUIExtendedOp::create(b, mantissa, part[2]);
  auto middle = arith::MulUIExtendedOp::create(b, mantissa, part[1]);
  auto sum = arith::AddUIExtendedOp::create(b, middle.getLow(), low.getHigh());
  Value carry = arith::ExtUIOp::create(b, word, sum.getOverflow());
  Value high = arith::MulIOp::create(b, mantissa, part[0]);
  high = arith::AddIOp::create(b, high, middle.getHigh());
  high = arith::AddIOp::create(b, high, carry);
  Value fraction = moveByTwo(high, sum.getSum());
  Value fractionLow = moveByTwo(sum.getSum(), low.getLow());
  // Rounded to the nearest n, r may be negative.
  Value isAbove = shiftRight(fraction, number(63));
  Value n = arith::AddIOp::create(b, shiftRight(high, number(62)), isAbove);
  // But for 2^-128, the negative number has the other bits.
  Value flip = arith::SubIOp::create(b, number(0), isAbove);
  Value r = arith::UIToFPOp::create(b, floats,
                                    arith::XOrIOp::create(b, fraction, flip));
  Value rLow = arith::UIToFPOp::create(
      b, floats, arith::XOrIOp::create(b, fractionLow, flip));
  r = mulAdd(rLow, constant(0x1p-64), r);
  r = mul(r, constant(kHalfPi * 0x1p-64));
  // Both have the sign of x.
  Value sign = arith::XOrIOp::create(b, isAbove, shiftRight(bits, number(63)));
  Value signedRest = arith::XOrIOp::create(
      b, arith::BitcastOp::create(b, word, r), shiftLeft(sign, number(63)));
  Value isNegative =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, bits, number(0));
  n = select(isNegative, arith::SubIOp::create(b, number(0), n), n);
  r = arith::BitcastOp::create(b, floats, signedRest);
  // NaN of infinity and NaN.
  return {n, add(r, sub(x, x))};
}

VectorMath::Angle VectorMath::reduceAngle(Value x) {
  Value isLarge =
      compare(arith::CmpFPredicate::UGT, math::AbsFOp::create(b, x), kMaxSmall);
  auto type = dyn_cast<VectorType>(floats);
  Value isAnyLarge =
      type ? vector::ReductionOp::create(b, vector::CombiningKind::OR, isLarge)
                 .getResult()
           : isLarge;
  Angle small = reduceSmallAngle(x);
  auto branch = scf::IfOp::create(b, TypeRange{ints, floats}, isAnyLarge,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, ValueRange{small.quadrant, small.rest});
  b.setInsertionPointToStart(branch.thenBlock());
  if (!type) {
    Angle large = reduceLargeAngle(x);
    scf::YieldOp::create(b, ValueRange{large.quadrant, large.rest});
    return {branch.getResult(0), branch.getResult(1)};
  }
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value end = arith::ConstantIndexOp::create(b, type.getNumElements());
  auto loop = scf::ForOp::create(
      b, zero, end, one, ValueRange{small.quadrant, small.rest},
      [&](OpBuilder &builder, Location loc, Value lane, ValueRange before) {
        SmallVector<OpFoldResult> place{lane};
        auto get = [&](Value vector) -> Value {
          return vector::ExtractOp::create(builder, loc, vector, place);
        };
        Value scalar = get(x);
        Angle large =
            VectorMath(builder, scalar, fuses).reduceLargeAngle(scalar);
        Value isChosen = get(isLarge);
        SmallVector<Value> after;
        for (auto [vector, value] :
             llvm::zip_equal(before, ValueRange{large.quadrant, large.rest})) {
          Value chosen = arith::SelectOp::create(builder, loc, isChosen, value,
                                                 get(vector));
          after.push_back(
              vector::InsertOp::create(builder, loc, chosen, vector, place));
        }
        scf::YieldOp::create(builder, loc, after);
      });
  scf::YieldOp::create(b, loop.getResults());
  return {branch.getResult(0), branch.getResult(1)};
}

Value VectorMath::combineAngle(Angle angle, ArrayRef<double> sinTerms,
                               ArrayRef<double> cosTerms, bool isCos) {
  Value r = angle.rest, square = mul(r, r);
  Value sin = mulAdd(mul(r, square), evaluate(sinTerms, square), r);
  // The sum loses the sign of zero.
  sin = math::CopySignOp::create(b, sin, r);
  Value rest = evaluate(cosTerms, square);
  if (cosTerms.size() == std::size(cos64))
    rest = mulAdd(square, rest, constant(-0.5));
  Value cos = mulAdd(square, rest, constant(1.0));

  // sin, cos, -sin, -cos.
  Value n = angle.quadrant;
  if (isCos)
    n = arith::AddIOp::create(b, n, integer(1));
  Value isOdd = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                      arith::AndIOp::create(b, n, integer(1)),
                                      integer(0));
  Value sign = arith::ShLIOp::create(b, arith::AndIOp::create(b, n, integer(2)),
                                     integer(62));
  Value y = arith::BitcastOp::create(b, ints, select(isOdd, cos, sin));
  return arith::BitcastOp::create(b, floats, arith::XOrIOp::create(b, y, sign));
}

Value VectorMath::sinOrCos(Value x, bool isCos) {
  if (element.isF32()) {
    Type type = b.getF64Type();
    if (auto vector = dyn_cast<VectorType>(floats))
      type = vector.clone(type);
    Value wide = arith::ExtFOp::create(b, type, x);
    VectorMath math(b, wide, fuses);
    Value y = math.combineAngle(math.reduceAngle(wide), sin32, cos32, isCos);
    return arith::TruncFOp::create(b, floats, y);
  }
  return combineAngle(reduceAngle(x), sin64, cos64, isCos);
}
