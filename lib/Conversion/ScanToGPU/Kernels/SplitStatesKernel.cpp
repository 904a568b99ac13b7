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
// What is shared is computed once and not by every lane: functions such as
// exponentials would be what all of it waits for. Inputs come through shared
// memory (SplitStatesTiles) where they lie side by side for the scans of a
// warp.
//
//===----------------------------------------------------------------------===//

#include "../../GPUCommon/Emit.h"
#include "../Primitives/WarpScan.h"
#include "IR/KernelParts.h"
#include "SharedValues.h"
#include "SplitStatesReductions.h"
#include "SplitStatesTiles.h"
#include "Strategies.h"

using namespace mlir;
using namespace mlir::scan;

using Elements = SmallVector<Value>;

/// Chunks that an iteration of the loop over tiles walks. The memory's latency
/// is that of more than one chunk, and with each chunk of an iteration in
/// registers of its own none are copied, which would wait for a load.
static constexpr int64_t kUnroll = 2;

namespace {
class SplitWalk {
public:
  SplitWalk(ImplicitLocOpBuilder &b, KernelFrame &frame,
            const StateSplit &split);

  void emit(ImplicitLocOpBuilder &b);

private:
  State startState(ImplicitLocOpBuilder &b);
  Elements unpackPart(ImplicitLocOpBuilder &b, ValueRange carried);
  State walkPart(ImplicitLocOpBuilder &b, ValueRange carried, Value inBounds,
                 IRMapping &ofLoad, IRMapping &ofStore);
  /// What lanes compute of a chunk before its steps are walked.
  struct Shared {
    Elements load, store;
  };
  Shared computeShared(ImplicitLocOpBuilder &b, ValueRange owned) const;
  State walkTiles(ImplicitLocOpBuilder &b, SplitStatesTiles &tiles, Value to,
                  const State &state);
  State walkLoaded(ImplicitLocOpBuilder &b, Value from, const State &state);

  State walkStep(ImplicitLocOpBuilder &b, const Shared &shared,
                 ValueRange parts, Value t, int64_t step, Value inBounds,
                 ValueRange state, SmallVector<Elements> &totals);
  void storeChunk(ImplicitLocOpBuilder &b, Value t, Value rest,
                  ValueRange owned, const Shared &shared,
                  ArrayRef<Elements> totals);
  Elements computeResults(ImplicitLocOpBuilder &b, ValueRange owned,
                          int64_t group, const Shared &shared,
                          ArrayRef<Elements> totals);
  void storeFinals(ImplicitLocOpBuilder &b, ValueRange state);

  /// The carried leaves of own part `part` in those of all.
  ValueRange getPart(ValueRange state, int64_t part) const {
    size_t count = state.size() / io.getOwnParts();
    return state.slice(part * count, count);
  }

  KernelFrame &frame;
  KernelOp kernel;
  const StateSplit &split;
  SplitStatesIO io;
  /// Of the load region, and of what the store region computes for a part.
  SharedValues sharedLoad, sharedStore;
  SplitStatesReductions reductions;
};
} // namespace

/// What part 0 computes in the load region, one of each of its leaves.
static SmallVector<Value> getLoadRoots(KernelOp kernel,
                                       const StateSplit &split) {
  Operation *yield = kernel.getLoad().front().getTerminator();
  SmallVector<Value> roots;
  for (unsigned i = 0; i < split.leavesPerPart; ++i)
    roots.push_back(yield->getOperand(split.getLeaf(0, i)));
  return roots;
}

/// What it contributes to the sums over all parts in the store region, and its
/// elements of outputs.
static SmallVector<Value> getStoreRoots(KernelOp kernel,
                                        const StateSplit &split) {
  SmallVector<Value> roots = llvm::map_to_vector(
      split.totals, [](const StateSplit::Total &total) { return total.term; });
  for (auto [number, hasParts] : llvm::enumerate(split.hasOutputParts))
    if (hasParts)
      roots.push_back(split.getYielded(kernel, number));
  return roots;
}

SplitWalk::SplitWalk(ImplicitLocOpBuilder &b, KernelFrame &frame,
                     const StateSplit &split)
    : frame(frame), kernel(frame.getKernel()), split(split),
      io(b, frame, split),
      sharedLoad(kernel, kernel.getLoad(), split, getLoadRoots(kernel, split)),
      sharedStore(kernel, kernel.getStore(), split,
                  getStoreRoots(kernel, split)),
      reductions(b, frame, split, io) {
  sharedStore.reuse(kernel, sharedLoad);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

/// The carried leaves of the own parts, part by part.
State SplitWalk::startState(ImplicitLocOpBuilder &b) {
  State state;
  Operation *yield = kernel.getInitialize().front().getTerminator();
  SmallVector<bool> carried = kernel.getCarriedLeaves();
  for (int64_t part = 0; part < io.getOwnParts(); ++part) {
    IRMapping mapping;
    io.mapInits(b, part, mapping);
    for (unsigned i = 0; i < split.leavesPerPart; ++i)
      if (unsigned leaf = split.getLeaf(0, i); carried[leaf])
        state.push_back(cloneValue(b, yield->getOperand(leaf), mapping));
  }
  return state;
}

/// All leaves of a part of which `carried` are the carried ones, and zeros.
Elements SplitWalk::unpackPart(ImplicitLocOpBuilder &b, ValueRange carried) {
  SmallVector<bool> isCarried = kernel.getCarriedLeaves();
  Elements leaves;
  for (unsigned i = 0; i < split.leavesPerPart; ++i) {
    unsigned leaf = split.getLeaf(0, i);
    if (!isCarried[leaf]) {
      leaves.push_back(createZero(b, kernel.getLeafTypes()[leaf]));
      continue;
    }
    leaves.push_back(carried.front());
    carried = carried.drop_front();
  }
  return leaves;
}

/// Combines one step into the carried leaves of a part, unless it is not in
/// bounds, and maps the arguments of the store region that are leaves of part
/// 0.
State SplitWalk::walkPart(ImplicitLocOpBuilder &b, ValueRange carried,
                          Value inBounds, IRMapping &ofLoad,
                          IRMapping &ofStore) {
  Operation *load = kernel.getLoad().front().getTerminator();
  Block &combine = kernel.getCombine().front();
  Region &store = kernel.getStore();
  unsigned numLeaves = kernel.getNumLeaves();
  SmallVector<bool> isCarried = kernel.getCarriedLeaves();
  Elements before = unpackPart(b, carried);
  IRMapping ofCombine;
  for (unsigned i = 0; i < split.leavesPerPart; ++i) {
    unsigned leaf = split.getLeaf(0, i);
    ofCombine.map(combine.getArgument(leaf), before[i]);
    ofCombine.map(combine.getArgument(numLeaves + leaf),
                  cloneValue(b, load->getOperand(leaf), ofLoad));
    ofStore.map(store.getArgument(numLeaves + leaf), before[i]);
  }
  State next;
  for (unsigned i = 0; i < split.leavesPerPart; ++i) {
    unsigned leaf = split.getLeaf(0, i);
    Value after =
        cloneValue(b, combine.getTerminator()->getOperand(leaf), ofCombine);
    ofStore.map(store.getArgument(leaf), after);
    if (!isCarried[leaf])
      continue;
    if (inBounds)
      after = arith::SelectOp::create(b, inBounds, after, before[i]);
    next.push_back(after);
  }
  return next;
}

/// Combines step `step` of the chunk from step `t` on into the states of all
/// own parts, stores what outputs have of these, and appends the sums over them
/// to `totals`.
State SplitWalk::walkStep(ImplicitLocOpBuilder &b, const Shared &shared,
                          ValueRange parts, Value t, int64_t step,
                          Value inBounds, ValueRange state,
                          SmallVector<Elements> &totals) {
  IRMapping commonLoad, commonStore;
  sharedLoad.take(b, io, shared.load, step, commonLoad);
  sharedStore.take(b, io, shared.store, step, commonStore);
  sharedStore.mapReused(commonLoad, commonStore);
  Elements sums(split.totals.size());
  SmallVector<Elements> results(split.hasOutputParts.size());
  State next;
  for (int64_t part = 0; part < io.getOwnParts(); ++part) {
    IRMapping ofLoad = commonLoad, ofStore = commonStore;
    io.mapParts(kernel.getLoad(), parts, part, ofLoad);
    io.mapParts(kernel.getStore(), parts, part, ofStore);
    llvm::append_range(
        next, walkPart(b, getPart(state, part), inBounds, ofLoad, ofStore));
    for (auto [total, sum] : llvm::zip_equal(split.totals, sums)) {
      Value term = cloneValue(b, total.term, ofStore);
      sum = sum ? createSum(b, sum, term) : term;
    }
    for (auto [number, ofOutput] : llvm::enumerate(results))
      if (split.hasOutputParts[number])
        ofOutput.push_back(
            cloneValue(b, split.getYielded(kernel, number), ofStore));
  }
  io.storeParts(b, inBounds, results);
  reductions.addParts(b, t, step, inBounds, results);
  for (auto [total, sum] : llvm::zip_equal(totals, sums))
    total.push_back(sum);
  return next;
}

/// Computes and stores the outputs of the chunk from step `t` on, of which
/// `rest` steps are there, all if it is null; `totals` has this lane's part of
/// the sums, step by step.
void SplitWalk::storeChunk(ImplicitLocOpBuilder &b, Value t, Value rest,
                           ValueRange owned, const Shared &shared,
                           ArrayRef<Elements> totals) {
  // Each lane gets the sums of its own steps.
  SmallVector<Elements> sums(split.totals.size());
  for (size_t i = 0; i < sums.size(); ++i)
    reduceOverLanes(b, totals[i], io.getLanes(),
                    [&](ImplicitLocOpBuilder &, Value, Value sum) {
                      sums[i].push_back(sum);
                    });
  SmallVector<Elements> results;
  for (int64_t group = 0; group < io.getOwnSteps(); ++group) {
    results.push_back(computeResults(b, owned, group, shared, sums));
    io.storeStep(b, t, rest, group, results.back());
  }
  reductions.addOwned(b, t, rest, results);
}

/// The elements at own step `group` of the outputs that parts share, and null
/// for others; `totals` has the sums of each own step.
Elements SplitWalk::computeResults(ImplicitLocOpBuilder &b, ValueRange owned,
                                   int64_t group, const Shared &shared,
                                   ArrayRef<Elements> totals) {
  IRMapping ofLoad, mapping;
  io.mapShared(kernel.getStore(), owned, group, mapping);
  sharedLoad.mapOwn(shared.load, group, ofLoad);
  sharedStore.mapOwn(shared.store, group, mapping);
  sharedStore.mapReused(ofLoad, mapping);
  for (auto [total, ofGroups] : llvm::zip_equal(split.totals, totals)) {
    Value sum = ofGroups[group];
    for (Value other : total.others)
      sum = createSum(b, sum, cloneValue(b, other, mapping));
    mapping.map(total.value, sum);
  }
  Elements results;
  for (auto [number, hasParts] : llvm::enumerate(split.hasOutputParts))
    results.push_back(
        hasParts ? Value()
                 : cloneValue(b, split.getYielded(kernel, number), mapping));
  return results;
}

void SplitWalk::storeFinals(ImplicitLocOpBuilder &b, ValueRange state) {
  if (frame.getFinals().empty())
    return;
  Block &block = kernel.getFinalize().front();
  SmallVector<Elements> finals(io.getOwnParts());
  for (auto [part, elements] : llvm::enumerate(finals)) {
    IRMapping mapping;
    for (auto [i, leaf] : llvm::enumerate(unpackPart(b, getPart(state, part))))
      mapping.map(block.getArgument(split.getLeaf(0, i)), leaf);
    unsigned first = 0;
    for (const OperandView &final : frame.getFinals()) {
      elements.push_back(
          cloneValue(b, block.getTerminator()->getOperand(first), mapping));
      first += final.numElements;
    }
  }
  io.storeFinals(b, finals);
}

SplitWalk::Shared SplitWalk::computeShared(ImplicitLocOpBuilder &b,
                                           ValueRange owned) const {
  return {sharedLoad.compute(b, io, owned), sharedStore.compute(b, io, owned)};
}

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

/// Walks the steps before `to`, a multiple of those of kUnroll chunks, by
/// tiles. When a chunk is walked, what the lanes share of the next one is
/// computed, the one after it goes from registers to shared memory, and the one
/// kUnroll chunks later is loaded into these registers. Past the last chunk
/// that one is loaded again, which needs no branch.
State SplitWalk::walkTiles(ImplicitLocOpBuilder &b, SplitStatesTiles &tiles,
                           Value to, const State &state) {
  int64_t items = io.getSteps();
  Value zero = indexConstant(b, 0);
  Value chunks = b.createOrFold<arith::DivUIOp>(to, indexConstant(b, items));
  Value last = addConstant(b, chunks, -1);
  auto load = [&](ImplicitLocOpBuilder &inner, Value chunk) {
    Value known = inner.createOrFold<arith::MinUIOp>(chunk, last);
    return tiles.load(inner, mulConstant(inner, known, items));
  };
  // What each scan has by itself is loaded a chunk ahead.
  auto loadOfScan = [&](ImplicitLocOpBuilder &inner, Value chunk) {
    Value known = inner.createOrFold<arith::MinUIOp>(chunk, last);
    io.startSteps(inner, mulConstant(inner, known, items));
    Elements values;
    for (int64_t step = 0; step < items; ++step) {
      llvm::append_range(
          values, io.loadParts(inner, SplitStatesIO::Parted::AlignedOfScan));
      io.advanceSteps(inner);
    }
    return values;
  };
  size_t numOfScan = io.getNumParts(SplitStatesIO::Parted::AlignedOfScan);
  reductions.startChunks(/*areWhole=*/true);
  tiles.start(b, io.createFirstPoint(b));
  for (int64_t i = 0; i < 2; ++i)
    tiles.store(b, load(b, indexConstant(b, i)), indexConstant(b, i));
  SmallVector<Value> inits = state;
  for (int64_t i = 0; i < kUnroll; ++i)
    llvm::append_range(inits, load(b, indexConstant(b, 2 + i)));
  syncWarp(b);
  Shared first = computeShared(b, tiles.readOwned(b, zero));
  size_t numShared = first.load.size() + first.store.size();
  size_t numLoaded = (inits.size() - state.size()) / kUnroll;
  llvm::append_range(inits, first.load);
  llvm::append_range(inits, first.store);
  llvm::append_range(inits, loadOfScan(b, zero));
  SmallVector<Value> results = createFor(
      b, zero, chunks, indexConstant(b, kUnroll), inits,
      [&](ImplicitLocOpBuilder &inner, Value begin, ValueRange carried) {
        State current(carried.take_front(state.size()));
        Elements ofScan(carried.take_back(items * numOfScan));
        ValueRange ofShared =
            carried.drop_back(ofScan.size()).take_back(numShared);
        Shared shared = {Elements(ofShared.take_front(first.load.size())),
                         Elements(ofShared.take_back(first.store.size()))};
        Elements allLoaded;
        for (int64_t i = 0; i < kUnroll; ++i) {
          Value chunk = addConstant(inner, begin, i);
          // The slots of this chunk and of the next one are filled, and that of
          // the chunk after it is not read any more.
          syncWarp(inner);
          Shared next = computeShared(
              inner, tiles.readOwned(inner, addConstant(inner, chunk, 1)));
          Elements nextOfScan = loadOfScan(inner, addConstant(inner, chunk, 1));
          SmallVector<Elements> totals(split.totals.size());
          Value t = mulConstant(inner, chunk, items);
          io.startStores(inner, t);
          for (int64_t step = 0; step < items; ++step) {
            Elements parts = io.joinParts(
                tiles.readParts(inner, chunk, step),
                ValueRange(ofScan).slice(step * numOfScan, numOfScan));
            current = walkStep(inner, shared, parts, t, step,
                               /*inBounds=*/Value(), current, totals);
          }
          tiles.store(inner,
                      carried.slice(state.size() + i * numLoaded, numLoaded),
                      addConstant(inner, chunk, 2));
          llvm::append_range(
              allLoaded, load(inner, addConstant(inner, chunk, 2 + kUnroll)));
          storeChunk(inner, t, /*rest=*/Value(), tiles.readOwned(inner, chunk),
                     shared, totals);
          shared = next;
          ofScan = nextOfScan;
        }
        llvm::append_range(current, allLoaded);
        llvm::append_range(current, shared.load);
        llvm::append_range(current, shared.store);
        llvm::append_range(current, ofScan);
        return current;
      });
  return State(ValueRange(results).take_front(state.size()));
}

/// Walks the steps from `from` on, of which those that exist in the last chunk
/// count, and returns the state after them. A chunk is loaded from global
/// memory while the one before it is walked.
State SplitWalk::walkLoaded(ImplicitLocOpBuilder &b, Value from,
                            const State &state) {
  Value extent = frame.getExtent(), last = addConstant(b, extent, -1);
  int64_t items = io.getSteps();
  reductions.startChunks(/*areWhole=*/false);
  auto load = [&](ImplicitLocOpBuilder &inner, Value t) {
    Value rest = inner.createOrFold<arith::SubIOp>(extent, t);
    Elements values = io.loadOwned(inner, t, rest);
    io.startSteps(inner, inner.createOrFold<arith::MinUIOp>(t, last));
    for (int64_t step = 0; step < items; ++step) {
      if (step != 0)
        io.advanceSteps(inner,
                        compare(inner, arith::CmpIPredicate::sgt, rest, step));
      llvm::append_range(values,
                         io.loadParts(inner, SplitStatesIO::Parted::All));
    }
    return values;
  };
  return createIfElse(
      b, compare(b, arith::CmpIPredicate::ult, from, extent),
      [&](ImplicitLocOpBuilder &outer) {
        SmallVector<Value> inits = state;
        llvm::append_range(inits, load(outer, from));
        SmallVector<Value> results = createFor(
            outer, from, extent, indexConstant(outer, items), inits,
            [&](ImplicitLocOpBuilder &inner, Value t, ValueRange carried) {
              Elements next = load(inner, addConstant(inner, t, items));
              State current(carried.take_front(state.size()));
              carried = carried.drop_front(state.size());
              ValueRange owned = carried.take_front(io.getNumOwned());
              carried = carried.drop_front(io.getNumOwned());
              Shared shared = computeShared(inner, owned);
              Value rest = inner.createOrFold<arith::SubIOp>(extent, t);
              SmallVector<Elements> totals(split.totals.size());
              size_t count = io.getNumParts(SplitStatesIO::Parted::All);
              io.startStores(inner, t);
              for (int64_t step = 0; step < items; ++step) {
                Value inBounds =
                    compare(inner, arith::CmpIPredicate::ugt, rest, step);
                current = walkStep(inner, shared, carried.take_front(count), t,
                                   step, inBounds, current, totals);
                carried = carried.drop_front(count);
              }
              storeChunk(inner, t, rest, owned, shared, totals);
              llvm::append_range(current, next);
              return current;
            });
        return State(ValueRange(results).take_front(state.size()));
      },
      [&](ImplicitLocOpBuilder &) { return state; });
}

void SplitWalk::emit(ImplicitLocOpBuilder &b) {
  io.start(b);
  State state = startState(b);
  Value from = indexConstant(b, 0);
  if (std::optional<StateTiles> layout = StateTiles::get(
          kernel, frame.getSchedule(), frame.getPlan().sharedBytes)) {
    SplitStatesTiles tiles(b, frame, std::move(*layout), io.getLanes(),
                           io.getScanLane(), io.getWarp());
    Value rest = b.createOrFold<arith::RemUIOp>(
        frame.getExtent(), indexConstant(b, kUnroll * io.getSteps()));
    Value to = b.createOrFold<arith::SelectOp>(
        createAnd(b, tiles.createHasRows(b), io.createIsAligned(b)),
        b.createOrFold<arith::SubIOp>(frame.getExtent(), rest), from);
    state = createIfElse(
        b, compare(b, arith::CmpIPredicate::ne, to, 0),
        [&](ImplicitLocOpBuilder &inner) {
          return walkTiles(inner, tiles, to, state);
        },
        [&](ImplicitLocOpBuilder &) { return state; });
    from = to;
  }
  storeFinals(b, walkLoaded(b, from, state));
  reductions.finish(b);
}

void mlir::scan::emitSplitStatesKernel(ImplicitLocOpBuilder &b,
                                       KernelFrame &frame) {
  StateSplit split = *StateSplit::get(frame.getKernel());
  SplitWalk(b, frame, split).emit(b);
  gpu::ReturnOp::create(b);
}
