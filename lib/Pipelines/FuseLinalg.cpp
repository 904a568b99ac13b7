//===- FuseLinalg.cpp - --scan-fuse-linalg --------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The patterns of MLIR's pass for elementwise operations with another choice of
// what is fused.
//
//===----------------------------------------------------------------------===//

#include "IR/ExpensiveOps.h"
#include "MergeLinalg.h"
#include "Scan/Pipelines/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANFUSELINALG
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

static bool hasLoop(linalg::GenericOp op) {
  return op.getBody()
      ->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Whether what computes an element of `use` would be repeated and takes so
/// long that it should not: it has a loop, and several elements of what reads
/// it share it; or it takes long, and it is a term of several sums, as the
/// elements of a matrix in a product are.
static bool repeatsTooMuch(OpOperand &use) {
  auto producer = use.get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!producer || !consumer)
    return false;
  bool isLoop = hasLoop(producer);
  if (!isLoop &&
      (consumer.getNumReductionLoops() == 0 || !containsExpensive(producer)))
    return false;
  AffineMap map = consumer.getMatchingIndexingMap(&use);
  SmallVector<utils::IteratorType> iterators = consumer.getIteratorTypesArray();
  for (auto [dim, extent] : llvm::enumerate(consumer.getStaticLoopRanges()))
    if (extent != 1 && !map.isFunctionOfDim(dim) &&
        (isLoop || iterators[dim] == utils::IteratorType::parallel))
      return true;
  return false;
}

/// Whether `op` fills a tensor with a constant.
static bool isConstantFill(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic.getNumResults() == 1 &&
         generic.getNumDpsInputs() == 0 &&
         matchPattern(generic.getBody()->getTerminator()->getOperand(0),
                      m_Constant());
}

/// Whether `op` only moves elements of one tensor that it looks up, as a shift
/// does: whoever reads the result may as well read the tensor.
static bool isLookUp(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getNumResults() != 1 ||
      generic.getNumDpsInputs() != 0)
    return false;
  unsigned numReads = 0;
  for (Operation &inner : generic.getBody()->without_terminator()) {
    numReads += isa<tensor::ExtractOp>(inner);
    if (inner.getNumRegions() != 0 || isExpensive(&inner))
      return false;
  }
  return numReads == 1;
}

static bool shouldFuse(OpOperand *use) {
  Operation *producer = use->get().getDefiningOp();
  return producer &&
         (producer->hasOneUse() || isConstantFill(producer) ||
          isLookUp(producer)) &&
         !repeatsTooMuch(*use);
}

namespace {
struct ScanFuseLinalg : scan::impl::ScanFuseLinalgBase<ScanFuseLinalg> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet all(context);
    linalg::populateElementwiseOpsFusionPatterns(all, shouldFuse);
    linalg::populateFoldReshapeOpsByExpansionPatterns(all, shouldFuse);
    tensor::populateBubbleUpExpandShapePatterns(all);
    affine::AffineApplyOp::getCanonicalizationPatterns(all, context);
    linalg::GenericOp::getCanonicalizationPatterns(all, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(all, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(all, context);
    context->getLoadedDialect<linalg::LinalgDialect>()
        ->getCanonicalizationPatterns(all);
    linalg::populateConstantFoldLinalgOperations(all, shouldFuse);
    patterns = FrozenRewritePatternSet(std::move(all));
    return success();
  }

  void runOnOperation() override {
    (void)applyPatternsGreedily(getOperation(), patterns,
                                GreedyRewriteConfig().setUseTopDownTraversal());
    // What follows each other is one operation by now.
    IRRewriter rewriter(&getContext());
    getOperation()->walk(
        [&](Block *block) { mergeElementwise(rewriter, *block); });
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
