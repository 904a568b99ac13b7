//===- OperatorUse.cpp - What a kernel saves by its operator --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorUse.h"
#include "IR/OperatorFacts.h"

using namespace mlir;
using namespace mlir::scan;

/// Lanes of a warp.
static constexpr int64_t kLanes = 32;

namespace {
/// How a scan is laid over a warp: the threads that share it, and how many
/// scans a thread has.
struct WarpShape {
  int64_t sharing = 1, scans = 1;
  /// Whether the lanes that share a scan are a whole warp, or one is in each
  /// group of a column kernel.
  bool isWhole = true;
  bool hasWarps = false;
};
} // namespace

static WarpShape getWarpShape(const KernelPlan &plan) {
  ScheduleAttr schedule = plan.schedule;
  WarpShape shape;
  switch (plan.kind) {
  case KernelKind::Sequential:
  case KernelKind::SplitStates:
    return shape;
  case KernelKind::Row:
  case KernelKind::GridRow:
  case KernelKind::PersistentRow:
  case KernelKind::WarpSpecializedRow:
  case KernelKind::Bidirectional: {
    int64_t threads = schedule.getThreadsPerScan();
    shape.sharing = std::min(threads, kLanes);
    shape.isWhole = shape.sharing == kLanes;
    shape.hasWarps = threads > kLanes;
    return shape;
  }
  case KernelKind::BidirectionalColumn:
  case KernelKind::CheckpointedColumn:
  case KernelKind::Column:
  case KernelKind::GridColumn:
    shape.sharing = kLanes / schedule.getLanes();
    shape.scans = plan.vector;
    shape.hasWarps = schedule.getThreads() > kLanes;
    return shape;
  }
  llvm_unreachable("unknown kind of kernel");
}

SmallVector<OperatorUse> mlir::scan::getOperatorUses(KernelOp kernel,
                                                     const KernelPlan &plan) {
  OperatorFacts facts = getOperatorFacts(kernel);
  WarpShape shape = getWarpShape(plan);
  int64_t states = shape.scans * kernel.getNumLeaves();
  int64_t steps = llvm::Log2_64(shape.sharing);
  bool isBidirectional = plan.kind == KernelKind::Bidirectional ||
                         plan.kind == KernelKind::BidirectionalColumn;
  bool isSequential = plan.schedule.getStrategy() == Strategy::Sequential;
  SmallVector<OperatorUse> uses;
  if (!facts.identity.empty() && !kernel.hasInit()) {
    if (isSequential)
      uses.push_back(
          {"identity", "the first step is one as any other", /*saved=*/0});
    else
      // Of the state before the thread, of its first item, and of the totals of
      // the warps before.
      uses.push_back({"identity", "the first tile starts from it",
                      (shape.hasWarps ? 3 : 2) * states});
  }
  if (isBidirectional && !facts.identity.empty()) {
    int64_t extent = kernel.getStaticDomainShape()[kernel.getDim()];
    if (extent < plan.schedule.getTileSteps())
      uses.push_back({"identity", "positions beyond the end hold it",
                      plan.schedule.getItems() * shape.scans *
                          int64_t(kernel.getNumOpposite())});
  }
  // In reverse, positions beyond the end have to hold the identity for that.
  int64_t overlapping = states;
  if (isBidirectional && facts.identity.empty())
    overlapping -= shape.scans * kernel.getNumOpposite();
  // With both, the butterfly of full tiles has no choices to save.
  bool addsUp = plan.kind == KernelKind::Row && kernel.getOutputs().empty() &&
                facts.isCommutative;
  if (addsUp && steps > 0)
    uses.push_back(
        {"commutative", "lanes add up in any order", steps * states});
  else if (facts.isIdempotent && shape.isWhole && steps > 0)
    uses.push_back({"idempotent",
                    "lanes without an earlier one combine their own state "
                    "with itself",
                    steps * overlapping});
  return uses;
}
