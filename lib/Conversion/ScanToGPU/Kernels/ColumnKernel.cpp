//===- ColumnKernel.cpp - Tiles of columns, after either carry ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block consumes tiles of neighbouring columns (ColumnAgent). The states
// before a tile are one of two carries, as in the kernel for rows; a tile has
// one for each column.
//
// A running carry:
//
//   the columns of this block:
//     carry = init                                 absent in front of the first
//     load the first tile                               tile without an init
//     for each tile:
//       prefetch the next tile; total of the thread's items; scan across the
//       groups of the block after the carry; scan of the thread's items after
//       its prefix; store; in the last tile, store finals
//     add up reductions over threads
//
// Where blocks share the steps of packed sequences, this is what each does with
// its chunk of them (SegmentChunk) or, where sequences are too long for that,
// with all steps of a part of the columns. Tiles of a chunk begin at its first
// step, or some steps before it that are out of bounds, so that the items of a
// thread are aligned in memory as those of a walk from the first step of all
// are.
//
// Loads do not depend on the state, so that those of the next tile are in
// flight while this one is combined. What was loaded stays packed in
// registers and is read twice. Single accesses to elements of which several are
// in a word are made when their tile is combined (ColumnIO::finishLoad).
//
// A look-back carry, for the scope grid:
//
//   draw a ticket: which tile of which columns
//   load the tile; tile-local scan
//   first tile:  carry = init; publish the prefixes
//   others:      publish the aggregates; look back for the carries; publish the
//                prefixes
//   combine the carry with every item's prefix; store the tile, and the finals
//   in the last; add up reductions over threads
//
// Tickets go by tile first and by columns last.
//
// Steps beyond the end come after all others in scan order, so garbage in them
// reaches no element that is stored: only memory accesses are masked, and no
// identity of the operator is needed. The same holds for columns out of bounds:
// no column reaches another. They have no descriptors, or ones that nobody else
// reads.
//
//===----------------------------------------------------------------------===//

#include "../LookBack/LookBackCarry.h"
#include "../Primitives/BlockScan.h"
#include "../Primitives/HeadFlags.h"
#include "ColumnBlock.h"
#include "SegmentChunk.h"
#include "Strategies.h"

using namespace mlir;
using namespace mlir::scan;

namespace {
/// The columns of a block, and what it does with a tile of them for either
/// carry.
struct ColumnAgent : ColumnBlock {
  ColumnAgent(ImplicitLocOpBuilder &b, KernelFrame &frame,
              const ColumnLayout &layout, bool keepsAllLeaves)
      : ColumnBlock(b, frame, layout), scan(frame, layout, keepsAllLeaves) {}

  /// The states before the thread's first items, of which and of those behind
  /// them the totals are given.
  using PrefixCallback = function_ref<SmallVector<BlockScan::Result>(
      ImplicitLocOpBuilder &, ArrayRef<State>)>;
  /// Scans and stores the tile that begins at position `base` and of which
  /// `loaded` was loaded; returns the states after it that the callback gave.
  SmallVector<State> consumeTile(ImplicitLocOpBuilder &b, Value base,
                                 ValueRange loaded, PrefixCallback scanTotals);

  BlockScan scan;
};

/// The blocks of a running carry.
class ColumnWalk {
public:
  ColumnWalk(ImplicitLocOpBuilder &b, KernelFrame &frame,
             const ColumnLayout &layout)
      : agent(b, frame, layout, /*keepsAllLeaves=*/false), io(agent.io),
        layout(layout), kernel(frame.getKernel()) {}

  void emit(ImplicitLocOpBuilder &b);
  ColumnAgent::Groups createGroups(ImplicitLocOpBuilder &b) {
    return agent.createGroups(b);
  }
  void emitGroup(ImplicitLocOpBuilder &b, const ColumnAgent::Groups &groups,
                 Value number, const SegmentChunk *chunk = nullptr,
                 Value isFirstChunk = Value());

private:
  /// Positions: where the first tile begins, and the end of the steps.
  struct Range {
    Value begin, end;
  };
  SmallVector<Value> packStates(ArrayRef<State> states);
  SmallVector<State> unpackStates(ImplicitLocOpBuilder &b, ValueRange carried);
  SmallVector<State> emitTile(ImplicitLocOpBuilder &b, Value base, Value tile,
                              ArrayRef<State> carry, ValueRange loaded);
  void emitTiles(ImplicitLocOpBuilder &b, Range steps, ArrayRef<State> init);
  void emitChunk(ImplicitLocOpBuilder &b, const SegmentChunk &chunk,
                 ArrayRef<State> init);

  ColumnAgent agent;
  ColumnIO &io;
  ColumnLayout layout;
  KernelOp kernel;
};

/// The block of one tile of a look-back carry.
class ColumnLookBack {
public:
  ColumnLookBack(ImplicitLocOpBuilder &b, KernelFrame &frame,
                 const ThreadIds &ids, const ColumnLayout &layout)
      : frame(frame), ids(ids), workspace(b, frame),
        carry(frame, layout, workspace),
        agent(b, frame, layout, /*keepsAllLeaves=*/true) {}

  void emit(ImplicitLocOpBuilder &b);

private:
  void emitTile(ImplicitLocOpBuilder &b, const GridTile &tile);

  KernelFrame &frame;
  ThreadIds ids;
  GridWorkspace workspace;
  LookBackCarry carry;
  ColumnAgent agent;
  GridWorkspace::Ticket ticket;
};
} // namespace

//===----------------------------------------------------------------------===//
// Both carries
//===----------------------------------------------------------------------===//

SmallVector<State> ColumnAgent::consumeTile(ImplicitLocOpBuilder &b, Value base,
                                            ValueRange loaded,
                                            PrefixCallback scanTotals) {
  ColumnTile::Items items = columns.unpack(b, base, loaded);
  HeadFlags heads(b, kernel, items.leaves);
  SmallVector<Prefix> prefixes;
  SmallVector<State> after;
  for (BlockScan::Result &column : scanTotals(b, heads.reduce(b))) {
    prefixes.push_back(column.prefix);
    after.push_back(column.total);
  }
  // What is reduced is kept, which cannot be in a branch.
  if (!heads.any() || columns.hasReductions()) {
    columns.store(b, base, items, prefixes);
    return after;
  }
  SmallVector<Value> scanned = heads.specialize(
      b, [&](ImplicitLocOpBuilder &inner, ArrayRef<SmallVector<State>> leaves) {
        return columns.scan(
            inner, base,
            {items.elements, SmallVector<SmallVector<State>>(leaves)},
            prefixes);
      });
  columns.storeScanned(b, base, scanned);
  return after;
}

//===----------------------------------------------------------------------===//
// Running carry
//===----------------------------------------------------------------------===//

/// The carried leaves of the states of all columns.
SmallVector<Value> ColumnWalk::packStates(ArrayRef<State> states) {
  SmallVector<Value> carried;
  for (const State &state : states)
    llvm::append_range(carried, packCarried(kernel, state));
  return carried;
}

SmallVector<State> ColumnWalk::unpackStates(ImplicitLocOpBuilder &b,
                                            ValueRange carried) {
  size_t numCarried = carried.size() / layout.vector;
  SmallVector<State> states;
  for (int64_t column = 0; column < layout.vector; ++column)
    states.push_back(unpackCarried(
        b, kernel, carried.slice(column * numCarried, numCarried)));
  return states;
}

/// Emits tile number `tile`, which begins at position `base` and of which
/// `loaded` was loaded; returns the states of the columns after it, which mean
/// nothing if the tile reaches beyond the end.
SmallVector<State> ColumnWalk::emitTile(ImplicitLocOpBuilder &b, Value base,
                                        Value tile, ArrayRef<State> carry,
                                        ValueRange loaded) {
  Value hasCarry;
  if (!hasStartState(kernel))
    hasCarry = compare(b, arith::CmpIPredicate::ne, tile, 0);
  SmallVector<Prefix> carries;
  for (const State &state : carry)
    carries.push_back({state, hasCarry});
  return agent.consumeTile(
      b, base, loaded,
      [&](ImplicitLocOpBuilder &inner, ArrayRef<State> totals) {
        Value phase =
            inner.createOrFold<arith::AndIOp>(tile, indexConstant(inner, 1));
        return agent.scan.emit(inner, totals, carries, phase);
      });
}

/// Emits all tiles of `steps`, of which there is at least one.
void ColumnWalk::emitTiles(ImplicitLocOpBuilder &b, Range steps,
                           ArrayRef<State> init) {
  agent.columns.startReductions(b);
  Value zero = indexConstant(b, 0);
  int64_t tileSize = layout.getTileSteps();
  SmallVector<Value> nearest = io.loadNearest(b, steps.begin);
  if (!agent.scan.hasBarrier() && io.readsOtherThreads())
    gpu::BarrierOp::create(b);
  int64_t known = agent.frame.getStaticExtent();
  bool isOneTile = !ShapedType::isDynamic(known) && known <= tileSize &&
                   !agent.frame.getSchedule().splitsSegments();
  if (isOneTile) {
    emitTile(b, zero, zero, init, io.loadFirst(b, zero, nearest));
    agent.columns.finishReductions(b);
    return;
  }
  // Single accesses with a body of their own must not cost the kernel
  // registers: they set how many blocks a multiprocessor has either way.
  bool prefetches = !io.getPoints().isNeverVectorized() || !io.mayVectorize();
  SmallVector<Value> inits = packStates(init);
  unsigned numCarried = inits.size();
  if (prefetches)
    llvm::append_range(inits, io.prefetchFirst(b, steps.begin, nearest));
  Value tiles = b.createOrFold<arith::CeilDivUIOp>(
      b.createOrFold<arith::SubIOp>(steps.end, steps.begin),
      indexConstant(b, tileSize));
  createFor(b, zero, tiles, indexConstant(b, 1), inits,
            [&](ImplicitLocOpBuilder &inner, Value tile, ValueRange carried) {
              Value base = inner.createOrFold<arith::AddIOp>(
                  mulConstant(inner, tile, tileSize), steps.begin);
              SmallVector<Value> current =
                  llvm::to_vector(carried.drop_front(numCarried));
              SmallVector<Value> next;
              if (prefetches) {
                current = io.finishLoad(inner, base, current);
                next = io.prefetch(inner, addConstant(inner, base, tileSize),
                                   current);
              } else {
                current = io.load(inner, base, nearest);
              }
              SmallVector<State> carry =
                  unpackStates(inner, carried.take_front(numCarried));
              SmallVector<Value> yielded =
                  packStates(emitTile(inner, base, tile, carry, current));
              llvm::append_range(yielded, next);
              return yielded;
            });
  agent.columns.finishReductions(b);
}

/// Emits the tiles of a chunk, which may have no steps.
void ColumnWalk::emitChunk(ImplicitLocOpBuilder &b, const SegmentChunk &chunk,
                           ArrayRef<State> init) {
  io.setOwnSteps(chunk.first, chunk.end);
  Value begin = b.createOrFold<arith::SubIOp>(
      chunk.first, b.createOrFold<arith::RemUIOp>(
                       chunk.first, indexConstant(b, layout.items)));
  createIf(b, compare(b, arith::CmpIPredicate::ult, chunk.first, chunk.end),
           [&](ImplicitLocOpBuilder &some) {
             emitTiles(some, {begin, chunk.end}, init);
           });
  io.setOwnSteps(Value(), Value());
}

/// Emits what a block does with group number `number` of columns, all threads
/// of which are here: with all steps or, if there is one, with those of
/// `chunk`, which is the first one or not.
void ColumnWalk::emitGroup(ImplicitLocOpBuilder &b,
                           const ColumnAgent::Groups &groups, Value number,
                           const SegmentChunk *chunk, Value isFirstChunk) {
  agent.startGroup(b, groups, number, [&](ImplicitLocOpBuilder &columns) {
    SmallVector<State> init = agent.createStarts(columns);
    agent.ifSteps(
        columns,
        [&](ImplicitLocOpBuilder &none) {
          return kernel.hasInit() ? init : agent.createInits(none);
        },
        [&](ImplicitLocOpBuilder &some) {
          if (chunk)
            return emitChunk(some, *chunk, init);
          emitTiles(some, {indexConstant(some, 0), agent.frame.getExtent()},
                    init);
        },
        isFirstChunk);
  });
}

void ColumnWalk::emit(ImplicitLocOpBuilder &b) {
  ColumnAgent::Groups groups = agent.createGroups(b);
  Value number = createBlockNumber(b);
  // The same for all threads of the block: they meet at barriers.
  createIf(
      b, compare(b, arith::CmpIPredicate::ult, number, groups.count),
      [&](ImplicitLocOpBuilder &inner) { emitGroup(inner, groups, number); });
  gpu::ReturnOp::create(b);
}

/// How columns are laid over the threads of a block that has a part of those
/// side by side.
static KernelPlan getPlanOfPart(const KernelPlan &plan) {
  ScheduleAttr schedule = plan.schedule;
  int64_t vector = schedule.getVector();
  int64_t columns = llvm::PowerOf2Ceil(
      llvm::divideCeil(schedule.getLanes() * vector, schedule.getBlocks()));
  // Of lanes side by side, a sector of memory has some.
  constexpr int64_t fewLanes = 8;
  KernelPlan part = plan;
  part.vector = std::clamp<int64_t>(columns / fewLanes, 1, vector);
  part.schedule =
      ScheduleAttr::get(schedule.getContext(), Strategy::Column,
                        schedule.getThreads(), schedule.getItems(), /*rows=*/1,
                        columns / part.vector, part.vector, Scope::Block);
  return part;
}

/// Blocks that share steps of columns, or these columns where chunks of steps
/// would not be even.
static void emitChunks(ImplicitLocOpBuilder &b, KernelFrame &frame,
                       const ThreadIds &ids, const ColumnLayout &layout) {
  SegmentChunkFinder finder(frame, ids);
  ColumnWalk chunks(b, frame, layout);
  ColumnLayout partLayout(b, getPlanOfPart(frame.getPlan()), ids);
  ColumnWalk parts(b, frame, partLayout);
  ColumnAgent::Groups groups = chunks.createGroups(b);
  ColumnAgent::Groups partGroups = parts.createGroups(b);
  Value number = createBlockNumber(b);
  Value inBounds =
      compare(b, arith::CmpIPredicate::ult, number,
              mulConstant(b, groups.count, frame.getSchedule().getBlocks()));
  createIf(b, inBounds, [&](ImplicitLocOpBuilder &inner) {
    Value group = inner.createOrFold<arith::RemUIOp>(number, groups.count);
    Value part = inner.createOrFold<arith::DivUIOp>(number, groups.count);
    SegmentChunk chunk = finder.create(inner, part);
    auto emitChunk = [&](ImplicitLocOpBuilder &even) {
      chunks.emitGroup(even, groups, group, &chunk,
                       compare(even, arith::CmpIPredicate::eq, part, 0));
    };
    auto emitPart = [&](ImplicitLocOpBuilder &uneven) {
      int64_t partsOfGroup = layout.getColumns() / partLayout.getColumns();
      Value row = uneven.createOrFold<arith::DivUIOp>(group, groups.perRow);
      Value inRow = uneven.createOrFold<arith::AddIOp>(
          mulConstant(uneven,
                      uneven.createOrFold<arith::RemUIOp>(group, groups.perRow),
                      partsOfGroup),
          part);
      Value exists = createAnd(
          uneven,
          compare(uneven, arith::CmpIPredicate::ult, part, partsOfGroup),
          compare(uneven, arith::CmpIPredicate::ult, inRow, partGroups.perRow));
      Value partNumber = uneven.createOrFold<arith::AddIOp>(
          uneven.createOrFold<arith::MulIOp>(row, partGroups.perRow), inRow);
      createIf(uneven, exists, [&](ImplicitLocOpBuilder &some) {
        parts.emitGroup(some, partGroups, partNumber);
      });
    };
    createIf(inner, chunk.areEven, emitChunk, emitPart);
  });
  gpu::ReturnOp::create(b);
}

//===----------------------------------------------------------------------===//
// Look-back carry
//===----------------------------------------------------------------------===//

void ColumnLookBack::emitTile(ImplicitLocOpBuilder &b, const GridTile &tile) {
  Value base = mulConstant(b, tile.number, agent.layout.getTileSteps());
  Value zero = indexConstant(b, 0);
  SmallVector<Value> loaded =
      agent.io.loadFirst(b, base, agent.io.loadNearest(b, base));
  agent.columns.startReductions(b);
  auto createPrefixes = [&](ImplicitLocOpBuilder &inner,
                            ArrayRef<State> ofThread) {
    SmallVector<BlockScan::Result> scanned =
        agent.scan.emit(inner, ofThread, zero);
    SmallVector<State> totals;
    SmallVector<Prefix> inTile;
    for (const BlockScan::Result &column : scanned) {
      totals.push_back(column.total);
      inTile.push_back(column.prefix);
    }
    createIf(inner, compare(inner, arith::CmpIPredicate::eq, ids.warp, 0),
             [&](ImplicitLocOpBuilder &warp) {
               carry.exchange(warp, tile, ticket.flags, totals, zero);
             });
    // Also between reading the tile and overwriting it, where the outputs share
    // the memory of the inputs.
    gpu::BarrierOp::create(inner);
    for (auto [column, prefix] : llvm::zip_equal(
             scanned, carry.createPrefixes(inner, tile, inTile, zero)))
      column.prefix = prefix;
    return scanned;
  };
  agent.consumeTile(b, base, loaded, createPrefixes);
  agent.columns.finishReductions(b);
}

void ColumnLookBack::emit(ImplicitLocOpBuilder &b) {
  ticket = workspace.drawTicket(b, ids);
  ColumnAgent::Groups groups = agent.createGroups(b);
  Value tiles = frame.createTileCount(b);
  // The same for all threads of the block: they meet at barriers.
  Value inBounds = compare(b, arith::CmpIPredicate::ult, ticket.number,
                           b.createOrFold<arith::MulIOp>(groups.count, tiles));
  createIf(b, inBounds, [&](ImplicitLocOpBuilder &inner) {
    GridTile tile;
    tile.number =
        inner.createOrFold<arith::DivUIOp>(ticket.number, groups.count);
    Value number =
        inner.createOrFold<arith::RemUIOp>(ticket.number, groups.count);
    tile.last = addConstant(inner, tiles, -1);
    tile.first = inner.createOrFold<arith::MulIOp>(number, tiles);
    auto emitColumns = [&](ImplicitLocOpBuilder &body) {
      tile.points = agent.getPoints();
      tile.descriptors = TileDescriptors(body, frame, agent.layout,
                                         agent.io.getPoints().getVectorized());
      if (frame.getFinals().empty())
        return emitTile(body, tile);
      // Columns without steps have a tile for their finals.
      agent.ifSteps(
          body,
          [&](ImplicitLocOpBuilder &none) { return agent.createInits(none); },
          [&](ImplicitLocOpBuilder &some) { emitTile(some, tile); });
    };
    agent.startGroup(inner, groups, number, emitColumns);
  });
  gpu::ReturnOp::create(b);
}

void mlir::scan::emitColumnKernel(ImplicitLocOpBuilder &b, KernelFrame &frame) {
  ThreadIds ids = frame.createThreadIds(b);
  ColumnLayout layout(b, frame.getPlan(), ids);
  if (frame.getSchedule().isGridWide())
    ColumnLookBack(b, frame, ids, layout).emit(b);
  else if (frame.getSchedule().splitsSegments())
    emitChunks(b, frame, ids, layout);
  else
    ColumnWalk(b, frame, layout).emit(b);
}
