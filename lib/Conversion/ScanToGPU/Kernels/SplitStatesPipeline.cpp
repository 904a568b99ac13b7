//===- SplitStatesPipeline.cpp - Chunks ahead of a walk -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitStatesPipeline.h"
#include "../../GPUCommon/Emit.h"
#include "../Primitives/WarpScan.h"

using namespace mlir;
using namespace mlir::scan;

using Elements = SmallVector<Value>;

/// The memory's latency is that of more than one chunk, and with each chunk of
/// an iteration in registers of its own none are copied, which would wait for a
/// load. What each scan has by itself for each part, and what lanes have to
/// unpack of a step, leaves no registers for a second one.
int64_t mlir::scan::getUnroll(const SplitStatesIO &io,
                              const SplitStatesTiles &tiles) {
  bool isFew = io.getNumParts(SplitStatesIO::Parted::AlignedOfScan) == 0 &&
               !tiles.hasNarrowParts();
  return isFew ? 2 : 1;
}

/// When a chunk is walked, what the lanes share of the next one is computed,
/// the one after it goes from registers to shared memory, and the one getUnroll
/// chunks later is loaded into these registers. Past the last chunk that one is
/// loaded again, which needs no branch.
State SplitStatesPipeline::walkTiles(ImplicitLocOpBuilder &b,
                                     SplitStatesTiles &tiles, Value from,
                                     Value to, const State &state,
                                     bool isSecond) {
  int64_t items = io.getSteps(), unroll = getUnroll(io, tiles);
  Value zero = indexConstant(b, 0);
  Value chunks = b.createOrFold<arith::DivUIOp>(
      b.createOrFold<arith::SubIOp>(to, from), indexConstant(b, items));
  Value last = addConstant(b, chunks, -1);
  // Where the chunk begins that is walked as number `chunk`.
  auto getStart = [&](ImplicitLocOpBuilder &inner, Value chunk) {
    Value number =
        walk.isBack() ? inner.createOrFold<arith::SubIOp>(last, chunk) : chunk;
    return inner.createOrFold<arith::AddIOp>(from,
                                             mulConstant(inner, number, items));
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
  // Other lanes may still read the slots.
  if (isSecond)
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
        /*rest=*/Value(),
        walk.findsTotals() ? compare(inner, arith::CmpIPredicate::eq, number, 0)
                           : Value(),
        carried.shared,
        Elements(ofScan.drop_front(items * numOfStep)),
        getParts};
    SmallVector<Elements> totals;
    next.state = walk.walkChunk(inner, chunk, carried.state, totals);
    tiles.store(inner, loaded, addConstant(inner, number, 2));
    Elements nextLoaded = load(inner, addConstant(inner, number, 2 + unroll));
    if (!walk.findsTotals())
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

State SplitStatesPipeline::walkLoaded(ImplicitLocOpBuilder &b, Value from,
                                      Value end, const State &state,
                                      bool loadsPartsAhead) {
  Value last = addConstant(b, end, -1);
  int64_t items = io.getSteps();
  reductions.startChunks(/*areWhole=*/false);
  size_t numOwned = io.getNumOwned();
  size_t numOfStep = io.getNumParts(SplitStatesIO::Parted::All);
  size_t numAhead = loadsPartsAhead ? items * numOfStep : 0;
  auto load = [&](ImplicitLocOpBuilder &inner, Value t) {
    Value rest = inner.createOrFold<arith::SubIOp>(end, t);
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
      b, compare(b, arith::CmpIPredicate::ult, from, end),
      [&](ImplicitLocOpBuilder &outer) {
        Value step = indexConstant(outer, items);
        // Where the last chunk begins.
        Value lastChunk = outer.createOrFold<arith::SubIOp>(
            last, outer.createOrFold<arith::RemUIOp>(
                      outer.createOrFold<arith::SubIOp>(last, from), step));
        SmallVector<Value> inits = state;
        llvm::append_range(inits,
                           load(outer, walk.isBack() ? lastChunk : from));
        SmallVector<Value> results = createFor(
            outer, from, end, step, inits,
            [&](ImplicitLocOpBuilder &inner, Value counter,
                ValueRange carried) {
              Value t = counter, after = addConstant(inner, t, items);
              if (walk.isBack()) {
                t = inner.createOrFold<arith::SubIOp>(
                    inner.createOrFold<arith::AddIOp>(lastChunk, from),
                    counter);
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
                  t,
                  inner.createOrFold<arith::SubIOp>(end, t),
                  walk.findsTotals()
                      ? compare(inner, arith::CmpIPredicate::eq, t, from)
                      : Value(),
                  walk.computeShared(inner, owned),
                  Elements(parts.drop_front(numAhead)),
                  getParts};
              SmallVector<Elements> totals;
              current = walk.walkChunk(inner, chunk, current, totals);
              if (!walk.findsTotals())
                walk.storeChunk(inner, chunk, owned, totals);
              llvm::append_range(current, next);
              return current;
            });
        return State(ValueRange(results).take_front(state.size()));
      },
      [&](ImplicitLocOpBuilder &) { return state; });
}
