//===- InvariantLeaves.cpp - Leaves that all steps have alike -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InvariantLeaves.h"
#include "IR/CombineRegion.h"
#include "KernelOperands.h"

using namespace mlir;
using namespace mlir::scan;

SmallVector<bool> mlir::scan::getInvariantLeaves(KernelOp kernel) {
  llvm::DenseSet<Value> varying = getVaryingInLoad(kernel);
  SmallVector<bool> invariant = llvm::map_to_vector(
      kernel.getLoad().front().getTerminator()->getOperands(),
      [&](Value leaf) { return !varying.contains(leaf); });
  // A leaf that is combined with one that is none is none either.
  Block &combine = kernel.getCombine().front();
  size_t numLeaves = invariant.size();
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t leaf = 0; leaf < numLeaves; ++leaf)
      if (invariant[leaf] &&
          llvm::any_of(impl::getNeededArguments(combine, leaf).set_bits(),
                       [&](unsigned argument) {
                         return !invariant[argument % numLeaves];
                       })) {
        invariant[leaf] = false;
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
