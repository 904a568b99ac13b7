//===- BidirectionalKernel.cpp - Forward and reverse scan of a row --------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   the row of this block, which is one tile:
//     load tile
//     forward scan of its leaves, from the first position to the last;
//     reverse scan of the others, from the last position to the first
//     store tile, from the states of both
//     store finals: those of each direction where its walk ends
//     add up reductions over threads
//
// Where the extent is dynamic, the host launches the kernel with extents that a
// tile holds (getStepsRange), 0 among them.
//
// Nothing is written before everything was read, and every part of shared
// memory is written once.
//
//===----------------------------------------------------------------------===//

#include "../../GPUCommon/Emit.h"
#include "../Primitives/InitAndFinals.h"
#include "../Primitives/OneTileScan.h"
#include "../Tile/RowIO.h"
#include "../Tile/RowTile.h"
#include "IR/SplitBidirectional.h"
#include "Strategies.h"

using namespace mlir;
using namespace mlir::scan;

namespace {
class BidirectionalKernel {
public:
  BidirectionalKernel(ImplicitLocOpBuilder &b, KernelFrame &frame,
                      KernelOp forward, KernelOp reverse)
      : frame(frame), kernel(frame.getKernel()),
        items(frame.getSchedule().getItems()), extent(frame.getStaticExtent()),
        ids(frame.createThreadIds(b)), lanes(b, ids),
        forward(frame, forward, lanes, items, /*isReverse=*/false),
        reverse(frame, reverse, lanes, items, /*isReverse=*/true),
        io(b, frame, ids), row(b, frame, ids, items, io) {}

  void emit(ImplicitLocOpBuilder &b);

private:
  void emitRow(ImplicitLocOpBuilder &b);
  /// In a block whose row has no step: the finals are those of the first state.
  void emitEmptyRow(ImplicitLocOpBuilder &b);
  /// In the thread that owns the position at which the walk in one direction
  /// ends, stores the finals of that direction, from `leaves` there.
  void storeFinals(ImplicitLocOpBuilder &b, ArrayRef<State> leaves,
                   bool isReverse);

  KernelFrame &frame;
  KernelOp kernel;
  int64_t items, extent;
  ThreadIds ids;
  ScanLanes lanes;
  OneTileScan forward, reverse;
  RowIO io;
  RowTile row;
  SmallVector<Value> point;
};
} // namespace

void BidirectionalKernel::storeFinals(ImplicitLocOpBuilder &b,
                                      ArrayRef<State> leaves, bool isReverse) {
  auto direction =
      isReverse ? KernelOp::Direction::Opposite : KernelOp::Direction::Same;
  if (!llvm::is_contained(kernel.getFinalDirections(), direction))
    return;
  // The leaves of the other direction are not looked at.
  State state = zeroState(b, kernel);
  Value owner;
  if (isReverse || !ShapedType::isDynamic(extent)) {
    int64_t position = isReverse ? 0 : extent - 1;
    owner = indexConstant(b, position / items);
    llvm::copy(leaves[position % items],
               isReverse ? state.end() - leaves.front().size() : state.begin());
  } else {
    Value last = addConstant(b, frame.getExtent(), -1);
    Value perThread = indexConstant(b, items);
    owner = b.createOrFold<arith::DivUIOp>(last, perThread);
    llvm::copy(
        selectItem(b, leaves, b.createOrFold<arith::RemUIOp>(last, perThread)),
        state.begin());
  }
  createIf(b, compare(b, arith::CmpIPredicate::eq, ids.thread, owner),
           [&](ImplicitLocOpBuilder &inner) {
             scan::storeFinals(inner, frame, point, state, direction);
           });
}

void BidirectionalKernel::emitRow(ImplicitLocOpBuilder &b) {
  row.startRow(b, point);
  row.startReductions(b);
  Value base = indexConstant(b, 0);
  bool isPartial =
      ShapedType::isDynamic(extent) || extent < ids.threads * items;
  unsigned numReverse = kernel.getNumOpposite();
  unsigned numForward = kernel.getNumLeaves() - numReverse;

  SmallVector<Elements> elements = io.load(b, base, isPartial);
  SmallVector<SmallVector<Value>> points;
  SmallVector<State> forwardLeaves, reverseLeaves;
  for (int64_t item = 0; item < items; ++item) {
    points.push_back(point);
    points.back()[kernel.getDim()] = io.createIndex(b, base, item, isPartial);
    SmallVector<Value> leaves =
        inlineRegion(b, kernel.getLoad(), elements[item], points.back());
    forwardLeaves.emplace_back(ArrayRef(leaves).take_front(numForward));
    reverseLeaves.emplace_back(ArrayRef(leaves).take_back(numReverse));
  }

  SmallVector<State> forwardInits, reverseInits;
  if (kernel.hasInit()) {
    State init = createInitialState(b, frame, point);
    forwardInits.emplace_back(ArrayRef(init).take_front(numForward));
    reverseInits.emplace_back(ArrayRef(init).take_back(numReverse));
  }
  ScannedItems forwardStates =
      forward.emit(b, {forwardLeaves}, forwardInits).front();
  ScannedItems reverseStates =
      reverse.emit(b, {reverseLeaves}, reverseInits).front();

  SmallVector<Elements> results;
  for (int64_t item = 0; item < items; ++item) {
    SmallVector<Value> args(forwardStates.inclusive[item]);
    llvm::append_range(args, reverseStates.inclusive[item]);
    llvm::append_range(args, forwardStates.exclusive[item]);
    llvm::append_range(args, reverseStates.exclusive[item]);
    llvm::append_range(args, elements[item]);
    results.push_back(inlineRegion(b, kernel.getStore(), args, points[item]));
    row.addToReductions(b, base, item, isPartial, results.back());
  }
  io.store(b, base, isPartial, results);
  storeFinals(b, forwardStates.inclusive, /*isReverse=*/false);
  storeFinals(b, reverseStates.inclusive, /*isReverse=*/true);
  row.finishReductions(b);
}

void BidirectionalKernel::emitEmptyRow(ImplicitLocOpBuilder &b) {
  if (frame.getFinals().empty())
    return;
  createIf(b, compare(b, arith::CmpIPredicate::eq, ids.thread, 0),
           [&](ImplicitLocOpBuilder &inner) {
             scan::storeFinals(inner, frame, point,
                               createInitialState(inner, frame, point));
           });
}

void BidirectionalKernel::emit(ImplicitLocOpBuilder &b) {
  Value number = createBlockNumber(b);
  Value inBounds =
      compare(b, arith::CmpIPredicate::ult, number, frame.createScanCount(b));
  createIf(b, inBounds, [&](ImplicitLocOpBuilder &inner) {
    point = frame.createScanPoint(inner, number);
    if (!ShapedType::isDynamic(extent))
      return emitRow(inner);
    Value isEmpty =
        compare(inner, arith::CmpIPredicate::eq, frame.getExtent(), 0);
    createIf(
        inner, isEmpty, [&](ImplicitLocOpBuilder &then) { emitEmptyRow(then); },
        [&](ImplicitLocOpBuilder &other) { emitRow(other); });
  });
  gpu::ReturnOp::create(b);
}

void mlir::scan::emitBidirectionalKernel(RewriterBase &rewriter,
                                         ImplicitLocOpBuilder &b,
                                         KernelFrame &frame) {
  KernelOp kernel = frame.getKernel();
  KernelOp forward = cloneDirection(rewriter, kernel, /*isOpposite=*/false);
  KernelOp reverse = cloneDirection(rewriter, kernel, /*isOpposite=*/true);
  BidirectionalKernel(b, frame, forward, reverse).emit(b);
  rewriter.eraseOp(forward);
  rewriter.eraseOp(reverse);
}
