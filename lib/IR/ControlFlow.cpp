//===- ControlFlow.cpp - What runs after what in a scan -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream passes that walk through regions (deallocation of buffers, dead
// code, constant propagation) ask operations for the control flow between
// these, and refuse operations that do not tell. The regions of a scan run any
// number of times, none of them for an empty scan, and no value of one is an
// argument of the next as it is: elements and states come from the operation.
//
//===----------------------------------------------------------------------===//

#include "Scan/IR/ScanDialect.h"

using namespace mlir;
using namespace mlir::scan;

/// After the operation was entered, or one of its regions has ended, any region
/// may run, or the operation may be done.
static void addAllSuccessors(Operation *op,
                             SmallVectorImpl<RegionSuccessor> &successors) {
  for (Region &region : op->getRegions())
    successors.emplace_back(&region);
  successors.emplace_back(op, op->getResults().take_front(0));
}

void AssociativeOp::getSuccessorRegions(
    RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &successors) {
  addAllSuccessors(getOperation(), successors);
}

void KernelOp::getSuccessorRegions(
    RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &successors) {
  addAllSuccessors(getOperation(), successors);
}

MutableOperandRange YieldOp::getMutableSuccessorOperands(RegionSuccessor) {
  return MutableOperandRange(getOperation(), /*start=*/0, /*length=*/0);
}
