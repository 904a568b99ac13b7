//===- SplitResults.cpp - One result of elementwise code ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel inlines elementwise code that only it reads, or that reads nothing
// but it. Of code with several results, each has readers and operands of its
// own. What results have in common is computed for each of them, until kernels
// that inline several eliminate it, or --scan-fuse-linalg merges what is left.
//
//===----------------------------------------------------------------------===//

#include "IR/MatchCounts.h"
#include "KernelFusion.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANSPLITRESULTS
#include "Scan/Transforms/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

SmallVector<Operation *>
scan::getCodeOf(Block &block, ValueRange values,
                llvm::SetVector<BlockArgument> &arguments) {
  llvm::SetVector<Value> needed(values.begin(), values.end());
  SmallVector<Operation *> code;
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    if (llvm::none_of(op.getResults(),
                      [&](Value result) { return needed.contains(result); }))
      continue;
    code.push_back(&op);
    op.walk([&](Operation *inner) {
      needed.insert(inner->operand_begin(), inner->operand_end());
    });
  }
  std::reverse(code.begin(), code.end());
  for (BlockArgument argument : block.getArguments())
    if (needed.contains(argument))
      arguments.insert(argument);
  return code;
}

linalg::GenericOp scan::createForResult(RewriterBase &rewriter,
                                        linalg::GenericOp op, unsigned result) {
  Block &body = *op.getBody();
  Value yielded = body.getTerminator()->getOperand(result);
  llvm::SetVector<BlockArgument> arguments;
  SmallVector<Operation *> code = getCodeOf(body, yielded, arguments);

  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<BlockArgument> elements;
  OpOperand *init = op.getDpsInitOperand(result);
  for (BlockArgument argument : arguments) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (operand == init)
      continue;
    inputs.push_back(operand->get());
    maps.push_back(op.getMatchingIndexingMap(operand));
    elements.push_back(argument);
  }
  maps.push_back(op.getMatchingIndexingMap(init));
  elements.push_back(op.getMatchingBlockArgument(init));

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  return linalg::GenericOp::create(
      rewriter, op.getLoc(), TypeRange(op->getResult(result).getType()), inputs,
      init->get(), maps, op.getIteratorTypesArray(),
      [&](OpBuilder &builder, Location loc, ValueRange values) {
        IRMapping mapping;
        for (auto [from, to] : llvm::zip_equal(elements, values))
          mapping.map(from, to);
        for (Operation *inner : code)
          builder.clone(*inner, mapping);
        linalg::YieldOp::create(builder, loc, mapping.lookupOrDefault(yielded));
      });
}

/// Whether `op` is elementwise code on tensors of several results, without
/// loops, which would be repeated.
static bool isSplittable(linalg::GenericOp op) {
  return op.getNumResults() > 1 && op.hasPureTensorSemantics() &&
         op.getNumLoops() == op.getNumParallelLoops() &&
         !op.getBody()
              ->walk(
                  [](LoopLikeOpInterface) { return WalkResult::interrupt(); })
              .wasInterrupted();
}

namespace {
struct ScanSplitResultsPass
    : scan::impl::ScanSplitResultsBase<ScanSplitResultsPass> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (isSplittable(op) && !op->getBlock()->getOps<KernelOp>().empty())
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : ops) {
      for (OpResult result : op->getResults())
        if (!result.use_empty())
          rewriter.replaceAllUsesWith(
              result, createForResult(rewriter, op, result.getResultNumber())
                          .getResult(0));
      rewriter.eraseOp(op);
    }
    numSplit += ops.size();
    addMatchCounts(getOperation(), getArgument(), {{"split", ops.size()}});
  }
};
} // namespace
