//===- StageLoops.cpp - Loops over parts of rows --------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a stage with a split, and of those inside of it:
//
//   for each part of the row
//     for each vector of the part:     static extents, so that later passes
//       the stages inside, the stage   make vectors of it
//     for what is left over: the same
//
// Upstream's tiling makes the loops, and fuses the stages inside into them.
//
//===----------------------------------------------------------------------===//

#include "StageLoops.h"
#include "Scan/IR/RecurrenceSchedule.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

/// Hands schedules on to what replaces their stages.
struct StageListener final : RewriterBase::Listener {
  void notifyOperationReplaced(Operation *op, ValueRange values) override {
    Operation *next = values.empty() ? nullptr : values[0].getDefiningOp();
    if (StageAttr stage = getStage(op); stage && next)
      next->setAttr(kStageName, stage);
  }
};

/// A stage and those inside of it, which are tiled together.
class StageTiler {
public:
  StageTiler(RewriterBase &rewriter, Operation *stage, DenseSet<Operation *> in)
      : rewriter(rewriter), stage(stage), inside(std::move(in)) {}

  /// Makes loops over parts, a size for each dimension of the result. Returns
  /// the innermost one.
  FailureOr<scf::ForOp> tile(ArrayRef<int64_t> partSizes);
  unsigned getRank() const {
    return cast<RankedTensorType>(stage->getResult(0).getType()).getRank();
  }

private:
  RewriterBase &rewriter;
  /// The part, once there are loops.
  Operation *stage;
  DenseSet<Operation *> inside;
};

} // namespace

FailureOr<scf::ForOp> StageTiler::tile(ArrayRef<int64_t> partSizes) {
  auto tiled = dyn_cast<TilingInterface>(stage);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(stage);
  if (!tiled || !linalgOp)
    return stage->emitOpError("expected a stage that can be computed in parts");
  rewriter.setInsertionPoint(stage);
  SmallVector<OpFoldResult> sizes(linalgOp.getNumLoops(),
                                  rewriter.getIndexAttr(0));
  AffineMap map = linalgOp.getIndexingMapMatchingResult(stage->getResult(0));
  for (auto [dim, size] : llvm::enumerate(partSizes))
    sizes[map.getDimPosition(dim)] = rewriter.getIndexAttr(size);
  scf::SCFTileAndFuseOptions options;
  options.tilingOptions.setTileSizes(sizes);
  options.setFusionControlFn(
      [&](tensor::ExtractSliceOp, OpResult producer,
          bool) -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
        if (!inside.contains(producer.getOwner()))
          return std::nullopt;
        return scf::SCFTileAndFuseOptions::ControlFnResult();
      });
  FailureOr<scf::SCFTileAndFuseResult> result =
      scf::tileConsumerAndFuseProducersUsingSCF(rewriter, tiled, options);
  if (failed(result) || result->loops.empty())
    return stage->emitOpError("expected a stage that can be computed in parts");
  rewriter.replaceOp(stage, result->replacements.lookup(stage->getResult(0)));
  // Each is read by what comes behind it.
  for (Operation *producer : result->fusedProducers)
    if (producer->use_empty())
      rewriter.eraseOp(producer);
  stage = result->tiledAndFusedOps.front();
  inside.clear();
  inside.insert(result->tiledAndFusedOps.begin() + 1,
                result->tiledAndFusedOps.end());
  return cast<scf::ForOp>(result->loops.back().getOperation());
}

/// Makes operations of linalg of the stages in `op`, which write tensors of
/// their own: parts of a row that is read are no place for what is computed.
static void generalizeStages(RewriterBase &rewriter, RecurrenceOp op) {
  SmallVector<Operation *> stages;
  for (Operation &inner : op.getBody().front())
    if (getStage(&inner) && !isa<linalg::LinalgOp>(inner))
      stages.push_back(&inner);
  RewritePatternSet patterns(op.getContext());
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  StageListener listener;
  GreedyRewriteConfig config;
  config.setListener(&listener)
      .setStrictness(GreedyRewriteStrictness::ExistingOps)
      .enableFolding(false)
      .enableConstantCSE(false);
  (void)applyOpPatternsGreedily(stages, std::move(patterns), config);
  for (Operation &inner : op.getBody().front()) {
    auto stage = dyn_cast<linalg::LinalgOp>(inner);
    if (!stage || !getStage(stage))
      continue;
    // The pattern copies attributes to scalar code.
    stage->getRegion(0).walk(
        [](Operation *scalar) { scalar->removeAttr(kStageName); });
    OpOperand &place = *stage.getDpsInitOperand(0);
    if (stage.payloadUsesValueFromOperand(&place))
      continue;
    rewriter.setInsertionPoint(stage);
    Location loc = stage.getLoc();
    Value row = place.get();
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, row);
    if (getStage(stage).hasLoops()) {
      // Computed part by part, it is not known to be apart from the rows of the
      // history that it reads: in its place of the history it would be copied
      // there and back.
      SmallVector<Value> dynamic;
      for (OpFoldResult size : sizes)
        if (auto value = dyn_cast<Value>(size))
          dynamic.push_back(value);
      place.set(bufferization::AllocTensorOp::create(
          rewriter, loc, cast<RankedTensorType>(row.getType()), dynamic));
    } else {
      place.set(tensor::EmptyOp::create(rewriter, loc, sizes,
                                        getElementTypeOrSelf(row.getType())));
    }
  }
}

static LogicalResult emitLoops(RewriterBase &rewriter, Operation *stage) {
  StageAttr schedule = getStage(stage);
  // Those inside, and those inside of these.
  DenseSet<Operation *> inside;
  SmallVector<Operation *> readers = {stage};
  while (!readers.empty())
    for (Value operand : readers.pop_back_val()->getOperands())
      if (Operation *op = operand.getDefiningOp())
        if (StageAttr other = getStage(op); other && other.getInside())
          if (inside.insert(op).second)
            readers.push_back(op);
  SmallVector<Operation *> all(inside.begin(), inside.end());
  all.push_back(stage);
  for (Operation *op : all)
    op->removeAttr(kStageName);
  // Upstream divides by the extents.
  auto row = cast<RankedTensorType>(stage->getResult(0).getType());
  if (llvm::is_contained(row.getShape(), 0))
    return success();

  StageTiler tiler(rewriter, stage, inside);
  unsigned rank = tiler.getRank();
  bool isSplit =
      llvm::any_of(schedule.getSplit(), [](unsigned n) { return n; });
  if (isSplit) {
    SmallVector<int64_t> factors(schedule.getSplit().begin(),
                                 schedule.getSplit().end());
    if (failed(tiler.tile(factors)))
      return failure();
  }
  if (schedule.getVector() == 1)
    return success();
  SmallVector<int64_t> vector(rank, 0);
  vector.back() = schedule.getVector();
  FailureOr<scf::ForOp> loop = tiler.tile(vector);
  if (failed(loop))
    return failure();
  // Vectors have static extents in a loop of their own. It fails where nothing
  // is left over.
  scf::ForOp rest;
  (void)scf::peelForLoopAndSimplifyBounds(rewriter, *loop, rest);
  return success();
}

LogicalResult scan::emitStageLoops(RewriterBase &rewriter, RecurrenceOp op) {
  if (failed(checkLoopSchedule(op)))
    return failure();
  OpBuilder::InsertionGuard guard(rewriter);
  generalizeStages(rewriter, op);
  SmallVector<Operation *> stages;
  for (Operation &inner : op.getBody().front())
    if (StageAttr stage = getStage(&inner); stage && stage.hasLoops())
      stages.push_back(&inner);
  for (Operation *stage : stages)
    if (failed(emitLoops(rewriter, stage)))
      return failure();
  return success();
}
