//===- FuseConsumer.cpp - Fuses a consumer into a tile loop ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace {

/// Fuses the operations with the attribute `fuse` into the loops, outermost
/// first, with the attribute `loop`.
struct FuseConsumer
    : public PassWrapper<FuseConsumer, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FuseConsumer)

  StringRef getArgument() const final { return "test-fuse-consumer"; }
  StringRef getDescription() const final {
    return "Fuses the operations with the attribute 'fuse' into the loops with "
           "the attribute 'loop'";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<scf::SCFDialect, tensor::TensorDialect>();
  }

  void runOnOperation() final {
    SmallVector<LoopLikeOpInterface> loops;
    SmallVector<Operation *> consumers;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op->hasAttr("loop"))
        loops.push_back(cast<LoopLikeOpInterface>(op));
      if (op->hasAttr("fuse"))
        consumers.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *consumer : consumers) {
      FailureOr<scf::SCFFuseConsumerOfSliceResult> fused =
          scf::tileAndFuseConsumer(rewriter, consumer, loops);
      if (failed(fused)) {
        consumer->emitError("not fused");
        return signalPassFailure();
      }
      for (OpOperand *operand : fused->origConsumerOperands)
        if (operand->getOwner()->use_empty()) {
          rewriter.eraseOp(operand->getOwner());
          break;
        }
    }
  }
};

} // namespace

void scan::test::registerFuseConsumer() { PassRegistration<FuseConsumer>(); }
