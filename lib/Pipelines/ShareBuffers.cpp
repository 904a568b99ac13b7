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
  /// When the buffer is looked at; nothing if somebody may keep it.
  static std::optional<Lifetime>
  getLifetime(memref::AllocOp alloc,
              const llvm::DenseMap<Operation *, unsigned> &numbers) {
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
    llvm::DenseMap<Operation *, unsigned> numbers;
    for (Operation &op : block)
      numbers.try_emplace(&op, numbers.size());
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
