//===- LogAddExpUpdate.cpp - Updates by sums of logarithms ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// log(exp(h) + exp(x)), computed as max(h, x) + log1p(exp(-|h - x|)), with or
// without a guard for differences that are no number (as of two infinities).
//
//===----------------------------------------------------------------------===//

#include "RecurrenceUpdate.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::scan;

/// The operand of `expr` if it is a T.
template <typename T> static const Expr *getOperandOf(const Expr *expr) {
  return expr && expr->kind == Expr::Op && isa_and_nonnull<T>(expr->op)
             ? expr->operands.front()
             : nullptr;
}

/// Whether `lhs` and `rhs` are the state and x, in either order.
static bool areStateAnd(const RecurrenceGroup &group, const Expr *lhs,
                        const Expr *rhs, const Expr *&x) {
  if (group.getState(lhs) != 0)
    std::swap(lhs, rhs);
  if (group.getState(lhs) != 0 || !group.isFree(rhs) || (x && x != rhs))
    return false;
  x = rhs;
  return true;
}

static bool isMaximum(Operation *op) {
  return isa<arith::MaximumFOp, arith::MaxNumFOp>(op);
}

/// x, if `expr` is the sum of maximum and logarithm.
static const Expr *matchSum(const RecurrenceGroup &group, const Expr *expr) {
  auto sum = getOperandsIf(expr, isAddition);
  if (!sum)
    return nullptr;
  auto [maximum, logarithm] = *sum;
  if (getOperandOf<math::Log1pOp>(maximum))
    std::swap(maximum, logarithm);
  auto extremes = getOperandsIf(maximum, isMaximum);
  const Expr *x = nullptr;
  if (!extremes || !areStateAnd(group, extremes->first, extremes->second, x))
    return nullptr;
  const Expr *exponent =
      getOperandOf<math::ExpOp>(getOperandOf<math::Log1pOp>(logarithm));
  const Expr *distance =
      getOperandOf<math::AbsFOp>(getOperandOf<arith::NegFOp>(exponent));
  if (!distance)
    return nullptr;
  auto difference = getOperandsIf(distance, isSubtraction);
  if (!difference ||
      !areStateAnd(group, difference->first, difference->second, x))
    return nullptr;
  return x;
}

LogicalResult scan::matchLogAddExpUpdate(RecurrenceLoop &loop,
                                         RecurrenceGroup &group) {
  if (group.states.size() != 1)
    return failure();
  const Expr *update = loop.states[group.states.front()].update;
  const Expr *sum = update;
  // difference != difference ? h + x : the sum.
  if (const Expr *compare = getOperandOf<arith::SelectOp>(update)) {
    auto sides = getOperandsIf(compare, [](Operation *op) {
      auto cmpf = dyn_cast<arith::CmpFOp>(op);
      return cmpf && (cmpf.getPredicate() == arith::CmpFPredicate::UNE ||
                      cmpf.getPredicate() == arith::CmpFPredicate::UNO);
    });
    const Expr *x = matchSum(group, update->operands[2]);
    auto plain = getOperandsIf(update->operands[1], isAddition);
    if (!sides || !plain || !x ||
        !areStateAnd(group, plain->first, plain->second, x))
      return failure();
    auto difference = getOperandsIf(sides->first, isSubtraction);
    if (sides->first != sides->second || !difference ||
        !areStateAnd(group, difference->first, difference->second, x))
      return failure();
    sum = update->operands[2];
  }
  const Expr *x = matchSum(group, sum);
  if (!x)
    return failure();
  ScanOperator op;
  op.isRounded = true;
  op.leaves.push_back({x, group.states.front(), {}});
  op.results = {0};
  // As the loop computes it, but of any two sums.
  op.combine = [update, x, state = group.states.front()](
                   OpBuilder &builder, Location loc, ValueRange before,
                   ValueRange after) {
    llvm::DenseMap<const Expr *, Value> values;
    std::function<Value(const Expr *)> emit = [&](const Expr *expr) -> Value {
      if (expr->kind == Expr::State && expr->number == state)
        return before[0];
      if (expr == x)
        return after[0];
      if (Value known = values.lookup(expr))
        return known;
      SmallVector<Value> operands = llvm::map_to_vector(expr->operands, emit);
      Operation *copy = expr->op->clone();
      copy->setOperands(operands);
      copy->getResult(0).setType(expr->type);
      builder.insert(copy);
      return values[expr] = copy->getResult(0);
    };
    return SmallVector<Value>{emit(update)};
  };
  group.op = std::move(op);
  return success();
}
