//===- ShareBuffers.cpp - One allocation for disjoint lifetimes -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/IR/ScanDialect.h"
#include "Scan/Pipelines/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include <queue>

namespace mlir::scan {
#define GEN_PASS_DEF_SCANSHAREBUFFERS
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;

namespace {

/// A buffer that is looked at by operations from `first` to `last` of its block
/// only. `number` is that of the allocation itself.
struct Lifetime {
  memref::AllocOp alloc;
  unsigned number, first, last;
};

/// Takes allocations that make buffers of one type and size for the same.
struct AlikeInfo : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    return OperationEquivalence::computeHash(
        const_cast<Operation *>(op), OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(const Operation *a, const Operation *b) {
    if (a == b)
      return true;
    if (a == getEmptyKey() || a == getTombstoneKey() || b == getEmptyKey() ||
        b == getTombstoneKey())
      return false;
    return OperationEquivalence::isEquivalentTo(
        const_cast<Operation *>(a), const_cast<Operation *>(b),
        OperationEquivalence::IgnoreLocations);
  }
};

struct ScanShareBuffers final
    : scan::impl::ScanShareBuffersBase<ScanShareBuffers> {
  using ScanShareBuffersBase::ScanShareBuffersBase;

  void runOnOperation() override {
    if (minBuffers < 0) {
      getOperation()->emitError()
          << "scan-share-buffers: expected min-buffers of at least 0, found "
          << minBuffers.getValue();
      return signalPassFailure();
    }
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Block *block) {
      if (!block->getOps<memref::AllocOp>().empty())
        blocks.push_back(block);
    });
    IRRewriter rewriter(&getContext());
    for (Block *block : blocks)
      shareIn(rewriter, *block);
  }

private:
  using Numbers = llvm::DenseMap<Operation *, unsigned>;

  /// Whether somebody, other than by a view, looks at `buffer` from `first` on
  /// and before `last`, numbers of operations of its block.
  static bool isUsedBetween(Value buffer, unsigned first, unsigned last,
                            const Numbers &numbers) {
    Block *block = buffer.getParentBlock();
    SmallVector<Value> views = {buffer};
    while (!views.empty())
      for (Operation *user : views.pop_back_val().getUsers()) {
        if (isa<ViewLikeOpInterface>(user)) {
          llvm::append_range(views, user->getResults());
          continue;
        }
        Operation *ancestor = block->findAncestorOpInBlock(*user);
        unsigned number = ancestor ? numbers.at(ancestor) : first;
        if (number >= first && number < last)
          return true;
      }
    return false;
  }

  /// Has a buffer of which a view with fewer dimensions is copied into a part
  /// of another buffer be that part, where nobody else looks at that meanwhile.
  static void placeInTarget(RewriterBase &rewriter, memref::CopyOp copy,
                            Numbers &numbers) {
    auto view = copy.getSource().getDefiningOp<memref::CollapseShapeOp>();
    auto part = copy.getTarget().getDefiningOp<memref::SubViewOp>();
    auto alloc = view ? view.getSrc().getDefiningOp<memref::AllocOp>()
                      : memref::AllocOp();
    auto whole = part ? part.getSource().getDefiningOp<memref::AllocOp>()
                      : memref::AllocOp();
    if (!alloc || !whole || alloc->getBlock() != copy->getBlock() ||
        whole->getBlock() != copy->getBlock() || !view->hasOneUse())
      return;
    Operation *first = copy;
    for (Operation *user : alloc->getUsers()) {
      if (user == view)
        continue;
      if (!isa<scan::KernelOp, linalg::LinalgOp>(user) ||
          user->getBlock() != copy->getBlock() || !user->isBeforeInBlock(copy))
        return;
      if (user->isBeforeInBlock(first))
        first = user;
    }
    auto isKnown = [&](Value operand) {
      Operation *source = operand.getDefiningOp();
      return !source || source->getBlock() != copy->getBlock() ||
             source->isBeforeInBlock(first);
    };
    if (first == copy || !llvm::all_of(part->getOperands(), isKnown) ||
        isUsedBetween(whole, numbers.at(first), numbers.at(copy), numbers))
      return;
    rewriter.setInsertionPoint(first);
    // What is new uses `whole` when `first` does.
    unsigned number = numbers.at(first);
    Value place = rewriter.clone(*part)->getResult(0);
    numbers[place.getDefiningOp()] = number;
    FailureOr<MemRefType> type = memref::ExpandShapeOp::computeExpandedType(
        cast<MemRefType>(place.getType()), alloc.getType().getShape(),
        view.getReassociationIndices());
    if (failed(type))
      return;
    place = memref::ExpandShapeOp::create(rewriter, view.getLoc(), *type, place,
                                          view.getReassociationIndices(),
                                          alloc.getMixedSizes());
    numbers[place.getDefiningOp()] = number;
    rewriter.eraseOp(copy);
    rewriter.eraseOp(view);
    rewriter.replaceAllUsesWith(alloc, place);
    rewriter.eraseOp(alloc);
  }

  /// When the buffer is looked at; nothing if somebody may keep it.
  static std::optional<Lifetime> getLifetime(memref::AllocOp alloc,
                                             const Numbers &numbers) {
    Lifetime lifetime = {alloc, numbers.at(alloc), ~0u, 0};
    SmallVector<Value> views = {alloc};
    while (!views.empty())
      for (Operation *user : views.pop_back_val().getUsers()) {
        if (isa<ViewLikeOpInterface>(user))
          llvm::append_range(views, user->getResults());
        else if (!isa<scan::KernelOp, linalg::LinalgOp, memref::CopyOp,
                      memref::LoadOp, memref::StoreOp, memref::DimOp>(user))
          return std::nullopt;
        Operation *ancestor = alloc->getBlock()->findAncestorOpInBlock(*user);
        if (!ancestor)
          return std::nullopt;
        unsigned number = numbers.at(ancestor);
        lifetime.first = std::min(lifetime.first, number);
        lifetime.last = std::max(lifetime.last, number);
      }
    return lifetime;
  }

  void shareIn(RewriterBase &rewriter, Block &block) {
    Numbers numbers;
    for (Operation &op : block)
      numbers.try_emplace(&op, numbers.size());
    for (auto copy : llvm::make_early_inc_range(block.getOps<memref::CopyOp>()))
      placeInTarget(rewriter, copy, numbers);
    llvm::MapVector<Operation *, SmallVector<Lifetime>,
                    llvm::DenseMap<Operation *, unsigned, AlikeInfo>>
        alike;
    for (auto alloc : block.getOps<memref::AllocOp>())
      if (!alloc->use_empty())
        if (std::optional<Lifetime> lifetime = getLifetime(alloc, numbers))
          alike[alloc].push_back(*lifetime);
    for (auto &[key, lifetimes] : alike)
      if (static_cast<int64_t>(lifetimes.size()) >= minBuffers)
        share(rewriter, lifetimes);
  }

  /// Gives each buffer, in the order in which they come into use, the place of
  /// one that is not used any more, if there is one.
  static void share(RewriterBase &rewriter,
                    MutableArrayRef<Lifetime> lifetimes) {
    llvm::sort(lifetimes, [](const Lifetime &a, const Lifetime &b) {
      return std::pair(a.first, a.number) < std::pair(b.first, b.number);
    });
    auto endsLater = [](const Lifetime &a, const Lifetime &b) {
      return a.last > b.last;
    };
    std::priority_queue<Lifetime, std::vector<Lifetime>, decltype(endsLater)>
        inUse(endsLater);
    for (const Lifetime &lifetime : lifetimes) {
      if (inUse.empty() || inUse.top().last >= lifetime.first) {
        inUse.push(lifetime);
        continue;
      }
      Lifetime free = inUse.top();
      inUse.pop();
      // Which of both stands first is not said by which is used first.
      if (lifetime.number < free.number) {
        rewriter.moveOpBefore(free.alloc, lifetime.alloc);
        free.number = lifetime.number;
      }
      rewriter.replaceOp(lifetime.alloc, free.alloc.getResult());
      free.last = lifetime.last;
      inUse.push(free);
    }
  }
};

} // namespace
