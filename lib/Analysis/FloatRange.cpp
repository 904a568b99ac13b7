//===- FloatRange.cpp - Bounds of floating-point values -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FloatRange.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::scan;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// More than the relative error of any approximation of a function.
static constexpr double kSlack = 1e-3;

//===----------------------------------------------------------------------===//
// Interval arithmetic
//===----------------------------------------------------------------------===//

static double toDouble(llvm::APFloat constant) {
  bool losesInfo;
  constant.convert(llvm::APFloat::IEEEdouble(),
                   llvm::RoundingMode::NearestTiesToEven, &losesInfo);
  return constant.convertToDouble();
}

/// `bound` in the type of a value that it bounds, rounded in the direction of
/// `mode`. What is not normal counts as zero, which targets may make of it: the
/// bound of a value below that is no bound but for the sign.
static double roundBound(double bound, FloatType type,
                         llvm::RoundingMode mode) {
  // Types of eight bits and less have no infinity to round to.
  if (std::isinf(bound))
    return bound;
  llvm::APFloat rounded(bound);
  bool losesInfo;
  rounded.convert(type.getFloatSemantics(), mode, &losesInfo);
  if (rounded.isNaN())
    return mode == llvm::RoundingMode::TowardPositive ? kInfinity : -kInfinity;
  if (rounded.isDenormal() &&
      rounded.isNegative() == (mode == llvm::RoundingMode::TowardPositive))
    return 0;
  return toDouble(rounded);
}

/// The smallest interval of numbers of `type` that holds `range`.
static FloatRange roundOutward(FloatRange range, FloatType type) {
  return {roundBound(range.lower, type, llvm::RoundingMode::TowardNegative),
          roundBound(range.upper, type, llvm::RoundingMode::TowardPositive)};
}

static FloatRange getHull(FloatRange lhs, FloatRange rhs) {
  return {std::min(lhs.lower, rhs.lower), std::max(lhs.upper, rhs.upper)};
}

/// The sum; infinities of both signs add up to what is not a number, or to
/// anything that lies near them.
static FloatRange add(FloatRange lhs, FloatRange rhs) {
  double lower = lhs.lower + rhs.lower, upper = lhs.upper + rhs.upper;
  return {std::isnan(lower) ? -kInfinity : lower,
          std::isnan(upper) ? kInfinity : upper};
}

static FloatRange negate(FloatRange range) {
  return {-range.upper, -range.lower};
}

/// The hull of `corner` at all pairs of bounds.
static FloatRange combineBounds(FloatRange lhs, FloatRange rhs,
                                function_ref<double(double, double)> corner) {
  FloatRange hull{kInfinity, -kInfinity};
  for (double x : {lhs.lower, lhs.upper})
    for (double y : {rhs.lower, rhs.upper})
      hull = getHull(hull, {corner(x, y), corner(x, y)});
  return hull;
}

/// The product. An infinite bound stands for all that is finite, too.
static FloatRange multiply(FloatRange lhs, FloatRange rhs) {
  return combineBounds(lhs, rhs, [](double x, double y) {
    return x == 0 || y == 0 ? 0 : x * y;
  });
}

/// The quotient, unbounded where the divisor may be zero.
static FloatRange divide(FloatRange lhs, FloatRange rhs) {
  if (rhs.lower <= 0 && rhs.upper >= 0)
    return {};
  return combineBounds(lhs, rhs, [](double x, double y) {
    return x == 0 || std::isinf(y) ? 0 : x / y;
  });
}

/// The image of `range` under a function that grows, whose values lie within
/// `limits`. `range` lies in its domain.
static FloatRange mapIncreasing(FloatRange range, double (*function)(double),
                                FloatRange limits = {}) {
  double lower = function(range.lower), upper = function(range.upper);
  return {std::max(limits.lower, lower - kSlack * std::abs(lower)),
          std::min(limits.upper, upper + kSlack * std::abs(upper))};
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// What a branch of a select is where it is chosen: a value that the condition
/// compares with a constant is bounded by that.
static FloatRange boundByCondition(arith::SelectOp select, FloatRange range,
                                   bool isTrueValue) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  Value value = isTrueValue ? select.getTrueValue() : select.getFalseValue();
  llvm::APFloat constant(0.0);
  if (!compare || compare.getLhs() != value ||
      !matchPattern(compare.getRhs(), m_ConstantFloat(&constant)) ||
      constant.isNaN())
    return range;
  double bound = toDouble(constant);
  using Predicate = arith::CmpFPredicate;
  switch (compare.getPredicate()) {
  case Predicate::OGT:
  case Predicate::OGE:
  case Predicate::UGT:
  case Predicate::UGE:
    return isTrueValue ? FloatRange{std::max(range.lower, bound), range.upper}
                       : FloatRange{range.lower, std::min(range.upper, bound)};
  case Predicate::OLT:
  case Predicate::OLE:
  case Predicate::ULT:
  case Predicate::ULE:
    return isTrueValue ? FloatRange{range.lower, std::min(range.upper, bound)}
                       : FloatRange{std::max(range.lower, bound), range.upper};
  default:
    return range;
  }
}

FloatRange FloatRanges::compute(Value value) {
  llvm::APFloat constant(0.0);
  if (matchPattern(value, m_ConstantFloat(&constant)))
    return constant.isNaN()
               ? FloatRange()
               : FloatRange{toDouble(constant), toDouble(constant)};
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  auto operand = [&](unsigned i) { return get(op->getOperand(i)); };
  return llvm::TypeSwitch<Operation *, FloatRange>(op)
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return operand(0); })
      .Case<arith::AddFOp>([&](auto) { return add(operand(0), operand(1)); })
      .Case<arith::SubFOp>(
          [&](auto) { return add(operand(0), negate(operand(1))); })
      .Case<arith::MulFOp>(
          [&](auto) { return multiply(operand(0), operand(1)); })
      .Case<arith::DivFOp>([&](auto) { return divide(operand(0), operand(1)); })
      .Case<arith::NegFOp>([&](auto) { return negate(operand(0)); })
      .Case<arith::MaximumFOp>([&](auto) {
        FloatRange lhs = operand(0), rhs = operand(1);
        return FloatRange{std::max(lhs.lower, rhs.lower),
                          std::max(lhs.upper, rhs.upper)};
      })
      .Case<arith::MinimumFOp>([&](auto) {
        FloatRange lhs = operand(0), rhs = operand(1);
        return FloatRange{std::min(lhs.lower, rhs.lower),
                          std::min(lhs.upper, rhs.upper)};
      })
      // These return the other operand where one is not a number.
      .Case<arith::MaxNumFOp, arith::MinNumFOp>(
          [&](auto) { return getHull(operand(0), operand(1)); })
      .Case<arith::SelectOp>([&](arith::SelectOp select) {
        return getHull(boundByCondition(select, operand(1), true),
                       boundByCondition(select, operand(2), false));
      })
      .Case<math::AbsFOp>([&](auto) {
        FloatRange range = operand(0), mirrored = negate(range);
        return FloatRange{std::max({0.0, range.lower, mirrored.lower}),
                          std::max(range.upper, mirrored.upper)};
      })
      .Case<math::ExpOp>([&](auto) {
        FloatRange range = operand(0);
        return mapIncreasing(range, std::exp,
                             {0, range.upper <= 0 ? 1 : kInfinity});
      })
      .Case<math::ExpM1Op>([&](auto) {
        FloatRange range = operand(0);
        return mapIncreasing(range, std::expm1, {-1, kInfinity});
      })
      .Case<math::Log1pOp>([&](auto) {
        FloatRange range = operand(0);
        return range.lower >= 0 ? mapIncreasing(range, std::log1p)
                                : FloatRange();
      })
      .Case<math::SqrtOp>([&](auto) {
        FloatRange range = operand(0);
        return mapIncreasing(
            {std::max(0.0, range.lower), std::max(0.0, range.upper)},
            std::sqrt);
      })
      .Case<math::TanhOp>(
          [&](auto) { return mapIncreasing(operand(0), std::tanh, {-1, 1}); })
      .Case<math::ErfOp>(
          [&](auto) { return mapIncreasing(operand(0), std::erf, {-1, 1}); })
      .Default([](Operation *) { return FloatRange(); });
}

FloatRange FloatRanges::get(Value value) {
  auto type = dyn_cast<FloatType>(value.getType());
  if (!type)
    return {};
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  // Operands come before their operation: the recursion ends.
  FloatRange range = roundOutward(compute(value), type);
  known[value] = range;
  return range;
}
