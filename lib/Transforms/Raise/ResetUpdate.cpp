//===- ResetUpdate.cpp - Updates that forget ------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// select(c, x, f(h)), where c and x do not depend on the state h: where c is
// true, what came before is forgotten. As with segments, a flag is one more
// leaf, and nothing is multiplied by zero.
//
//===----------------------------------------------------------------------===//

#include "RecurrenceUpdate.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::scan;

static Value createSelect(OpBuilder &builder, Location loc, Value condition,
                          Value lhs, Value rhs) {
  return arith::SelectOp::create(builder, loc, condition, lhs, rhs);
}

static const Expr *makeSelect(RecurrenceLoop &loop, const Expr *condition,
                              const Expr *lhs, const Expr *rhs) {
  return loop.makeOp(lhs->type, {condition, lhs, rhs},
                     [](OpBuilder &builder, Location loc, ValueRange values) {
                       return createSelect(builder, loc, values[0], values[1],
                                           values[2]);
                     });
}

static const Expr *negate(RecurrenceLoop &loop, const Coefficient &value) {
  if (!value.negated)
    return value.expr;
  return loop.makeOp(value.expr->type, {value.expr},
                     [](OpBuilder &builder, Location loc, ValueRange values) {
                       return createNegation(builder, loc, values[0]);
                     });
}

LogicalResult scan::matchResetUpdate(RecurrenceLoop &loop,
                                     RecurrenceGroup &group) {
  if (group.states.size() != 1)
    return failure();
  unsigned state = group.states.front();
  const Expr *update = loop.states[state].update;
  if (update->kind != Expr::Op || !isa_and_nonnull<arith::SelectOp>(update->op))
    return failure();
  const Expr *flag = update->operands[0], *fresh = update->operands[1],
             *rest = update->operands[2];
  Type boolean = IntegerType::get(loop.loop.getContext(), 1);
  if (!group.isFree(flag) || !flag->type.isInteger(1))
    return failure();
  if (!group.isFree(fresh)) {
    std::swap(fresh, rest);
    flag = loop.makeOp(
        boolean, {flag},
        [](OpBuilder &builder, Location loc, ValueRange values) -> Value {
          Value yes = arith::ConstantOp::create(builder, loc,
                                                builder.getBoolAttr(true));
          return arith::XOrIOp::create(builder, loc, values[0], yes);
        });
  }
  if (!group.isFree(fresh))
    return failure();

  ScanOperator op;
  op.leaves.push_back({flag, -1, IntegerAttr::get(boolean, 0)});
  op.results = {1};
  auto join = [](OpBuilder &builder, Location loc, ValueRange before,
                 ValueRange after) -> Value {
    return arith::OrIOp::create(builder, loc, before[0], after[0]);
  };
  // Else it stays what it was.
  if (group.getState(rest) == 0) {
    op.leaves.push_back({fresh, state, {}});
    op.combine = [join](OpBuilder &builder, Location loc, ValueRange before,
                        ValueRange after) {
      return SmallVector<Value>{
          join(builder, loc, before, after),
          createSelect(builder, loc, after[0], after[1], before[1])};
    };
    group.op = std::move(op);
    return success();
  }
  std::optional<RecurrenceUpdate> inner = matchRecurrenceUpdate(group, rest);
  if (!inner || !inner->b.expr || isa<ComplexType>(update->type))
    return failure();
  op.isRounded = inner->isFused;
  op.leaves.push_back(
      {makeSelect(loop, flag, fresh, negate(loop, inner->b)), state, {}});
  if (inner->kind == RecurrenceUpdate::Linear) {
    op.leaves.push_back(
        {negate(loop, inner->a), -1, getNumber(update->type, 1.0)});
    op.combine = [join](OpBuilder &builder, Location loc, ValueRange before,
                        ValueRange after) {
      Value moved = createProduct(builder, loc, after[2], before[1]);
      Value sum = createSum(builder, loc, moved, after[1]);
      return SmallVector<Value>{
          join(builder, loc, before, after),
          createSelect(builder, loc, after[0], after[1], sum),
          createProduct(builder, loc, after[2], before[2])};
    };
  } else {
    op.combine = [join, inner = *inner](OpBuilder &builder, Location loc,
                                        ValueRange before, ValueRange after) {
      Value combined;
      if (inner.b.negated || !inner.combine) {
        combined = createSum(builder, loc, before[1], after[1]);
      } else {
        Operation *copy = inner.combine->clone();
        copy->setOperand(inner.stateOperand, before[1]);
        copy->setOperand(1 - inner.stateOperand, after[1]);
        copy->getResult(0).setType(after[1].getType());
        builder.insert(copy);
        combined = copy->getResult(0);
      }
      return SmallVector<Value>{
          join(builder, loc, before, after),
          createSelect(builder, loc, after[0], after[1], combined)};
    };
  }
  group.op = std::move(op);
  return success();
}
