//===- BidirectionalColumnKernel.cpp - Columns in both directions ---------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   the columns of this block, all of whose steps are one tile:
//     load tile
//     forward scan of its leaves, from the first position to the last;
//     reverse scan of the others, from the last position to the first
//     store tile, from the states of both
//     store finals: those of each direction where its walk ends
//     add up reductions over threads
//
// It is the kernel for rows (BidirectionalKernel) with the parts of the column
// kernels: groups of threads split the steps between them. Where the extent is
// dynamic, the host launches it with extents that a tile holds (getStepsRange).
//
// What was loaded stays packed in registers. Nothing is written before a thread
// has read all of its tile, and no output shares memory with an input.
//
//===----------------------------------------------------------------------===//

#include "../Primitives/InitAndFinals.h"
#include "../Primitives/OneTileScan.h"
#include "ColumnBlock.h"
#include "IR/SplitBidirectional.h"
#include "Strategies.h"

using namespace mlir;
using namespace mlir::scan;

namespace {
class BidirectionalColumns {
public:
  BidirectionalColumns(ImplicitLocOpBuilder &b, KernelFrame &frame,
                       const ColumnLayout &layout, KernelOp forward,
                       KernelOp reverse)
      : block(b, frame, layout), kernel(frame.getKernel()),
        forward(frame, forward, layout, layout.items, /*isReverse=*/false),
        reverse(frame, reverse, layout, layout.items, /*isReverse=*/true) {}

  void emit(ImplicitLocOpBuilder &b);

private:
  void emitTile(ImplicitLocOpBuilder &b);
  SmallVector<ScannedItems> scan(ImplicitLocOpBuilder &b,
                                 ArrayRef<SmallVector<State>> leaves);
  void storeFinals(ImplicitLocOpBuilder &b, ArrayRef<ScannedItems> scanned);

  ColumnBlock block;
  KernelOp kernel;
  OneTileScan forward, reverse;
};
} // namespace

/// The states of both directions around the items of each column.
SmallVector<ScannedItems>
BidirectionalColumns::scan(ImplicitLocOpBuilder &b,
                           ArrayRef<SmallVector<State>> leaves) {
  size_t numReverse = kernel.getNumOpposite();
  size_t numForward = kernel.getNumLeaves() - numReverse;
  SmallVector<SmallVector<State>> ofForward, ofReverse;
  for (ArrayRef<State> ofColumn : leaves) {
    ofForward.emplace_back();
    ofReverse.emplace_back();
    for (const State &item : ofColumn) {
      ofForward.back().emplace_back(ArrayRef(item).take_front(numForward));
      ofReverse.back().emplace_back(ArrayRef(item).take_back(numReverse));
    }
  }
  SmallVector<State> forwardInits, reverseInits;
  if (kernel.hasInit())
    for (const State &init : block.createInits(b)) {
      forwardInits.emplace_back(ArrayRef(init).take_front(numForward));
      reverseInits.emplace_back(ArrayRef(init).take_back(numReverse));
    }
  SmallVector<ScannedItems> scanned = forward.emit(b, ofForward, forwardInits);
  SmallVector<ScannedItems> inReverse =
      reverse.emit(b, ofReverse, reverseInits);
  for (auto [column, other] : llvm::zip_equal(scanned, inReverse)) {
    auto append = [](ArrayRef<State> from, MutableArrayRef<State> to) {
      for (auto [source, state] : llvm::zip_equal(from, to))
        llvm::append_range(state, source);
    };
    append(other.inclusive, column.inclusive);
    append(other.exclusive, column.exclusive);
  }
  return scanned;
}

/// Stores the finals of each direction in the group that owns the position at
/// which its walk ends.
void BidirectionalColumns::storeFinals(ImplicitLocOpBuilder &b,
                                       ArrayRef<ScannedItems> scanned) {
  Value last = addConstant(b, block.frame.getExtent(), -1);
  Value zero = indexConstant(b, 0);
  Value perGroup = indexConstant(b, block.layout.items);
  for (auto [direction, position] :
       {std::pair(KernelOp::Direction::Same, last),
        std::pair(KernelOp::Direction::Opposite, zero)}) {
    if (!llvm::is_contained(kernel.getFinalDirections(), direction))
      continue;
    Value owner = b.createOrFold<arith::DivUIOp>(position, perGroup);
    Value item = b.createOrFold<arith::RemUIOp>(position, perGroup);
    Value isOwner =
        compare(b, arith::CmpIPredicate::eq, block.layout.group, owner);
    createIf(b, isOwner, [&, direction = direction](ImplicitLocOpBuilder &own) {
      for (auto [column, states] : llvm::enumerate(scanned)) {
        State state = selectItem(own, states.inclusive, item);
        createIf(own, block.io.getPoints().isActive(column),
                 [&, column = column](ImplicitLocOpBuilder &active) {
                   scan::storeFinals(active, block.frame,
                                     block.io.getPoints().createPoint(column),
                                     state, direction);
                 });
      }
    });
  }
}

void BidirectionalColumns::emitTile(ImplicitLocOpBuilder &b) {
  block.columns.startReductions(b);
  Value base = indexConstant(b, 0);
  SmallVector<Value> loaded =
      block.io.loadFirst(b, base, block.io.loadNearest(b, base));
  ColumnTile::Items items = block.columns.unpack(b, base, loaded);
  SmallVector<ScannedItems> scanned = scan(b, items.leaves);
  block.columns.storeResults(b, base, items, scanned);
  storeFinals(b, scanned);
  block.columns.finishReductions(b);
}

void BidirectionalColumns::emit(ImplicitLocOpBuilder &b) {
  ColumnBlock::Groups groups = block.createGroups(b);
  block.forBlock(b, groups, createBlockNumber(b),
                 [&](ImplicitLocOpBuilder &inner) { emitTile(inner); });
  gpu::ReturnOp::create(b);
}

void mlir::scan::emitBidirectionalColumnKernel(RewriterBase &rewriter,
                                               ImplicitLocOpBuilder &b,
                                               KernelFrame &frame) {
  KernelOp kernel = frame.getKernel();
  KernelOp forward = cloneDirection(rewriter, kernel, /*isOpposite=*/false);
  KernelOp reverse = cloneDirection(rewriter, kernel, /*isOpposite=*/true);
  ThreadIds ids = frame.createThreadIds(b);
  ColumnLayout layout(b, frame.getPlan(), ids);
  BidirectionalColumns(b, frame, layout, forward, reverse).emit(b);
  rewriter.eraseOp(forward);
  rewriter.eraseOp(reverse);
}
