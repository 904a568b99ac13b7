//===- RowKernel.cpp - Blocks that walk the scan dimension ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   each row of this block, by `threads / rows` of its threads:
//     carry = init                                 absent in front of the first
//     for each full tile:                               tile without an init
//       put tile into shared memory; read the next one; total of the thread's
//       items; block scan after the carry; scan of the thread's items after its
//       prefix; store tile
//     for the partial tile at the end, if any: the same, masked
//     store finals; add up sums over threads
//
// Positions beyond the end come after all others in scan order, so garbage in
// them reaches no element that is stored: only memory accesses are masked, and
// no identity of the operator is needed. The last block may have fewer rows
// than others: what its other threads compute is not stored either, and all of
// them meet at the barriers.
//
//===----------------------------------------------------------------------===//

#include "../../GPUCommon/Emit.h"
#include "../Primitives/BlockScan.h"
#include "../Primitives/InitAndFinals.h"
#include "../Tile/RowTile.h"
#include "../Tile/SegmentMasks.h"
#include "Strategies.h"

using namespace mlir;
using namespace mlir::scan;

namespace {
class RowKernel {
public:
  RowKernel(ImplicitLocOpBuilder &b, KernelFrame &frame)
      : frame(frame), kernel(frame.getKernel()),
        items(frame.getSchedule().getItems()), ids(frame.createThreadIds(b)),
        blockScan(b, frame, ids), io(b, frame, ids), starts(frame, ids),
        row(b, frame, ids, items, io) {}

  void emit(ImplicitLocOpBuilder &b);

private:
  State emitTile(ImplicitLocOpBuilder &b, Value base, Value tile,
                 ValueRange carry, bool isPartial);
  State emitFetchedTile(ImplicitLocOpBuilder &b, Value base, Value tile,
                        ValueRange carry, bool isPartial,
                        SmallVector<Elements> elements);
  void addStarts(ImplicitLocOpBuilder &b, Value base, Value tile,
                 MutableArrayRef<Elements> elements);
  SmallVector<Value> fetchIf(ImplicitLocOpBuilder &b, Value condition,
                             Value base);
  void emitRow(ImplicitLocOpBuilder &b, Value number);
  void emitRows(ImplicitLocOpBuilder &b, Value first, Value count);
  State emitFullTiles(ImplicitLocOpBuilder &b, Value count, State state);

  KernelFrame &frame;
  KernelOp kernel;
  int64_t items;
  ThreadIds ids;
  BlockScan blockScan;
  RowIO io;
  SegmentMasks starts;
  RowTile row;
};
} // namespace

/// Emits tile number `tile`, which begins at position `base`; returns the
/// state after it, which means nothing if the tile is partial.
State RowKernel::emitTile(ImplicitLocOpBuilder &b, Value base, Value tile,
                          ValueRange carry, bool isPartial) {
  return emitFetchedTile(b, base, tile, carry, isPartial,
                         io.load(b, base, isPartial));
}

/// Looks up where walks start in a tile.
void RowKernel::addStarts(ImplicitLocOpBuilder &b, Value base, Value tile,
                          MutableArrayRef<Elements> elements) {
  if (!starts.any())
    return;
  // A place was read two tiles before, and there have been barriers since.
  Value place = b.createOrFold<arith::AndIOp>(tile, indexConstant(b, 1));
  starts.clear(b, place);
  gpu::BarrierOp::create(b);
  starts.mark(b, base, place);
  gpu::BarrierOp::create(b);
  starts.addHeadFlags(b, place, elements);
}

/// What comes after the load of a tile.
State RowKernel::emitFetchedTile(ImplicitLocOpBuilder &b, Value base,
                                 Value tile, ValueRange carry, bool isPartial,
                                 SmallVector<Elements> elements) {
  addStarts(b, base, tile, elements);
  // Where the outputs overwrite the inputs, threads beyond the end have to read
  // the last element before its own thread writes it.
  if (isPartial && !io.loadsThroughShared() && !blockScan.hasBarrier())
    gpu::BarrierOp::create(b);
  SmallVector<State> leaves = row.computeLeaves(b, elements, base, isPartial);

  Prefix before;
  before.state = State(carry);
  if (!kernel.hasInit())
    before.present = compare(b, arith::CmpIPredicate::ne, tile, 0);
  Value parity = b.createOrFold<arith::AndIOp>(tile, indexConstant(b, 1));
  BlockScan::Result scanned =
      blockScan.emit(b, reduceItems(b, kernel, leaves), before, parity);
  ScannedItems states = scanItems(b, kernel, scanned.prefix, leaves);

  SmallVector<Elements> results;
  for (int64_t item = 0; item < items; ++item) {
    results.push_back(
        row.computeResult(b, states, elements[item], base, item, isPartial));
    // As soon as they are there: values for all items would take registers.
    row.addToReductions(b, base, item, isPartial, results.back());
  }
  io.store(b, base, isPartial, results);
  if (isPartial && !frame.getFinals().empty())
    row.storeLastFinals(b, base, states.inclusive);

  // Every part of shared memory needs a barrier between its reads in this tile
  // and its writes in the next. The barriers of the other parts do.
  bool load = io.loadsThroughShared(), store = io.storesThroughShared();
  bool scan = blockScan.hasBarrier();
  if (!scan && load != store)
    io.sync(b);
  return scanned.total;
}

/// What io.fetch returns for the full tile at `base`, and zeros if `condition`
/// does not hold.
SmallVector<Value> RowKernel::fetchIf(ImplicitLocOpBuilder &b, Value condition,
                                      Value base) {
  return createIfOrZeros(b, condition, [&](ImplicitLocOpBuilder &inner) {
    return io.prefetch(inner, base, /*isPartial=*/false);
  });
}

/// Walks the first `count` tiles, which are full; returns the state after them.
State RowKernel::emitFullTiles(ImplicitLocOpBuilder &b, Value count,
                               State state) {
  SmallVector<Value> inits = packCarried(kernel, state);
  size_t numCarried = inits.size();
  bool ahead = frame.getPlan().prefetches;
  Value zero = indexConstant(b, 0), one = indexConstant(b, 1);
  if (ahead)
    llvm::append_range(
        inits,
        fetchIf(b, compare(b, arith::CmpIPredicate::ne, count, 0), zero));
  SmallVector<Value> carried = createFor(
      b, zero, count, one, inits,
      [&](ImplicitLocOpBuilder &inner, Value tile, ValueRange carried) {
        Value base = mulConstant(inner, tile, row.getSteps());
        State carry =
            unpackCarried(inner, kernel, carried.take_front(numCarried));
        if (!ahead)
          return packCarried(kernel, emitTile(inner, base, tile, carry,
                                              /*isPartial=*/false));
        SmallVector<Elements> elements = io.exchange(
            inner, carried.drop_front(numCarried), base, /*isPartial=*/false);
        Value next = addConstant(inner, tile, 1);
        SmallVector<Value> fetched = fetchIf(
            inner, compare(inner, arith::CmpIPredicate::ult, next, count),
            mulConstant(inner, next, row.getSteps()));
        SmallVector<Value> yielded =
            packCarried(kernel, emitFetchedTile(inner, base, tile, carry,
                                                /*isPartial=*/false, elements));
        llvm::append_range(yielded, fetched);
        return yielded;
      });
  return unpackCarried(b, kernel, ValueRange(carried).take_front(numCarried));
}

void RowKernel::emitRow(ImplicitLocOpBuilder &b, Value number) {
  row.startRow(b, frame.createScanPoint(b, number));
  row.startReductions(b);
  Value tileSize = indexConstant(b, row.getSteps());
  Value extent = frame.getExtent();
  Value fullTiles = b.createOrFold<arith::DivUIOp>(extent, tileSize);
  int64_t known = frame.getStaticExtent();
  bool isKnown = !ShapedType::isDynamic(known);

  // Where no tile is partial, the finals are those of the carry.
  State state = createInitialState(b, frame, row.getPoint());
  if (!isKnown || known >= row.getSteps())
    state = emitFullTiles(b, fullTiles, state);

  auto partial = [&](ImplicitLocOpBuilder &inner) {
    Value base = mulConstant(inner, fullTiles, row.getSteps());
    emitTile(inner, base, fullTiles, state, /*isPartial=*/true);
  };
  auto finals = [&](ImplicitLocOpBuilder &inner) {
    row.storeFinalsOf(inner, state);
  };
  if (isKnown) {
    known % row.getSteps() == 0 ? finals(b) : partial(b);
  } else {
    Value rest = b.createOrFold<arith::RemUIOp>(extent, tileSize);
    createIf(b, compare(b, arith::CmpIPredicate::ne, rest, 0), partial, finals);
  }
  row.finishReductions(b);
}

/// Several rows: those number `first` and following. Where some of them do not
/// exist all tiles are partial.
void RowKernel::emitRows(ImplicitLocOpBuilder &b, Value first, Value count) {
  Value number = b.createOrFold<arith::AddIOp>(first, ids.row);
  Value isRow = compare(b, arith::CmpIPredicate::ult, number, count);
  Value allExist = compare(b, arith::CmpIPredicate::ule,
                           addConstant(b, first, ids.rows), count);
  SmallVector<Value> point = frame.createScanPoint(
      b, b.createOrFold<arith::MinUIOp>(number, addConstant(b, count, -1)));
  row.startRows(b, point, first, count, isRow);
  row.startReductions(b);
  State state = createInitialState(b, frame, point);
  // Threads without a row have read the last one's init, which its finals may
  // overwrite.
  if (!frame.getFinals().empty())
    gpu::BarrierOp::create(b);

  Value extent = frame.getExtent();
  Value tileSize = indexConstant(b, row.getSteps());
  Value tiles = b.createOrFold<arith::CeilDivUIOp>(extent, tileSize);
  Value fullTiles = b.createOrFold<arith::SelectOp>(
      allExist, b.createOrFold<arith::DivUIOp>(extent, tileSize),
      indexConstant(b, 0));
  int64_t known = frame.getStaticExtent();
  if (ShapedType::isDynamic(known) || known >= row.getSteps())
    state = emitFullTiles(b, fullTiles, state);

  Value isDone = compare(b, arith::CmpIPredicate::eq, fullTiles, tiles);
  createIf(
      b, isDone,
      [&](ImplicitLocOpBuilder &inner) { row.storeFinalsOf(inner, state); },
      [&](ImplicitLocOpBuilder &inner) {
        createFor(
            inner, fullTiles, tiles, indexConstant(inner, 1),
            packCarried(kernel, state),
            [&](ImplicitLocOpBuilder &body, Value tile, ValueRange carried) {
              Value base = mulConstant(body, tile, row.getSteps());
              State carry = unpackCarried(body, kernel, carried);
              return packCarried(kernel, emitTile(body, base, tile, carry,
                                                  /*isPartial=*/true));
            });
      });
  row.finishReductions(b);
}

void RowKernel::emit(ImplicitLocOpBuilder &b) {
  Value number = mulConstant(b, createBlockNumber(b), ids.rows);
  Value count = frame.createScanCount(b);
  Value isInside = compare(b, arith::CmpIPredicate::ult, number, count);
  createIf(b, isInside, [&](ImplicitLocOpBuilder &inner) {
    if (ids.rows > 1)
      return emitRows(inner, number, count);
    emitRow(inner, number);
  });
  gpu::ReturnOp::create(b);
}

void mlir::scan::emitRowKernel(ImplicitLocOpBuilder &b, KernelFrame &frame) {
  RowKernel(b, frame).emit(b);
}
