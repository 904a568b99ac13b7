//===- SplitDestinations.cpp - Fewer users per tensor.empty ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Pipelines/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANSPLITDESTINATIONS
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;

namespace {

struct ScanSplitDestinations final
    : scan::impl::ScanSplitDestinationsBase<ScanSplitDestinations> {
  using ScanSplitDestinationsBase::ScanSplitDestinationsBase;

  void runOnOperation() override {
    if (maxUses < 1) {
      getOperation()->emitError()
          << "scan-split-destinations: expected max-uses of at least 1, found "
          << maxUses.getValue();
      return signalPassFailure();
    }
    SmallVector<tensor::EmptyOp> shared;
    getOperation()->walk([&](tensor::EmptyOp empty) {
      if (llvm::hasNItemsOrMore(empty->getUses(), maxUses + 1))
        shared.push_back(empty);
    });
    IRRewriter rewriter(&getContext());
    for (tensor::EmptyOp empty : shared)
      split(rewriter, empty);
  }

private:
  /// Uses in one operation of the block of `empty`, or nested in it, stay
  /// together: they may be branches of which one is taken.
  void split(RewriterBase &rewriter, tensor::EmptyOp empty) {
    Block *block = empty->getBlock();
    llvm::MapVector<Operation *, SmallVector<OpOperand *>> usesIn;
    for (OpOperand &use : empty->getUses())
      usesIn[block->findAncestorOpInBlock(*use.getOwner())].push_back(&use);
    // A null key: the use is in another block of the region.
    SmallVector<Operation *> users;
    for (auto &[user, uses] : usesIn)
      if (user)
        users.push_back(user);
    llvm::sort(users, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });

    Value destination = empty;
    int64_t numUses = 0;
    for (Operation *user : users) {
      ArrayRef<OpOperand *> uses = usesIn[user];
      numUses += uses.size();
      if (numUses > static_cast<int64_t>(uses.size()) && numUses > maxUses) {
        rewriter.setInsertionPoint(user);
        destination = rewriter.clone(*empty)->getResult(0);
        numUses = uses.size();
      }
      if (destination == empty.getResult())
        continue;
      for (OpOperand *use : uses)
        rewriter.modifyOpInPlace(use->getOwner(),
                                 [&] { use->set(destination); });
    }
  }
};

} // namespace
