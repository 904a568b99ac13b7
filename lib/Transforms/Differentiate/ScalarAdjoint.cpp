//===- ScalarAdjoint.cpp - Backward pass of scalar code -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

Value differentiate::keepZero(ScalarMath math, Value cotangent, Value product) {
  Value isLost = arith::AndIOp::create(
      math.builder, math.loc, math.isZero(cotangent), math.isNaN(product));
  return math.select(isLost, math.constant(product.getType(), 0.0), product);
}

RuleContext::RuleContext(OpBuilder &builder, Operation *op,
                         ScalarAdjoint &adjoint)
    : ScalarMath{builder, op->getLoc()}, op(op), adjoint(adjoint),
      isMasked(llvm::any_of(op->getResults(), [&](Value result) {
        return adjoint.isMasked(result);
      })) {}

Value RuleContext::in(unsigned i) const {
  return adjoint.getPrimal(op->getOperand(i));
}

Value RuleContext::out(unsigned i) const {
  return adjoint.getPrimal(op->getResult(i));
}

Value RuleContext::cotangent(unsigned i) const {
  return adjoint.getCotangent(op->getResult(i));
}

void RuleContext::accumulate(unsigned i, Value contribution) const {
  if (adjoint.isActive(op->getOperand(i)))
    adjoint.accumulate(op->getOperand(i), contribution, isMasked);
}

void RuleContext::accumulateWhere(unsigned i, Value condition,
                                  Value contribution) {
  if (!adjoint.isActive(op->getOperand(i)))
    return;
  Value none = constant(contribution.getType(), 0.0);
  adjoint.accumulate(op->getOperand(i), select(condition, contribution, none),
                     /*isMasked=*/true);
}

void RuleContext::accumulateUnless(unsigned i, Value condition,
                                   Value contribution) {
  if (!adjoint.isActive(op->getOperand(i)))
    return;
  Value none = constant(contribution.getType(), 0.0);
  adjoint.accumulate(op->getOperand(i), select(condition, none, contribution),
                     /*isMasked=*/true);
}

Value RuleContext::times(Value cotangent, Value factor) {
  Value product = mul(factor, cotangent);
  return isMasked && !isFiniteConstant(factor)
             ? keepZero(*this, cotangent, product)
             : product;
}

Value RuleContext::over(Value cotangent, Value divisor) {
  Value quotient = div(cotangent, divisor);
  return isMasked && !isFiniteConstant(divisor)
             ? keepZero(*this, cotangent, quotient)
             : quotient;
}

void ScalarAdjoint::activateUsers(Block &block) {
  for (Operation &op : block.without_terminator()) {
    bool usesActive = false;
    op.walk([&](Operation *nested) {
      usesActive |= llvm::any_of(nested->getOperands(),
                                 [&](Value value) { return isActive(value); });
    });
    if (usesActive)
      for (Value result : op.getResults())
        if (isDifferentiable(result.getType()))
          activate(result);
  }
}

void ScalarAdjoint::accumulate(Value value, Value contribution, bool isMasked) {
  if (isMasked)
    masked.insert(value);
  Value &sum = cotangents[value];
  sum = sum ? ScalarMath{builder, contribution.getLoc()}.add(sum, contribution)
            : contribution;
}

LogicalResult ScalarAdjoint::visit(Operation *op, Refuse refuse) {
  bool isAsked = llvm::any_of(op->getResults(), [&](Value result) {
    return isActive(result) && getCotangent(result);
  });
  if (!isAsked)
    return success();
  Rule rule = lookupRule(op);
  if (!rule)
    return refuse(op, "has no derivative that is known here");
  RuleContext context(builder, op, *this);
  rule(context);
  return success();
}

LogicalResult ScalarAdjoint::visit(Block &block, ArrayRef<Value> seeds,
                                   bool isMasked, Refuse refuse) {
  for (auto [value, seed] :
       llvm::zip_equal(block.getTerminator()->getOperands(), seeds))
    if (seed && isActive(value))
      accumulate(value, seed, isMasked);
  for (Operation &op : llvm::reverse(block.without_terminator()))
    if (failed(visit(&op, refuse)))
      return failure();
  return success();
}
