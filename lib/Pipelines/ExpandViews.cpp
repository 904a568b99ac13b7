//===- ExpandViews.cpp - --scan-expand-views ------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Pipelines/Passes.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANEXPANDVIEWS
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;

namespace {
struct ScanExpandViews : scan::impl::ScanExpandViewsBase<ScanExpandViews> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet views(context);
    memref::populateExpandStridedMetadataPatterns(views);
    patterns = FrozenRewritePatternSet(std::move(views));
    return success();
  }

  void runOnOperation() override {
    bool hasTransfers = false;
    SmallVector<Operation *> views;
    getOperation()->walk([&](Operation *op) {
      hasTransfers |= isa<VectorTransferOpInterface, vector::PrintOp>(op);
      if (isa<memref::MemRefDialect>(op->getDialect()) &&
          !isa<memref::LoadOp, memref::StoreOp>(op))
        views.push_back(op);
    });
    if (failed(applyOpPatternsGreedily(views, patterns)))
      return signalPassFailure();
    if (!hasTransfers)
      return;
    OpPassManager transfers(getOperation()->getName());
    transfers.addPass(createConvertVectorToSCFPass());
    if (failed(runPipeline(transfers, getOperation())))
      signalPassFailure();
  }

private:
  FrozenRewritePatternSet patterns;
};
} // namespace
