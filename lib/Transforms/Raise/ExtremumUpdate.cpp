//===- ExtremumUpdate.cpp - Updates by maxima and minima ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// max(h + a, b) and min(h + a, b), and the maxima and minima that a comparison
// and a selection are.
//
//===----------------------------------------------------------------------===//

#include "RecurrenceUpdate.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::scan;

/// h + a, h - a or a + h as (the state, a); sums of several values have theirs
/// added up.
static const Expr *getDistance(RecurrenceLoop &loop,
                               const RecurrenceGroup &group, const Expr *expr) {
  auto sum = getOperandsIf(
      expr, [](Operation *op) { return isAddition(op) || isSubtraction(op); });
  if (!sum)
    return nullptr;
  auto [lhs, rhs] = *sum;
  bool isSum = isAddition(expr->op);
  if (isSum && group.isFree(lhs))
    std::swap(lhs, rhs);
  if (!group.isFree(rhs))
    return nullptr;
  const Expr *inner = nullptr;
  if (group.getState(lhs) != 0) {
    inner = getDistance(loop, group, lhs);
    if (!inner)
      return nullptr;
  }
  if (!inner && isSum)
    return rhs;
  SmallVector<const Expr *> operands{rhs};
  if (inner)
    operands.push_back(inner);
  return loop.makeOp(
      expr->type, operands,
      [isSum](OpBuilder &builder, Location loc, ValueRange values) {
        Value value = values[0];
        if (!isSum)
          value = createNegation(builder, loc, value);
        return values.size() == 1 ? value
                                  : createSum(builder, loc, values[1], value);
      });
}

/// max(h + a, b): (a1 + a2, max(b1 + a2, b2)).
static LogicalResult matchShifted(RecurrenceLoop &loop, RecurrenceGroup &group,
                                  const Expr *update) {
  auto operands = getOperandsIf(update, [](Operation *op) {
    return isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
               arith::MinNumFOp>(op);
  });
  if (!operands)
    return failure();
  auto [shifted, other] = *operands;
  if (group.isFree(shifted))
    std::swap(shifted, other);
  if (!group.isFree(other))
    return failure();
  const Expr *distance = getDistance(loop, group, shifted);
  if (!distance)
    return failure();
  ScanOperator op;
  op.isRounded = true;
  op.leaves.push_back({distance, -1, getNumber(update->type, 0.0)});
  op.leaves.push_back({other, group.states.front(), {}});
  op.results = {1};
  op.combine = [max = update->op](OpBuilder &builder, Location loc,
                                  ValueRange before, ValueRange after) {
    Value sum = createSum(builder, loc, before[0], after[0]);
    Value moved = createSum(builder, loc, before[1], after[0]);
    Operation *copy = max->clone();
    copy->setOperands({moved, after[1]});
    copy->getResult(0).setType(moved.getType());
    builder.insert(copy);
    return SmallVector<Value>{sum, copy->getResult(0)};
  };
  group.op = std::move(op);
  return success();
}

/// Whether the state starts from a constant that is a number.
static bool startsFromNumber(const CarriedState &state) {
  Attribute constant;
  if (!state.init || !matchPattern(state.init, m_Constant(&constant)))
    return false;
  if (auto splat = dyn_cast<SplatElementsAttr>(constant))
    constant = splat.getSplatValue<Attribute>();
  auto number = dyn_cast<FloatAttr>(constant);
  return number && !number.getValue().isNaN();
}

/// x > h ? x : h and the like. A comparison with what is no number is false: it
/// is passed over, as by arith.maxnumf, where the walk starts from a number.
static LogicalResult matchSelected(RecurrenceLoop &loop, RecurrenceGroup &group,
                                   const Expr *update) {
  if (update->kind != Expr::Op || !isa_and_nonnull<arith::SelectOp>(update->op))
    return failure();
  const Expr *compare = update->operands[0], *chosen = update->operands[1];
  if (compare->kind != Expr::Op || !compare->op || !group.isFree(chosen) ||
      group.getState(update->operands[2]) != 0 || compare->operands.size() != 2)
    return failure();
  bool isFirst = compare->operands[0] == chosen &&
                 group.getState(compare->operands[1]) == 0;
  bool isSecond = compare->operands[1] == chosen &&
                  group.getState(compare->operands[0]) == 0;
  if (!isFirst && !isSecond)
    return failure();
  std::optional<bool> isMax;
  bool isUnsigned = false;
  if (auto cmpf = dyn_cast<arith::CmpFOp>(compare->op)) {
    switch (cmpf.getPredicate()) {
    case arith::CmpFPredicate::OGT:
    case arith::CmpFPredicate::OGE:
      isMax = isFirst;
      break;
    case arith::CmpFPredicate::OLT:
    case arith::CmpFPredicate::OLE:
      isMax = isSecond;
      break;
    default:
      return failure();
    }
    if (!startsFromNumber(loop.states[group.states.front()]))
      return failure();
  } else if (auto cmpi = dyn_cast<arith::CmpIOp>(compare->op)) {
    switch (cmpi.getPredicate()) {
    case arith::CmpIPredicate::ugt:
    case arith::CmpIPredicate::uge:
      isUnsigned = true;
      [[fallthrough]];
    case arith::CmpIPredicate::sgt:
    case arith::CmpIPredicate::sge:
      isMax = isFirst;
      break;
    case arith::CmpIPredicate::ult:
    case arith::CmpIPredicate::ule:
      isUnsigned = true;
      [[fallthrough]];
    case arith::CmpIPredicate::slt:
    case arith::CmpIPredicate::sle:
      isMax = isSecond;
      break;
    default:
      return failure();
    }
  }
  if (!isMax)
    return failure();
  ScanOperator op;
  op.leaves.push_back({chosen, group.states.front(), {}});
  op.results = {0};
  op.combine = [isMax = *isMax, isUnsigned](OpBuilder &builder, Location loc,
                                            ValueRange before,
                                            ValueRange after) {
    Value lhs = before[0], rhs = after[0], result;
    if (isa<FloatType>(lhs.getType()))
      result =
          isMax ? arith::MaxNumFOp::create(builder, loc, lhs, rhs).getResult()
                : arith::MinNumFOp::create(builder, loc, lhs, rhs).getResult();
    else if (isUnsigned)
      result = isMax
                   ? arith::MaxUIOp::create(builder, loc, lhs, rhs).getResult()
                   : arith::MinUIOp::create(builder, loc, lhs, rhs).getResult();
    else
      result = isMax
                   ? arith::MaxSIOp::create(builder, loc, lhs, rhs).getResult()
                   : arith::MinSIOp::create(builder, loc, lhs, rhs).getResult();
    return SmallVector<Value>{result};
  };
  group.op = std::move(op);
  return success();
}

LogicalResult scan::matchExtremumUpdate(RecurrenceLoop &loop,
                                        RecurrenceGroup &group) {
  if (group.states.size() != 1)
    return failure();
  const Expr *update = loop.states[group.states.front()].update;
  return success(succeeded(matchShifted(loop, group, update)) ||
                 succeeded(matchSelected(loop, group, update)));
}
