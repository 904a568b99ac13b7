//===- ScalarAdjoint.cpp - Straight-line scalar code backwards ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

Value RuleContext::in(unsigned i) const {
  return adjoint.getPrimal(op->getOperand(i));
}

Value RuleContext::out(unsigned i) const {
  return adjoint.getPrimal(op->getResult(i));
}

Value RuleContext::cotangent(unsigned i) const {
  return adjoint.getCotangent(op->getResult(i));
}

void RuleContext::give(unsigned i, Value contribution) const {
  if (adjoint.isActive(op->getOperand(i)))
    adjoint.give(op->getOperand(i), contribution);
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

void ScalarAdjoint::give(Value value, Value contribution) {
  Value &sum = cotangents[value];
  sum = sum ? ScalarMath{builder, contribution.getLoc()}.add(sum, contribution)
            : contribution;
}

LogicalResult ScalarAdjoint::visit(Operation *op, Obstacle &obstacle) {
  bool isAsked = llvm::any_of(op->getResults(), [&](Value result) {
    return isActive(result) && getCotangent(result);
  });
  if (!isAsked)
    return success();
  Rule rule = lookupRule(op);
  if (!rule) {
    obstacle = {op, "has no derivative that is known here"};
    return failure();
  }
  RuleContext context(builder, op, *this);
  rule(context);
  return success();
}

LogicalResult ScalarAdjoint::visit(Block &block, ArrayRef<Value> seeds,
                                   Obstacle &obstacle) {
  for (auto [value, seed] :
       llvm::zip_equal(block.getTerminator()->getOperands(), seeds))
    if (seed && isActive(value))
      give(value, seed);
  for (Operation &op : llvm::reverse(block.without_terminator()))
    if (failed(visit(&op, obstacle)))
      return failure();
  return success();
}
