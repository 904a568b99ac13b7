//===- Bidirectional.cpp - --scan-bidirectional ---------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A forward and a reverse scan meet every element of their input in opposite
// order: one walk serves both only where it has all steps at hand before it
// computes. So what is merged is what a lowering will hold in a tile (rows or
// columns in a block of a GPU) or in the cache (by the CPU's loops).
// Where the extent is dynamic, the host chooses when it knows it.
//
//===----------------------------------------------------------------------===//

#include "BidirectionalChoice.h"
#include "CheckpointedScans.h"
#include "IR/MatchCounts.h"
#include "IR/SplitBidirectional.h"
#include "IR/StepsRange.h"
#include "KernelFusion.h"
#include "MergeKernels.h"
#include "Plan/CachedColumns.h"
#include "Plan/ColumnCheckpoints.h"
#include "Plan/KernelPlan.h"
#include "Plan/OneTileSchedule.h"
#include "Plan/StateSplit.h"
#include "Scan/Transforms/Fusion.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANBIDIRECTIONAL
#include "Scan/Transforms/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

/// True if the kernels, in program order, scan in opposite directions what
/// both read, or of which one reads what the other has computed: what might be
/// merged, so that there is a reason if it is not. Those of a choice have been.
static bool areCandidates(KernelOp first, KernelOp second) {
  if (!first.hasPureTensorSemantics() || !second.hasPureTensorSemantics() ||
      first.isBidirectional() || second.isBidirectional() ||
      first.getReverse() == second.getReverse() ||
      first.getDim() != second.getDim() || hasStepsRange(first) ||
      hasStepsRange(second))
    return false;
  return !getInputsFrom(first, second).empty() ||
         llvm::any_of(first.getInputs(), [&](Value input) {
           return isa<ShapedType>(input.getType()) &&
                  llvm::is_contained(second.getInputs(), input);
         });
}

namespace {

struct ScanBidirectionalPass
    : scan::impl::ScanBidirectionalBase<ScanBidirectionalPass> {
  using ScanBidirectionalBase::ScanBidirectionalBase;

  void runOnOperation() override {
    if (maxExtent < 1) {
      getOperation()->emitError()
          << "scan-bidirectional: expected max-extent of at least 1, found "
          << maxExtent.getValue();
      return signalPassFailure();
    }
    if (minScans < 1) {
      getOperation()->emitError()
          << "scan-bidirectional: expected min-scans of at least 1, found "
          << minScans.getValue();
      return signalPassFailure();
    }
    MergeFactsCache cache;
    IRRewriter rewriter(&getContext(), &cache);
    if (minColumns < 1) {
      getOperation()->emitError()
          << "scan-bidirectional: expected min-columns of at least 1, found "
          << minColumns.getValue();
      return signalPassFailure();
    }
    FailureOr<uint64_t> numParted = splitKernels(rewriter);
    if (failed(numParted))
      return signalPassFailure();
    numSplit += *numParted;
    if (split) {
      addMatchCounts(getOperation(), getArgument(),
                     {{"kernels-split", *numParted}});
      return;
    }
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Block *block) {
      if (llvm::range_size(block->getOps<KernelOp>()) > 1)
        blocks.push_back(block);
    });
    uint64_t merged = 0, missed = 0;
    for (Block *block : blocks) {
      merged += mergeIn(rewriter, *block, cache);
      missed += explain(rewriter, *block, cache);
    }
    if (merged != 0 && failed(simplify()))
      return signalPassFailure();
    numMerged += merged;
    numMissed += missed;
    addMatchCounts(getOperation(), getArgument(),
                   {{"kernels-merged", merged},
                    {"missed", missed},
                    {"kernels-split", *numParted}});
  }

private:
  /// Splits all kernels that scan in both directions, or only those that the
  /// target could not scan any more once they are on memrefs; returns how many.
  FailureOr<uint64_t> splitKernels(IRRewriter &rewriter) {
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) {
      if (kernel.isBidirectional() && (split || !isSupported(kernel)))
        kernels.push_back(kernel);
    });
    for (KernelOp kernel : kernels) {
      if (failed(checkSplittable(kernel)))
        return failure();
      splitBidirectional(rewriter, kernel);
    }
    return kernels.size();
  }

  /// True if nothing has to be stored between the two directions.
  bool isSupported(KernelOp kernel) {
    if (!kernel.hasPureTensorSemantics() || !mixesDirections(kernel))
      return true;
    StepsRange range = getStepsRange(kernel);
    if (target != BidirectionalTarget::GPU ||
        kernel.getOrder() == Order::Sequential)
      return false;
    int64_t extent = std::max<int64_t>(range.most, 1);
    ScheduleAttr schedule = kernel.getScheduleAttr();
    if (range.isLimited() &&
        (schedule ? isOneTile(extent, schedule)
                  : getOneTileSchedule(kernel, extent).has_value()))
      return true;
    bool mayShareStates =
        !schedule || (schedule.sharesStates() && !schedule.walksTilesTwice());
    if (mayShareStates && StateSplit::get(kernel))
      return true;
    if (schedule)
      return keepsCheckpoints(kernel, schedule);
    std::optional<TileNeeds> needs = getTileNeeds(kernel);
    return needs && needs->isColumn && ColumnCheckpoints::get(kernel);
  }

  /// Calls `callback` for each two kernels of the block that might be merged.
  /// Where it returns true, it has replaced both.
  void forCandidates(Block &block,
                     function_ref<bool(KernelOp, KernelOp)> callback) {
    SmallVector<KernelOp> kernels(block.getOps<KernelOp>());
    for (unsigned i = 0; i < kernels.size(); ++i)
      for (unsigned j = i + 1; j < kernels.size() && kernels[i]; ++j) {
        KernelOp first = kernels[i], second = kernels[j];
        if (!second)
          continue;
        // What a merged kernel needs has been moved in front of it.
        if (second->isBeforeInBlock(first))
          std::swap(first, second);
        if (areCandidates(first, second) && callback(first, second))
          kernels[i] = kernels[j] = {};
      }
  }

  /// Merges what can be, and returns how often. A merged kernel is merged with
  /// no other, and does not remove what keeps two others apart.
  uint64_t mergeIn(IRRewriter &rewriter, Block &block, MergeFactsCache &cache) {
    uint64_t merged = 0;
    forCandidates(block, [&](KernelOp first, KernelOp second) {
      SmallVector<unsigned> chained = getInputsFrom(first, second);
      if (!findObstacle(first, second, cache).empty())
        return recompute(rewriter, first, second, merged, cache);
      if (failed(provideOperands(rewriter, first, second, chained)))
        return false;
      ++merged;
      if (int64_t most = getMostSteps(first, second);
          isDynamic(first, second)) {
        remark::passed(second.getLoc(), getOptions(second))
            << ("a scan and one in the opposite direction become one where the "
                "scanned dimension has " +
                std::to_string(most) + " elements at most");
        chooseBidirectional(rewriter, first, second, chained, most);
        return true;
      }
      unsigned leaves = second.getNumLeaves();
      remark::passed(second.getLoc(), getOptions(second))
          << "a scan and one in the opposite direction become one";
      KernelOp both = mergeKernels(rewriter, first, second, chained);
      both.setBidirectional(leaves);
      return true;
    });
    return merged;
  }

  /// Merges two of which the second one is to compute the states of the first
  /// one again.
  bool recompute(IRRewriter &rewriter, KernelOp first, KernelOp second,
                 uint64_t &merged, MergeFactsCache &cache) {
    if (target != BidirectionalTarget::GPU)
      return false;
    Recomputation what = Recomputation::get(first, second);
    if (!findCheckpointObstacle(rewriter, first, second, getLeastScans(), what,
                                cache)
             .empty())
      return false;
    int64_t least = getLeastScans().get(first, second);
    SmallVector<unsigned> &chained = what.inputs;
    bool isChoice = ShapedType::isDynamic(getStaticScans(first));
    if (isChoice && !findChoiceObstacle(first, second).empty())
      return false;
    if (what.isRepeated)
      first = repeatScan(rewriter, first, second, chained);
    else if (failed(provideOperands(rewriter, first, second, chained)))
      return false;
    if (!first.hasInit())
      first = beginAtIdentity(rewriter, first, second);
    else if (!second.hasInit())
      second = beginAtIdentity(rewriter, second, first);
    ++merged;
    remark::passed(second.getLoc(), getOptions(second))
        << "a scan in the opposite direction computes states again that it "
           "reads";
    if (isChoice) {
      chooseByScans(rewriter, first, second, chained, least);
      return true;
    }
    unsigned leaves = second.getNumLeaves();
    mergeKernels(rewriter, first, second, chained).setBidirectional(leaves);
    return true;
  }

  /// Says of each scan that might be merged with another why it is not.
  uint64_t explain(IRRewriter &rewriter, Block &block, MergeFactsCache &cache) {
    uint64_t missed = 0;
    forCandidates(block, [&](KernelOp first, KernelOp second) {
      ++missed;
      std::string reason = findObstacle(first, second, cache);
      if (mayRecompute(first, second))
        reason =
            findCheckpointObstacle(rewriter, first, second, getLeastScans(),
                                   Recomputation::get(first, second), cache);
      if (reason.empty() && ShapedType::isDynamic(getStaticScans(first)))
        reason = findChoiceObstacle(first, second);
      if (reason.empty())
        reason = "one of them depends on the other";
      remark::missed(second.getLoc(), getOptions(second))
          << "a scan in the opposite direction stays by itself"
          << remark::reason("{0}", reason);
      return false;
    });
    return missed;
  }

  LeastScans getLeastScans() const { return {minScans, minColumns}; }

  /// Whether nothing else can become of two of which one reads what the other
  /// one computes: lanes can share the states of both, or they are columns that
  /// no tile holds.
  bool mayRecompute(KernelOp first, KernelOp second) const {
    if (target != BidirectionalTarget::GPU ||
        getInputsFrom(first, second).empty())
      return false;
    if (StateSplit::get(first) && StateSplit::get(second))
      return true;
    std::optional<TileNeeds> needs = getTileNeeds({first, second});
    int64_t extent = getExtent(first, second);
    return needs && needs->isColumn &&
           (ShapedType::isDynamic(extent) || extent > maxExtent);
  }

  /// Why the two are not merged; empty if they are, unless one depends on the
  /// other.
  std::string findObstacle(KernelOp first, KernelOp second,
                           MergeFactsCache &cache) {
    std::string why;
    if (!areAlike(first, second, why))
      return why;
    if (!cache.get(*first->getBlock()).haveSameDomain(first, second))
      return "their extents are not known to be equal";
    int64_t extent = getExtent(first, second);
    if (ShapedType::isDynamic(extent)) {
      if (target == BidirectionalTarget::CPU)
        return "the extent of the scanned dimension is dynamic: nothing says "
               "that all of it fits where it is to be kept";
      if (why = findChoiceObstacle(first, second); !why.empty())
        return why;
      if (why = findLayoutObstacle(first, second); !why.empty())
        return why;
      extent = getMostSteps(first, second);
    }
    if (extent > maxExtent || extent == 0)
      return "the scanned dimension has " + std::to_string(extent) +
             " elements: 1 to " + std::to_string(maxExtent) +
             " are merged (max-extent)";
    if (why = findLayoutObstacle(first, second); !why.empty())
      return why;
    SmallVector<unsigned> chained = getInputsFrom(first, second);
    for (unsigned input : chained)
      if (!isReadWhereStored(first, second, input))
        return "the second scan needs what the first one computes";
    if (target == BidirectionalTarget::CPU && !chained.empty())
      return "the second scan reads what the first one computes, which loops "
             "on a CPU would store all the same";
    if (target == BidirectionalTarget::CPU &&
        getTileNeeds({first, second})->isColumn &&
        !getCachedColumns({first, second}))
      return "columns of " + std::to_string(extent) +
             " elements are too much for the cache";
    if (target == BidirectionalTarget::GPU)
      if (std::string reason = findGPUObstacle(first, second, extent);
          !reason.empty())
        return reason;
    return findLoss(first, second, chained, cache);
  }

  /// The extent of the scanned dimension, as far as either kernel knows it.
  static int64_t getExtent(KernelOp first, KernelOp second) {
    int64_t extent = first.getStaticDomainShape()[first.getDim()];
    return ShapedType::isDynamic(extent)
               ? second.getStaticDomainShape()[second.getDim()]
               : extent;
  }
  static bool isDynamic(KernelOp first, KernelOp second) {
    return ShapedType::isDynamic(getExtent(first, second));
  }

  /// Of a dynamic extent, up to which one tile holds all steps; `max-extent` at
  /// most. 1 if no tile does.
  int64_t getMostSteps(KernelOp first, KernelOp second) {
    int64_t most = maxExtent;
    if (ScheduleAttr schedule = first.getScheduleAttr())
      most = std::min(most, schedule.getTileSteps());
    while (most > 1 && !findGPUObstacle(first, second, most).empty())
      most /= 2;
    return most;
  }

  /// Why the operands do not lie in memory along one dimension.
  std::string findLayoutObstacle(KernelOp first, KernelOp second) {
    if (getTileNeeds({first, second}))
      return "";
    for (auto [kernel, name] : {std::pair(first, "first"), {second, "second"}})
      if (std::string operand = findScattered(kernel); !operand.empty())
        return operand + " of the " + name +
               " scan does not lie in memory along the scanned dimension, nor "
               "do all operands along one other";
    return "";
  }

  /// Why no block of a GPU holds `extent` steps of both in one tile.
  std::string findGPUObstacle(KernelOp first, KernelOp second, int64_t extent) {
    if (first.getOrder() == Order::Sequential)
      return "order = sequential: one thread would have to walk each row";
    TileNeeds needs = *getTileNeeds({first, second});
    StringRef what = needs.isColumn ? "a column" : "a row";
    if (ScheduleAttr schedule = first.getScheduleAttr()) {
      bool isAlong =
          needs.isColumn == (schedule.getStrategy() == Strategy::Column);
      return isAlong && isOneTile(extent, schedule)
                 ? ""
                 : ("the schedule does not hold " + what +
                    " in one tile of a block")
                       .str();
    }
    std::optional<ScheduleAttr> schedule =
        getOneTileSchedule(&getContext(), extent, needs);
    // The operands of both bound what those of the merged one take.
    if (schedule &&
        KernelPlan::get(first, *schedule).wantedSharedBytes +
                KernelPlan::get(second, *schedule).wantedSharedBytes <=
            kStaticSharedLimit)
      return "";
    return (what + " of " + Twine(extent) + " elements with " +
            Twine(needs.words) +
            " words each does not fit in one tile of a block")
        .str();
  }

  /// Why merging saves too little.
  std::string findLoss(KernelOp first, KernelOp second,
                       ArrayRef<unsigned> chained, MergeFactsCache &cache) {
    MergeFacts &facts = cache.get(*first->getBlock());
    return facts.isWorthMerging(first, second, chained)
               ? ""
               : "together they would move about as many bytes";
  }

  /// What both compute is computed once; what nobody reads any more is not
  /// stored.
  LogicalResult simplify() {
    RewritePatternSet patterns(&getContext());
    KernelOp::getCanonicalizationPatterns(patterns, &getContext());
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
        .setMaxIterations(GreedyRewriteConfig::kNoLimit)
        .enableConstantCSE(false);
    FrozenRewritePatternSet frozen(std::move(patterns));
    if (failed(applyPatternsGreedily(getOperation(), frozen, config)))
      return failure();
    DominanceInfo dominance;
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](KernelOp kernel) {
      if (kernel.isBidirectional())
        eliminateCommonSubExpressions(rewriter, dominance, kernel);
    });
    return success();
  }

  static remark::RemarkOpts getOptions(Operation *op) {
    auto function = op->getParentOfType<FunctionOpInterface>();
    return remark::RemarkOpts::name("Bidirectional")
        .category("scan-bidirectional")
        .function(function ? function.getName() : StringRef());
  }
};

} // namespace
