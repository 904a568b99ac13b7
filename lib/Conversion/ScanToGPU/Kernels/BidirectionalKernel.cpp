//===- BidirectionalKernel.cpp - One block scans a row both ways ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   the row of this block, which is one tile:
//     load tile
//     scan of the leaves that go along, from the first position to the last;
//     scan of the others, from the last position to the first
//     store tile, from the states of both
//     store finals: those of each direction where its walk ends
//     add up sums over threads
//
// Nothing is written before everything was read, and every part of shared
// memory is written once.
//
//===----------------------------------------------------------------------===//

#include "../../GPUCommon/Emit.h"
#include "../Primitives/BlockScan.h"
#include "../Primitives/InitAndFinals.h"
#include "../Primitives/OneTileScan.h"
#include "../Tile/RowIO.h"
#include "../Tile/RowTile.h"
#include "IR/SplitBidirectional.h"
#include "Strategies.h"

using namespace mlir;
using namespace mlir::scan;

namespace {
class BothWaysKernel {
public:
  BothWaysKernel(ImplicitLocOpBuilder &b, KernelFrame &frame, KernelOp along,
                 KernelOp against)
      : frame(frame), kernel(frame.getKernel()),
        items(frame.getSchedule().getItems()), extent(frame.getStaticExtent()),
        ids(frame.createThreadIds(b)),
        forward(frame, along, ids, items, extent, /*isBackward=*/false),
        backward(frame, against, ids, items, extent, /*isBackward=*/true),
        io(b, frame, ids), row(b, frame, ids, items, io) {}

  void emit(ImplicitLocOpBuilder &b);

private:
  void emitRow(ImplicitLocOpBuilder &b);
  /// In the thread that owns `position`, stores the finals of one direction,
  /// whose state after the last step is `leaves` at that position.
  void storeFinals(ImplicitLocOpBuilder &b, int64_t position,
                   ArrayRef<State> leaves, bool isAgainst);

  KernelFrame &frame;
  KernelOp kernel;
  int64_t items, extent;
  ThreadIds ids;
  OneTileScan forward, backward;
  RowIO io;
  RowTile row;
  SmallVector<Value> point;
};
} // namespace

void BothWaysKernel::storeFinals(ImplicitLocOpBuilder &b, int64_t position,
                                 ArrayRef<State> leaves, bool isAgainst) {
  SmallVector<KernelOp::Direction> directions = kernel.getFinalDirections();
  auto wanted =
      isAgainst ? KernelOp::Direction::Opposite : KernelOp::Direction::Same;
  if (!llvm::is_contained(directions, wanted))
    return;
  // The leaves of the other direction are not looked at.
  State state = zeroState(b, kernel);
  const State &own = leaves[position % items];
  llvm::copy(own, isAgainst ? state.end() - own.size() : state.begin());
  createIf(b,
           compare(b, arith::CmpIPredicate::eq, ids.thread, position / items),
           [&](ImplicitLocOpBuilder &inner) {
             SmallVector<Value> elements =
                 inlineRegion(inner, kernel.getFinalize(), state, point);
             ValueRange rest(elements);
             for (auto [final, direction] :
                  llvm::zip_equal(frame.getFinals(), directions)) {
               if (direction == wanted)
                 storeElements(inner, final, point,
                               rest.take_front(final.numElements));
               rest = rest.drop_front(final.numElements);
             }
           });
}

void BothWaysKernel::emitRow(ImplicitLocOpBuilder &b) {
  row.startRow(b, point);
  row.startReductions(b);
  Value base = indexConstant(b, 0);
  bool isPartial = extent < ids.threads * items;
  unsigned against = kernel.getNumOpposite();
  unsigned along = kernel.getNumLeaves() - against;

  SmallVector<Elements> elements = io.load(b, base, isPartial);
  SmallVector<SmallVector<Value>> points;
  SmallVector<State> alongLeaves, againstLeaves;
  for (int64_t item = 0; item < items; ++item) {
    points.push_back(point);
    points.back()[kernel.getDim()] = io.createIndex(b, base, item, isPartial);
    SmallVector<Value> leaves =
        inlineRegion(b, kernel.getLoad(), elements[item], points.back());
    alongLeaves.emplace_back(ArrayRef(leaves).take_front(along));
    againstLeaves.emplace_back(ArrayRef(leaves).take_back(against));
  }

  State init;
  if (kernel.hasInit())
    init = createInitialState(b, frame, point);
  ScannedItems up = forward.emit(
      b, alongLeaves,
      kernel.hasInit() ? ValueRange(init).take_front(along) : ValueRange());
  ScannedItems down = backward.emit(
      b, againstLeaves,
      kernel.hasInit() ? ValueRange(init).take_back(against) : ValueRange());

  SmallVector<Elements> results;
  for (int64_t item = 0; item < items; ++item) {
    SmallVector<Value> args(up.inclusive[item]);
    llvm::append_range(args, down.inclusive[item]);
    llvm::append_range(args, up.exclusive[item]);
    llvm::append_range(args, down.exclusive[item]);
    llvm::append_range(args, elements[item]);
    results.push_back(inlineRegion(b, kernel.getStore(), args, points[item]));
    row.addToReductions(b, base, item, isPartial, results.back());
  }
  io.store(b, base, isPartial, results);
  storeFinals(b, extent - 1, up.inclusive, /*isAgainst=*/false);
  storeFinals(b, 0, down.inclusive, /*isAgainst=*/true);
  row.finishReductions(b);
}

void BothWaysKernel::emit(ImplicitLocOpBuilder &b) {
  Value number = createBlockNumber(b);
  Value isInside =
      compare(b, arith::CmpIPredicate::ult, number, frame.createScanCount(b));
  createIf(b, isInside, [&](ImplicitLocOpBuilder &inner) {
    point = frame.createScanPoint(inner, number);
    emitRow(inner);
  });
  gpu::ReturnOp::create(b);
}

void mlir::scan::emitBothWaysKernel(RewriterBase &rewriter,
                                    ImplicitLocOpBuilder &b,
                                    KernelFrame &frame) {
  KernelOp kernel = frame.getKernel();
  KernelOp along = cloneDirection(rewriter, kernel, /*isAgainst=*/false);
  KernelOp against = cloneDirection(rewriter, kernel, /*isAgainst=*/true);
  BothWaysKernel(b, frame, along, against).emit(b);
  rewriter.eraseOp(along);
  rewriter.eraseOp(against);
}
