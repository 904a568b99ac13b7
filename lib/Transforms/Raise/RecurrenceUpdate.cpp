//===- RecurrenceUpdate.cpp - Which scan an update is ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrenceUpdate.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::scan;

//===----------------------------------------------------------------------===//
// Arithmetic of any number type
//===----------------------------------------------------------------------===//

Value scan::createNegation(OpBuilder &builder, Location loc, Value value) {
  Type type = value.getType();
  if (isa<ComplexType>(type))
    return complex::NegOp::create(builder, loc, value);
  if (isa<FloatType>(type))
    return arith::NegFOp::create(builder, loc, value);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, 0));
  return arith::SubIOp::create(builder, loc, zero, value);
}

Value scan::createSum(OpBuilder &builder, Location loc, Value lhs, Value rhs) {
  if (isa<ComplexType>(lhs.getType()))
    return complex::AddOp::create(builder, loc, lhs, rhs);
  if (isa<FloatType>(lhs.getType()))
    return arith::AddFOp::create(builder, loc, lhs, rhs);
  return arith::AddIOp::create(builder, loc, lhs, rhs);
}

Value scan::createProduct(OpBuilder &builder, Location loc, Value lhs,
                          Value rhs) {
  if (isa<ComplexType>(lhs.getType()))
    return complex::MulOp::create(builder, loc, lhs, rhs);
  if (isa<FloatType>(lhs.getType()))
    return arith::MulFOp::create(builder, loc, lhs, rhs);
  return arith::MulIOp::create(builder, loc, lhs, rhs);
}

Value scan::createOne(OpBuilder &builder, Location loc, Type type) {
  if (auto complex = dyn_cast<ComplexType>(type)) {
    Type part = complex.getElementType();
    return complex::ConstantOp::create(
        builder, loc, type,
        builder.getArrayAttr({builder.getFloatAttr(part, 1.0),
                              builder.getFloatAttr(part, 0.0)}));
  }
  return arith::ConstantOp::create(builder, loc, builder.getOneAttr(type));
}

TypedAttr scan::getNumber(Type type, double value) {
  if (isa<FloatType>(type))
    return FloatAttr::get(type, value);
  return IntegerAttr::get(type, static_cast<int64_t>(value));
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

bool scan::isAddition(Operation *op) {
  return isa<arith::AddFOp, arith::AddIOp, complex::AddOp>(op);
}
bool scan::isSubtraction(Operation *op) {
  return isa<arith::SubFOp, arith::SubIOp, complex::SubOp>(op);
}
bool scan::isProduct(Operation *op) {
  return isa<arith::MulFOp, arith::MulIOp, complex::MulOp>(op);
}
bool scan::isNegation(Operation *op) {
  return isa<arith::NegFOp, complex::NegOp>(op);
}

std::optional<std::pair<const Expr *, const Expr *>>
scan::getOperandsIf(const Expr *expr, function_ref<bool(Operation *)> is) {
  if (expr->kind != Expr::Op || !expr->op || expr->operands.size() != 2 ||
      !is(expr->op))
    return std::nullopt;
  return std::pair(expr->operands[0], expr->operands[1]);
}

/// Associative operations whose two operands may be swapped.
static bool isOtherCombine(Operation *op) {
  return isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
             arith::MinNumFOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
             arith::MinUIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op);
}

namespace {

/// `expr` as a multiple of the state.
struct Multiple {
  Coefficient factor;
  /// The state itself, not a product.
  bool isPlain = false;
};

class UpdateMatcher {
public:
  explicit UpdateMatcher(const RecurrenceGroup &group) : group(group) {}

  std::optional<RecurrenceUpdate> match(const Expr *update);

private:
  bool isState(const Expr *expr) const { return group.getState(expr) == 0; }
  bool isFree(const Expr *expr) const { return group.isFree(expr); }
  std::optional<Multiple> getMultiple(const Expr *expr) const;
  /// `positive` is the multiple of the state plus b.
  std::optional<RecurrenceUpdate>
  matchSum(const Expr *update, const Expr *multiple, Coefficient b) const;

  const RecurrenceGroup &group;
};

} // namespace

std::optional<Multiple> UpdateMatcher::getMultiple(const Expr *expr) const {
  if (isState(expr))
    return Multiple{{}, true};
  if (expr->kind != Expr::Op || !expr->op)
    return std::nullopt;
  if (isa<arith::NegFOp, complex::NegOp>(expr->op)) {
    std::optional<Multiple> inner = getMultiple(expr->operands[0]);
    if (inner) {
      inner->factor.negated = !inner->factor.negated;
      inner->isPlain = false;
    }
    return inner;
  }
  if (!isProduct(expr->op))
    return std::nullopt;
  for (unsigned i : {0, 1})
    if (isState(expr->operands[i]) && isFree(expr->operands[1 - i]))
      return Multiple{{expr->operands[1 - i], false}, false};
  return std::nullopt;
}

std::optional<RecurrenceUpdate> UpdateMatcher::matchSum(const Expr *update,
                                                        const Expr *multiple,
                                                        Coefficient b) const {
  std::optional<Multiple> found = getMultiple(multiple);
  if (!found || !isFree(b.expr))
    return std::nullopt;
  RecurrenceUpdate result;
  result.b = b;
  if (found->isPlain) {
    result.combine = update->op;
    result.stateOperand = multiple == update->operands[0] ? 0 : 1;
    return result;
  }
  result.kind = RecurrenceUpdate::Linear;
  result.a = found->factor;
  return result;
}

std::optional<RecurrenceUpdate> UpdateMatcher::match(const Expr *update) {
  if (update->kind != Expr::Op || !update->op)
    return std::nullopt;
  Operation *op = update->op;
  ArrayRef<const Expr *> operands = update->operands;
  if (isAddition(op)) {
    for (unsigned i : {0, 1})
      if (auto sum = matchSum(update, operands[i], {operands[1 - i], false}))
        return sum;
    return std::nullopt;
  }
  if (isSubtraction(op)) {
    if (auto sum = matchSum(update, operands[0], {operands[1], true}))
      return sum;
    // b - a * h is (-a) * h + b, without another rounding.
    std::optional<Multiple> found = getMultiple(operands[1]);
    if (!found || !isFree(operands[0]))
      return std::nullopt;
    RecurrenceUpdate result;
    result.kind = RecurrenceUpdate::Linear;
    result.a = found->factor;
    result.a.negated = !result.a.negated;
    result.b = {operands[0], false};
    return result;
  }
  if (isa<math::FmaOp>(op)) {
    RecurrenceUpdate result;
    result.kind = RecurrenceUpdate::Linear;
    result.isFused = true;
    for (unsigned i : {0, 1})
      if (isState(operands[i]) && isFree(operands[1 - i]) &&
          isFree(operands[2])) {
        result.a = {operands[1 - i], false};
        result.b = {operands[2], false};
        return result;
      }
    return std::nullopt;
  }
  if (isProduct(op) || isOtherCombine(op))
    for (unsigned i : {0, 1})
      if (isState(operands[i]) && isFree(operands[1 - i])) {
        RecurrenceUpdate result;
        result.combine = op;
        result.stateOperand = i;
        result.b = {operands[1 - i], false};
        return result;
      }
  return std::nullopt;
}

std::optional<RecurrenceUpdate>
scan::matchRecurrenceUpdate(const RecurrenceGroup &group, const Expr *update) {
  std::optional<RecurrenceUpdate> result = UpdateMatcher(group).match(update);
  // The sums of i1 are and, or and xor.
  if (result && result->kind == RecurrenceUpdate::Linear &&
      update->type.isInteger(1))
    return std::nullopt;
  return result;
}

bool scan::isAffinePair(const RecurrenceUpdate &product,
                        const RecurrenceUpdate &offset) {
  return product.kind == RecurrenceUpdate::Combine &&
         isProduct(product.combine) &&
         offset.kind == RecurrenceUpdate::Linear &&
         offset.a.expr == product.b.expr && !offset.a.negated &&
         !offset.isFused;
}
