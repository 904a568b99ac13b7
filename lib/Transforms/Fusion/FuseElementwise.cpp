//===- FuseElementwise.cpp - Fusing elementwise code ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/MatchCounts.h"
#include "IR/ScatteredOutputs.h"
#include "KernelFusion.h"
#include "MergeKernels.h"
#include "Scan/Transforms/Fusion.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANFUSEELEMENTWISE
#include "Scan/Transforms/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

namespace {

struct FuseProducers : OpRewritePattern<KernelOp> {
  FuseProducers(MLIRContext *context, FusionCounters *counters,
                const FusionOptions &options)
      : OpRewritePattern(context), counters(counters), options(options) {}
  LogicalResult matchAndRewrite(KernelOp kernel,
                                PatternRewriter &rewriter) const override {
    unsigned numOperands = kernel.getInputs().size() + kernel.getInits().size();
    for (OpOperand &operand : kernel->getOpOperands().take_front(numOperands)) {
      if (succeeded(makeShift(rewriter, kernel, operand)) ||
          succeeded(moveShift(rewriter, kernel, operand, options)) ||
          succeeded(unrollWindow(rewriter, kernel, operand)) ||
          succeeded(fuseTrailingInput(rewriter, kernel, operand)) ||
          succeeded(unrollForJoins(rewriter, kernel, operand, options))) {
        if (counters)
          ++counters->moves;
        return success();
      }
      if (auto slice = operand.get().getDefiningOp<tensor::ExtractSliceOp>()) {
        if (failed(moveSlice(rewriter, slice)))
          continue;
        if (counters)
          ++counters->slices;
        return success();
      }
      if (failed(fuseProducer(rewriter, kernel, operand, options)) &&
          failed(fuseShift(rewriter, kernel, operand)) &&
          failed(fuseBoundary(rewriter, kernel, operand)) &&
          failed(rematerializeOutput(rewriter, kernel, operand)))
        continue;
      if (counters)
        ++counters->producers;
      return success();
    }
    return rewriter.notifyMatchFailure(kernel, "no producer can be inlined");
  }
  FusionCounters *counters;
  FusionOptions options;
};

/// Shifts of one array times what is the same at all steps.
struct MoveShifts : OpRewritePattern<ShiftOp> {
  MoveShifts(MLIRContext *context, FusionCounters *counters)
      : OpRewritePattern(context), counters(counters) {}
  LogicalResult matchAndRewrite(ShiftOp shift,
                                PatternRewriter &rewriter) const override {
    if (failed(moveShiftOfOne(rewriter, shift)))
      return failure();
    if (counters)
      ++counters->moves;
    return success();
  }
  FusionCounters *counters;
};

/// Elementwise consumers, and reductions over dimensions that are unrolled
/// already.
struct FuseConsumers : OpRewritePattern<KernelOp> {
  FuseConsumers(MLIRContext *context, FusionCounters *counters,
                const FusionOptions &options)
      : OpRewritePattern(context), counters(counters), options(options) {}
  LogicalResult matchAndRewrite(KernelOp kernel,
                                PatternRewriter &rewriter) const override {
    // Places come behind the elements of all outputs.
    if (hasScatteredOutputs(kernel))
      return rewriter.notifyMatchFailure(kernel, "an output is scattered");
    // Unrolling needs to know all that is left to read the kernel, so that
    // what can be done without it comes first.
    for (bool mayUnroll : {false, true})
      for (Operation *user : getConsumers(kernel)) {
        if (succeeded(fuseTrailingOutput(rewriter, kernel, user)) ||
            (mayUnroll &&
             succeeded(unrollForSlices(rewriter, kernel, user, options)))) {
          if (counters)
            ++counters->moves;
          return success();
        }
        bool isReduction = hasReductions(user);
        if (failed(fuseConsumer(rewriter, kernel, user, options, mayUnroll)))
          continue;
        if (counters) {
          ++(isReduction ? counters->reductions : counters->consumers);
          counters->unrolled += mayUnroll;
        }
        return success();
      }
    return rewriter.notifyMatchFailure(kernel, "no consumer can be inlined");
  }
  static bool hasReductions(Operation *op) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    return linalgOp && linalgOp.getNumReductionLoops() > 0;
  }
  FusionCounters *counters;
  FusionOptions options;
};

/// Kernels that read the same inputs become one, and those of which one reads
/// where it is what the other one computes.
struct FuseKernels : OpRewritePattern<KernelOp> {
  FuseKernels(MLIRContext *context, FusionCounters *counters,
              MergeFactsCache &cache)
      : OpRewritePattern(context), counters(counters), cache(cache) {}
  LogicalResult matchAndRewrite(KernelOp kernel,
                                PatternRewriter &rewriter) const override {
    for (Value input : kernel.getInputs()) {
      // Those that read it, and the one that computes it.
      SmallVector<Operation *> others(input.getUsers());
      if (Operation *source = input.getDefiningOp())
        others.push_back(source);
      for (Operation *op : others) {
        auto other = dyn_cast<KernelOp>(op);
        if (!other ||
            (failed(fuseHorizontally(rewriter, kernel, other, cache)) &&
             failed(fuseHorizontally(rewriter, other, kernel, cache))))
          continue;
        if (counters)
          ++counters->kernels;
        return success();
      }
    }
    return rewriter.notifyMatchFailure(kernel, "no kernel can be merged");
  }
  FusionCounters *counters;
  MergeFactsCache &cache;
};

/// The extents of an elementwise result are those of an operand; asking the
/// operand for them leaves the result to be inlined. (Operations with a
/// destination have an upstream pattern for that.)
struct DimOfElementwise : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::DimOp op,
                                PatternRewriter &rewriter) const override {
    Operation *source = op.getSource().getDefiningOp();
    if (!source || !(isa<tensor::CastOp, ShiftOp>(source) ||
                     OpTrait::hasElementwiseMappableTraits(source)))
      return rewriter.notifyMatchFailure(op, "not of an elementwise result");
    for (OpOperand &operand : source->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType())) {
        rewriter.modifyOpInPlace(
            op, [&] { op.getSourceMutable().assign(operand.get()); });
        return success();
      }
    return rewriter.notifyMatchFailure(op, "no operand is a ranked tensor");
  }
};

/// The extents of a view are known from what it is a view of; asking the view
/// itself would keep it.
struct DimOfView : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::DimOp op,
                                PatternRewriter &rewriter) const override {
    Operation *source = op.getSource().getDefiningOp();
    std::optional<int64_t> dim = op.getConstantIndex();
    if (!isa_and_nonnull<tensor::ExtractSliceOp, tensor::CollapseShapeOp,
                         tensor::ExpandShapeOp>(source) ||
        !dim || *dim < 0 ||
        *dim >= cast<RankedTensorType>(op.getSource().getType()).getRank())
      return rewriter.notifyMatchFailure(op, "not of a view");
    Location loc = op.getLoc();
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(source)) {
      SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
      llvm::SmallBitVector dropped = slice.getDroppedDims();
      int64_t left = *dim;
      unsigned kept = 0;
      while (dropped.test(kept) || left-- > 0)
        ++kept;
      rewriter.replaceOp(
          op, getValueOrCreateConstantIndexOp(rewriter, loc, sizes[kept]));
      return success();
    }
    std::string why;
    std::optional<ElementwiseView> view = ElementwiseView::get(source, why);
    if (!view)
      return rewriter.notifyMatchFailure(op, why);
    // The dimension of the operand that it is, or else an extent of 1.
    const ElementwiseView::Operand &operand = view->getOperands().front();
    for (auto [i, expr] : llvm::enumerate(operand.map.getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr);
          loop && loop.getPosition() == *dim) {
        rewriter.replaceOpWithNewOp<tensor::DimOp>(op, operand.value, i);
        return success();
      }
    rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(op, 1);
    return success();
  }
};

/// The extents of a splat are given to it; asking it for them would keep it.
struct DimOfSplat : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::DimOp op,
                                PatternRewriter &rewriter) const override {
    auto splat = op.getSource().getDefiningOp<tensor::SplatOp>();
    std::optional<int64_t> dim = op.getConstantIndex();
    if (!splat || !dim || *dim < 0 || *dim >= splat.getType().getRank() ||
        !splat.getType().isDynamicDim(*dim))
      return rewriter.notifyMatchFailure(op, "no dynamic extent of a splat");
    rewriter.replaceOp(
        op, splat.getDynamicSizes()[splat.getType().getDynamicDimIndex(*dim)]);
    return success();
  }
};

/// The extents of what is padded or put together are those of its parts.
struct DimOfJoined : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::DimOp op,
                                PatternRewriter &rewriter) const override {
    Operation *source = op.getSource().getDefiningOp();
    std::optional<int64_t> dim = op.getConstantIndex();
    if (!isa_and_nonnull<tensor::PadOp, tensor::ConcatOp>(source) || !dim ||
        *dim < 0 ||
        *dim >= cast<RankedTensorType>(op.getSource().getType()).getRank())
      return rewriter.notifyMatchFailure(op, "not of a pad or concatenation");
    if (auto concat = dyn_cast<tensor::ConcatOp>(source)) {
      if (static_cast<int64_t>(concat.getDim()) == *dim)
        return rewriter.notifyMatchFailure(op, "the extent is a sum");
      rewriter.replaceOpWithNewOp<tensor::DimOp>(op, concat.getInputs().front(),
                                                 *dim);
      return success();
    }
    auto pad = cast<tensor::PadOp>(source);
    Location loc = op.getLoc();
    Value extent = tensor::DimOp::create(rewriter, loc, pad.getSource(), *dim);
    for (OpFoldResult more :
         {pad.getMixedLowPad()[*dim], pad.getMixedHighPad()[*dim]})
      if (!isConstantIntValue(more, 0))
        extent = arith::AddIOp::create(
            rewriter, loc, extent,
            getValueOrCreateConstantIndexOp(rewriter, loc, more));
    rewriter.replaceOp(op, extent);
    return success();
  }
};

/// A slice that drops the extents of 1 that are collapsed behind it: results of
/// a kernel are sliced, and not reshaped.
struct CollapseOfSlice : OpRewritePattern<tensor::CollapseShapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::CollapseShapeOp op,
                                PatternRewriter &rewriter) const override {
    auto slice = op.getSrc().getDefiningOp<tensor::ExtractSliceOp>();
    if (!slice)
      return rewriter.notifyMatchFailure(op, "not of a slice");
    RankedTensorType whole = tensor::ExtractSliceOp::inferResultType(
        slice.getSourceType(), slice.getStaticSizes());
    if (isRankReducedType(whole, op.getResultType()) !=
        SliceVerificationResult::Success)
      return rewriter.notifyMatchFailure(op, "no extents of 1 are collapsed");
    rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
        op, op.getResultType(), slice.getSource(), slice.getMixedOffsets(),
        slice.getMixedSizes(), slice.getMixedStrides());
    return success();
  }
};

/// What fusion needs in between.
void addCanonicalizations(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<DimOfElementwise, DimOfSplat, DimOfView, DimOfJoined,
               CollapseOfSlice>(context);
  KernelOp::getCanonicalizationPatterns(patterns, context);
  tensor::DimOp::getCanonicalizationPatterns(patterns, context);
  tensor::EmptyOp::getCanonicalizationPatterns(patterns, context);
}

/// Follows one kernel, and which of some other operations are still there,
/// through rewrites.
class KernelTracker final : public RewriterBase::ForwardingListener {
public:
  KernelTracker(OpBuilder::Listener *listener, KernelOp kernel)
      : ForwardingListener(listener), kernel(kernel) {}
  KernelOp kernel;
  SetVector<Operation *> producers;

  void notifyOperationReplaced(Operation *op, ValueRange values) override {
    ForwardingListener::notifyOperationReplaced(op, values);
    if (op != kernel)
      return;
    for (Value value : values)
      if (value)
        if (auto fused = value.getDefiningOp<KernelOp>())
          kernel = fused;
  }
  void notifyOperationReplaced(Operation *op, Operation *newOp) override {
    ForwardingListener::notifyOperationReplaced(op, newOp);
    if (op == kernel)
      kernel = dyn_cast<KernelOp>(newOp);
  }
  void notifyOperationErased(Operation *op) override {
    ForwardingListener::notifyOperationErased(op);
    if (op == kernel)
      kernel = {};
    producers.remove(op);
  }
};

/// Upstream folds the comparison of a tensor with itself to a constant of the
/// tensor's type, also where that has dynamic extents, which a constant has
/// not. Makes structured operations of these, in which elements are compared.
void keepExtentsOfComparisons(Operation *root) {
  SmallVector<Operation *> comparisons;
  root->walk([&](arith::CmpIOp op) {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (op.getLhs() == op.getRhs() && type && !type.hasStaticShape())
      comparisons.push_back(op);
  });
  if (comparisons.empty())
    return;
  RewritePatternSet patterns(root->getContext());
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingOps)
      .enableFolding(false);
  (void)applyOpPatternsGreedily(comparisons, std::move(patterns), config);
}

struct ScanFuseElementwisePass
    : scan::impl::ScanFuseElementwiseBase<ScanFuseElementwisePass> {
  using ScanFuseElementwiseBase::ScanFuseElementwiseBase;
  void runOnOperation() override {
    if (maxStateBytes < 0 || maxRegisters < 0 || maxRecompute < 1) {
      getOperation()->emitError()
          << "scan-fuse-elementwise: expected "
             "max-state-bytes and max-registers of at least 0 and "
             "max-recompute of at least 1, found "
          << maxStateBytes.getValue() << ", " << maxRegisters.getValue()
          << " and " << maxRecompute.getValue();
      return signalPassFailure();
    }
    keepExtentsOfComparisons(getOperation());
    FusionCounters counters;
    // Kernels that read the same may do so through what computes it. Merged
    // before consumers are inlined, they share these; afterwards one would
    // depend on the other.
    MergeFactsCache cache;
    FusionOptions options;
    options.maxStateBytes = maxStateBytes;
    options.maxRegisters = maxRegisters;
    options.maxRecompute = maxRecompute;
    RewritePatternSet merging(&getContext());
    merging.add<FuseProducers>(&getContext(), &counters, options);
    merging.add<MoveShifts>(&getContext(), &counters);
    merging.add<FuseKernels>(&getContext(), &counters, cache);
    addCanonicalizations(merging);
    RewritePatternSet all(&getContext());
    populateScanFuseElementwisePatterns(all, &counters, options);
    all.add<FuseKernels>(&getContext(), &counters, cache);
    FrozenRewritePatternSet first(std::move(merging)), second(std::move(all));
    // What several results of one producer have in common is inlined once for
    // each of them. What then becomes one may fold with what it came next to.
    for (bool hasChanged = true; hasChanged;) {
      if (failed(apply(first, cache)) || failed(apply(second, cache)))
        return signalPassFailure();
      hasChanged = eliminateCommon(cache);
    }
    numProducers += counters.producers;
    numConsumers += counters.consumers;
    numReductions += counters.reductions;
    numUnrolled += counters.unrolled;
    numSlices += counters.slices;
    numMoves += counters.moves;
    numKernels += counters.kernels;
    addMatchCounts(getOperation(), getArgument(),
                   {{"producers-fused", counters.producers},
                    {"consumers-fused", counters.consumers},
                    {"reductions-fused", counters.reductions},
                    {"kernels-unrolled", counters.unrolled},
                    {"slices-moved", counters.slices},
                    {"moves-fused", counters.moves},
                    {"kernels-merged", counters.kernels}});
  }

private:
  bool eliminateCommon(MergeFactsCache &cache) {
    bool hasChanged = false;
    DominanceInfo dominance;
    IRRewriter rewriter(&getContext(), &cache);
    getOperation()->walk([&](KernelOp kernel) {
      bool isChanged = false;
      eliminateCommonSubExpressions(rewriter, dominance, kernel, &isChanged);
      hasChanged |= isChanged;
    });
    return hasChanged;
  }

  LogicalResult apply(const FrozenRewritePatternSet &patterns,
                      MergeFactsCache &cache) {
    GreedyRewriteConfig config;
    config.setListener(&cache)
        .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
        .setMaxIterations(GreedyRewriteConfig::kNoLimit)
        .enableConstantCSE(false);
    return applyPatternsGreedily(getOperation(), patterns, config);
  }
};

} // namespace

void scan::populateScanFuseElementwisePatterns(RewritePatternSet &patterns,
                                               FusionCounters *counters,
                                               const FusionOptions &options) {
  MLIRContext *context = patterns.getContext();
  patterns.add<FuseProducers, FuseConsumers>(context, counters, options);
  addCanonicalizations(patterns);
}

KernelOp scan::fuseElementwise(RewriterBase &rewriter, KernelOp kernel,
                               const FusionOptions &options) {
  KernelTracker tracker(rewriter.getListener(), kernel);
  BackwardSliceOptions slice;
  slice.omitBlockArguments = true;
  Region *region = kernel->getParentRegion();
  slice.filter = [&](Operation *op) { return op->getParentRegion() == region; };
  // What the slice does not reach is only not cleaned up.
  (void)getBackwardSlice(kernel, &tracker.producers, slice);
  SmallVector<Operation *> worklist = {kernel};
  for (Operation *producer : tracker.producers)
    for (Operation *user : producer->getUsers())
      if (isa<tensor::DimOp>(user) && !llvm::is_contained(worklist, user))
        worklist.push_back(user);

  RewritePatternSet patterns(rewriter.getContext());
  populateScanFuseElementwisePatterns(patterns, nullptr, options);
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
      .setMaxIterations(GreedyRewriteConfig::kNoLimit)
      .setStrictness(GreedyRewriteStrictness::ExistingAndNewOps)
      .setListener(&tracker)
      .enableConstantCSE(false);
  // Without a limit of iterations it always ends with nothing left to do.
  (void)applyOpPatternsGreedily(worklist, std::move(patterns), config);

  // Users come after what they use.
  SmallVector<Operation *> producers = tracker.producers.takeVector();
  for (Operation *producer : llvm::reverse(producers))
    if (isOpTriviallyDead(producer))
      rewriter.eraseOp(producer);
  if (!tracker.kernel)
    return {};
  DominanceInfo dominance;
  eliminateCommonSubExpressions(rewriter, dominance, tracker.kernel);
  return tracker.kernel;
}
