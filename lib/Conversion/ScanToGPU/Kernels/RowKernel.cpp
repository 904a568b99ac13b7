//===- RowKernel.cpp - Blocks that walk the tiles of rows -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block walks the tiles of its row (RowAgent), or of several rows side by
// side, and the states stay in registers.
//
//   each row of this block, by `threads / rows` of its threads:
//     carry = init                                 absent in front of the first
//     for each full tile:                               tile without an init
//       store tile to shared memory; prefetch the next one; total of the
//       thread's items; block scan after the carry; scan of the thread's items
//       after its prefix; store tile
//     for the partial tile at the end, if any: the same, masked
//     store finals; add up reductions over threads
//
// Where a tile has too many inputs to prefetch the next one, a single loop
// walks full and partial tiles (KernelPlan::mergesPartialTiles): of the code,
// only loads and stores are there twice.
//
// For the order sequential each thread has a row for itself, and needs no block
// scan: it walks its items after the carry.
//
// Positions beyond the end come after all others in scan order, so garbage in
// them reaches no element that is stored: only memory accesses are masked, and
// no identity of the operator is needed. The last block may have fewer rows
// than others: what its other threads compute is not stored either, and all of
// them meet at the barriers.
//
//===----------------------------------------------------------------------===//

#include "../../GPUCommon/Emit.h"
#include "../Primitives/InitAndFinals.h"
#include "IR/OperatorFacts.h"
#include "RowAgent.h"
#include "Strategies.h"

using namespace mlir;
using namespace mlir::scan;

namespace {
class RowWalk {
public:
  RowWalk(ImplicitLocOpBuilder &b, KernelFrame &frame, const ThreadIds &ids)
      : RowWalk(b, frame, ids, ScanLanes(b, ids)) {}

  void emit(ImplicitLocOpBuilder &b);

private:
  RowWalk(ImplicitLocOpBuilder &b, KernelFrame &frame, const ThreadIds &ids,
          const ScanLanes &lanes)
      : frame(frame), kernel(frame.getKernel()), ids(ids),
        agent(b, frame, ids, lanes), io(agent.io), row(agent.row) {}

  State emitTile(ImplicitLocOpBuilder &b, const RowAgent::Tile &place,
                 Value tile, ValueRange carry);
  Prefix getCarry(ImplicitLocOpBuilder &b, Value tile, ValueRange carry);
  State emitTotal(ImplicitLocOpBuilder &b, Value base, Value tile,
                  ValueRange carry, ArrayRef<Elements> elements);
  State emitLoadedTile(ImplicitLocOpBuilder &b, const RowAgent::Tile &place,
                       Value tile, ValueRange carry,
                       SmallVector<Elements> elements);
  void addSegmentOffsets(ImplicitLocOpBuilder &b, Value base, Value tile,
                         MutableArrayRef<Elements> elements);
  void syncBehindTile(ImplicitLocOpBuilder &b);
  SmallVector<Value> prefetchIf(ImplicitLocOpBuilder &b, Value condition,
                                Value base);
  void emitRow(ImplicitLocOpBuilder &b, Value number);
  void emitRows(ImplicitLocOpBuilder &b, Value first, Value count);
  State emitFullTiles(ImplicitLocOpBuilder &b, Value count, State state);
  void emitWalk(ImplicitLocOpBuilder &b, Value fullTiles, State state);
  State emitTiles(
      ImplicitLocOpBuilder &b, Value first, Value count, const State &state,
      function_ref<RowAgent::Tile(ImplicitLocOpBuilder &, Value)> createPlace);

  KernelFrame &frame;
  KernelOp kernel;
  ThreadIds ids;
  RowAgent agent;
  RowIO &io;
  RowTile &row;
};

} // namespace

/// Emits tile number `tile`, which is at `place`; returns the state after it,
/// which means nothing if the tile is partial.
State RowWalk::emitTile(ImplicitLocOpBuilder &b, const RowAgent::Tile &place,
                        Value tile, ValueRange carry) {
  auto load = [&](ImplicitLocOpBuilder &inner, bool isPartial) {
    return io.load(inner, place.base, isPartial);
  };
  return emitLoadedTile(b, place, tile, carry,
                        place.isFull ? row.elementsIfFull(b, place.isFull, load)
                                     : load(b, place.isPartial));
}

/// The state before tile number `tile`, which is absent in front of the first
/// one without an init.
Prefix RowWalk::getCarry(ImplicitLocOpBuilder &b, Value tile,
                         ValueRange carry) {
  Prefix before;
  before.state = State(carry);
  if (!hasStartState(kernel))
    before.present = compare(b, arith::CmpIPredicate::ne, tile, 0);
  return before;
}

/// Every part of shared memory needs a barrier between its reads in this tile
/// and its writes in the next. The barriers of the other parts do.
void RowWalk::syncBehindTile(ImplicitLocOpBuilder &b) {
  if (!agent.blockScan.hasBarrier() &&
      io.loadsThroughShared() != io.storesThroughShared())
    io.sync(b);
}

/// The state after a full tile of a kernel without outputs: no thread needs the
/// state before its own items.
State RowWalk::emitTotal(ImplicitLocOpBuilder &b, Value base, Value tile,
                         ValueRange carry, ArrayRef<Elements> elements) {
  SmallVector<State> leaves =
      row.computeLeaves(b, elements, base, /*isPartial=*/false);
  Value phase = b.createOrFold<arith::AndIOp>(tile, indexConstant(b, 1));
  State after = agent.blockScan.emitTotal(b, reduceItems(b, kernel, leaves),
                                          getCarry(b, tile, carry), phase);
  syncBehindTile(b);
  return after;
}

/// Adds the head flags of a tile to its elements.
void RowWalk::addSegmentOffsets(ImplicitLocOpBuilder &b, Value base, Value tile,
                                MutableArrayRef<Elements> elements) {
  SegmentMasks &masks = agent.masks;
  if (!masks.any())
    return;
  // A buffer slot was read two tiles before, and there have been barriers
  // since.
  Value slot = b.createOrFold<arith::AndIOp>(tile, indexConstant(b, 1));
  masks.clear(b, slot);
  gpu::BarrierOp::create(b);
  masks.mark(b, base, slot);
  masks.checkShare(b, createBlockNumber(b),
                   b.createOrFold<arith::CeilDivUIOp>(
                       frame.createScanCount(b), indexConstant(b, ids.rows)),
                   compare(b, arith::CmpIPredicate::eq, tile, 0));
  gpu::BarrierOp::create(b);
  masks.addHeadFlags(b, slot, elements);
}

/// What comes after the load of a tile.
State RowWalk::emitLoadedTile(ImplicitLocOpBuilder &b,
                              const RowAgent::Tile &place, Value tile,
                              ValueRange carry,
                              SmallVector<Elements> elements) {
  addSegmentOffsets(b, place.base, tile, elements);
  // Where the outputs overwrite the inputs, threads beyond the end have to read
  // the last element before its own thread writes it.
  bool hasBarrier = agent.blockScan.hasBarrier();
  if (place.isPartial && !io.loadsThroughShared() && !hasBarrier)
    gpu::BarrierOp::create(b);
  State after;
  // Each thread has a row for itself, and takes one step after the other.
  bool isWalk = kernel.getOrder() == Order::Sequential;
  if (!place.isPartial && !isWalk && frame.getOutputs().empty() &&
      getOperatorFacts(kernel).isCommutative)
    return emitTotal(b, place.base, tile, carry, elements);
  auto createPrefix = [&](ImplicitLocOpBuilder &inner, ArrayRef<State> leaves) {
    Prefix before = getCarry(inner, tile, carry);
    if (isWalk)
      return before;
    Value phase =
        inner.createOrFold<arith::AndIOp>(tile, indexConstant(inner, 1));
    BlockScan::Result scanned =
        agent.blockScan
            .emit(inner, reduceItems(inner, kernel, leaves), before, phase)
            .front();
    after = scanned.total;
    return scanned.prefix;
  };
  ScannedItems states = agent.consumeTile(b, place, elements, createPrefix);
  if (isWalk)
    after = states.inclusive.back();
  if (place.isPartial && !frame.getFinals().empty()) {
    auto store = [&](ImplicitLocOpBuilder &inner) {
      row.storeLastFinals(inner, place.base, states.inclusive);
    };
    if (place.isFull)
      createIf(b, createNot(b, place.isFull), store);
    else
      store(b);
  }

  syncBehindTile(b);
  return after;
}

/// What io.prefetch returns for the full tile at `base`, and zeros if
/// `condition` does not hold.
SmallVector<Value> RowWalk::prefetchIf(ImplicitLocOpBuilder &b, Value condition,
                                       Value base) {
  return createIfOrZeros(b, condition, [&](ImplicitLocOpBuilder &inner) {
    return io.prefetch(inner, base, /*isPartial=*/false);
  });
}

/// Walks the first `count` tiles, which are full; returns the state after them.
State RowWalk::emitFullTiles(ImplicitLocOpBuilder &b, Value count,
                             State state) {
  SmallVector<Value> inits = packCarried(kernel, state);
  size_t numCarried = inits.size();
  bool prefetches = frame.getPlan().prefetches;
  Value zero = indexConstant(b, 0), one = indexConstant(b, 1);
  if (prefetches)
    llvm::append_range(
        inits,
        prefetchIf(b, compare(b, arith::CmpIPredicate::ne, count, 0), zero));
  SmallVector<Value> carried = createFor(
      b, zero, count, one, inits,
      [&](ImplicitLocOpBuilder &inner, Value tile, ValueRange carried) {
        Value base = mulConstant(inner, tile, row.getSteps());
        State carry =
            unpackCarried(inner, kernel, carried.take_front(numCarried));
        RowAgent::Tile place{base, /*isPartial=*/false, /*isFull=*/Value()};
        if (!prefetches)
          return packCarried(kernel, emitTile(inner, place, tile, carry));
        SmallVector<Elements> elements = io.exchange(
            inner, carried.drop_front(numCarried), base, /*isPartial=*/false);
        Value next = addConstant(inner, tile, 1);
        SmallVector<Value> prefetched = prefetchIf(
            inner, compare(inner, arith::CmpIPredicate::ult, next, count),
            mulConstant(inner, next, row.getSteps()));
        SmallVector<Value> yielded = packCarried(
            kernel, emitLoadedTile(inner, place, tile, carry, elements));
        llvm::append_range(yielded, prefetched);
        return yielded;
      });
  return unpackCarried(b, kernel, ValueRange(carried).take_front(numCarried));
}

/// Walks the tiles from number `first` to before number `count`, which are
/// where `createPlace` says; returns the state after them.
State RowWalk::emitTiles(
    ImplicitLocOpBuilder &b, Value first, Value count, const State &state,
    function_ref<RowAgent::Tile(ImplicitLocOpBuilder &, Value)> createPlace) {
  SmallVector<Value> carried = createFor(
      b, first, count, indexConstant(b, 1), packCarried(kernel, state),
      [&](ImplicitLocOpBuilder &inner, Value tile, ValueRange carried) {
        return packCarried(kernel,
                           emitTile(inner, createPlace(inner, tile), tile,
                                    unpackCarried(inner, kernel, carried)));
      });
  return unpackCarried(b, kernel, carried);
}

/// Walks all tiles of the current rows from `state` on, of which the first
/// `fullTiles` are full, and stores the finals.
void RowWalk::emitWalk(ImplicitLocOpBuilder &b, Value fullTiles, State state) {
  Value extent = frame.getExtent();
  Value tileSize = indexConstant(b, row.getSteps());
  auto createPlace = [&](ImplicitLocOpBuilder &inner, Value tile,
                         Value isFull) {
    return RowAgent::Tile{mulConstant(inner, tile, row.getSteps()),
                          /*isPartial=*/true, isFull};
  };
  // Where no tile is partial, the finals are those of the carry.
  auto storeFinals = [&](ImplicitLocOpBuilder &inner) {
    row.storeFinalsOf(inner, createFinalState(inner, frame, state));
  };
  if (frame.getPlan().mergesPartialTiles) {
    Value tiles = b.createOrFold<arith::CeilDivUIOp>(extent, tileSize);
    state =
        emitTiles(b, indexConstant(b, 0), tiles, state,
                  [&](ImplicitLocOpBuilder &inner, Value tile) {
                    return createPlace(inner, tile,
                                       compare(inner, arith::CmpIPredicate::ult,
                                               tile, fullTiles));
                  });
    if (!frame.getFinals().empty())
      createIf(b, compare(b, arith::CmpIPredicate::eq, fullTiles, tiles),
               storeFinals);
    return;
  }
  int64_t known = frame.getStaticExtent();
  if (ShapedType::isDynamic(known) || known >= row.getSteps())
    state = emitFullTiles(b, fullTiles, state);
  if (ids.rows == 1) {
    Value rest = b.createOrFold<arith::RemUIOp>(extent, tileSize);
    return createIf(
        b, compare(b, arith::CmpIPredicate::ne, rest, 0),
        [&](ImplicitLocOpBuilder &inner) {
          emitTile(inner, createPlace(inner, fullTiles, Value()), fullTiles,
                   state);
        },
        storeFinals);
  }
  Value tiles = b.createOrFold<arith::CeilDivUIOp>(extent, tileSize);
  createIf(b, compare(b, arith::CmpIPredicate::eq, fullTiles, tiles),
           storeFinals, [&](ImplicitLocOpBuilder &inner) {
             emitTiles(inner, fullTiles, tiles, state,
                       [&](ImplicitLocOpBuilder &body, Value tile) {
                         return createPlace(body, tile, Value());
                       });
           });
}

void RowWalk::emitRow(ImplicitLocOpBuilder &b, Value number) {
  row.startRow(b, frame.createScanPoint(b, number));
  row.startReductions(b);
  Value fullTiles = b.createOrFold<arith::DivUIOp>(
      frame.getExtent(), indexConstant(b, row.getSteps()));
  emitWalk(b, fullTiles, createStartState(b, frame, row.getPoint()));
  row.finishReductions(b);
}

/// Several rows: those number `first` and following. Where some of them do not
/// exist all tiles are partial.
void RowWalk::emitRows(ImplicitLocOpBuilder &b, Value first, Value count) {
  Value number = b.createOrFold<arith::AddIOp>(first, ids.row);
  Value isRow = compare(b, arith::CmpIPredicate::ult, number, count);
  Value allExist = compare(b, arith::CmpIPredicate::ule,
                           addConstant(b, first, ids.rows), count);
  SmallVector<Value> point = frame.createScanPoint(
      b, b.createOrFold<arith::MinUIOp>(number, addConstant(b, count, -1)));
  row.startRows(b, point, first, count, isRow);
  row.startReductions(b);
  State state = createStartState(b, frame, point);
  // Threads without a row have read the last one's init, which its finals may
  // overwrite.
  if (!frame.getFinals().empty())
    gpu::BarrierOp::create(b);
  Value fullTiles = b.createOrFold<arith::SelectOp>(
      allExist,
      b.createOrFold<arith::DivUIOp>(frame.getExtent(),
                                     indexConstant(b, row.getSteps())),
      indexConstant(b, 0));
  emitWalk(b, fullTiles, state);
  row.finishReductions(b);
}

void RowWalk::emit(ImplicitLocOpBuilder &b) {
  Value number = mulConstant(b, createBlockNumber(b), ids.rows);
  Value count = frame.createScanCount(b);
  Value inBounds = compare(b, arith::CmpIPredicate::ult, number, count);
  createIf(b, inBounds, [&](ImplicitLocOpBuilder &inner) {
    if (ids.rows > 1)
      return emitRows(inner, number, count);
    emitRow(inner, number);
  });
  agent.masks.checkAll(b, agent.masks.createHasNoTiles(b));
  gpu::ReturnOp::create(b);
}

void mlir::scan::emitRowKernel(ImplicitLocOpBuilder &b, KernelFrame &frame) {
  ThreadIds ids = frame.createThreadIds(b);
  RowWalk(b, frame, ids).emit(b);
}
