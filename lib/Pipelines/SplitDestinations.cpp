//===- SplitDestinations.cpp - Fewer users per tensor.empty ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Pipelines/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
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
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](scf::IfOp choice) {
      writeInPlace(rewriter, choice);
      splitResults(rewriter, choice);
    });
    SmallVector<tensor::EmptyOp> shared;
    getOperation()->walk([&](tensor::EmptyOp empty) {
      if (llvm::hasNItemsOrMore(empty->getUses(), maxUses + 1))
        shared.push_back(empty);
    });
    for (tensor::EmptyOp empty : shared)
      split(rewriter, empty);
  }

private:
  /// The destination, in front of `choice`, that becomes `value`, which a
  /// branch yields; null if there is none.
  static OpOperand *getDestination(scf::IfOp choice, Value value) {
    auto result = dyn_cast<OpResult>(value);
    auto writer = result
                      ? dyn_cast<DestinationStyleOpInterface>(result.getOwner())
                      : DestinationStyleOpInterface();
    if (!writer || !choice->isProperAncestor(writer))
      return nullptr;
    return writer.getTiedOpOperand(result);
  }

  /// Where one branch hands on what was computed in front of the choice, the
  /// other one writes into that, if it has no place of its own yet.
  static void writeInPlace(RewriterBase &rewriter, scf::IfOp choice) {
    auto use = [&](Value written, Value handedOn) {
      Operation *source = handedOn.getDefiningOp();
      OpOperand *destination = getDestination(choice, written);
      if (source && !choice->isProperAncestor(source) && destination &&
          destination->get().getDefiningOp<tensor::EmptyOp>() &&
          destination->get().getType() == handedOn.getType())
        rewriter.modifyOpInPlace(destination->getOwner(),
                                 [&] { destination->set(handedOn); });
    };
    if (choice.getNumResults() == 0)
      return;
    for (auto [then, other] : llvm::zip(choice.thenYield().getOperands(),
                                        choice.elseYield().getOperands())) {
      use(then, other);
      use(other, then);
    }
  }

  /// A copy of `destination`, a tensor.empty or one that is filled, in front of
  /// `choice`; null if it is something else.
  static Value cloneInFrontOf(RewriterBase &rewriter, scf::IfOp choice,
                              Value destination) {
    rewriter.setInsertionPoint(choice);
    Operation *source = destination.getDefiningOp();
    auto fill = dyn_cast_or_null<linalg::LinalgOp>(source);
    if (!fill)
      return isa_and_present<tensor::EmptyOp>(source)
                 ? rewriter.clone(*source)->getResult(0)
                 : Value();
    if (fill->getNumResults() != 1 ||
        llvm::any_of(fill.getDpsInputs(), [](Value input) {
          return isa<ShapedType>(input.getType());
        }))
      return Value();
    auto empty = fill.getDpsInits().front().getDefiningOp<tensor::EmptyOp>();
    if (!empty)
      return Value();
    IRMapping mapping;
    rewriter.clone(*empty, mapping);
    return rewriter.clone(*fill, mapping)->getResult(0);
  }

  /// Gives each result of a choice that both branches write to one place a
  /// place of its own. Two results in one place would get another one in a
  /// branch, where nobody behind the choice knows it.
  static void splitResults(RewriterBase &rewriter, scf::IfOp choice) {
    for (OpResult result : choice.getResults()) {
      unsigned i = result.getResultNumber();
      OpOperand *one = getDestination(choice, choice.thenYield().getOperand(i));
      OpOperand *other =
          getDestination(choice, choice.elseYield().getOperand(i));
      if (!one || !other || one->get() != other->get() ||
          llvm::hasNItems(one->get().getUses(), 2))
        continue;
      Value own = cloneInFrontOf(rewriter, choice, one->get());
      if (!own)
        continue;
      for (OpOperand *use : {one, other})
        rewriter.modifyOpInPlace(use->getOwner(), [&] { use->set(own); });
    }
  }

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
