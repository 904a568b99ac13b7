//===- WrappedTerms.cpp - Integers of a fixed width as integers -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Solvers decide sums, differences and products by constants of integers
// without looking at bits. Here an integer of N bits is the unsigned number in
// [0, 2^N) that its bits are, and each operation says where it wraps around:
// nothing is lost, but operations on bits have no translation.
//
// A float that is only compared and chosen is an integer, too: its place in the
// order of IEEE 754's totalOrder, -0 being -1 and +0 being 0. NaN is the number
// behind +inf.
//
//===----------------------------------------------------------------------===//

#include "RegionTerms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan::associativity;
using llvm::APFloat;
using llvm::APInt;
using llvm::DynamicAPInt;

static Rational powerOfTwo(unsigned exponent) {
  return Rational(DynamicAPInt(APInt::getOneBitSet(exponent + 2, exponent)));
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

RegionTerms::Range RegionTerms::getRange(Term x) const {
  if (const Rational *value = pool.getValue(x))
    return {*value, *value};
  auto it = ranges.find(x.id);
  return it == ranges.end() ? Range{} : it->second;
}

Term RegionTerms::setRange(Term x, Range range) {
  if (range.isKnown)
    ranges.try_emplace(x.id, range);
  return x;
}

Term RegionTerms::compute(StringRef name, Term x, Term y) {
  Range a = getRange(x), b = getRange(y), range;
  const Rational *left = pool.getValue(x), *right = pool.getValue(y);
  if (left && right && (name == "+" || name == "-"))
    return pool.integer(name == "+" ? *left + *right : *left - *right);
  if (a.isKnown && b.isKnown) {
    if (name == "+") {
      range = {a.low + b.low, a.high + b.high};
    } else if (name == "-") {
      range = {a.low - b.high, a.high - b.low};
    } else if (name == "*") {
      Rational ends[] = {a.low * b.low, a.low * b.high, a.high * b.low,
                         a.high * b.high};
      range = {*llvm::min_element(ends), *llvm::max_element(ends)};
    } else if (name == "div" && right && *right > Rational(0, 1)) {
      range = {Rational(presburger::floor(a.low / *right)),
               Rational(presburger::floor(a.high / *right))};
    } else if (name == "mod" && right && *right > Rational(0, 1)) {
      range = {Rational(0, 1), *right - Rational(1, 1)};
      if (a.low >= Rational(0, 1) && a.high < *right)
        return x;
    }
  }
  return setRange(pool.apply(Sort::integer(), name, {x, y}), range);
}

Term RegionTerms::isLess(Term x, Term y, bool orEqual) {
  Range a = getRange(x), b = getRange(y);
  if (a.isKnown && b.isKnown) {
    if (a.high < b.low || (orEqual && a.high <= b.low))
      return pool.boolean(true);
    if (a.low > b.high || (!orEqual && a.low >= b.high))
      return pool.boolean(false);
  }
  return pool.apply(Sort::boolean(), orEqual ? "<=" : "<", {x, y});
}

Term RegionTerms::chooseInteger(Term condition, Term x, Term y) {
  Range a = getRange(x), b = getRange(y), range;
  if (a.isKnown && b.isKnown)
    range = {std::min(a.low, b.low), std::max(a.high, b.high)};
  return setRange(pool.ifThenElse(condition, x, y), range);
}

/// A number in [-2^width, 2^(width + 1)) as one in [0, 2^width).
Term RegionTerms::wrap(Term x, unsigned width) {
  Term zero = pool.integer(Rational(0, 1)),
       size = pool.integer(powerOfTwo(width));
  Range range = getRange(x);
  if (!range.isKnown || range.low < -powerOfTwo(width) ||
      range.high >= powerOfTwo(width + 1))
    return compute("mod", x, size);
  Term above = isLess(size, x, /*orEqual=*/true), below = isLess(x, zero);
  Term result = chooseInteger(above, compute("-", x, size),
                              chooseInteger(below, compute("+", x, size), x));
  ranges[result.id] = {
      std::max(range.low, Rational(0, 1)),
      std::min(range.high, powerOfTwo(width) - Rational(1, 1))};
  if (range.low < Rational(0, 1) || range.high >= powerOfTwo(width))
    ranges[result.id] = {Rational(0, 1), powerOfTwo(width) - Rational(1, 1)};
  return result;
}

Term RegionTerms::toSigned(Term x, unsigned width) {
  Term half = pool.integer(powerOfTwo(width - 1));
  Term result = chooseInteger(isLess(x, half), x,
                              compute("-", x, pool.integer(powerOfTwo(width))));
  Range range = getRange(x);
  if (range.isKnown && range.high >= powerOfTwo(width - 1))
    ranges[result.id] = {-powerOfTwo(width - 1),
                         powerOfTwo(width - 1) - Rational(1, 1)};
  return result;
}

/// What the flags of a sum, difference or product exclude, and the result.
LogicalResult RegionTerms::evaluateWrappedSum(Operation *op, Part x, Part y,
                                              unsigned width, Symbol &out) {
  StringRef name = isa<arith::AddIOp>(op)   ? "+"
                   : isa<arith::SubIOp>(op) ? "-"
                                            : "*";
  Term defined = pool.andOf(x.defined, y.defined);
  Term whole = compute(name, x.value, y.value);
  using Flags = arith::IntegerOverflowFlags;
  auto flags =
      cast<arith::ArithIntegerOverflowFlagsInterface>(op).getOverflowAttr();
  constexpr StringLiteral what =
      "an overflow that the flags of an operation exclude";
  auto isWithin = [&](Term value, Rational low, Rational end) {
    return pool.andOf(isLess(pool.integer(low), value, /*orEqual=*/true),
                      isLess(value, pool.integer(end)));
  };
  if (bitEnumContainsAny(flags.getValue(), Flags::nuw))
    defined = pool.andOf(
        defined,
        require(isWithin(whole, Rational(0, 1), powerOfTwo(width)), what));
  if (bitEnumContainsAny(flags.getValue(), Flags::nsw)) {
    Term exact =
        compute(name, toSigned(x.value, width), toSigned(y.value, width));
    defined = pool.andOf(
        defined,
        require(isWithin(exact, -powerOfTwo(width - 1), powerOfTwo(width - 1)),
                what));
  }
  out.push_back({wrap(whole, width), defined});
  return success();
}

static StringRef kNoBits = "works on bits, and has no translation to integers";

LogicalResult RegionTerms::evaluateWrapped(Operation *op, ArrayRef<Part> in,
                                           Symbol &out) {
  Term defined = in[0].defined;
  for (Part part : in.drop_front())
    defined = pool.andOf(defined, part.defined);
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  auto widthOf = [](Type type) {
    return type.isIndex() ? 64u : type.getIntOrFloatBitWidth();
  };
  unsigned width = widthOf(from), toWidth = widthOf(to);
  auto add = [&](Term value) {
    out.push_back({value, defined});
    return success();
  };
  Term x = in[0].value, y = in.back().value;
  Term zero = pool.integer(Rational(0, 1));
  if (width == 1) {
    // Truth values become numbers only by a conversion.
    if (!isa<arith::ExtUIOp, arith::ExtSIOp, arith::IndexCastOp,
             arith::IndexCastUIOp>(op) ||
        toWidth == 1)
      return evaluateInteger(op, in, out);
    Term ones = pool.integer(isa<arith::ExtSIOp, arith::IndexCastOp>(op)
                                 ? powerOfTwo(toWidth) - Rational(1, 1)
                                 : Rational(1, 1));
    return add(chooseInteger(x, ones, zero));
  }
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return evaluateWrappedSum(op, in[0], in[1], width, out);
  auto fromSigned = [&](Term value, unsigned bits) {
    return wrap(value, bits);
  };

  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    using P = arith::CmpIPredicate;
    P predicate = compare.getPredicate();
    if (predicate == P::eq || predicate == P::ne) {
      Term equal = pool.equal(x, y);
      return add(predicate == P::eq ? equal : pool.notOf(equal));
    }
    if (llvm::is_contained({P::slt, P::sle, P::sgt, P::sge}, predicate)) {
      x = toSigned(x, width);
      y = toSigned(y, width);
    }
    if (llvm::is_contained({P::sgt, P::sge, P::ugt, P::uge}, predicate))
      std::swap(x, y);
    return add(isLess(
        x, y, llvm::is_contained({P::sle, P::sge, P::ule, P::uge}, predicate)));
  }
  if (isa<arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(op)) {
    bool isSigned = isa<arith::MaxSIOp, arith::MinSIOp>(op);
    Term a = isSigned ? toSigned(x, width) : x;
    Term b = isSigned ? toSigned(y, width) : y;
    bool isMax = isa<arith::MaxSIOp, arith::MaxUIOp>(op);
    Term result = chooseInteger(isLess(a, b), isMax ? y : x, isMax ? x : y);
    if (Range p = getRange(x), q = getRange(y);
        !isSigned && p.isKnown && q.isKnown)
      ranges[result.id] =
          isMax ? Range{std::max(p.low, q.low), std::max(p.high, q.high)}
                : Range{std::min(p.low, q.low), std::min(p.high, q.high)};
    return add(result);
  }

  // Conversions.
  if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(op) && toWidth >= width)
    return add(x);
  if (isa<arith::ExtSIOp, arith::IndexCastOp>(op) && toWidth >= width)
    return add(fromSigned(toSigned(x, width), toWidth));
  if (isa<arith::TruncIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    auto truncate = dyn_cast<arith::TruncIOp>(op);
    if (toWidth == 1 || (truncate && truncate.getOverflowFlags() !=
                                         arith::IntegerOverflowFlags::none))
      return refuse(op, kNoBits);
    return add(compute("mod", x, pool.integer(powerOfTwo(toWidth))));
  }

  // Divisions.
  if (isa<arith::DivUIOp, arith::RemUIOp>(op) && !op->hasAttr("isExact")) {
    assume(pool.notOf(pool.equal(y, zero)), "an integer division by 0");
    return add(compute(isa<arith::DivUIOp>(op) ? "div" : "mod", x, y));
  }
  if (isa<arith::DivSIOp, arith::RemSIOp>(op) && !op->hasAttr("isExact")) {
    assume(pool.notOf(pool.equal(y, zero)), "an integer division by 0");
    Term a = toSigned(x, width), b = toSigned(y, width);
    Term negativeA = isLess(a, zero), negativeB = isLess(b, zero);
    auto magnitude = [&](Term value, Term isNegative) {
      return chooseInteger(isNegative, compute("-", zero, value), value);
    };
    Term p = magnitude(a, negativeA), q = magnitude(b, negativeB);
    bool isQuotient = isa<arith::DivSIOp>(op);
    if (isQuotient)
      assume(pool.notOf(
                 pool.andOf(pool.equal(a, pool.integer(-powerOfTwo(width - 1))),
                            pool.equal(b, pool.integer(Rational(-1, 1))))),
             "the division of the smallest integer by -1");
    Term result = compute(isQuotient ? "div" : "mod", p, q);
    // A remainder has the sign of the dividend.
    Term isNegative =
        isQuotient ? pool.notOf(pool.equal(negativeA, negativeB)) : negativeA;
    result = magnitude(result, isNegative);
    setRange(result, {-powerOfTwo(width - 1), powerOfTwo(width - 1)});
    return add(fromSigned(result, width));
  }

  // Shifts and masks by constants.
  const Rational *constant = pool.getValue(y);
  bool hasFlags = op->hasAttr("isExact");
  if (auto shift = dyn_cast<arith::ShLIOp>(op))
    hasFlags = shift.getOverflowFlags() != arith::IntegerOverflowFlags::none;
  if (isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op) && constant &&
      *constant < Rational(width, 1) && !hasFlags) {
    Term factor =
        pool.integer(powerOfTwo(static_cast<unsigned>(int64_t(constant->num))));
    if (isa<arith::ShLIOp>(op))
      return add(compute("mod", compute("*", x, factor),
                         pool.integer(powerOfTwo(width))));
    if (isa<arith::ShRUIOp>(op))
      return add(compute("div", x, factor));
    return add(fromSigned(compute("div", toSigned(x, width), factor), width));
  }
  if (isa<arith::AndIOp>(op) && constant) {
    Rational next = *constant + Rational(1, 1);
    for (unsigned bits = 0; bits <= width; ++bits)
      if (next == powerOfTwo(bits))
        return add(compute("mod", x, pool.integer(next)));
  }
  if (isa<arith::XOrIOp>(op) && constant &&
      *constant + Rational(1, 1) == powerOfTwo(width))
    return add(compute("-", y, x));
  if (isa<math::AbsIOp>(op)) {
    Term value = toSigned(x, width);
    Term result =
        chooseInteger(isLess(value, zero), compute("-", zero, value), value);
    setRange(result, {Rational(0, 1), powerOfTwo(width - 1)});
    return add(result);
  }
  return refuse(op, kNoBits);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

Rational scan::associativity::getOrderKey(const APFloat &value) {
  APFloat infinity = APFloat::getInf(value.getSemantics());
  APInt bits = value.bitcastToAPInt();
  unsigned width = bits.getBitWidth();
  auto toRational = [&](const APInt &number) {
    return Rational(DynamicAPInt(number.zext(width + 1)));
  };
  if (value.isNaN())
    return toRational(infinity.bitcastToAPInt()) + Rational(1, 1);
  if (!value.isNegative())
    return toRational(bits);
  bits.clearBit(width - 1);
  return Rational(-1, 1) - toRational(bits);
}

APInt scan::associativity::getFloatOfKey(const Rational &key,
                                         const llvm::fltSemantics &semantics) {
  unsigned width = APFloat::semanticsSizeInBits(semantics);
  if (key == getOrderKey(APFloat::getNaN(semantics)))
    return APFloat::getNaN(semantics).bitcastToAPInt();
  bool isNegative = key < Rational(0, 1);
  Rational magnitude = isNegative ? Rational(-1, 1) - key : key;
  APInt bits(width, static_cast<uint64_t>(int64_t(magnitude.num)));
  if (isNegative)
    bits.setBit(width - 1);
  return bits;
}

Term RegionTerms::isNaN(Term x, FloatType type) {
  if (encoding == Encoding::Bits)
    return pool.apply(Sort::boolean(), "fp.isNaN", x);
  return pool.equal(
      x, pool.integer(getOrderKey(APFloat::getNaN(type.getFloatSemantics()))));
}

Term RegionTerms::isInfinite(Term x, FloatType type) {
  if (encoding == Encoding::Bits)
    return pool.apply(Sort::boolean(), "fp.isInfinite", x);
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  return pool.orOf(
      pool.equal(x, pool.integer(getOrderKey(APFloat::getInf(semantics)))),
      pool.equal(x, pool.integer(getOrderKey(
                        APFloat::getInf(semantics, /*Negative=*/true)))));
}

Term RegionTerms::isFloatLess(Term x, Term y, FloatType type, bool orEqual) {
  if (encoding == Encoding::Bits)
    return pool.apply(Sort::boolean(), orEqual ? "fp.leq" : "fp.lt", {x, y});
  Term ordered =
      pool.andOf(pool.notOf(isNaN(x, type)), pool.notOf(isNaN(y, type)));
  Term less = pool.andOf(ordered, isLess(x, y));
  Term minusZero = pool.integer(Rational(-1, 1)),
       zero = pool.integer(Rational(0, 1));
  if (!orEqual)
    return pool.andOf(less, pool.notOf(pool.andOf(pool.equal(x, minusZero),
                                                  pool.equal(y, zero))));
  return pool.orOf(less, isFloatEqual(x, y, type));
}

Term RegionTerms::isFloatEqual(Term x, Term y, FloatType type) {
  if (encoding == Encoding::Bits)
    return pool.apply(Sort::boolean(), "fp.eq", {x, y});
  auto isZero = [&](Term value) {
    return pool.orOf(pool.equal(value, pool.integer(Rational(-1, 1))),
                     pool.equal(value, pool.integer(Rational(0, 1))));
  };
  return pool.orOf(pool.andOf(pool.equal(x, y), pool.notOf(isNaN(x, type))),
                   pool.andOf(isZero(x), isZero(y)));
}

Term RegionTerms::isNegativeFloat(Term x) {
  if (encoding == Encoding::Bits)
    return pool.apply(Sort::boolean(), "fp.isNegative", x);
  return isLess(x, pool.integer(Rational(0, 1)));
}

/// -x of a number; NaN stays what it is.
Term RegionTerms::negateFloat(Term x, FloatType type) {
  if (encoding == Encoding::Bits)
    return pool.apply(pool.get(x).sort, "fp.neg", x);
  return pool.ifThenElse(isNaN(x, type), x,
                         compute("-", pool.integer(Rational(-1, 1)), x));
}

Term RegionTerms::ieee(const APFloat &value) {
  return encoding == Encoding::Bits ? pool.ieee(value)
                                    : pool.integer(getOrderKey(value));
}

Term RegionTerms::makeRangeCondition(Term x, Type element) {
  if (pool.get(x).sort.kind != Sort::Int)
    return pool.boolean(true);
  Rational low(0, 1), high;
  if (auto real = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = real.getFloatSemantics();
    low = getOrderKey(APFloat::getInf(semantics, /*Negative=*/true));
    high = getOrderKey(APFloat::getNaN(semantics));
  } else {
    unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    high = powerOfTwo(width) - Rational(1, 1);
  }
  // Before the range is known, by which the condition would be true.
  Term condition = pool.andOf(isLess(pool.integer(low), x, /*orEqual=*/true),
                              isLess(x, pool.integer(high), /*orEqual=*/true));
  setRange(x, {low, high});
  return condition;
}
