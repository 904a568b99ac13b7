//===- FuseReductionOutputs.cpp - --scan-fuse-reduction-outputs -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is added up over dimensions of a kernel's domain need not be stored to
// be added up later, and what reads the same as a kernel, at the same points,
// need not read it again.
//
//===----------------------------------------------------------------------===//

#include "ConsumerPlan.h"
#include "IR/MatchCounts.h"
#include "IR/ScatteredOutputs.h"
#include "Scan/Transforms/Fusion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANFUSEREDUCTIONOUTPUTS
#include "Scan/Transforms/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

/// A sum that has more terms than that at each point of the domain is better
/// computed by itself: it is a product of matrices.
static constexpr size_t kMaxFusedTerms = 32;

/// What may become part of `kernel`: readers of its results, and readers of
/// those of its inputs that have all dimensions of its domain.
static SmallVector<Operation *> getCandidates(KernelOp kernel) {
  // Its places come behind the elements of all outputs.
  if (hasScatteredOutputs(kernel))
    return {};
  SmallVector<Operation *> consumers = getConsumers(kernel);
  SetVector<Operation *> candidates(consumers.begin(), consumers.end());
  for (auto [input, map] :
       llvm::zip_equal(kernel.getInputs(), kernel.getInputMaps()))
    if (map.isPermutation())
      candidates.insert(input.user_begin(), input.user_end());
  candidates.remove_if([&](Operation *op) {
    return op->getBlock() != kernel->getBlock() ||
           isa<KernelOp, tensor::CastOp, tensor::ExpandShapeOp,
               tensor::CollapseShapeOp, linalg::TransposeOp>(op);
  });
  return candidates.takeVector();
}

static bool hasReductions(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.getNumReductionLoops() > 0;
}

/// Moves what uses `op` in front of `kernel` behind it; fails if the kernel is
/// among that, or something with side effects.
static LogicalResult sinkUsers(RewriterBase &rewriter, Operation *op,
                               KernelOp kernel) {
  if (kernel->isBeforeInBlock(op))
    return success();
  Block *block = kernel->getBlock();
  SetVector<Operation *> users;
  SmallVector<Operation *> worklist = {op};
  while (!worklist.empty()) {
    // What is used in a region counts as used by the operation around it, whose
    // results depend on it.
    for (Operation *nested : worklist.pop_back_val()->getUsers()) {
      Operation *user = block->findAncestorOpInBlock(*nested);
      if (!user || kernel->isBeforeInBlock(user))
        continue;
      if (user == kernel || !isMemoryEffectFree(user))
        return failure();
      if (users.insert(user))
        worklist.push_back(user);
    }
  }
  SmallVector<Operation *> sorted = users.takeVector();
  llvm::sort(sorted,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  Operation *last = kernel;
  for (Operation *user : sorted) {
    rewriter.moveOpAfter(user, last);
    last = user;
  }
  return success();
}

/// Makes `op` part of `kernel`, and the reason why not in `why`. Both are
/// replaced.
static LogicalResult fuseInto(RewriterBase &rewriter, KernelOp kernel,
                              Operation *op, std::string &why) {
  std::optional<ElementwiseView> view =
      ElementwiseView::get(op, why, /*allowReductions=*/true);
  if (!view)
    return failure();
  if (belongsToShiftedRead(kernel, *view)) {
    why = "what reads it reads other steps of the same as well";
    return failure();
  }
  llvm::SmallBitVector reduced;
  ConsumerKinds kinds;
  kinds.reductions = kinds.siblings = true;
  std::optional<ConsumerPlan> plan = ConsumerPlan::get(
      kernel, KernelShape(kernel), *view, reduced, why, kinds);
  if (!plan)
    return failure();
  if (plan->isFinal) {
    why = "it reads final states";
    return failure();
  }
  if (needsOtherSum(kernel, *plan)) {
    why = "it needs a sum that the kernel may compute";
    return failure();
  }
  for (const ConsumerResult &result : plan->results)
    if (!plan->isReduction && result.placed.map != plan->anchor) {
      why = "it transposes what the kernel reads";
      return failure();
    }
  if (plan->getPoints().size() > kMaxFusedTerms) {
    why = "it has more than " + std::to_string(kMaxFusedTerms) +
          " terms at each point";
    return failure();
  }
  if (op->use_empty()) {
    why = "nobody uses it";
    return failure();
  }
  why = "it needs something else that depends on the kernel, or the kernel "
        "depends on it";
  // Which of both comes to nothing must be known before anything is moved.
  if (failed(sinkUsers(rewriter, op, kernel)) ||
      failed(provideNeeded(rewriter, kernel, *plan)))
    return failure();
  inlineConsumer(rewriter, kernel, *view, *plan);
  return success();
}

namespace {

struct ScanFuseReductionOutputsPass
    : scan::impl::ScanFuseReductionOutputsBase<ScanFuseReductionOutputsPass> {
  using ScanFuseReductionOutputsBase::ScanFuseReductionOutputsBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Block *block) {
      if (!block->getOps<KernelOp>().empty())
        blocks.push_back(block);
    });
    uint64_t reductions = 0, siblings = 0, missed = 0;
    for (Block *block : blocks) {
      while (fuseOne(rewriter, *block, reductions, siblings)) {
        while (fuseOne(rewriter, *block, reductions, siblings)) {
        }
        if (failed(simplify(block)))
          return signalPassFailure();
      }
      missed += explain(rewriter, *block);
    }
    numReductions += reductions;
    numSiblings += siblings;
    numMissed += missed;
    addMatchCounts(getOperation(), getArgument(),
                   {{"reduction-outputs-fused", reductions},
                    {"siblings-fused", siblings},
                    {"missed", missed}});
  }

private:
  bool fuseOne(IRRewriter &rewriter, Block &block, uint64_t &reductions,
               uint64_t &siblings) {
    for (KernelOp kernel : llvm::to_vector(block.getOps<KernelOp>())) {
      if (!kernel.hasPureTensorSemantics())
        continue;
      for (Operation *op : getCandidates(kernel)) {
        bool isReduction = hasReductions(op);
        std::string why;
        if (failed(fuseInto(rewriter, kernel, op, why)))
          continue;
        ++(isReduction ? reductions : siblings);
        return true;
      }
    }
    return false;
  }

  /// Says of each reduction that stays next to a kernel why it does.
  uint64_t explain(IRRewriter &rewriter, Block &block) {
    llvm::MapVector<Operation *, std::string> reasons;
    for (KernelOp kernel : block.getOps<KernelOp>()) {
      if (!kernel.hasPureTensorSemantics())
        continue;
      for (Operation *op : getCandidates(kernel)) {
        if (!hasReductions(op) || reasons.contains(op))
          continue;
        std::string why;
        (void)fuseInto(rewriter, kernel, op, why);
        reasons[op] = why;
      }
    }
    for (auto &[op, why] : reasons) {
      auto function = op->getParentOfType<FunctionOpInterface>();
      remark::missed(op->getLoc(),
                     remark::RemarkOpts::name("FuseReductionOutputs")
                         .category("scan-fuse-reduction-outputs")
                         .function(function ? function.getName() : StringRef()))
          << "a reduction stays behind the kernel"
          << remark::reason("{0}", why);
    }
    return reasons.size();
  }

  /// What both compute is computed once; what nobody reads any more is not
  /// stored; what only they read any more is computed in them.
  LogicalResult simplify(Block *block) {
    RewritePatternSet patterns(&getContext());
    // What only siblings have read besides the kernel may move into it now.
    populateScanFuseElementwisePatterns(patterns);
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
        .setMaxIterations(GreedyRewriteConfig::kNoLimit)
        .enableConstantCSE(false);
    FrozenRewritePatternSet frozen(std::move(patterns));
    DominanceInfo dominance;
    IRRewriter rewriter(&getContext());
    for (bool hasChanged = true; hasChanged;) {
      hasChanged = false;
      if (failed(applyPatternsGreedily(*block->getParent(), frozen, config)))
        return failure();
      for (KernelOp kernel : block->getOps<KernelOp>()) {
        bool isChanged = false;
        eliminateCommonSubExpressions(rewriter, dominance, kernel, &isChanged);
        hasChanged |= isChanged;
      }
    }
    return success();
  }
};

} // namespace
