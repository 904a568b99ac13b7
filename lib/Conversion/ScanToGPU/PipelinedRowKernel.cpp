//===- PipelinedRowKernel.cpp - Blocks take the tiles of rows by turns ----===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block that waits for the state before its tile moves no memory. Here a few
// blocks, as many as run at a time, take many tiles each, and each block has
// three of them under way:
//
//   draw two tickets: the tiles "arrived" and "next"; fetch "arrived"
//   while there is an arrived tile or a waiting one:
//     put "arrived" into shared memory; fetch "next" from memory
//     scan "arrived" alone; draw another ticket; publish the total
//     look back for the state before "waiting", which by now others know
//     put that before every item of "waiting"; store it
//     waiting = arrived; arrived = next; next = the tile of the ticket
//
// All blocks publish their arrived tiles at about the same time, and look back
// from them a round later: nobody waits for a total, and the way back to the
// nearest known state is at most the two tiles of every block. The inputs of a
// waiting tile stay in shared memory, and its leaves are computed again.
//
// Progress: of all tiles that are not done take the first one. All before it
// have published their states, so once it waits it gets on; and it is "next" or
// "arrived" in a block only while that block's waiting tile, which is before
// it, is not done. Every block draws two tickets more than it gets tiles.
//
// A look-back of one round later was measured against one at once in the same
// persistent block (1,465 GB/s) and against one tile per block (2,820), as
// hand-written CUDA: 3,550 GB/s, sums of 2^28 f32 on an H200 that copies 4,250.
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

class PipelinedRowKernel {
public:
  PipelinedRowKernel(ImplicitLocOpBuilder &b, KernelFrame &frame)
      : frame(frame), kernel(frame.getKernel()),
        items(frame.getSchedule().getItems()),
        tileSteps(getTileSteps(frame.getSchedule())),
        ids(frame.createThreadIds(b)), workspace(b, frame),
        carry(frame, ids, workspace, kPlaces, /*readsAhead=*/true),
        blockScan(b, frame, ids),
        io(b, frame, ids, items,
           kMaxDynamicSharedBytes -
               BlockScan::getSharedBytes(kernel, ids.threads) -
               getGridSharedBytes(kernel, kPlaces) -
               RowStarts::getSharedBytes(kernel, frame.getSchedule()),
           kPlaces),
        starts(frame, ids, items, RowStarts::getPlaces(frame.getSchedule())),
        row(frame, ids, io), sums(b, frame, ids, items, io) {}

  void emit(ImplicitLocOpBuilder &b);

private:
  /// What one tile leaves in shared memory is read while the next one's is
  /// written.
  static constexpr int64_t kPlaces = 2;

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
                                 const Slot &next, ValueRange fetched,
                                 Value place, Value turn);
  void emitWaiting(ImplicitLocOpBuilder &b, const Slot &slot,
                   const Scanned &scanned, Value place, Value turn);
  Scanned unpack(ValueRange values);
  Value getOtherPlace(ImplicitLocOpBuilder &b, Value place) {
    return b.createOrFold<arith::SubIOp>(indexConstant(b, kPlaces - 1), place);
  }
  /// Where the starts of the tile lie that comes `distance` rounds behind the
  /// one whose starts lie in place `turn`.
  Value addTurns(ImplicitLocOpBuilder &b, Value turn, int64_t distance) {
    if (!starts.any())
      return turn;
    return arith::RemUIOp::create(
        b, addConstant(b, turn, distance),
        indexConstant(b, RowStarts::getPlaces(frame.getSchedule())));
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
  /// The types of `Scanned::direct`.
  SmallVector<Type> directTypes;
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

/// Scans the tile alone and starts to load the one after it; returns what
/// `Scanned` holds, and what was fetched.
SmallVector<Value> PipelinedRowKernel::emitArrived(ImplicitLocOpBuilder &b,
                                                   const Slot &slot,
                                                   const Slot &next,
                                                   ValueRange fetched,
                                                   Value place, Value turn) {
  SmallVector<Type> types;
  return createIfElse(
      b, slot.exists,
      [&](ImplicitLocOpBuilder &inner) {
        startTile(inner, slot);
        Value base = mulConstant(inner, slot.tile, tileSteps);
        io.usePlace(inner, place);
        Scanned scanned;
        scanned.direct = io.put(inner, fetched);
        Value nextTurn = addTurns(inner, turn, 1);
        starts.clear(inner, nextTurn);
        if (io.loadsThroughShared() || starts.any())
          gpu::BarrierOp::create(inner);
        SmallVector<Elements> elements = collect(inner, scanned.direct, base);
        starts.addTo(inner, turn, elements);
        SmallVector<Value> ahead = fetch(inner, next, nextTurn);

        GridTile tile = startTile(inner, slot);
        bool isPartial = isFull(inner, base) != nullptr;
        SmallVector<State> leaves =
            row.computeLeaves(inner, elements, base, isPartial);
        Prefix nothing;
        nothing.state = zeroState(inner, kernel);
        nothing.present =
            arith::ConstantOp::create(inner, inner.getBoolAttr(false));
        BlockScan::Result result =
            blockScan.emit(inner, reduceItems(inner, kernel, leaves), nothing,
                           /*parity=*/indexConstant(inner, 0));
        scanned.prefix = result.prefix;
        scanned.total = result.total;
        // In the last warp, as the first one is about to look back.
        workspace.drawNextTicket(inner, ids, ids.threads - 1, ticket, place);
        createIf(inner, compare(inner, arith::CmpIPredicate::eq, ids.warp, 0),
                 [&](ImplicitLocOpBuilder &warp) {
                   carry.publish(warp, tile, ticket.flags, scanned.total);
                 });
        SmallVector<Value> values;
        scanned.append(values);
        llvm::append_range(values, ahead);
        llvm::append_range(types, ValueRange(values).getTypes());
        return values;
      },
      [&](ImplicitLocOpBuilder &inner) { return zeros(inner, types); });
}

Scanned PipelinedRowKernel::unpack(ValueRange values) {
  auto take = [&](size_t count) {
    ValueRange taken = values.take_front(count);
    values = values.drop_front(count);
    return taken;
  };
  Scanned scanned;
  scanned.direct = llvm::to_vector(take(directTypes.size()));
  scanned.prefix.state = State(take(kernel.getNumLeaves()));
  scanned.prefix.present = take(1).front();
  scanned.total = State(take(kernel.getNumLeaves()));
  return scanned;
}

/// Puts the state before the tile, which lies in place `place`, before every
/// item, and stores the tile.
void PipelinedRowKernel::emitWaiting(ImplicitLocOpBuilder &b, const Slot &slot,
                                     const Scanned &scanned, Value place,
                                     Value turn) {
  GridTile tile = startTile(b, slot);
  Value base = mulConstant(b, slot.tile, tileSteps);
  Value full = isFull(b, base);
  bool isPartial = full != nullptr;
  // The inputs lie where the round before this one put them.
  io.usePlace(b, getOtherPlace(b, place));
  SmallVector<Elements> elements = collect(b, scanned.direct, base);
  starts.addTo(b, turn, elements);
  Prefix prefix = carry.createPrefix(b, tile, scanned.prefix, place);
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
  // The next round overwrites these inputs.
  if ((io.loadsThroughShared() || starts.any()) && !io.storesThroughShared())
    gpu::BarrierOp::create(b);
  if (!frame.getFinals().empty())
    createIf(b, compare(b, arith::CmpIPredicate::eq, tile.number, tile.last),
             [&](ImplicitLocOpBuilder &inner) {
               row.storeLastFinals(inner, base, states.inclusive);
             });
}

/// One round of the loop over the values that it carries: the place in shared
/// memory, with lists of starts that of those of the arrived tile, the waiting,
/// arrived and next tiles, what is known of the waiting one, and what was
/// fetched of the arrived one.
SmallVector<Value> PipelinedRowKernel::emitRound(ImplicitLocOpBuilder &b,
                                                 ValueRange carried) {
  Value place = carried.front(), turn;
  carried = carried.drop_front();
  if (starts.any()) {
    turn = carried.front();
    carried = carried.drop_front();
  }
  Slot waiting = Slot::take(carried), arrived = Slot::take(carried),
       next = Slot::take(carried);
  size_t numKnown = directTypes.size() + 2 * kernel.getNumLeaves() + 1;
  Scanned known = unpack(carried.take_front(numKnown));

  SmallVector<Value> fresh =
      emitArrived(b, arrived, next, carried.drop_front(numKnown), place, turn);
  Value looksBack = arith::AndIOp::create(
      b, waiting.exists, compare(b, arith::CmpIPredicate::eq, ids.warp, 0));
  createIf(b, looksBack, [&](ImplicitLocOpBuilder &inner) {
    carry.lookBack(inner, startTile(inner, waiting), ticket.flags, known.total,
                   place);
  });
  // Between writing and reading the state and the ticket; and from here on
  // everything that was read from shared memory before may be overwritten.
  gpu::BarrierOp::create(b);
  SmallVector<Value> number = createIfElse(
      b, arrived.exists,
      [&](ImplicitLocOpBuilder &inner) {
        return SmallVector<Value>{workspace.readTicket(inner, place)};
      },
      [&](ImplicitLocOpBuilder &) { return SmallVector<Value>{allTiles}; });
  createIf(b, waiting.exists, [&](ImplicitLocOpBuilder &inner) {
    // Of three places, the one before is the one behind the next.
    emitWaiting(inner, waiting, known, place, addTurns(inner, turn, 2));
  });

  SmallVector<Value> values{getOtherPlace(b, place)};
  if (starts.any())
    values.push_back(addTurns(b, turn, 1));
  arrived.append(values);
  next.append(values);
  createSlot(b, number.front()).append(values);
  llvm::append_range(values, fresh);
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
  gpu::BarrierOp::create(b);
  Slot next = createSlot(b, workspace.readTicket(b, zero));
  Slot nothing{arith::ConstantOp::create(b, b.getBoolAttr(false)), zero, zero};

  directTypes = io.getDirectTypes();
  SmallVector<Type> knownTypes(directTypes);
  llvm::append_range(knownTypes, kernel.getLeafTypes());
  knownTypes.push_back(b.getI1Type());
  llvm::append_range(knownTypes, kernel.getLeafTypes());
  // The other place: the second ticket is still being read from this one.
  SmallVector<Value> inits{indexConstant(b, 1)};
  if (starts.any())
    inits.push_back(zero);
  nothing.append(inits);
  arrived.append(inits);
  next.append(inits);
  llvm::append_range(inits, zeros(b, knownTypes));
  llvm::append_range(inits, fetched);

  scf::WhileOp::create(
      b, ValueRange(inits).getTypes(), inits,
      [&](OpBuilder &builder, Location loc, ValueRange carried) {
        ImplicitLocOpBuilder inner(loc, builder);
        ValueRange rest = carried.drop_front(starts.any() ? 2 : 1);
        Value isWaiting = Slot::take(rest).exists;
        Value hasArrived = Slot::take(rest).exists;
        scf::ConditionOp::create(
            inner, arith::OrIOp::create(inner, isWaiting, hasArrived), carried);
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
