//===- SplitStatesKernel.cpp - Lanes share the states of one scan ---------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For a kernel whose states come in equal parts (StateSplit). A warp has
// `lanes` scans side by side, and 32 / lanes lanes share each of them: every
// lane walks the scan dimension with the states of some of the parts.
//
//   for chunks of `items` steps:
//     for the steps of the next chunk that this lane owns, one of as many as
//     there are lanes: compute what all parts share
//     for each step of this chunk:
//       take what is shared from the lane that owns the step
//       combine the states of the own parts, add their terms up, and store or
//       add to reductions what outputs have of each part
//     exchange sums, so that each lane has those of the steps that it owns
//     for the steps that this lane owns: compute and store the outputs
//
// A bidirectional kernel walks twice, the second time from the last chunk to
// the first one (SplitStatesWalk).
//
// Over the grid, where there are too few scans for all multiprocessors, a scan
// has several blocks, with a tile of its steps each. A block walks its tile for
// what the steps add up to, publishes that, looks back for the states before
// the tile, and walks it again with these. What it reads is then in the
// second-level cache. Blocks take tiles in the order of their tickets, the
// first ones of all scans first.
//
// The warps of one block can share the steps of its scans likewise, where there
// are so few tiles: they exchange what these add up to in shared memory.
//
// What is shared is computed once and not by every lane: functions such as
// exponentials would be what all of it waits for. Inputs come through shared
// memory (SplitStatesTiles) where they lie side by side for the scans of a
// warp.
//
//===----------------------------------------------------------------------===//

#include "../../GPUCommon/Emit.h"
#include "../../GPUCommon/Grid.h"
#include "../Primitives/WarpScan.h"
#include "SplitStatesLookBack.h"
#include "SplitStatesPipeline.h"
#include "SplitStatesTotals.h"
#include "Strategies.h"

using namespace mlir;
using namespace mlir::scan;

namespace {
class SplitStatesEmitter {
public:
  /// For the scans of block number `block`, an index.
  SplitStatesEmitter(ImplicitLocOpBuilder &b, KernelFrame &frame, Value block)
      : frame(frame), split(*StateSplit::get(frame.getKernel())),
        io(b, frame, split, block), reductions(b, frame, split, io) {}

  /// All steps.
  void emit(ImplicitLocOpBuilder &b);
  /// Those of tile number `tile`; there are `groups` blocks of scans.
  void emitTile(ImplicitLocOpBuilder &b, const GridWorkspace &workspace,
                const DescriptorFlags &flags, Value tile, Value groups);
  /// Those of the tile that this warp has of the scans of its block.
  void emitTileOfWarp(ImplicitLocOpBuilder &b);

private:
  /// Steps from `from` on and before `end`: those before `to` come through
  /// shared memory, the others are loaded.
  struct Range {
    Value from, to, end;
  };
  /// Steps that are walked twice, one of so many equal tiles of a scan.
  struct Tile {
    Range range;
    /// i1: whether the last step is among them; and whether there is anything
    /// to do, of which steps behind the last one have nothing. Scans without
    /// steps have a tile for their finals.
    Value isLast, exists;
  };
  void start(ImplicitLocOpBuilder &b);
  /// The steps of an iteration of the walk, of which tiles are multiples.
  int64_t getUnit() const {
    return (tiles ? getUnroll(io, *tiles) : 1) * io.getSteps();
  }
  Range createRange(ImplicitLocOpBuilder &b, Value from, Value end);
  SplitStatesWalk makeWalk(SplitStatesWalk::Kind kind) {
    return {frame, split, io, reductions, checkpoints ? &*checkpoints : nullptr,
            kind};
  }
  State walk(ImplicitLocOpBuilder &b, SplitStatesWalk &steps,
             const Range &range, State state, bool isSecond);
  Tile createTile(ImplicitLocOpBuilder &b, Value number, int64_t count);
  SmallVector<State> addUp(ImplicitLocOpBuilder &b, const Tile &tile);
  void walkFrom(ImplicitLocOpBuilder &b, const Tile &tile,
                ArrayRef<State> before);

  KernelFrame &frame;
  StateSplit split;
  SplitStatesIO io;
  SplitStatesReductions reductions;
  std::optional<SplitStatesCheckpoints> checkpoints;
  std::optional<SplitStatesTiles> tiles;
};
} // namespace

void SplitStatesEmitter::start(ImplicitLocOpBuilder &b) {
  io.start(b);
  if (frame.getKernel().isBidirectional())
    checkpoints.emplace(b, frame, split, io);
  std::optional<StateTiles> layout = StateTiles::get(
      frame.getKernel(), frame.getSchedule(), frame.getPlan().sharedBytes);
  if (layout)
    tiles.emplace(b, frame, std::move(*layout), io.getLanes(), io.getScanLane(),
                  io.getWarp(),
                  [&](unsigned input) { return io.getInvariant(input); });
}

SplitStatesEmitter::Range
SplitStatesEmitter::createRange(ImplicitLocOpBuilder &b, Value from,
                                Value end) {
  if (!tiles)
    return {from, from, end};
  Value rest = b.createOrFold<arith::RemUIOp>(
      b.createOrFold<arith::SubIOp>(end, from),
      createConstant(b, b.getIntegerAttr(from.getType(), getUnit())));
  Value to = b.createOrFold<arith::SelectOp>(
      createAnd(b, tiles->createHasRows(b), io.createIsAligned(b)),
      b.createOrFold<arith::SubIOp>(end, rest), from);
  return {from, to, end};
}

/// Walks the steps of `range` from `state` on; whether it `isSecond` see
/// SplitStatesPipeline::walkTiles.
State SplitStatesEmitter::walk(ImplicitLocOpBuilder &b, SplitStatesWalk &steps,
                               const Range &range, State state, bool isSecond) {
  SplitStatesPipeline pipeline(io, reductions, steps);
  // After tiles, little is left: less code counts for more there, but
  // checkpoints are those of whole chunks, for which registers do not suffice
  // to load what parts have ahead.
  bool isRest = tiles.has_value();
  auto walkLoaded = [&] {
    int64_t items = io.getSteps();
    if (isRest && !checkpoints)
      io.setSteps(io.getLanes().count);
    state = pipeline.walkLoaded(b, range.to, range.end, state,
                                /*loadsPartsAhead=*/!isRest || !checkpoints);
    io.setSteps(items);
  };
  if (steps.isBack())
    walkLoaded();
  if (tiles)
    state = createIfElse(
        b, compare(b, arith::CmpIPredicate::ne, range.to, range.from),
        [&](ImplicitLocOpBuilder &inner) {
          return pipeline.walkTiles(inner, *tiles, range.from, range.to, state,
                                    isSecond);
        },
        [&](ImplicitLocOpBuilder &) { return state; });
  if (!steps.isBack())
    walkLoaded();
  return state;
}

void SplitStatesEmitter::emit(ImplicitLocOpBuilder &b) {
  start(b);
  Range range = createRange(b, indexConstant(b, 0), frame.getExtent());
  auto walkAll = [&](ImplicitLocOpBuilder &inner, SplitStatesWalk::Kind kind) {
    SplitStatesWalk steps = makeWalk(kind);
    steps.storeFinals(inner, walk(inner, steps, range, steps.startState(inner),
                                  /*isSecond=*/steps.isBack()));
  };
  walkAll(b, SplitStatesWalk::Kind::Own);
  if (checkpoints)
    walkAll(b, SplitStatesWalk::Kind::Back);
  reductions.finish(b);
}

/// Tile number `number` of `count`. Where all steps have numbers of 32 bits,
/// its borders are computed as such: ptxas keeps both halves of a minimum of 64
/// bits in registers, of which walks leave none over.
SplitStatesEmitter::Tile SplitStatesEmitter::createTile(ImplicitLocOpBuilder &b,
                                                        Value number,
                                                        int64_t count) {
  int64_t known = frame.getStaticExtent();
  int64_t rounding = count * getUnit();
  bool isNarrow = !ShapedType::isDynamic(known) &&
                  known <= std::numeric_limits<int32_t>::max() - rounding;
  Type type = isNarrow ? Type(b.getI32Type()) : Type(b.getIndexType());
  auto constant = [&](int64_t value) {
    return createConstant(b, b.getIntegerAttr(type, value));
  };
  auto toType = [&](Value value, Type to) {
    return value.getType() == to
               ? value
               : b.createOrFold<arith::IndexCastUIOp>(to, value);
  };
  Value extent = isNarrow ? constant(known) : frame.getExtent();
  Value steps = b.createOrFold<arith::MulIOp>(
      b.createOrFold<arith::CeilDivUIOp>(extent, constant(rounding)),
      constant(getUnit()));
  Value from = b.createOrFold<arith::MinUIOp>(
      b.createOrFold<arith::MulIOp>(toType(number, type), steps), extent);
  Value end = b.createOrFold<arith::MinUIOp>(
      b.createOrFold<arith::AddIOp>(from, steps), extent);
  Tile tile;
  tile.isLast = compare(b, arith::CmpIPredicate::eq, end, extent);
  tile.exists = b.createOrFold<arith::OrIOp>(
      compare(b, arith::CmpIPredicate::eq, number, 0),
      compare(b, arith::CmpIPredicate::ult, from, extent));
  tile.range = createRange(b, from, end);
  for (Value *border : {&tile.range.from, &tile.range.to, &tile.range.end})
    *border = toType(*border, b.getIndexType());
  return tile;
}

/// What the steps of `tile` add up to, of each own part. Nobody asks for what
/// the last one does.
SmallVector<State> SplitStatesEmitter::addUp(ImplicitLocOpBuilder &b,
                                             const Tile &tile) {
  SplitStatesWalk adds = makeWalk(SplitStatesWalk::Kind::Totals);
  State nothing = adds.startState(b);
  SmallVector<Value> totals = createIfElse(
      b, tile.isLast, [&](ImplicitLocOpBuilder &) { return nothing; },
      [&](ImplicitLocOpBuilder &some) {
        if (tiles)
          tiles->setOnlyLoaded(true);
        State added = walk(some, adds, tile.range, nothing, /*isSecond=*/false);
        if (tiles)
          tiles->setOnlyLoaded(false);
        return added;
      });
  return adds.getPartTotals(b, totals);
}

/// Walks `tile` from the states `before` it on, for the results.
void SplitStatesEmitter::walkFrom(ImplicitLocOpBuilder &b, const Tile &tile,
                                  ArrayRef<State> before) {
  SplitStatesWalk steps = makeWalk(SplitStatesWalk::Kind::Own);
  State after = walk(b, steps, tile.range, steps.startStateFrom(b, before),
                     /*isSecond=*/true);
  createIf(b, tile.isLast,
           [&](ImplicitLocOpBuilder &last) { steps.storeFinals(last, after); });
  reductions.finish(b);
}

void SplitStatesEmitter::emitTile(ImplicitLocOpBuilder &b,
                                  const GridWorkspace &workspace,
                                  const DescriptorFlags &flags, Value number,
                                  Value groups) {
  start(b);
  Tile tile = createTile(b, number, frame.getSchedule().getBlocks());
  createIf(b, tile.exists, [&](ImplicitLocOpBuilder &inner) {
    SmallVector<State> totals = addUp(inner, tile);
    SplitStatesLookBack lookBack(frame, split, io, workspace, flags, number,
                                 groups);
    SmallVector<State> before = lookBack.exchange(inner, totals, tile.isLast);
    // Lanes have waited for tiles each by itself.
    syncWarp(inner);
    walkFrom(inner, tile, before);
  });
}

void SplitStatesEmitter::emitTileOfWarp(ImplicitLocOpBuilder &b) {
  SplitStatesTotals shared(frame, split, io);
  start(b);
  Tile tile = createTile(b, io.getWarp(), frame.getSchedule().getWarps());
  SmallVector<State> before = shared.exchange(b, addUp(b, tile));
  createIf(b, tile.exists,
           [&](ImplicitLocOpBuilder &inner) { walkFrom(inner, tile, before); });
}

/// Whether this warp has any scan in block number `block`, i1.
static Value createHasScans(ImplicitLocOpBuilder &b, KernelFrame &frame,
                            Value block, Value count) {
  ScheduleAttr schedule = frame.getSchedule();
  Value first = mulConstant(b, block, schedule.getScansPerBlock());
  if (schedule.getWarps() == 1)
    first = b.createOrFold<arith::AddIOp>(
        first,
        mulConstant(b, frame.createThreadIds(b).warp, schedule.getLanes()));
  return compare(b, arith::CmpIPredicate::ult, first, count);
}

/// No warp waits for one with other scans. One without scans leaves before it
/// computes anything: where there are none at all, there is no last one either,
/// which is what lanes without a scan have in other warps.
void mlir::scan::emitSplitStatesKernel(ImplicitLocOpBuilder &b,
                                       KernelFrame &frame) {
  ScheduleAttr schedule = frame.getSchedule();
  Value count = frame.createScanCount(b);
  if (!schedule.isGridWide()) {
    Value block = createBlockNumber(b);
    createIf(b, createHasScans(b, frame, block, count),
             [&](ImplicitLocOpBuilder &inner) {
               SplitStatesEmitter emitter(inner, frame, block);
               if (schedule.walksTilesTwice())
                 emitter.emitTileOfWarp(inner);
               else
                 emitter.emit(inner);
             });
    gpu::ReturnOp::create(b);
    return;
  }
  GridWorkspace workspace(b, frame);
  GridWorkspace::Ticket ticket =
      workspace.drawTicket(b, frame.createThreadIds(b));
  Value groups = b.createOrFold<arith::MaxUIOp>(
      b.createOrFold<arith::CeilDivUIOp>(
          count, indexConstant(b, schedule.getScansPerBlock())),
      indexConstant(b, 1));
  // A grid of two dimensions may have more blocks than there are tiles.
  Value tile = b.createOrFold<arith::DivUIOp>(ticket.number, groups);
  Value block = b.createOrFold<arith::RemUIOp>(ticket.number, groups);
  Value hasTile =
      compare(b, arith::CmpIPredicate::ult, tile, frame.createTileCount(b));
  createIf(b, createAnd(b, hasTile, createHasScans(b, frame, block, count)),
           [&](ImplicitLocOpBuilder &inner) {
             SplitStatesEmitter(inner, frame, block)
                 .emitTile(inner, workspace, ticket.flags, tile, groups);
           });
  gpu::ReturnOp::create(b);
}
