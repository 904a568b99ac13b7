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

private:
  /// Steps from `from` on and before `end`: those before `to` come through
  /// shared memory, the others are loaded.
  struct Range {
    Value from, to, end;
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
      b.createOrFold<arith::SubIOp>(end, from), indexConstant(b, getUnit()));
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

void SplitStatesEmitter::emitTile(ImplicitLocOpBuilder &b,
                                  const GridWorkspace &workspace,
                                  const DescriptorFlags &flags, Value tile,
                                  Value groups) {
  start(b);
  Value extent = frame.getExtent();
  int64_t blocks = frame.getSchedule().getBlocks();
  Value unit = indexConstant(b, getUnit());
  Value ofTile = b.createOrFold<arith::MulIOp>(
      b.createOrFold<arith::CeilDivUIOp>(
          b.createOrFold<arith::CeilDivUIOp>(extent, indexConstant(b, blocks)),
          unit),
      unit);
  Value from = b.createOrFold<arith::MinUIOp>(
      b.createOrFold<arith::MulIOp>(tile, ofTile), extent);
  Value end = b.createOrFold<arith::MinUIOp>(
      b.createOrFold<arith::AddIOp>(from, ofTile), extent);
  Range range = createRange(b, from, end);
  Value isLast = compare(b, arith::CmpIPredicate::eq, end, extent);
  // Those behind the last step have nothing to do. Scans without steps have a
  // tile for their finals.
  Value hasTile = b.createOrFold<arith::OrIOp>(
      compare(b, arith::CmpIPredicate::eq, tile, 0),
      compare(b, arith::CmpIPredicate::ult, from, extent));
  createIf(b, hasTile, [&](ImplicitLocOpBuilder &inner) {
    SplitStatesWalk adds = makeWalk(SplitStatesWalk::Kind::Totals);
    State nothing = adds.startState(inner);
    // Nobody asks for what the last one adds up to.
    SmallVector<Value> totals = createIfElse(
        inner, isLast, [&](ImplicitLocOpBuilder &) { return nothing; },
        [&](ImplicitLocOpBuilder &some) {
          if (tiles)
            tiles->setOnlyLoaded(true);
          State added = walk(some, adds, range, nothing, /*isSecond=*/false);
          if (tiles)
            tiles->setOnlyLoaded(false);
          return added;
        });
    SplitStatesLookBack lookBack(frame, split, io, workspace, flags, tile,
                                 groups);
    SmallVector<State> before =
        lookBack.exchange(inner, adds.getPartTotals(inner, totals), isLast);
    // Lanes have waited for tiles each by itself.
    syncWarp(inner);
    SplitStatesWalk steps = makeWalk(SplitStatesWalk::Kind::Own);
    State after = walk(inner, steps, range, steps.startStateFrom(inner, before),
                       /*isSecond=*/true);
    createIf(inner, isLast, [&](ImplicitLocOpBuilder &last) {
      steps.storeFinals(last, after);
    });
    reductions.finish(inner);
  });
}

/// Whether this warp has any scan in block number `block`, i1.
static Value createHasScans(ImplicitLocOpBuilder &b, KernelFrame &frame,
                            Value block, Value count) {
  ScheduleAttr schedule = frame.getSchedule();
  Value first = b.createOrFold<arith::AddIOp>(
      mulConstant(b, block, schedule.getScansPerBlock()),
      mulConstant(b, frame.createThreadIds(b).warp, schedule.getLanes()));
  return compare(b, arith::CmpIPredicate::ult, first, count);
}

/// No warp waits for another one. One without scans leaves before it computes
/// anything: where there are none at all, there is no last one either, which is
/// what lanes without a scan have in other warps.
void mlir::scan::emitSplitStatesKernel(ImplicitLocOpBuilder &b,
                                       KernelFrame &frame) {
  ScheduleAttr schedule = frame.getSchedule();
  Value count = frame.createScanCount(b);
  if (!schedule.isGridWide()) {
    Value block = createBlockNumber(b);
    createIf(b, createHasScans(b, frame, block, count),
             [&](ImplicitLocOpBuilder &inner) {
               SplitStatesEmitter(inner, frame, block).emit(inner);
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
