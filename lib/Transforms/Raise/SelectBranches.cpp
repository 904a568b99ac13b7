//===- SelectBranches.cpp - Branches become selections --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Both sides of an scf.if are computed, and what is wanted is selected. Tensors
// that both sides write to, or one, are written once: with a selected element.
// A side that would not run then reads what is not read in the end.
//
//===----------------------------------------------------------------------===//

#include "IR/Branches.h"
#include "LoopPreparation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::scan;

static Value createSelect(RewriterBase &rewriter, Location loc, Value condition,
                          Value yes, Value no) {
  if (yes == no)
    return yes;
  return arith::SelectOp::create(rewriter, loc, condition, yes, no);
}

/// What an insertion of a scalar makes of `dest`: the scalar, or null if
/// `value` is `dest` itself.
static bool getInserted(Value value, Value dest, tensor::InsertOp &insert) {
  insert = value.getDefiningOp<tensor::InsertOp>();
  return value == dest || (insert && insert.getDest() == dest);
}

/// One value of two tensors that are both `dest`, perhaps with one element
/// replaced, the same in both.
static Value selectInserted(RewriterBase &rewriter, Location loc,
                            Value condition, Value yes, Value no) {
  auto getDest = [](Value value) -> Value {
    auto insert = value.getDefiningOp<tensor::InsertOp>();
    return insert ? insert.getDest() : value;
  };
  for (Value dest : {getDest(yes), getDest(no)}) {
    tensor::InsertOp first, second;
    if (!getInserted(yes, dest, first) || !getInserted(no, dest, second) ||
        (!first && !second))
      continue;
    tensor::InsertOp any = first ? first : second;
    if (first && second && first.getIndices() != second.getIndices())
      continue;
    auto getElement = [&](tensor::InsertOp insert) -> Value {
      if (insert)
        return insert.getScalar();
      auto extract =
          tensor::ExtractOp::create(rewriter, loc, dest, any.getIndices());
      extract->setAttr(kGuardedAttrName, rewriter.getUnitAttr());
      return extract;
    };
    Value element = createSelect(rewriter, loc, condition, getElement(first),
                                 getElement(second));
    auto insert = tensor::InsertOp::create(rewriter, loc, element, dest,
                                           any.getIndices());
    if (!first || !second)
      insert->setAttr(kGuardedAttrName, rewriter.getUnitAttr());
    return insert;
  }
  return {};
}

LogicalResult scan::checkGuarded(Operation *scope, Obstacle &obstacle) {
  WalkResult result = scope->walk([&](Operation *op) -> WalkResult {
    if (!op->removeAttr(kGuardedAttrName))
      return WalkResult::advance();
    if (!isKnownInBounds(op)) {
      (void)obstacle.set(op, "a branch guards an index that may be outside "
                             "of the tensor without it");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult scan::selectBranches(RewriterBase &rewriter, Operation *scope,
                                   Obstacle &obstacle) {
  SmallVector<scf::IfOp> branches;
  scope->walk([&](scf::IfOp branch) { branches.push_back(branch); });
  for (scf::IfOp branch : branches) {
    for (Region &region : branch->getRegions())
      for (Operation &op : region.getOps())
        if (!op.hasTrait<OpTrait::IsTerminator>() &&
            (!isPure(&op) || isa<LoopLikeOpInterface>(op)))
          return obstacle.set(&op, "'" + op.getName().getStringRef() +
                                       "' is in a branch of 'scf.if', and not "
                                       "to be computed without need");
    if (branch.getNumResults() == 0) {
      rewriter.eraseOp(branch);
      continue;
    }
    Operation *yes = branch.thenYield(), *no = branch.elseYield();
    for (Region &region : branch->getRegions())
      for (Operation &op :
           llvm::make_early_inc_range(region.front().without_terminator())) {
        if (isa<tensor::ExtractOp, tensor::ExtractSliceOp,
                tensor::InsertSliceOp>(op))
          op.setAttr(kGuardedAttrName, rewriter.getUnitAttr());
        rewriter.moveOpBefore(&op, branch);
      }
    rewriter.setInsertionPoint(branch);
    SmallVector<Value> results;
    Location loc = branch.getLoc();
    for (auto [first, second] :
         llvm::zip(yes->getOperands(), no->getOperands())) {
      Value selected;
      if (isa<RankedTensorType>(first.getType()) && first != second)
        selected =
            selectInserted(rewriter, loc, branch.getCondition(), first, second);
      results.push_back(selected
                            ? selected
                            : createSelect(rewriter, loc, branch.getCondition(),
                                           first, second));
    }
    rewriter.replaceOp(branch, results);
  }
  return success();
}
