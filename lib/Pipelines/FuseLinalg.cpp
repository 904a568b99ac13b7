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

#include "Scan/Pipelines/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANFUSELINALG
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;

/// Whether several elements of what reads `use` share an element of it that
/// takes a loop to compute.
static bool repeatsLoop(OpOperand &use) {
  auto producer = use.get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!producer || !consumer)
    return false;
  WalkResult found = producer.getBody()->walk(
      [](LoopLikeOpInterface) { return WalkResult::interrupt(); });
  if (!found.wasInterrupted())
    return false;
  AffineMap map = consumer.getMatchingIndexingMap(&use);
  for (auto [dim, extent] : llvm::enumerate(consumer.getStaticLoopRanges()))
    if (extent != 1 && !map.isFunctionOfDim(dim))
      return true;
  return false;
}

static bool shouldFuse(OpOperand *use) {
  Operation *producer = use->get().getDefiningOp();
  return producer && producer->hasOneUse() && !repeatsLoop(*use);
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
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
