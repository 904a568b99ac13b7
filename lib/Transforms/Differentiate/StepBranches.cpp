//===- StepBranches.cpp - Steps of recurrences without control flow -------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Short loops of a step are unrolled, and branches become selections: of the
// side that is not taken the cotangents are masked zeros, whatever it computes.
//
//===----------------------------------------------------------------------===//

#include "IR/Branches.h"
#include "Scan/IR/ScanRecurrence.h"
#include "TimeLoops.h"

#include "mlir/Dialect/SCF/Utils/Utils.h"

using namespace mlir;
using namespace mlir::scan;

/// Loops of a step with so many iterations at most are unrolled.
static constexpr int64_t kMostIterations = 16;

void differentiate::flattenSteps(func::FuncOp function) {
  // Inner ones first.
  SmallVector<scf::ForOp> loops;
  function.walk([&](scf::ForOp loop) {
    std::optional<APInt> count = loop.getStaticTripCount();
    if (loop->getParentOfType<RecurrenceOp>() && count &&
        count->ule(kMostIterations))
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops)
    (void)loopUnrollFull(loop);
  SmallVector<scf::IfOp> branches;
  function.walk([&](scf::IfOp branch) {
    if (branch->getParentOfType<RecurrenceOp>())
      branches.push_back(branch);
  });
  IRRewriter rewriter(function.getContext());
  for (scf::IfOp branch : branches)
    if (canComputeBothSides(branch))
      replaceBySelections(rewriter, branch);
}
