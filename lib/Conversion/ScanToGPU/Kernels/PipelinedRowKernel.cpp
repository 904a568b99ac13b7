//===- PipelinedRowKernel.cpp - Blocks take the tiles of rows by turns ----===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block that waits for the state before its tile moves no memory. Here a few
// blocks, as many as run at a time, draw tickets for many tiles each, and every
// tile passes through three rounds of its block. In round r the block has four
// of them under way, of its tickets in the order drawn:
//
//   what happens                                             tile    by
//   put into shared memory; scan each warp's part alone      r       all warps
//   ---- barrier ----
//   fetch from global memory into registers                  r + 1   all warps
//   draw a ticket                                            r + 2   last warp
//   scan the totals of the warps                             r       all warps
//   publish the aggregate                                    r       first warp
//   look back for the state before it; publish the prefix    r - 1   first warp
//   put the state before it before every item; store         r - 2   all warps
//
// What is written in front of the barrier of a round is read behind it: the
// totals of the warps, and from the round before the ticket and the state that
// the look-back has found.
//
// All blocks publish the aggregates of a round at about the same time, and look
// back from them a round later: nobody waits for one, and the way back to the
// nearest prefix is at most the two tiles of every block. What one warp finds
// is used a round later still, so that the others do not wait for it but store
// meanwhile. The inputs of a tile stay in shared memory until it is stored, and
// its leaves are computed again.
//
// Progress: of all tiles that are not done take the first one. All before it
// have published their states, so once it waits it gets on; and it is on its
// way in a block only while that block's earlier tiles, which are before it,
// are not done. Every block draws two tickets more than it gets tiles.
//
// Measured as hand-written CUDA on an H200 that copies 4,250 GB/s, sums of 2^28
// f32: one tile per block 2,820 GB/s; persistent blocks that look back at once
// 1,465; one round later 3,120; and are done with it two rounds later 3,620.
// Without look-back they reach 4,100: the rest is the time that a read of
// others' states takes when the memory is busy, over a microsecond.
//
//===----------------------------------------------------------------------===//

#include "../../GPUCommon/Emit.h"
#include "../LookBack/GridCarry.h"
#include "../Primitives/BlockScan.h"
#include "../Primitives/InitAndFinals.h"
#include "../Tile/RowTile.h"
#include "../Tile/SegmentMasks.h"
#include "Strategies.h"

using namespace mlir;
using namespace mlir::scan;

namespace {
/// The tile of a ticket. There is none behind the last tile of the launch; then
/// the numbers mean nothing.
struct TicketTile {
  /// i1, the same in all threads of the block.
  Value exists;
  /// Indices: the tile's number along its row, and the row's.
  Value tile, row;
};

/// What is known of a tile that was scanned alone, besides its elements in
/// shared memory.
struct ScannedTile : TicketTile {
  /// Elements that are not there.
  SmallVector<Value> direct;
  /// The state before the thread's items in the tile.
  Prefix prefix;
  /// The state after the tile, of the tile alone.
  State aggregate;
};

/// What a block carries from round to round: a round begins with this.
struct Round {
  /// Where the tile to scan lies in shared memory, as indices: its inputs, and
  /// its starts if there are lists.
  Value place, turn;
  /// Where threads tell each other something in this round, an index, 0 or 1.
  Value half;
  /// The tiles that were scanned two rounds ago and in the round before.
  ScannedTile toStore, toLookBack;
  /// The tile that is scanned now, and what the thread has loaded of it.
  TicketTile toScan;
  SmallVector<Value> fetched;
};

class PipelinedRowKernel {
public:
  PipelinedRowKernel(ImplicitLocOpBuilder &b, KernelFrame &frame)
      : frame(frame), kernel(frame.getKernel()), ids(frame.createThreadIds(b)),
        workspace(b, frame), carry(frame, ids, workspace, kHalves),
        blockScan(b, frame, ids), io(b, frame, ids),
        stages(frame.getPlan().stages),
        startsPlaces(frame.getPlan().maskStages), starts(frame, ids),
        row(b, frame, ids, frame.getSchedule().getItems(), io) {}

  void emit(ImplicitLocOpBuilder &b);

private:
  /// What threads tell each other in a round is read while that of the next one
  /// is written.
  static constexpr int64_t kHalves = 2;

  void emitTiles(ImplicitLocOpBuilder &b);
  void emitEmptyRows(ImplicitLocOpBuilder &b);

  Round emitRound(ImplicitLocOpBuilder &b, const Round &round);
  SmallVector<Value> emitScan(ImplicitLocOpBuilder &b, const Round &round);
  SmallVector<Value> emitPublish(ImplicitLocOpBuilder &b, const Round &round,
                                 ValueRange inclusive);
  void emitStore(ImplicitLocOpBuilder &b, const Round &round);

  TicketTile createTile(ImplicitLocOpBuilder &b, Value ticket);
  GridTile startTile(ImplicitLocOpBuilder &b, const TicketTile &tile);
  Value createBase(ImplicitLocOpBuilder &b, const TicketTile &tile) {
    return mulConstant(b, tile.tile, row.getSteps());
  }
  SmallVector<Value> fetch(ImplicitLocOpBuilder &b, const TicketTile &tile,
                           Value turn);
  SmallVector<Elements> collect(ImplicitLocOpBuilder &b, ValueRange direct,
                                Value base, Value isFull);

  void forEachValue(Round &round, function_ref<void(Value &)> visit);
  SmallVector<Value> pack(Round round);
  Round unpack(Round shape, ValueRange values);

  /// The one of `places` that comes `distance` behind `place`.
  static Value turnBy(ImplicitLocOpBuilder &b, Value place, int64_t distance,
                      int64_t places) {
    return arith::RemUIOp::create(b, addConstant(b, place, distance),
                                  indexConstant(b, places));
  }
  /// Where the starts of the tile lie that is scanned `distance` rounds behind
  /// this one.
  Value turnStarts(ImplicitLocOpBuilder &b, const Round &round,
                   int64_t distance) {
    return starts.any() ? turnBy(b, round.turn, distance, startsPlaces)
                        : Value();
  }
  /// That of the rounds before and behind this one.
  Value getOtherHalf(ImplicitLocOpBuilder &b, const Round &round) {
    return b.createOrFold<arith::SubIOp>(indexConstant(b, 1), round.half);
  }

  KernelFrame &frame;
  KernelOp kernel;
  ThreadIds ids;
  GridWorkspace workspace;
  GridCarry carry;
  BlockScan blockScan;
  RowIO io;
  int64_t stages, startsPlaces;
  SegmentMasks starts;
  RowTile row;
  GridWorkspace::Ticket ticket;
  /// Indices: how many rows there are, tiles of each, and tiles in all.
  Value rows, tiles, allTiles;
};
} // namespace

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

TicketTile PipelinedRowKernel::createTile(ImplicitLocOpBuilder &b,
                                          Value ticket) {
  TicketTile tile;
  tile.exists = compare(b, arith::CmpIPredicate::ult, ticket, allTiles);
  tile.tile = b.createOrFold<arith::DivUIOp>(ticket, rows);
  tile.row = b.createOrFold<arith::RemUIOp>(ticket, rows);
  return tile;
}

/// Turns to the tile.
GridTile PipelinedRowKernel::startTile(ImplicitLocOpBuilder &b,
                                       const TicketTile &tile) {
  GridTile started = GridTile::get(b, frame, tile.tile, tile.row, tiles);
  row.startRow(b, started.point);
  return started;
}

/// What the thread loads of a tile; zeros if there is none. Meanwhile its
/// starts are looked up, for place `turn`.
SmallVector<Value> PipelinedRowKernel::fetch(ImplicitLocOpBuilder &b,
                                             const TicketTile &tile,
                                             Value turn) {
  return createIfOrZeros(b, tile.exists, [&](ImplicitLocOpBuilder &inner) {
    startTile(inner, tile);
    Value base = createBase(inner, tile);
    SmallVector<Value> fetched =
        row.ifFull(inner, row.createIsFull(inner, base),
                   [&](ImplicitLocOpBuilder &body, bool isPartial) {
                     return io.prefetch(body, base, isPartial);
                   });
    starts.mark(inner, base, turn);
    return fetched;
  });
}

/// The elements of the tile whose inputs lie in the place in use.
SmallVector<Elements> PipelinedRowKernel::collect(ImplicitLocOpBuilder &b,
                                                  ValueRange direct, Value base,
                                                  Value isFull) {
  return row.elementsIfFull(
      b, isFull, [&](ImplicitLocOpBuilder &inner, bool isPartial) {
        return io.loadFromShared(inner, direct, base, isPartial);
      });
}

//===----------------------------------------------------------------------===//
// The parts of a round
//===----------------------------------------------------------------------===//

/// Puts the tile into shared memory and scans each warp's part alone; returns
/// the elements that are not there, and the state after the thread's items.
SmallVector<Value> PipelinedRowKernel::emitScan(ImplicitLocOpBuilder &b,
                                                const Round &round) {
  const TicketTile &tile = round.toScan;
  return createIfOrZeros(b, tile.exists, [&](ImplicitLocOpBuilder &inner) {
    startTile(inner, tile);
    Value base = createBase(inner, tile);
    io.useBufferSlot(inner, round.place);
    SmallVector<Value> values = io.storeToShared(inner, round.fetched);
    starts.clear(inner, turnStarts(inner, round, 1));
    if (starts.any())
      gpu::BarrierOp::create(inner);
    else if (io.loadsThroughShared())
      io.sync(inner);
    Value isFull = row.createIsFull(inner, base);
    SmallVector<Elements> elements = collect(inner, values, base, isFull);
    starts.addHeadFlags(inner, round.turn, elements);
    SmallVector<State> leaves =
        row.computeLeaves(inner, elements, base,
                          /*isPartial=*/isFull != nullptr);
    llvm::append_range(
        values,
        blockScan.begin(inner, reduceItems(inner, kernel, leaves), round.half));
    return values;
  });
}

/// Behind the barrier: starts to load the next tile, and publishes the
/// aggregate of the one that was scanned. Returns the ticket of the next tile;
/// the prefix and the aggregate of this one; and what was fetched.
SmallVector<Value> PipelinedRowKernel::emitPublish(ImplicitLocOpBuilder &b,
                                                   const Round &round,
                                                   ValueRange inclusive) {
  SmallVector<Type> types;
  return createIfElse(
      b, round.toScan.exists,
      [&](ImplicitLocOpBuilder &inner) {
        Value next = workspace.readTicket(inner, round.half);
        SmallVector<Value> fetched =
            fetch(inner, createTile(inner, next), turnStarts(inner, round, 1));
        // In the last warp, as the first one is about to look back.
        workspace.drawNextTicket(inner, ids, ids.threads - 1, ticket,
                                 getOtherHalf(inner, round));
        BlockScan::Result result = blockScan.finish(
            inner, inclusive, createAbsent(inner, kernel), round.half);
        createIf(inner, compare(inner, arith::CmpIPredicate::eq, ids.warp, 0),
                 [&](ImplicitLocOpBuilder &warp) {
                   carry.publish(warp, startTile(warp, round.toScan),
                                 ticket.flags, result.total);
                 });
        SmallVector<Value> values{next};
        llvm::append_range(values, result.prefix.state);
        values.push_back(result.prefix.present);
        llvm::append_range(values, result.total);
        llvm::append_range(values, fetched);
        llvm::append_range(types, ValueRange(values).getTypes());
        return values;
      },
      [&](ImplicitLocOpBuilder &inner) {
        SmallVector<Value> values = createZeros(inner, types);
        // Behind the last tile.
        values.front() = allTiles;
        return values;
      });
}

/// Puts the state before the tile, which was found in the round before this
/// one, before every item, and stores the tile.
void PipelinedRowKernel::emitStore(ImplicitLocOpBuilder &b,
                                   const Round &round) {
  GridTile tile = startTile(b, round.toStore);
  Value base = createBase(b, round.toStore);
  Value isFull = row.createIsFull(b, base);
  // It was scanned two rounds before this one.
  io.useBufferSlot(b, turnBy(b, round.place, stages - 2, stages));
  SmallVector<Elements> elements =
      collect(b, round.toStore.direct, base, isFull);
  starts.addHeadFlags(b, turnStarts(b, round, startsPlaces - 2), elements);
  Prefix prefix =
      carry.createPrefix(b, tile, round.toStore.prefix, getOtherHalf(b, round));
  ScannedItems states = scanItems(
      b, kernel, prefix,
      row.computeLeaves(b, elements, base, /*isPartial=*/isFull != nullptr));
  row.storeResults(b, states, elements, base, isFull);
  // The next round overwrites these inputs and starts.
  if (starts.any())
    gpu::BarrierOp::create(b);
  else if (io.loadsThroughShared() && !io.storesThroughShared())
    io.sync(b);
  if (!frame.getFinals().empty())
    createIf(b, compare(b, arith::CmpIPredicate::eq, tile.number, tile.last),
             [&](ImplicitLocOpBuilder &inner) {
               row.storeLastFinals(inner, base, states.inclusive);
             });
}

/// Returns what the next round begins with.
Round PipelinedRowKernel::emitRound(ImplicitLocOpBuilder &b,
                                    const Round &round) {
  SmallVector<Value> alone = emitScan(b, round);
  gpu::BarrierOp::create(b);
  size_t numDirect = io.getDirectTypes().size();
  SmallVector<Value> published =
      emitPublish(b, round, ValueRange(alone).drop_front(numDirect));
  Value looksBack =
      arith::AndIOp::create(b, round.toLookBack.exists,
                            compare(b, arith::CmpIPredicate::eq, ids.warp, 0));
  createIf(b, looksBack, [&](ImplicitLocOpBuilder &inner) {
    carry.lookBack(inner, startTile(inner, round.toLookBack), ticket.flags,
                   round.toLookBack.aggregate, round.half);
  });
  createIf(b, round.toStore.exists,
           [&](ImplicitLocOpBuilder &inner) { emitStore(inner, round); });

  ValueRange rest(published);
  auto take = [&](size_t count) {
    ValueRange taken = rest.take_front(count);
    rest = rest.drop_front(count);
    return taken;
  };
  Round next;
  next.place = turnBy(b, round.place, 1, stages);
  next.half = getOtherHalf(b, round);
  next.turn = turnStarts(b, round, 1);
  next.toStore = round.toLookBack;
  static_cast<TicketTile &>(next.toLookBack) = round.toScan;
  next.toScan = createTile(b, take(1).front());
  llvm::append_range(next.toLookBack.direct,
                     ValueRange(alone).take_front(numDirect));
  next.toLookBack.prefix.state = State(take(kernel.getNumLeaves()));
  next.toLookBack.prefix.present = take(1).front();
  next.toLookBack.aggregate = State(take(kernel.getNumLeaves()));
  llvm::append_range(next.fetched, rest);
  return next;
}

//===----------------------------------------------------------------------===//
// The loop over the rounds
//===----------------------------------------------------------------------===//

/// All values of a round, in the order in which the loop carries them.
void PipelinedRowKernel::forEachValue(Round &round,
                                      function_ref<void(Value &)> visit) {
  visit(round.place);
  visit(round.half);
  if (starts.any())
    visit(round.turn);
  for (TicketTile *tile : std::initializer_list<TicketTile *>{
           &round.toStore, &round.toLookBack, &round.toScan}) {
    visit(tile->exists);
    visit(tile->tile);
    visit(tile->row);
  }
  for (ScannedTile *tile : {&round.toStore, &round.toLookBack}) {
    llvm::for_each(tile->direct, visit);
    llvm::for_each(tile->prefix.state, visit);
    visit(tile->prefix.present);
    llvm::for_each(tile->aggregate, visit);
  }
  llvm::for_each(round.fetched, visit);
}

SmallVector<Value> PipelinedRowKernel::pack(Round round) {
  SmallVector<Value> values;
  forEachValue(round, [&](Value &value) { values.push_back(value); });
  return values;
}

/// The reverse, for a round with as many values as `shape`.
Round PipelinedRowKernel::unpack(Round shape, ValueRange values) {
  auto next = values.begin();
  forEachValue(shape, [&](Value &value) { value = *next++; });
  return shape;
}

void PipelinedRowKernel::emitTiles(ImplicitLocOpBuilder &b) {
  constexpr int64_t extraTickets = 2;
  Value perLaunch = arith::IndexCastOp::create(
      b, b.getI64Type(),
      addConstant(b, allTiles,
                  extraTickets * int64_t(frame.getSchedule().getBlocks())));
  Value zero = indexConstant(b, 0);
  // The barrier behind is that of the ticket.
  starts.clear(b, zero);
  ticket = workspace.drawTicket(b, ids, perLaunch);
  Round first;
  first.place = first.half = first.turn = zero;
  first.toScan = createTile(b, ticket.number);
  first.fetched = fetch(b, first.toScan, zero);
  // Every block draws its second ticket after the first ones of most others:
  // the order of the tickets is about that in which tiles get published.
  workspace.drawNextTicket(b, ids, ids.threads - 1, ticket, zero);
  ScannedTile none{{boolConstant(b, false), zero, zero},
                   createZeros(b, io.getDirectTypes()),
                   createAbsent(b, kernel),
                   zeroState(b, kernel)};
  first.toStore = first.toLookBack = none;

  SmallVector<Value> inits = pack(first);
  scf::WhileOp::create(
      b, ValueRange(inits).getTypes(), inits,
      [&](OpBuilder &builder, Location loc, ValueRange carried) {
        ImplicitLocOpBuilder inner(loc, builder);
        Round round = unpack(first, carried);
        Value goesOn = arith::OrIOp::create(inner, round.toStore.exists,
                                            round.toLookBack.exists);
        goesOn = arith::OrIOp::create(inner, goesOn, round.toScan.exists);
        scf::ConditionOp::create(inner, goesOn, carried);
      },
      [&](OpBuilder &builder, Location loc, ValueRange carried) {
        ImplicitLocOpBuilder inner(loc, builder);
        scf::YieldOp::create(inner,
                             pack(emitRound(inner, unpack(first, carried))));
      });
}

/// Rows without elements have finals.
void PipelinedRowKernel::emitEmptyRows(ImplicitLocOpBuilder &b) {
  createFor(b, createBlockNumber(b), frame.createScanCount(b),
            indexConstant(b, frame.getSchedule().getBlocks()), {},
            [&](ImplicitLocOpBuilder &inner, Value number, ValueRange) {
              row.startRow(inner, frame.createScanPoint(inner, number));
              row.storeFinalsOf(
                  inner, createInitialState(inner, frame, row.getPoint()));
              return SmallVector<Value>();
            });
}

void PipelinedRowKernel::emit(ImplicitLocOpBuilder &b) {
  // Where there are no rows, no ticket is valid; its numbers are computed.
  rows = b.createOrFold<arith::MaxUIOp>(frame.createScanCount(b),
                                        indexConstant(b, 1));
  tiles = frame.createTileCount(b);
  allTiles = b.createOrFold<arith::MulIOp>(frame.createScanCount(b), tiles);
  if (frame.getFinals().empty())
    emitTiles(b);
  else
    createIf(
        b, compare(b, arith::CmpIPredicate::ne, frame.getExtent(), 0),
        [&](ImplicitLocOpBuilder &some) { emitTiles(some); },
        [&](ImplicitLocOpBuilder &none) { emitEmptyRows(none); });
  gpu::ReturnOp::create(b);
}

void mlir::scan::emitPipelinedRowKernel(ImplicitLocOpBuilder &b,
                                        KernelFrame &frame) {
  PipelinedRowKernel(b, frame).emit(b);
}
