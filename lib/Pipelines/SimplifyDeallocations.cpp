//===- SimplifyDeallocations.cpp - What is freed is known -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Pipelines/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANSIMPLIFYDEALLOCATIONS
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;

namespace {

struct ScanSimplifyDeallocations final
    : scan::impl::ScanSimplifyDeallocationsBase<ScanSimplifyDeallocations> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk(
        [&](bufferization::DeallocOp op) { ops.push_back(op); });
    if (ops.empty())
      return;
    RewritePatternSet patterns(&getContext());
    bufferization::DeallocOp::getCanonicalizationPatterns(patterns,
                                                          &getContext());
    // A pattern that goes on for long leaves valid code.
    (void)applyOpPatternsGreedily(ops, std::move(patterns));
    WalkResult left = getOperation()->walk([](bufferization::DeallocOp op) {
      return op.getMemrefs().empty() ? WalkResult::advance()
                                     : WalkResult::interrupt();
    });
    if (!left.wasInterrupted())
      return;
    OpPassManager others(getOperation()->getName());
    others.addPass(bufferization::createBufferDeallocationSimplificationPass());
    if (failed(runPipeline(others, getOperation())))
      signalPassFailure();
  }
};

} // namespace
