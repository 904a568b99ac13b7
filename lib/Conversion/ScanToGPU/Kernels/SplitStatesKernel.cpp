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
// What is shared is computed once and not by every lane: functions such as
// exponentials would be what all of it waits for. Inputs come through shared
// memory (SplitStatesTiles) where they lie side by side for the scans of a
// warp.
//
//===----------------------------------------------------------------------===//

#include "../../GPUCommon/Emit.h"
#include "../Primitives/WarpScan.h"
#include "SplitStatesTiles.h"
#include "SplitStatesWalk.h"
#include "Strategies.h"

using namespace mlir;
using namespace mlir::scan;

using Elements = SmallVector<Value>;

/// Chunks that an iteration of the loop over tiles walks. The memory's latency
/// is that of more than one chunk, and with each chunk of an iteration in
/// registers of its own none are copied, which would wait for a load. What each
/// scan has by itself for each part, and what lanes have to unpack of a step,
/// leaves no registers for a second one.
static int64_t getUnroll(const SplitStatesIO &io,
                         const SplitStatesTiles &tiles) {
  bool isFew = io.getNumParts(SplitStatesIO::Parted::AlignedOfScan) == 0 &&
               !tiles.hasNarrowParts();
  return isFew ? 2 : 1;
}

namespace {
/// Loads chunks ahead of the walk that needs them.
class SplitPipeline {
public:
  SplitPipeline(KernelFrame &frame, SplitStatesIO &io,
                SplitStatesReductions &reductions, SplitStatesWalk &walk)
      : frame(frame), io(io), reductions(reductions), walk(walk) {}

  State walkTiles(ImplicitLocOpBuilder &b, SplitStatesTiles &tiles, Value to,
                  const State &state);
  State walkLoaded(ImplicitLocOpBuilder &b, Value from, const State &state,
                   bool loadsPartsAhead);

private:
  KernelFrame &frame;
  SplitStatesIO &io;
  SplitStatesReductions &reductions;
  SplitStatesWalk &walk;
};
} // namespace

/// Walks the steps before `to`, a multiple of those of getUnroll chunks, by
/// tiles. When a chunk is walked, what the lanes share of the next one is
/// computed, the one after it goes from registers to shared memory, and the one
/// getUnroll chunks later is loaded into these registers. Past the last chunk
/// that one is loaded again, which needs no branch.
State SplitPipeline::walkTiles(ImplicitLocOpBuilder &b, SplitStatesTiles &tiles,
                               Value to, const State &state) {
  int64_t items = io.getSteps(), unroll = getUnroll(io, tiles);
  Value zero = indexConstant(b, 0);
  Value chunks = b.createOrFold<arith::DivUIOp>(to, indexConstant(b, items));
  Value last = addConstant(b, chunks, -1);
  // Where the chunk begins that is walked as number `chunk`.
  auto getStart = [&](ImplicitLocOpBuilder &inner, Value chunk) {
    return mulConstant(
        inner,
        walk.isBack() ? inner.createOrFold<arith::SubIOp>(last, chunk) : chunk,
        items);
  };
  auto getKnownStart = [&](ImplicitLocOpBuilder &inner, Value chunk) {
    return getStart(inner, inner.createOrFold<arith::MinUIOp>(chunk, last));
  };
  auto load = [&](ImplicitLocOpBuilder &inner, Value chunk) {
    return tiles.load(inner, getKnownStart(inner, chunk));
  };
  // What each scan has by itself is loaded a chunk ahead.
  auto loadOfScan = [&](ImplicitLocOpBuilder &inner, Value chunk) {
    Value t = getKnownStart(inner, chunk);
    io.startSteps(inner, t);
    Elements values;
    for (int64_t step = 0; step < items; ++step) {
      llvm::append_range(
          values, io.loadParts(inner, SplitStatesIO::Parted::AlignedOfScan));
      io.advanceSteps(inner);
    }
    llvm::append_range(values, walk.loadCheckpoint(inner, t));
    return values;
  };
  size_t numOfStep = io.getNumParts(SplitStatesIO::Parted::AlignedOfScan);
  reductions.startChunks(/*areWhole=*/true);
  // As all scans of a warp lie side by side.
  io.setAreWarpsWhole(true);
  tiles.start(b, io.createFirstPoint(b));
  // The slots may have been those of another walk.
  if (walk.isBack())
    syncWarp(b);
  for (int64_t i = 0; i < 2; ++i)
    tiles.store(b, load(b, indexConstant(b, i)), indexConstant(b, i));
  SmallVector<Value> inits = state;
  for (int64_t i = 0; i < unroll; ++i)
    llvm::append_range(inits, load(b, indexConstant(b, 2 + i)));
  syncWarp(b);
  auto loadOfSteps = [&](ImplicitLocOpBuilder &inner, Value chunk) {
    return tiles.loadOfSteps(inner, getKnownStart(inner, chunk));
  };
  Elements firstOfSteps = loadOfSteps(b, zero);
  SplitStatesWalk::Shared first = walk.computeShared(
      b, tiles.readOwned(b, zero, getStart(b, zero), firstOfSteps));
  size_t numLoaded = (inits.size() - state.size()) / unroll;
  llvm::append_range(inits, first.load);
  llvm::append_range(inits, first.store);
  Elements firstOfScan = loadOfScan(b, zero);
  llvm::append_range(inits, firstOfScan);
  llvm::append_range(inits, firstOfSteps);
  llvm::append_range(inits, loadOfSteps(b, indexConstant(b, 1)));
  // What an iteration carries besides what is loaded, which comes first.
  struct Carried {
    State state;
    SplitStatesWalk::Shared shared;
    Elements ofScan;
    /// What is the same for all scans at each step, of this chunk and the next.
    Elements ofSteps, nextOfSteps;

    Elements pack(ValueRange loaded) const {
      Elements values(state);
      llvm::append_range(values, loaded);
      llvm::append_range(values, shared.load);
      llvm::append_range(values, shared.store);
      llvm::append_range(values, ofScan);
      llvm::append_range(values, ofSteps);
      llvm::append_range(values, nextOfSteps);
      return values;
    }
  };
  auto unpack = [&](ValueRange values, size_t loaded) {
    auto take = [&](size_t count) {
      Elements taken(values.take_front(count));
      values = values.drop_front(count);
      return taken;
    };
    Carried carried;
    carried.state = take(state.size());
    values = values.drop_front(loaded);
    carried.shared.load = take(first.load.size());
    carried.shared.store = take(first.store.size());
    carried.ofScan = take(firstOfScan.size());
    carried.ofSteps = take(firstOfSteps.size());
    carried.nextOfSteps = take(firstOfSteps.size());
    return carried;
  };
  // Walks chunk number `number`; `loaded` is the chunk two after it.
  auto walkNumber = [&](ImplicitLocOpBuilder &inner, Value number,
                        const Carried &carried, ValueRange loaded) {
    Value after = addConstant(inner, number, 1);
    Carried next;
    next.shared = walk.computeShared(
        inner, tiles.readOwned(inner, after, getKnownStart(inner, after),
                               carried.nextOfSteps));
    next.ofSteps = carried.nextOfSteps;
    next.nextOfSteps = loadOfSteps(inner, addConstant(inner, number, 2));
    next.ofScan = loadOfScan(inner, after);
    ValueRange ofScan = carried.ofScan;
    auto getParts = [&](ImplicitLocOpBuilder &ofStep, int64_t step) {
      return io.joinParts(tiles.readParts(ofStep, number, step),
                          ofScan.slice(step * numOfStep, numOfStep));
    };
    SplitStatesWalk::Chunk chunk = {
        getStart(inner, number),
        /*rest=*/Value(), carried.shared,
        Elements(ofScan.drop_front(items * numOfStep)), getParts};
    SmallVector<Elements> totals;
    next.state = walk.walkChunk(inner, chunk, carried.state, totals);
    tiles.store(inner, loaded, addConstant(inner, number, 2));
    Elements nextLoaded = load(inner, addConstant(inner, number, 2 + unroll));
    walk.storeChunk(inner, chunk,
                    tiles.readOwned(inner, number, getStart(inner, number),
                                    carried.ofSteps),
                    totals);
    return next.pack(nextLoaded);
  };
  SmallVector<Value> results = createFor(
      b, zero, chunks, indexConstant(b, unroll), inits,
      [&](ImplicitLocOpBuilder &inner, Value begin, ValueRange values) {
        Carried carried = unpack(values, unroll * numLoaded);
        Elements allLoaded;
        for (int64_t i = 0; i < unroll; ++i) {
          Value number = addConstant(inner, begin, i);
          // The slots of this chunk and of the next one are filled, and that of
          // the chunk after it is not read any more.
          syncWarp(inner);
          ValueRange loaded =
              values.slice(state.size() + i * numLoaded, numLoaded);
          Elements walked = walkNumber(inner, number, carried, loaded);
          llvm::append_range(allLoaded,
                             ValueRange(walked).slice(state.size(), numLoaded));
          carried = unpack(walked, numLoaded);
        }
        return carried.pack(allLoaded);
      });
  io.setAreWarpsWhole(false);
  return State(ValueRange(results).take_front(state.size()));
}

/// Walks the steps from `from` on, of which those that exist in the last chunk
/// count, and returns the state after them. A chunk is loaded from global
/// memory while the one before it is walked, and what parts have of its steps,
/// too, if it `loadsPartsAhead`; else when a step needs it.
State SplitPipeline::walkLoaded(ImplicitLocOpBuilder &b, Value from,
                                const State &state, bool loadsPartsAhead) {
  Value extent = frame.getExtent(), last = addConstant(b, extent, -1);
  int64_t items = io.getSteps();
  reductions.startChunks(/*areWhole=*/false);
  size_t numOwned = io.getNumOwned();
  size_t numOfStep = io.getNumParts(SplitStatesIO::Parted::All);
  size_t numAhead = loadsPartsAhead ? items * numOfStep : 0;
  auto load = [&](ImplicitLocOpBuilder &inner, Value t) {
    Value rest = inner.createOrFold<arith::SubIOp>(extent, t);
    Elements values = io.loadOwned(inner, t, rest);
    if (loadsPartsAhead)
      io.startSteps(inner, inner.createOrFold<arith::MinUIOp>(t, last));
    for (int64_t step = 0; loadsPartsAhead && step < items; ++step) {
      if (step != 0)
        io.advanceSteps(inner,
                        compare(inner, arith::CmpIPredicate::sgt, rest, step));
      llvm::append_range(values,
                         io.loadParts(inner, SplitStatesIO::Parted::All));
    }
    llvm::append_range(values, walk.loadCheckpoint(inner, t));
    return values;
  };
  return createIfElse(
      b, compare(b, arith::CmpIPredicate::ult, from, extent),
      [&](ImplicitLocOpBuilder &outer) {
        Value step = indexConstant(outer, items);
        // Where the last chunk begins.
        Value end = outer.createOrFold<arith::SubIOp>(
            last, outer.createOrFold<arith::RemUIOp>(
                      outer.createOrFold<arith::SubIOp>(last, from), step));
        SmallVector<Value> inits = state;
        llvm::append_range(inits, load(outer, walk.isBack() ? end : from));
        SmallVector<Value> results = createFor(
            outer, from, extent, step, inits,
            [&](ImplicitLocOpBuilder &inner, Value counter,
                ValueRange carried) {
              Value t = counter, after = addConstant(inner, t, items);
              if (walk.isBack()) {
                t = inner.createOrFold<arith::SubIOp>(
                    inner.createOrFold<arith::AddIOp>(end, from), counter);
                after = inner.createOrFold<arith::MaxSIOp>(
                    addConstant(inner, t, -items), from);
              }
              Elements next = load(inner, after);
              State current(carried.take_front(state.size()));
              carried = carried.drop_front(state.size());
              ValueRange owned = carried.take_front(numOwned);
              ValueRange parts = carried.drop_front(numOwned);
              auto getParts = [&](ImplicitLocOpBuilder &ofStep,
                                  int64_t number) {
                if (loadsPartsAhead)
                  return Elements(parts.slice(number * numOfStep, numOfStep));
                io.startSteps(ofStep,
                              ofStep.createOrFold<arith::MinUIOp>(
                                  addConstant(ofStep, t, number), last));
                return io.loadParts(ofStep, SplitStatesIO::Parted::All);
              };
              SplitStatesWalk::Chunk chunk = {
                  t, inner.createOrFold<arith::SubIOp>(extent, t),
                  walk.computeShared(inner, owned),
                  Elements(parts.drop_front(numAhead)), getParts};
              SmallVector<Elements> totals;
              current = walk.walkChunk(inner, chunk, current, totals);
              walk.storeChunk(inner, chunk, owned, totals);
              llvm::append_range(current, next);
              return current;
            });
        return State(ValueRange(results).take_front(state.size()));
      },
      [&](ImplicitLocOpBuilder &) { return state; });
}

namespace {
class SplitStatesEmitter {
public:
  SplitStatesEmitter(ImplicitLocOpBuilder &b, KernelFrame &frame)
      : frame(frame), split(*StateSplit::get(frame.getKernel())),
        io(b, frame, split), reductions(b, frame, split, io) {}

  void emit(ImplicitLocOpBuilder &b);

private:
  void walk(ImplicitLocOpBuilder &b, bool isBack);

  KernelFrame &frame;
  StateSplit split;
  SplitStatesIO io;
  SplitStatesReductions reductions;
  std::optional<SplitStatesCheckpoints> checkpoints;
  /// The steps before `to` come through these, the others are loaded.
  std::optional<SplitStatesTiles> tiles;
  Value to;
};
} // namespace

void SplitStatesEmitter::walk(ImplicitLocOpBuilder &b, bool isBack) {
  SplitStatesWalk steps(frame, split, io, reductions,
                        checkpoints ? &*checkpoints : nullptr, isBack);
  SplitPipeline pipeline(frame, io, reductions, steps);
  State state = steps.startState(b);
  // After tiles, little is left: less code counts for more there, but
  // checkpoints are those of whole chunks, for which registers do not suffice
  // to load what parts have ahead.
  bool isRest = tiles.has_value();
  auto walkLoaded = [&] {
    int64_t items = io.getSteps();
    if (isRest && !checkpoints)
      io.setSteps(io.getLanes().count);
    state = pipeline.walkLoaded(b, to, state,
                                /*loadsPartsAhead=*/!isRest || !checkpoints);
    io.setSteps(items);
  };
  if (isBack)
    walkLoaded();
  if (tiles)
    state = createIfElse(
        b, compare(b, arith::CmpIPredicate::ne, to, 0),
        [&](ImplicitLocOpBuilder &inner) {
          return pipeline.walkTiles(inner, *tiles, to, state);
        },
        [&](ImplicitLocOpBuilder &) { return state; });
  if (!isBack)
    walkLoaded();
  steps.storeFinals(b, state);
}

void SplitStatesEmitter::emit(ImplicitLocOpBuilder &b) {
  io.start(b);
  if (frame.getKernel().isBidirectional())
    checkpoints.emplace(b, frame, split, io);
  to = indexConstant(b, 0);
  if (std::optional<StateTiles> layout =
          StateTiles::get(frame.getKernel(), frame.getSchedule(),
                          frame.getPlan().sharedBytes)) {
    tiles.emplace(b, frame, std::move(*layout), io.getLanes(), io.getScanLane(),
                  io.getWarp(),
                  [&](unsigned input) { return io.getInvariant(input); });
    Value rest = b.createOrFold<arith::RemUIOp>(
        frame.getExtent(),
        indexConstant(b, getUnroll(io, *tiles) * io.getSteps()));
    to = b.createOrFold<arith::SelectOp>(
        createAnd(b, tiles->createHasRows(b), io.createIsAligned(b)),
        b.createOrFold<arith::SubIOp>(frame.getExtent(), rest), to);
  }
  // No warp waits for another one.
  createIf(b, io.createHasScans(b), [&](ImplicitLocOpBuilder &inner) {
    walk(inner, /*isBack=*/false);
    if (checkpoints)
      walk(inner, /*isBack=*/true);
    reductions.finish(inner);
  });
}

void mlir::scan::emitSplitStatesKernel(ImplicitLocOpBuilder &b,
                                       KernelFrame &frame) {
  SplitStatesEmitter(b, frame).emit(b);
  gpu::ReturnOp::create(b);
}
