//===- CheckpointedScans.cpp - A scan that recomputes another -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckpointedScans.h"
#include "IR/KernelParts.h"
#include "Plan/ColumnCheckpoints.h"
#include "Plan/OneTileSchedule.h"
#include "Plan/StateSplit.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::scan;

/// Each lane has a part of them only.
static constexpr unsigned kMostLeaves = 128;

int64_t scan::getStaticScans(KernelOp kernel) {
  int64_t scans = 1;
  for (auto [dim, extent] : llvm::enumerate(kernel.getStaticDomainShape())) {
    if (dim == kernel.getDim())
      continue;
    if (ShapedType::isDynamic(extent))
      return ShapedType::kDynamic;
    scans *= extent;
  }
  return scans;
}

/// Whether `kernel` is in the branch of a choice of which the other one has a
/// kernel that scans in both directions.
static bool isKeptApart(KernelOp kernel) {
  auto choice = dyn_cast<scf::IfOp>(kernel->getParentOp());
  return choice && kernel->getBlock() == choice.elseBlock() &&
         llvm::any_of(choice.thenBlock()->getOps<KernelOp>(),
                      [](KernelOp other) { return other.isBidirectional(); });
}

/// Whether lanes can share the states of one kernel for both.
static bool canShareMerged(RewriterBase &rewriter, KernelOp first,
                           KernelOp second, ArrayRef<unsigned> chained) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(second);
  auto one = cast<KernelOp>(rewriter.clone(*first));
  auto other = cast<KernelOp>(rewriter.clone(*second));
  unsigned leaves = other.getNumLeaves();
  KernelOp merged = mergeKernels(rewriter, one, other, chained);
  merged.setBidirectional(leaves);
  bool canShare = StateSplit::get(merged).has_value();
  rewriter.eraseOp(merged);
  return canShare;
}

static bool canShareApart(KernelOp first, KernelOp second) {
  return StateSplit::get(first) && StateSplit::get(second);
}

int64_t LeastScans::get(KernelOp first, KernelOp second) const {
  return canShareApart(first, second) ? shared : columns;
}

/// The part of the answer that depends on how states are computed again: where
/// lanes share them.
static std::string findSharedObstacle(RewriterBase &rewriter, KernelOp first,
                                      KernelOp second,
                                      const Recomputation &what,
                                      MergeFacts &facts) {
  if (!facts.isWorthChaining(first, second, what.inputs, /*readTwice=*/{},
                             what.isRepeated))
    return "together they would move about as many bytes";
  if (!canShareMerged(rewriter, first, second, what.inputs))
    return "lanes of a GPU cannot share the states of both";
  return "";
}

/// The same of columns, whose first walk reads again what its leaves need.
static std::string findColumnObstacle(KernelOp first, KernelOp second,
                                      ArrayRef<unsigned> chained,
                                      MergeFacts &facts) {
  std::optional<TileNeeds> needs = getTileNeeds({first, second});
  if (!needs || !needs->isColumn)
    return "lanes of a GPU cannot share their states, nor do they scan columns";
  if (!first.hasInit() && !second.hasInit())
    return "neither has initial states";
  if (!llvm::is_contained(first.getCarriedLeaves(), true))
    return "the first scan carries no state";
  if (!facts.isWorthChaining(first, second, chained,
                             getInputsOfLeaves(first, first.getNumLeaves())))
    return "together they would move about as many bytes";
  return "";
}

/// Whether `second` needs something that depends on `first` besides the inputs
/// `known`.
static bool dependsOtherwise(KernelOp first, KernelOp second,
                             ArrayRef<unsigned> known) {
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) {
    return op->getBlock() == first->getBlock() && !op->isBeforeInBlock(first);
  };
  for (OpOperand &operand : second->getOpOperands()) {
    SetVector<Operation *> slice;
    Operation *source = operand.get().getDefiningOp();
    if (!source || !options.filter(source) ||
        llvm::is_contained(known, operand.getOperandNumber()))
      continue;
    if (source == first || failed(getBackwardSlice(source, &slice, options)) ||
        slice.contains(first))
      return true;
  }
  return false;
}

Recomputation Recomputation::get(KernelOp first, KernelOp second) {
  Recomputation what;
  SmallVector<unsigned> all = getInputsFrom(first, second);
  bool anyBoundary = !canShareApart(first, second);
  auto isTaken = [&](unsigned input) {
    return isReadWhereStored(first, second, input) ||
           isReadOneStepLater(first, second, input, anyBoundary);
  };
  for (unsigned input : all) {
    Value value = second.getInputs()[input];
    if (isReadOnlyBy(value, second) && llvm::all_of(all, [&](unsigned other) {
          return second.getInputs()[other] != value || isTaken(other);
        }))
      what.inputs.push_back(input);
  }
  what.isRepeated = dependsOtherwise(first, second, what.inputs);
  return what;
}

KernelOp scan::repeatScan(RewriterBase &rewriter, KernelOp first,
                          KernelOp second, ArrayRef<unsigned> inputs) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(second);
  auto again = cast<KernelOp>(rewriter.clone(*first));
  rewriter.modifyOpInPlace(second, [&] {
    for (unsigned input : inputs) {
      OpOperand &operand = second.getInputsMutable()[input];
      auto result = cast<OpResult>(operand.get());
      operand.set(again->getResult(result.getResultNumber()));
    }
  });
  FailureOr<KernelOp> left = eraseUnusedResults(rewriter, again);
  return succeeded(left) ? *left : again;
}

std::string scan::findCheckpointObstacle(RewriterBase &rewriter, KernelOp first,
                                         KernelOp second,
                                         const LeastScans &least,
                                         const Recomputation &what,
                                         MergeFactsCache &cache) {
  bool canShare = canShareApart(first, second);
  if (std::string why; !areAlike(first, second, why, /*mayGiveInit=*/!canShare,
                                 canShare ? kMostLeaves : kMaxMergedLeaves))
    return why;
  if (!cache.get(*first->getBlock()).haveSameDomain(first, second))
    return "their extents are not known to be equal";
  if (first.getScheduleAttr() || first.getOrder() == Order::Sequential)
    return "they have a schedule, or the order sequential";
  if (getInputsFrom(first, second).empty())
    return "the second scan needs nothing of the first one";
  // Without shared states, a repetition reads about as much as it saves.
  if (what.inputs.empty() || (what.isRepeated && !canShare))
    return "the second scan needs what the first one computes";
  int64_t scans = getStaticScans(first);
  if (int64_t fewest = least.get(first, second);
      !ShapedType::isDynamic(scans) && scans < fewest)
    return "there are " + std::to_string(scans) + " independent scans: from " +
           std::to_string(fewest) + " on states are computed again (" +
           (canShare ? "min-scans" : "min-columns") + ")";
  if (isKeptApart(first))
    return "the host chooses between one kernel and two already";
  MergeFacts &facts = cache.get(*first->getBlock());
  return canShare ? findSharedObstacle(rewriter, first, second, what, facts)
                  : findColumnObstacle(first, second, what.inputs, facts);
}
