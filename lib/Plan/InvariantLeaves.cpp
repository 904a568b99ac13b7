//===- InvariantLeaves.cpp - Leaves that all steps have alike -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InvariantLeaves.h"
#include "KernelOperands.h"

using namespace mlir;
using namespace mlir::scan;

/// What the operations of `block` compute from any of `values`, and these.
static void addDependent(Block &block, llvm::DenseSet<Value> &values) {
  for (Operation &op : block.without_terminator()) {
    WalkResult result = op.walk([&](Operation *inner) {
      bool depends = llvm::any_of(inner->getOperands(), [&](Value operand) {
        return values.contains(operand);
      });
      return depends ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      values.insert(op.result_begin(), op.result_end());
  }
}

SmallVector<bool> mlir::scan::getInvariantLeaves(KernelOp kernel) {
  llvm::DenseSet<Value> varying = getVaryingInLoad(kernel);
  SmallVector<bool> invariant = llvm::map_to_vector(
      kernel.getLoad().front().getTerminator()->getOperands(),
      [&](Value leaf) { return !varying.contains(leaf); });
  Block &combine = kernel.getCombine().front();
  // A leaf that is combined with one that is none is none either.
  for (bool changed = true; changed && llvm::is_contained(invariant, true);) {
    llvm::DenseSet<Value> others;
    for (BlockArgument argument : combine.getArguments())
      if (!invariant[argument.getArgNumber() % invariant.size()])
        others.insert(argument);
    addDependent(combine, others);
    changed = false;
    for (auto [isInvariant, result] :
         llvm::zip_equal(invariant, combine.getTerminator()->getOperands()))
      if (isInvariant && others.contains(result)) {
        isInvariant = false;
        changed = true;
      }
  }
  return invariant;
}

SmallVector<bool> mlir::scan::getPublishedLeaves(KernelOp kernel) {
  SmallVector<bool> published;
  for (auto [isInvariant, isCarried] :
       llvm::zip_equal(getInvariantLeaves(kernel), kernel.getCarriedLeaves()))
    published.push_back(!isInvariant || isCarried);
  if (!llvm::is_contained(published, true))
    published.assign(published.size(), true);
  return published;
}
