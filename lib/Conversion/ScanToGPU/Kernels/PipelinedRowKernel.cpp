//===- PipelinedRowKernel.cpp - Persistent blocks, pipelined tiles --------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block that waits for the state before its tile moves no memory. Here a few
// blocks, as many as run at a time, draw tickets for many tiles each, and every
// tile passes through three stages of its block. In stage r the block has four
// of them under way, of its tickets in the order drawn:
//
//   what happens                                             tile    by
//   store to shared memory; tile-local scan in each warp     r       all warps
//   ---- barrier ----
//   prefetch from global memory into registers               r + 1   all warps
//   draw a ticket                                            r + 2   last warp
//   scan the totals of the warps                             r       all warps
//   publish the aggregate                                    r       first warp
//   look back for the state before it; publish the prefix    r - 1   first warp
//   combine the state before it with every item; store       r - 2   all warps
//
// What is written in front of the barrier of a stage is read behind it: the
// totals of the warps, and from the stage before the ticket and the state that
// the look-back has found.
//
// All blocks publish the aggregates of a stage at about the same time, and look
// back from them a stage later: no block waits for one, and the nearest prefix
// is at most two tiles of every block away. What one warp finds is used a stage
// later still, so that the others do not wait for it but store meanwhile. The
// inputs of a tile stay in shared memory until it is stored, and its leaves are
// computed again.
//
// Progress: of all tiles that are not done take the first one. All before it
// have published their states, so once it waits it gets on; and it is on its
// way in a block only while that block's earlier tiles, which are before it,
// are not done. Every block draws two tickets more than it gets tiles.
//
// Measured as hand-written CUDA on an H200 that copies 4,250 GB/s, sums of 2^28
// f32: one tile per block 2,820 GB/s; persistent blocks that look back at once
// 1,465; one stage later 3,120; and are done with it two stages later 3,620.
// Without look-back they reach 4,100: the rest is the time that a read of
// others' states takes when the memory is busy, over a microsecond.
//
//===----------------------------------------------------------------------===//

#include "../../GPUCommon/Emit.h"
#include "PersistentTiles.h"
#include "RowAgent.h"
#include "Strategies.h"

using namespace mlir;
using namespace mlir::scan;

namespace {
/// What the tile-local scan of a tile has left, besides its elements in shared
/// memory.
struct ScannedTile : TicketTile {
  /// Elements that are not there.
  SmallVector<Value> direct;
  /// The state before the thread's items in the tile.
  Prefix prefix;
  /// The total of the tile.
  State aggregate;
};

/// What a block carries from stage to stage: a stage begins with this.
struct Stage {
  /// Where the tile to scan lies in shared memory, as indices: its inputs, and
  /// its segment mask if there is one.
  Value slot, maskSlot;
  /// The phase of the buffers that threads exchange values in: an index, 0
  /// or 1.
  Value phase;
  /// The tiles that were scanned two stages ago and in the stage before.
  ScannedTile toStore, toLookBack;
  /// The tile that is scanned now, and what the thread has loaded of it.
  TicketTile toScan;
  SmallVector<Value> prefetched;
  /// Whether there is a ticket to read and a tile to prefetch (i1): where a
  /// tile is scanned, and in the stage in front of all tiles.
  Value hasTicket;
};

class PipelinedRowKernel {
public:
  PipelinedRowKernel(ImplicitLocOpBuilder &b, KernelFrame &frame,
                     const ThreadIds &ids, const ScanLanes &lanes)
      : kernel(frame.getKernel()), ids(ids), workspace(b, frame),
        carry(frame, lanes, workspace), agent(b, frame, ids, lanes),
        io(agent.io), masks(agent.masks), row(agent.row), tiles(b, frame, row),
        stages(frame.getPlan().stages), maskStages(frame.getPlan().maskStages) {
  }

  void emit(ImplicitLocOpBuilder &b);

private:
  void emitTiles(ImplicitLocOpBuilder &b);

  Stage emitStage(ImplicitLocOpBuilder &b, const Stage &stage);
  SmallVector<Value> emitScan(ImplicitLocOpBuilder &b, const Stage &stage);
  SmallVector<Value> publishScanned(ImplicitLocOpBuilder &b, const Stage &stage,
                                    ValueRange inclusive);
  SmallVector<Value> emitPublish(ImplicitLocOpBuilder &b, const Stage &stage,
                                 ValueRange inclusive);
  void emitStore(ImplicitLocOpBuilder &b, const Stage &stage);

  SmallVector<Value> prefetch(ImplicitLocOpBuilder &b, const TicketTile &tile);
  SmallVector<Elements> loadTile(ImplicitLocOpBuilder &b, ValueRange direct,
                                 Value base, Value isFull);

  void forEachValue(Stage &stage, function_ref<void(Value &)> visit);
  SmallVector<Value> pack(Stage stage);
  Stage unpack(Stage shape, ValueRange values);

  /// The one of `slots` that comes `distance` behind `slot`.
  static Value advanceSlot(ImplicitLocOpBuilder &b, Value slot,
                           int64_t distance, int64_t slots) {
    return arith::RemUIOp::create(b, addConstant(b, slot, distance),
                                  indexConstant(b, slots));
  }
  /// Where the segment mask of the tile lies that is scanned `distance` stages
  /// behind this one.
  Value advanceMask(ImplicitLocOpBuilder &b, const Stage &stage,
                    int64_t distance) {
    return masks.any() ? advanceSlot(b, stage.maskSlot, distance, maskStages)
                       : Value();
  }
  /// That of the stages before and behind this one.
  Value getOtherPhase(ImplicitLocOpBuilder &b, const Stage &stage) {
    return b.createOrFold<arith::SubIOp>(indexConstant(b, 1), stage.phase);
  }

  KernelOp kernel;
  ThreadIds ids;
  GridWorkspace workspace;
  LookBackCarry carry;
  RowAgent agent;
  RowIO &io;
  SegmentMasks &masks;
  RowTile &row;
  PersistentTiles tiles;
  int64_t stages, maskStages;
  GridWorkspace::Ticket ticket;
};
} // namespace

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// What the thread loads of a tile; zeros if there is none. Behind it comes
/// what it loads of its segment offsets (SegmentMasks::beginMark).
SmallVector<Value> PipelinedRowKernel::prefetch(ImplicitLocOpBuilder &b,
                                                const TicketTile &tile) {
  return createIfOrZeros(b, tile.inBounds, [&](ImplicitLocOpBuilder &inner) {
    tiles.start(inner, tile);
    Value base = tiles.createBase(inner, tile);
    SmallVector<Value> prefetched =
        row.ifFull(inner, row.createIsFull(inner, base),
                   [&](ImplicitLocOpBuilder &body, bool isPartial) {
                     return io.prefetch(body, base, isPartial);
                   });
    llvm::append_range(prefetched, masks.beginMark(inner, base));
    return prefetched;
  });
}

/// The elements of the tile whose inputs lie in the buffer slot in use.
SmallVector<Elements> PipelinedRowKernel::loadTile(ImplicitLocOpBuilder &b,
                                                   ValueRange direct,
                                                   Value base, Value isFull) {
  return row.elementsIfFull(
      b, isFull, [&](ImplicitLocOpBuilder &inner, bool isPartial) {
        return io.loadFromShared(inner, direct, base, isPartial);
      });
}

//===----------------------------------------------------------------------===//
// The parts of a stage
//===----------------------------------------------------------------------===//

/// Stores the tile to shared memory; tile-local scan in each warp; returns
/// the elements that are not there, and the state after the thread's items.
SmallVector<Value> PipelinedRowKernel::emitScan(ImplicitLocOpBuilder &b,
                                                const Stage &stage) {
  const TicketTile &tile = stage.toScan;
  return createIfOrZeros(b, tile.inBounds, [&](ImplicitLocOpBuilder &inner) {
    tiles.start(inner, tile);
    Value base = tiles.createBase(inner, tile);
    io.useBufferSlot(inner, stage.slot);
    SmallVector<Value> values = io.storeToShared(inner, stage.prefetched);
    masks.clear(inner, advanceMask(inner, stage, 1));
    if (masks.any())
      gpu::BarrierOp::create(inner);
    else if (io.loadsThroughShared())
      io.sync(inner);
    Value isFull = row.createIsFull(inner, base);
    SmallVector<Elements> elements = loadTile(inner, values, base, isFull);
    masks.addHeadFlags(inner, stage.maskSlot, elements);
    SmallVector<State> leaves =
        row.computeLeaves(inner, elements, base,
                          /*isPartial=*/isFull != nullptr);
    llvm::append_range(
        values,
        agent.blockScan
            .begin(inner, reduceItems(inner, kernel, leaves), stage.phase)
            .front());
    return values;
  });
}

/// Publishes the aggregate of the tile that was scanned. Returns its prefix and
/// its aggregate.
SmallVector<Value> PipelinedRowKernel::publishScanned(ImplicitLocOpBuilder &b,
                                                      const Stage &stage,
                                                      ValueRange inclusive) {
  return createIfOrZeros(
      b, stage.toScan.inBounds, [&](ImplicitLocOpBuilder &inner) {
        BlockScan::Result result =
            agent.blockScan
                .finish(inner, State(inclusive), createAbsent(inner, kernel),
                        stage.phase)
                .front();
        createIf(inner, compare(inner, arith::CmpIPredicate::eq, ids.warp, 0),
                 [&](ImplicitLocOpBuilder &warp) {
                   carry.publish(warp, tiles.start(warp, stage.toScan),
                                 ticket.flags, result.total);
                 });
        SmallVector<Value> values(result.prefix.state);
        values.push_back(result.prefix.present);
        llvm::append_range(values, result.total);
        return values;
      });
}

/// Behind the barrier: prefetches the next tile, and publishes the
/// aggregate of the one that was scanned. Returns the ticket of the next tile;
/// the prefix and the aggregate of this one; and what was prefetched.
SmallVector<Value> PipelinedRowKernel::emitPublish(ImplicitLocOpBuilder &b,
                                                   const Stage &stage,
                                                   ValueRange inclusive) {
  SmallVector<Type> types;
  return createIfElse(
      b, stage.hasTicket,
      [&](ImplicitLocOpBuilder &inner) {
        Value next = workspace.readTicket(inner, stage.phase);
        SmallVector<Value> prefetched =
            prefetch(inner, tiles.createTile(inner, next));
        // In the last warp, as the first one is about to look back, or in that
        // before it, if there is one, as the last one looks segment offsets up.
        bool isBusy = masks.any() && ids.threads > kWarpSize;
        workspace.drawNextTicket(inner, ids,
                                 ids.threads - 1 - (isBusy ? kWarpSize : 0),
                                 ticket, getOtherPhase(inner, stage));
        SmallVector<Value> values{next};
        llvm::append_range(values, publishScanned(inner, stage, inclusive));
        llvm::append_range(values, prefetched);
        llvm::append_range(types, ValueRange(values).getTypes());
        return values;
      },
      [&](ImplicitLocOpBuilder &inner) {
        SmallVector<Value> values = createZeros(inner, types);
        // Behind the last tile.
        values.front() = tiles.getEnd();
        return values;
      });
}

/// Combines the state before the tile, which was found in the stage before this
/// one, with every item, and stores the tile.
void PipelinedRowKernel::emitStore(ImplicitLocOpBuilder &b,
                                   const Stage &stage) {
  GridTile gridTile = tiles.start(b, stage.toStore);
  RowAgent::Tile tile = agent.createTile(b, tiles.createBase(b, stage.toStore));
  // The tile-local scan was two stages before this one.
  io.useBufferSlot(b, advanceSlot(b, stage.slot, stages - 2, stages));
  SmallVector<Elements> elements =
      loadTile(b, stage.toStore.direct, tile.base, tile.isFull);
  masks.addHeadFlags(b, advanceMask(b, stage, maskStages - 2), elements);
  Prefix prefix = carry
                      .createPrefixes(b, gridTile, stage.toStore.prefix,
                                      getOtherPhase(b, stage))
                      .front();
  row.startReductions(b);
  ScannedItems states = agent.consumeTile(
      b, tile, elements,
      [&](ImplicitLocOpBuilder &, ArrayRef<State>) { return prefix; });
  row.finishReductions(b);
  // The next stage overwrites these inputs and segment masks.
  if (masks.any())
    gpu::BarrierOp::create(b);
  else if (io.loadsThroughShared() && !io.storesThroughShared())
    io.sync(b);
  agent.storeFinalsIfLast(b, tile, gridTile.number, gridTile.last, states);
}

/// Returns what the next stage begins with.
Stage PipelinedRowKernel::emitStage(ImplicitLocOpBuilder &b,
                                    const Stage &stage) {
  SmallVector<Value> scanned = emitScan(b, stage);
  gpu::BarrierOp::create(b);
  size_t numDirect = io.getDirectTypes().size();
  SmallVector<Value> published =
      emitPublish(b, stage, ValueRange(scanned).drop_front(numDirect));
  Value looksBack =
      arith::AndIOp::create(b, stage.toLookBack.inBounds,
                            compare(b, arith::CmpIPredicate::eq, ids.warp, 0));
  createIf(b, looksBack, [&](ImplicitLocOpBuilder &inner) {
    carry.lookBack(inner, tiles.start(inner, stage.toLookBack), ticket.flags,
                   stage.toLookBack.aggregate, stage.phase);
  });
  createIf(b, stage.toStore.inBounds,
           [&](ImplicitLocOpBuilder &inner) { emitStore(inner, stage); });

  ValueRange rest(published);
  auto take = [&](size_t count) {
    ValueRange taken = rest.take_front(count);
    rest = rest.drop_front(count);
    return taken;
  };
  Stage next;
  next.slot = advanceSlot(b, stage.slot, 1, stages);
  next.phase = getOtherPhase(b, stage);
  next.maskSlot = advanceMask(b, stage, 1);
  next.toStore = stage.toLookBack;
  static_cast<TicketTile &>(next.toLookBack) = stage.toScan;
  next.toScan = tiles.createTile(b, take(1).front());
  next.hasTicket = next.toScan.inBounds;
  llvm::append_range(next.toLookBack.direct,
                     ValueRange(scanned).take_front(numDirect));
  next.toLookBack.prefix.state = State(take(kernel.getNumLeaves()));
  next.toLookBack.prefix.present = take(1).front();
  next.toLookBack.aggregate = State(take(kernel.getNumLeaves()));
  llvm::append_range(next.prefetched, take(io.getPrefetchTypes().size()));
  // Their loads are done by now. The barrier behind is the next stage's.
  if (masks.any())
    createIf(b, next.toScan.inBounds, [&](ImplicitLocOpBuilder &inner) {
      masks.finishMark(inner, tiles.createBase(inner, next.toScan),
                       next.maskSlot, rest);
    });
  return next;
}

//===----------------------------------------------------------------------===//
// The loop over the stages
//===----------------------------------------------------------------------===//

/// All values of a stage, in the order in which the loop carries them.
void PipelinedRowKernel::forEachValue(Stage &stage,
                                      function_ref<void(Value &)> visit) {
  visit(stage.slot);
  visit(stage.phase);
  if (masks.any())
    visit(stage.maskSlot);
  for (TicketTile *tile : std::initializer_list<TicketTile *>{
           &stage.toStore, &stage.toLookBack, &stage.toScan}) {
    visit(tile->inBounds);
    visit(tile->tile);
    visit(tile->row);
  }
  for (ScannedTile *tile : {&stage.toStore, &stage.toLookBack}) {
    llvm::for_each(tile->direct, visit);
    llvm::for_each(tile->prefix.state, visit);
    visit(tile->prefix.present);
    llvm::for_each(tile->aggregate, visit);
  }
  llvm::for_each(stage.prefetched, visit);
  visit(stage.hasTicket);
}

SmallVector<Value> PipelinedRowKernel::pack(Stage stage) {
  SmallVector<Value> values;
  forEachValue(stage, [&](Value &value) { values.push_back(value); });
  return values;
}

/// The reverse, for a stage with as many values as `shape`.
Stage PipelinedRowKernel::unpack(Stage shape, ValueRange values) {
  auto next = values.begin();
  forEachValue(shape, [&](Value &value) { value = *next++; });
  return shape;
}

void PipelinedRowKernel::emitTiles(ImplicitLocOpBuilder &b) {
  Value zero = indexConstant(b, 0);
  // The barrier behind is that of the ticket.
  masks.clear(b, zero);
  constexpr int64_t firstTicketSlot = 1;
  ticket = workspace.drawTicket(b, ids, tiles.countTickets(b, /*extra=*/2),
                                firstTicketSlot);
  // In front of all tiles is a stage that does nothing but prefetch the first
  // one. To prefetch takes as much code as all the rest, which so stands once.
  // And every block draws its second ticket after the first ones of most
  // others: the order of the tickets is about that in which tiles get
  // published.
  Stage first;
  first.slot = indexConstant(b, stages - 1);
  first.phase = indexConstant(b, firstTicketSlot);
  first.maskSlot = indexConstant(b, maskStages - 1);
  ScannedTile none{{boolConstant(b, false), zero, zero},
                   createZeros(b, io.getDirectTypes()),
                   createAbsent(b, kernel),
                   zeroState(b, kernel)};
  first.toStore = first.toLookBack = none;
  first.toScan = none;
  first.prefetched = createZeros(b, io.getPrefetchTypes());
  first.hasTicket = boolConstant(b, true);

  SmallVector<Value> inits = pack(first);
  scf::WhileOp::create(
      b, ValueRange(inits).getTypes(), inits,
      [&](OpBuilder &builder, Location loc, ValueRange carried) {
        ImplicitLocOpBuilder inner(loc, builder);
        Stage stage = unpack(first, carried);
        Value goesOn = arith::OrIOp::create(inner, stage.toStore.inBounds,
                                            stage.toLookBack.inBounds);
        goesOn = arith::OrIOp::create(inner, goesOn, stage.hasTicket);
        scf::ConditionOp::create(inner, goesOn, carried);
      },
      [&](OpBuilder &builder, Location loc, ValueRange carried) {
        ImplicitLocOpBuilder inner(loc, builder);
        scf::YieldOp::create(inner,
                             pack(emitStage(inner, unpack(first, carried))));
      });
}

void PipelinedRowKernel::emit(ImplicitLocOpBuilder &b) {
  tiles.emitUnlessEmpty(b,
                        [&](ImplicitLocOpBuilder &some) { emitTiles(some); });
  // Which blocks get tiles is not known.
  masks.checkAll(b);
  gpu::ReturnOp::create(b);
}

void mlir::scan::emitPipelinedRowKernel(ImplicitLocOpBuilder &b,
                                        KernelFrame &frame) {
  ThreadIds ids = frame.createThreadIds(b);
  PipelinedRowKernel(b, frame, ids, ScanLanes(b, ids)).emit(b);
}
