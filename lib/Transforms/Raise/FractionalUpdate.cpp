//===- FractionalUpdate.cpp - Updates by linear fractions -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// (a h + b) / (c h + d), as the variance of a Kalman filter is updated. The
// composition of two is the product of their matrices [a b; c d], which a
// common factor does not change: each product is scaled by the sum of its
// magnitudes, so that long products neither overflow nor vanish. The state is
// what the product up to a step makes of the value that the walk starts from.
//
//===----------------------------------------------------------------------===//

#include "RecurrenceUpdate.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

/// a h + b; null is zero.
struct Polynomial {
  const Expr *a = nullptr, *b = nullptr;
  bool operator==(const Polynomial &other) const {
    return a == other.a && b == other.b;
  }
};

struct Fraction {
  Polynomial above, below;
};

class FractionParser {
public:
  FractionParser(RecurrenceLoop &loop, const RecurrenceGroup &group, Type type)
      : loop(loop), group(group), type(type) {
    one = getConstant(1.0);
  }
  std::optional<Fraction> parse(const Expr *expr);
  const Expr *getConstant(double value) {
    return loop.makeOp(type, {},
                       [type = type, value](OpBuilder &builder, Location loc,
                                            ValueRange) -> Value {
                         return arith::ConstantOp::create(
                             builder, loc, getNumber(type, value));
                       });
  }

private:
  const Expr *multiply(const Expr *lhs, const Expr *rhs);
  const Expr *add(const Expr *lhs, const Expr *rhs, bool isSum);
  std::optional<Polynomial> multiply(Polynomial lhs, Polynomial rhs);
  std::optional<Fraction> add(const Fraction &lhs, const Fraction &rhs,
                              bool isSum);

  RecurrenceLoop &loop;
  const RecurrenceGroup &group;
  Type type;
  const Expr *one;
};

} // namespace

const Expr *FractionParser::multiply(const Expr *lhs, const Expr *rhs) {
  if (!lhs || !rhs)
    return nullptr;
  if (lhs == one || rhs == one)
    return lhs == one ? rhs : lhs;
  return loop.makeOp(type, {lhs, rhs},
                     [](OpBuilder &builder, Location loc, ValueRange values) {
                       return createProduct(builder, loc, values[0], values[1]);
                     });
}

const Expr *FractionParser::add(const Expr *lhs, const Expr *rhs, bool isSum) {
  if (!rhs || (!lhs && isSum))
    return rhs ? rhs : lhs;
  if (lhs == rhs && !isSum)
    return nullptr;
  if (!lhs)
    lhs = getConstant(-0.0);
  return loop.makeOp(
      type, {lhs, rhs},
      [isSum](OpBuilder &builder, Location loc, ValueRange values) -> Value {
        if (isSum)
          return createSum(builder, loc, values[0], values[1]);
        return arith::SubFOp::create(builder, loc, values[0], values[1]);
      });
}

std::optional<Polynomial> FractionParser::multiply(Polynomial lhs,
                                                   Polynomial rhs) {
  if (lhs.a)
    std::swap(lhs, rhs);
  if (lhs.a)
    return std::nullopt;
  return Polynomial{multiply(rhs.a, lhs.b), multiply(rhs.b, lhs.b)};
}

std::optional<Fraction> FractionParser::add(const Fraction &lhs,
                                            const Fraction &rhs, bool isSum) {
  std::optional<Polynomial> first = lhs.above, second = rhs.above,
                            below = lhs.below;
  if (!(lhs.below == rhs.below)) {
    first = multiply(lhs.above, rhs.below);
    second = multiply(rhs.above, lhs.below);
    below = multiply(lhs.below, rhs.below);
  }
  if (!first || !second || !below)
    return std::nullopt;
  return Fraction{
      {add(first->a, second->a, isSum), add(first->b, second->b, isSum)},
      *below};
}

std::optional<Fraction> FractionParser::parse(const Expr *expr) {
  if (group.isFree(expr)) {
    // 1 - (h + q) / (h + r) is no quadratic fraction: 1 - 1 is zero.
    bool isOne = expr->kind == Expr::Invariant &&
                 matchPattern(expr->value, m_OneFloat());
    return Fraction{{nullptr, isOne ? one : expr}, {nullptr, one}};
  }
  if (group.getState(expr) == 0)
    return Fraction{{one, nullptr}, {nullptr, one}};
  if (expr->kind != Expr::Op || !expr->op || expr->operands.size() != 2)
    return std::nullopt;
  std::optional<Fraction> lhs = parse(expr->operands[0]);
  std::optional<Fraction> rhs = parse(expr->operands[1]);
  if (!lhs || !rhs)
    return std::nullopt;
  if (isa<arith::AddFOp, arith::SubFOp>(expr->op))
    return add(*lhs, *rhs, isa<arith::AddFOp>(expr->op));
  bool isQuotient = isa<arith::DivFOp>(expr->op);
  if (!isQuotient && !isa<arith::MulFOp>(expr->op))
    return std::nullopt;
  if (isQuotient)
    std::swap(rhs->above, rhs->below);
  if (isQuotient && lhs->below == rhs->above)
    return Fraction{lhs->above, rhs->below};
  std::optional<Polynomial> above = multiply(lhs->above, rhs->above);
  std::optional<Polynomial> below = multiply(lhs->below, rhs->below);
  if (!above || !below)
    return std::nullopt;
  return Fraction{*above, *below};
}

LogicalResult scan::matchFractionalUpdate(RecurrenceLoop &loop,
                                          RecurrenceGroup &group) {
  unsigned state = group.states.front();
  const Expr *update = loop.states[state].update;
  if (group.states.size() != 1 || !isa<FloatType>(update->type))
    return failure();
  FractionParser parser(loop, group, update->type);
  std::optional<Fraction> fraction = parser.parse(update);
  // Without h below, h / c was left alone: a product by 1 / c rounds twice.
  if (!fraction || !fraction->below.a)
    return failure();
  ScanOperator op;
  op.isRounded = true;
  const Expr *entries[] = {fraction->above.a, fraction->above.b,
                           fraction->below.a, fraction->below.b};
  for (auto [i, entry] : llvm::enumerate(entries))
    op.leaves.push_back({entry ? entry : parser.getConstant(0.0), -1,
                         getNumber(update->type, i % 3 == 0 ? 1.0 : 0.0)});
  op.combine = [](OpBuilder &builder, Location loc, ValueRange before,
                  ValueRange after) {
    SmallVector<Value> products;
    Value scale;
    for (unsigned i : {0, 2})
      for (unsigned j : {0, 1}) {
        Value sum = createSum(
            builder, loc, createProduct(builder, loc, after[i], before[j]),
            createProduct(builder, loc, after[i + 1], before[j + 2]));
        products.push_back(sum);
        Value magnitude = math::AbsFOp::create(builder, loc, sum);
        scale = scale ? createSum(builder, loc, scale, magnitude) : magnitude;
      }
    for (Value &product : products)
      product = arith::DivFOp::create(builder, loc, product, scale);
    return products;
  };
  op.finish = [](OpBuilder &builder, Location loc, Value init,
                 ValueRange leaves) -> Value {
    auto apply = [&](unsigned i) {
      return createSum(builder, loc,
                       createProduct(builder, loc, leaves[i], init),
                       leaves[i + 1]);
    };
    return arith::DivFOp::create(builder, loc, apply(0), apply(2));
  };
  group.op = std::move(op);
  return success();
}
