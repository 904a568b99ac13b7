//===- PipelinedRowKernel.cpp - Blocks take the tiles of rows by turns ----===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block that waits for the state before its tile moves no memory. Here a few
// blocks, as many as run at a time, take many tiles each, and each block has
// four of them under way:
//
//   draw two tickets; fetch the tile of the first, which arrives
//   while there is an arriving tile or a waiting one:
//     put the arrived tile into shared memory; scan each warp's part alone
//     -- barrier: the totals of the warps, the second ticket, and the state
//        before the oldest tile are known
//     fetch the ticket's tile; draw another ticket
//     scan the totals; publish that of the tile
//     look back for the state before the tile that arrived one round ago
//     put the state before every item of the tile that arrived two rounds ago;
//     store it
//
// All blocks publish their arrived tiles at about the same time, and look back
// from them a round later: nobody waits for a total, and the way back to the
// nearest known state is at most the two tiles of every block. What one warp
// finds is used a round later still, so that the others do not wait for it but
// store meanwhile. The inputs of a waiting tile stay in shared memory, and its
// leaves are computed again.
//
// Progress: of all tiles that are not done take the first one. All before it
// have published their states, so once it waits it gets on; and it is on its
// way in a block only while that block's waiting tiles, which are before it,
// are not done. Every block draws two tickets more than it gets tiles.
//
// Measured as hand-written CUDA on an H200 that copies 4,250 GB/s, sums of 2^28
// f32: one tile per block 2,820 GB/s; persistent blocks that look back at once
// 1,465; one round later 3,120; and are done with it two rounds later 3,620.
// Without look-back they reach 4,100: the rest is the time that a read of
// others' states takes when the memory is busy, over a microsecond.
//
//===----------------------------------------------------------------------===//

#include "BlockScan.h"
#include "Emit.h"
#include "GridCarry.h"
#include "RowStarts.h"
#include "RowSums.h"
#include "RowTile.h"
#include "Strategies.h"
#include "WarpScan.h"

using namespace mlir;
using namespace mlir::scan;

namespace {
/// A tile of the launch that may not be there; then the numbers mean nothing.
struct Slot {
  /// i1, the same in all threads of the block.
  Value exists;
  /// Indices: the tile's number along its row, and the row's.
  Value tile, row;

  static constexpr unsigned kNumValues = 3;
  void append(SmallVectorImpl<Value> &values) const {
    values.append({exists, tile, row});
  }
  static Slot take(ValueRange &values) {
    Slot slot{values[0], values[1], values[2]};
    values = values.drop_front(kNumValues);
    return slot;
  }
};

/// What is known of a tile that was scanned alone, besides its elements in
/// shared memory.
struct Scanned {
  /// Elements that are not there.
  SmallVector<Value> direct;
  /// What lies in the tile before the thread's items.
  Prefix prefix;
  State total;

  void append(SmallVectorImpl<Value> &values) const {
    llvm::append_range(values, direct);
    llvm::append_range(values, prefix.state);
    values.push_back(prefix.present);
    llvm::append_range(values, total);
  }
};

/// Which parts of shared memory a round of the loop uses, as indices.
struct Round {
  /// That of the arrived tile's inputs, and of its starts if there are lists.
  Value place, turn;
  /// That of what threads tell each other, for this round and the next.
  Value half;
};

class PipelinedRowKernel {
public:
  PipelinedRowKernel(ImplicitLocOpBuilder &b, KernelFrame &frame)
      : frame(frame), kernel(frame.getKernel()),
        items(frame.getSchedule().getItems()),
        tileSteps(getTileSteps(frame.getSchedule())),
        ids(frame.createThreadIds(b)), workspace(b, frame),
        carry(frame, ids, workspace, kHalves), blockScan(b, frame, ids),
        io(b, frame, ids, items,
           kMaxDynamicSharedBytes -
               BlockScan::getSharedBytes(kernel, ids.threads) -
               getGridSharedBytes(kernel, kHalves) -
               RowStarts::getSharedBytes(kernel, frame.getSchedule()),
           kPlaces),
        starts(frame, ids, items, RowStarts::getPlaces(frame.getSchedule())),
        row(frame, ids, io), sums(b, frame, ids, items, io) {}

  void emit(ImplicitLocOpBuilder &b);

private:
  /// Two tiles wait, and a third one arrives.
  static constexpr int64_t kPlaces = kPipelinedTiles;
  /// What a tile leaves in shared memory besides is read while the next one's
  /// is written.
  static constexpr int64_t kHalves = 2;

  void emitTiles(ImplicitLocOpBuilder &b);
  void emitEmptyRows(ImplicitLocOpBuilder &b);
  SmallVector<Value> emitRound(ImplicitLocOpBuilder &b, ValueRange carried);
  Slot createSlot(ImplicitLocOpBuilder &b, Value ticket);
  GridTile startTile(ImplicitLocOpBuilder &b, const Slot &slot);
  Value isFull(ImplicitLocOpBuilder &b, Value base);
  SmallVector<Value>
  ifFull(ImplicitLocOpBuilder &b, Value base,
         function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, bool)> body);
  SmallVector<Value> fetch(ImplicitLocOpBuilder &b, const Slot &slot,
                           Value turn);
  SmallVector<Elements> collect(ImplicitLocOpBuilder &b, ValueRange direct,
                                Value base);
  SmallVector<Value> emitArrived(ImplicitLocOpBuilder &b, const Slot &slot,
                                 ValueRange fetched, const Round &round);
  SmallVector<Value> emitTotal(ImplicitLocOpBuilder &b, const Slot &slot,
                               ValueRange inclusive, const Round &round);
  void emitWaiting(ImplicitLocOpBuilder &b, const Slot &slot,
                   const Scanned &scanned, const Round &round);
  Round takeRound(ValueRange &values);
  SmallVector<Type> getScannedTypes(ImplicitLocOpBuilder &b);
  Scanned takeScanned(ValueRange &values);
  /// The one of `places` that comes `distance` behind `place`.
  static Value turnBy(ImplicitLocOpBuilder &b, Value place, int64_t distance,
                      int64_t places) {
    return arith::RemUIOp::create(b, addConstant(b, place, distance),
                                  indexConstant(b, places));
  }
  /// Where the starts of the tile lie that comes `distance` rounds behind the
  /// arrived one.
  Value turnStarts(ImplicitLocOpBuilder &b, const Round &round,
                   int64_t distance) {
    return starts.any() ? turnBy(b, round.turn, distance,
                                 RowStarts::getPlaces(frame.getSchedule()))
                        : Value();
  }
  Value getOtherHalf(ImplicitLocOpBuilder &b, const Round &round) {
    return b.createOrFold<arith::SubIOp>(indexConstant(b, 1), round.half);
  }
  SmallVector<Value> zeros(ImplicitLocOpBuilder &b, TypeRange types) {
    return llvm::map_to_vector(
        types, [&](Type type) -> Value { return createZero(b, type); });
  }

  KernelFrame &frame;
  KernelOp kernel;
  int64_t items, tileSteps;
  ThreadIds ids;
  GridWorkspace workspace;
  GridCarry carry;
  BlockScan blockScan;
  TileIO io;
  RowStarts starts;
  RowTile row;
  RowSums sums;
  GridWorkspace::Ticket ticket;
  /// Indices: how many rows there are, tiles of each, and tiles in all.
  Value rows, tiles, allTiles;
};
} // namespace

Slot PipelinedRowKernel::createSlot(ImplicitLocOpBuilder &b, Value number) {
  Slot slot;
  slot.exists = compare(b, arith::CmpIPredicate::ult, number, allTiles);
  slot.tile = b.createOrFold<arith::DivUIOp>(number, rows);
  slot.row = b.createOrFold<arith::RemUIOp>(number, rows);
  return slot;
}

/// Turns to the tile.
GridTile PipelinedRowKernel::startTile(ImplicitLocOpBuilder &b,
                                       const Slot &slot) {
  GridTile tile;
  tile.number = slot.tile;
  tile.last = addConstant(b, tiles, -1);
  tile.firstDescriptor = b.createOrFold<arith::MulIOp>(slot.row, tiles);
  tile.point = frame.createPoint(b, slot.row);
  row.startRow(b, tile.point);
  return tile;
}

/// i1: whether all positions of the tile at `base` lie before the end. Null: in
/// every tile they do.
Value PipelinedRowKernel::isFull(ImplicitLocOpBuilder &b, Value base) {
  int64_t known = frame.getStaticExtent();
  if (!ShapedType::isDynamic(known) && known % tileSteps == 0)
    return {};
  return compare(b, arith::CmpIPredicate::ule, addConstant(b, base, tileSteps),
                 frame.getExtent());
}

/// `body` for a full tile and for a partial one, which its argument says.
SmallVector<Value> PipelinedRowKernel::ifFull(
    ImplicitLocOpBuilder &b, Value base,
    function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, bool)> body) {
  Value full = isFull(b, base);
  if (!full)
    return body(b, /*isPartial=*/false);
  return createIfElse(
      b, full, [&](ImplicitLocOpBuilder &inner) { return body(inner, false); },
      [&](ImplicitLocOpBuilder &inner) { return body(inner, true); });
}

/// What the thread loads of a tile; zeros if there is none. Meanwhile its
/// starts are looked up, for place `turn`.
SmallVector<Value> PipelinedRowKernel::fetch(ImplicitLocOpBuilder &b,
                                             const Slot &slot, Value turn) {
  SmallVector<Type> types;
  return createIfElse(
      b, slot.exists,
      [&](ImplicitLocOpBuilder &inner) {
        startTile(inner, slot);
        Value base = mulConstant(inner, slot.tile, tileSteps);
        SmallVector<Value> fetched = ifFull(
            inner, base, [&](ImplicitLocOpBuilder &tile, bool isPartial) {
              return io.fetch(tile, base, isPartial);
            });
        starts.mark(inner, base, turn);
        llvm::append_range(types, ValueRange(fetched).getTypes());
        return fetched;
      },
      [&](ImplicitLocOpBuilder &inner) { return zeros(inner, types); });
}

/// The elements of the tile whose inputs lie in the place in use.
SmallVector<Elements> PipelinedRowKernel::collect(ImplicitLocOpBuilder &b,
                                                  ValueRange direct,
                                                  Value base) {
  size_t width = 0;
  SmallVector<Value> all =
      ifFull(b, base, [&](ImplicitLocOpBuilder &tile, bool isPartial) {
        SmallVector<Value> values;
        for (const Elements &item : io.collect(tile, direct, base, isPartial)) {
          width = item.size();
          llvm::append_range(values, item);
        }
        return values;
      });
  SmallVector<Elements> elements;
  for (int64_t item = 0; item < items; ++item)
    elements.emplace_back(ValueRange(all).slice(item * width, width));
  return elements;
}

/// Puts the tile into shared memory and scans each warp's part alone; returns
/// what is not there, and the state after the thread's items.
SmallVector<Value> PipelinedRowKernel::emitArrived(ImplicitLocOpBuilder &b,
                                                   const Slot &slot,
                                                   ValueRange fetched,
                                                   const Round &round) {
  SmallVector<Type> types;
  return createIfElse(
      b, slot.exists,
      [&](ImplicitLocOpBuilder &inner) {
        GridTile tile = startTile(inner, slot);
        Value base = mulConstant(inner, slot.tile, tileSteps);
        io.usePlace(inner, round.place);
        SmallVector<Value> values = io.put(inner, fetched);
        starts.clear(inner, turnStarts(inner, round, 1));
        if (starts.any())
          gpu::BarrierOp::create(inner);
        else if (io.loadsThroughShared())
          io.sync(inner);
        SmallVector<Elements> elements = collect(inner, values, base);
        starts.addTo(inner, round.turn, elements);
        bool isPartial = isFull(inner, base) != nullptr;
        SmallVector<State> leaves =
            row.computeLeaves(inner, elements, base, isPartial);
        llvm::append_range(
            values, blockScan.begin(inner, reduceItems(inner, kernel, leaves),
                                    round.half));
        llvm::append_range(types, ValueRange(values).getTypes());
        return values;
      },
      [&](ImplicitLocOpBuilder &inner) { return zeros(inner, types); });
}

/// Behind the barrier: starts to load the tile after the arrived one, and
/// publishes the total of that. Returns the number of the ticket, what
/// `Scanned` holds besides the direct elements, and what was fetched.
SmallVector<Value> PipelinedRowKernel::emitTotal(ImplicitLocOpBuilder &b,
                                                 const Slot &slot,
                                                 ValueRange inclusive,
                                                 const Round &round) {
  SmallVector<Type> types;
  return createIfElse(
      b, slot.exists,
      [&](ImplicitLocOpBuilder &inner) {
        Value ahead = workspace.readTicket(inner, round.half);
        SmallVector<Value> fetched =
            fetch(inner, createSlot(inner, ahead), turnStarts(inner, round, 1));
        // In the last warp, as the first one is about to look back.
        workspace.drawNextTicket(inner, ids, ids.threads - 1, ticket,
                                 getOtherHalf(inner, round));
        Prefix nothing;
        nothing.state = zeroState(inner, kernel);
        nothing.present =
            arith::ConstantOp::create(inner, inner.getBoolAttr(false));
        BlockScan::Result result =
            blockScan.finish(inner, inclusive, nothing, round.half);
        createIf(inner, compare(inner, arith::CmpIPredicate::eq, ids.warp, 0),
                 [&](ImplicitLocOpBuilder &warp) {
                   carry.publish(warp, startTile(warp, slot), ticket.flags,
                                 result.total);
                 });
        SmallVector<Value> values{ahead};
        Scanned{{}, result.prefix, result.total}.append(values);
        llvm::append_range(values, fetched);
        llvm::append_range(types, ValueRange(values).getTypes());
        return values;
      },
      [&](ImplicitLocOpBuilder &inner) {
        SmallVector<Value> values = zeros(inner, types);
        values.front() = allTiles;
        return values;
      });
}

Round PipelinedRowKernel::takeRound(ValueRange &values) {
  Round round{values[0], /*turn=*/{}, values[1]};
  values = values.drop_front(2);
  if (starts.any()) {
    round.turn = values.front();
    values = values.drop_front();
  }
  return round;
}

/// The types of what `Scanned` holds.
SmallVector<Type> PipelinedRowKernel::getScannedTypes(ImplicitLocOpBuilder &b) {
  SmallVector<Type> types = io.getDirectTypes();
  llvm::append_range(types, kernel.getLeafTypes());
  types.push_back(b.getI1Type());
  llvm::append_range(types, kernel.getLeafTypes());
  return types;
}

Scanned PipelinedRowKernel::takeScanned(ValueRange &values) {
  auto take = [&](size_t count) {
    ValueRange taken = values.take_front(count);
    values = values.drop_front(count);
    return taken;
  };
  Scanned scanned;
  scanned.direct = llvm::to_vector(take(io.getDirectTypes().size()));
  scanned.prefix.state = State(take(kernel.getNumLeaves()));
  scanned.prefix.present = take(1).front();
  scanned.total = State(take(kernel.getNumLeaves()));
  return scanned;
}

/// Puts the state before the tile, which was found in the round before this
/// one, before every item, and stores the tile.
void PipelinedRowKernel::emitWaiting(ImplicitLocOpBuilder &b, const Slot &slot,
                                     const Scanned &scanned,
                                     const Round &round) {
  GridTile tile = startTile(b, slot);
  Value base = mulConstant(b, slot.tile, tileSteps);
  Value full = isFull(b, base);
  bool isPartial = full != nullptr;
  // Two places before that of the arrived tile.
  io.usePlace(b, turnBy(b, round.place, kPlaces - 2, kPlaces));
  SmallVector<Elements> elements = collect(b, scanned.direct, base);
  starts.addTo(
      b, turnStarts(b, round, RowStarts::getPlaces(frame.getSchedule()) - 2),
      elements);
  Prefix prefix =
      carry.createPrefix(b, tile, scanned.prefix, getOtherHalf(b, round));
  ScannedItems states = scanItems(
      b, kernel, prefix, row.computeLeaves(b, elements, base, isPartial));
  SmallVector<Elements> results =
      row.computeResults(b, states, elements, base, isPartial);
  sums.start(b, row.getPoint(), /*isRow=*/Value());
  for (auto [item, values] : llvm::enumerate(results))
    sums.add(b, base, item, isPartial, values);
  sums.finish(b);
  auto store = [&](bool partial) {
    return [&, partial](ImplicitLocOpBuilder &inner) {
      io.store(inner, base, partial, results);
    };
  };
  if (full)
    createIf(b, full, store(false), store(true));
  else
    store(false)(b);
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

/// One round of the loop over the values that it carries: the parts of shared
/// memory; the tiles that arrived two rounds ago, one round ago, and now; what
/// is known of the first two; and what was fetched of the last.
SmallVector<Value> PipelinedRowKernel::emitRound(ImplicitLocOpBuilder &b,
                                                 ValueRange carried) {
  Round round = takeRound(carried);
  Slot oldest = Slot::take(carried), waiting = Slot::take(carried),
       arrived = Slot::take(carried);
  Scanned ofOldest = takeScanned(carried), ofWaiting = takeScanned(carried);

  SmallVector<Value> scanned = emitArrived(b, arrived, carried, round);
  // Between writing and reading the totals of the warps, the ticket, and the
  // state that the round before this one found.
  gpu::BarrierOp::create(b);
  size_t numDirect = io.getDirectTypes().size();
  SmallVector<Value> fresh =
      emitTotal(b, arrived, ValueRange(scanned).drop_front(numDirect), round);
  Value looksBack = arith::AndIOp::create(
      b, waiting.exists, compare(b, arith::CmpIPredicate::eq, ids.warp, 0));
  createIf(b, looksBack, [&](ImplicitLocOpBuilder &inner) {
    carry.lookBack(inner, startTile(inner, waiting), ticket.flags,
                   ofWaiting.total, round.half);
  });
  createIf(b, oldest.exists, [&](ImplicitLocOpBuilder &inner) {
    emitWaiting(inner, oldest, ofOldest, round);
  });

  SmallVector<Value> values{turnBy(b, round.place, 1, kPlaces),
                            getOtherHalf(b, round)};
  if (starts.any())
    values.push_back(turnStarts(b, round, 1));
  waiting.append(values);
  arrived.append(values);
  createSlot(b, fresh.front()).append(values);
  ofWaiting.append(values);
  llvm::append_range(values, ValueRange(scanned).take_front(numDirect));
  llvm::append_range(values, ValueRange(fresh).drop_front());
  return values;
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
  Slot arrived = createSlot(b, ticket.number);
  SmallVector<Value> fetched = fetch(b, arrived, zero);
  // Every block draws its second ticket after the first ones of most others:
  // the order of the tickets is about that in which tiles get published.
  workspace.drawNextTicket(b, ids, ids.threads - 1, ticket, zero);
  Slot nothing{arith::ConstantOp::create(b, b.getBoolAttr(false)), zero, zero};

  SmallVector<Value> inits{zero, zero};
  if (starts.any())
    inits.push_back(zero);
  nothing.append(inits);
  nothing.append(inits);
  arrived.append(inits);
  SmallVector<Value> unknown = zeros(b, getScannedTypes(b));
  llvm::append_range(inits, unknown);
  llvm::append_range(inits, unknown);
  llvm::append_range(inits, fetched);

  scf::WhileOp::create(
      b, ValueRange(inits).getTypes(), inits,
      [&](OpBuilder &builder, Location loc, ValueRange carried) {
        ImplicitLocOpBuilder inner(loc, builder);
        ValueRange rest = carried;
        takeRound(rest);
        Value goesOn = Slot::take(rest).exists;
        for (int64_t slot = 1; slot < kPlaces; ++slot)
          goesOn = arith::OrIOp::create(inner, goesOn, Slot::take(rest).exists);
        scf::ConditionOp::create(inner, goesOn, carried);
      },
      [&](OpBuilder &builder, Location loc, ValueRange carried) {
        ImplicitLocOpBuilder inner(loc, builder);
        scf::YieldOp::create(inner, emitRound(inner, carried));
      });
}

/// Rows without elements have finals.
void PipelinedRowKernel::emitEmptyRows(ImplicitLocOpBuilder &b) {
  createFor(b, createBlockNumber(b), rows,
            indexConstant(b, frame.getSchedule().getBlocks()), {},
            [&](ImplicitLocOpBuilder &inner, Value number, ValueRange) {
              row.startRow(inner, frame.createPoint(inner, number));
              row.storeFinalsOf(
                  inner, createInitialState(inner, frame, row.getPoint()));
              return SmallVector<Value>();
            });
}

void PipelinedRowKernel::emit(ImplicitLocOpBuilder &b) {
  // Where there are no rows, no ticket is valid; its numbers are computed.
  rows = b.createOrFold<arith::MaxUIOp>(frame.createPointCount(b),
                                        indexConstant(b, 1));
  tiles = frame.createTileCount(b);
  allTiles = b.createOrFold<arith::MulIOp>(frame.createPointCount(b), tiles);
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
