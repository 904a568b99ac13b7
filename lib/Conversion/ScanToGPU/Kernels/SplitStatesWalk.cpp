//===- SplitStatesWalk.cpp - Steps of scans that lanes share --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitStatesWalk.h"
#include "../../GPUCommon/Emit.h"

using namespace mlir;
using namespace mlir::scan;

using Elements = SmallVector<Value>;
using Direction = KernelOp::Direction;

/// The sums over all parts that the outputs which `isOwn` says depend on.
static SmallVector<StateSplit::Total>
getTotals(KernelOp kernel, const StateSplit &split, ArrayRef<bool> isOwn) {
  DenseSet<Value> needed;
  SmallVector<Value> left;
  for (auto [number, hasParts] : llvm::enumerate(split.hasOutputParts))
    if (!hasParts && isOwn[number])
      left.push_back(split.getYielded(kernel, number));
  while (!left.empty()) {
    Value value = left.pop_back_val();
    if (Operation *op = value.getDefiningOp();
        needed.insert(value).second && op)
      llvm::append_range(left, op->getOperands());
  }
  return llvm::filter_to_vector(split.totals,
                                [&](const StateSplit::Total &total) {
                                  return needed.contains(total.value);
                                });
}

/// The outputs of a walk: those that depend on leaves of its direction. The
/// walk back also has those that depend on both, and one for totals none.
static SmallVector<bool> getOwnOutputs(KernelOp kernel,
                                       SplitStatesWalk::Kind kind) {
  bool isBack = kind == SplitStatesWalk::Kind::Back;
  return llvm::map_to_vector(kernel.getOutputDirections(),
                             [&](Direction direction) {
                               return kind != SplitStatesWalk::Kind::Totals &&
                                      (direction != Direction::Same) == isBack;
                             });
}

SplitStatesWalk::SplitStatesWalk(KernelFrame &frame, const StateSplit &split,
                                 SplitStatesIO &io,
                                 SplitStatesReductions &reductions,
                                 const SplitStatesCheckpoints *checkpoints,
                                 Kind kind)
    : kernel(frame.getKernel()), frame(frame), split(split), io(io),
      reductions(reductions), checkpoints(checkpoints), kind(kind),
      states(kernel, split), isOwn(getOwnOutputs(kernel, kind)),
      totals(kernel, split, getTotals(kernel, split, isOwn)),
      sharedLoad(kernel, kernel.getLoad(), split, getLoadRoots()),
      sharedStore(kernel, kernel.getStore(), split, getStoreRoots()),
      loadExponentials(kernel, kernel.getLoad(), sharedLoad, getLoadRoots()),
      storeExponentials(kernel, kernel.getStore(), sharedStore,
                        getStoreRoots()),
      added(kernel, split, io, loadExponentials) {
  sharedStore.reuse(kernel, sharedLoad);
}

/// What part 0 computes in the load region, one of each of its leaves.
Elements SplitStatesWalk::getLoadRoots() {
  Operation *yield = kernel.getLoad().front().getTerminator();
  Elements roots;
  for (unsigned i = 0; i < split.leavesPerPart; ++i)
    if (isBack() || !split.isOpposite(i))
      roots.push_back(yield->getOperand(split.getLeaf(0, i)));
  return roots;
}

/// What it contributes to the sums over all parts in the store region, and its
/// elements of outputs.
Elements SplitStatesWalk::getStoreRoots() {
  Elements roots(totals.getTerms());
  for (auto [number, hasParts] : llvm::enumerate(split.hasOutputParts))
    if (hasParts && isOwn[number])
      roots.push_back(split.getYielded(kernel, number));
  return roots;
}

SplitStatesWalk::Shared SplitStatesWalk::computeShared(ImplicitLocOpBuilder &b,
                                                       ValueRange owned) const {
  return {sharedLoad.compute(b, io, owned), sharedStore.compute(b, io, owned)};
}

Elements SplitStatesWalk::loadCheckpoint(ImplicitLocOpBuilder &b,
                                         Value t) const {
  return isBack() ? checkpoints->load(b, t) : Elements();
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

/// The numbers of the leaves of one direction among those of a part.
llvm::iota_range<unsigned> SplitStatesWalk::getLeaves(bool areBack) const {
  return areBack ? llvm::seq(split.sameLeavesPerPart, split.leavesPerPart)
                 : llvm::seq(0u, split.sameLeavesPerPart);
}

Elements SplitStatesWalk::startStateFrom(ImplicitLocOpBuilder &b,
                                         ArrayRef<State> before) {
  loadExponentials.start(b, io);
  storeExponentials.start(b, io);
  Elements state;
  for (const State &ofPart : before)
    llvm::append_range(state, states.takeCarried(ofPart));
  return state;
}

Elements SplitStatesWalk::startState(ImplicitLocOpBuilder &b) {
  loadExponentials.start(b, io);
  storeExponentials.start(b, io);
  Elements state;
  if (findsTotals())
    return added.start(b);
  Operation *yield = kernel.getInitialize().front().getTerminator();
  SmallVector<bool> carried = kernel.getCarriedLeaves();
  for (int64_t part = 0; part < io.getOwnParts(); ++part) {
    IRMapping mapping;
    io.mapInits(b, part, mapping);
    for (unsigned i : getLeaves(isBack()))
      if (unsigned leaf = split.getLeaf(0, i); carried[leaf])
        state.push_back(cloneValue(b, yield->getOperand(leaf), mapping));
  }
  return state;
}

/// All leaves of one direction of a part of which `carried` are the carried
/// ones, and zeros.
Elements SplitStatesWalk::unpackPart(ImplicitLocOpBuilder &b,
                                     ValueRange carried, bool areBack) {
  SmallVector<bool> isCarried = kernel.getCarriedLeaves();
  Elements leaves;
  for (unsigned i : getLeaves(areBack)) {
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

/// Combines one step into the carried leaves of one direction of a part, unless
/// it is not in bounds. Appends to `leaves` what the store region sees of them.
Elements SplitStatesWalk::combinePart(ImplicitLocOpBuilder &b,
                                      ValueRange carried, bool areBack,
                                      Value inBounds, IRMapping &ofLoad,
                                      LeafValues &leaves) {
  Operation *load = kernel.getLoad().front().getTerminator();
  Block &combine = kernel.getCombine().front();
  Region &store = kernel.getStore();
  unsigned numLeaves = kernel.getNumLeaves();
  SmallVector<bool> isCarried = kernel.getCarriedLeaves();
  Elements allBefore = unpackPart(b, carried, areBack);
  IRMapping ofCombine;
  for (auto [i, before] : llvm::zip_equal(getLeaves(areBack), allBefore)) {
    unsigned leaf = split.getLeaf(0, i);
    ofCombine.map(combine.getArgument(leaf), before);
    ofCombine.map(combine.getArgument(numLeaves + leaf),
                  cloneValue(b, load->getOperand(leaf), ofLoad));
    leaves.push_back({store.getArgument(numLeaves + leaf), before});
  }
  Elements next;
  for (auto [i, before] : llvm::zip_equal(getLeaves(areBack), allBefore)) {
    unsigned leaf = split.getLeaf(0, i);
    Value after =
        cloneValue(b, combine.getTerminator()->getOperand(leaf), ofCombine);
    fuseProducts(after);
    leaves.push_back({store.getArgument(leaf), after});
    if (!isCarried[leaf])
      continue;
    if (inBounds)
      after = arith::SelectOp::create(b, inBounds, after, before);
    next.push_back(after);
  }
  return next;
}

void SplitStatesWalk::storeFinals(ImplicitLocOpBuilder &b, ValueRange state) {
  if (frame.getFinals().empty())
    return;
  Block &block = kernel.getFinalize().front();
  SmallVector<Elements> finals(io.getOwnParts());
  for (auto [part, elements] : llvm::enumerate(finals)) {
    IRMapping mapping;
    for (auto [i, leaf] :
         llvm::zip_equal(getLeaves(isBack()),
                         unpackPart(b, getPart(state, part), isBack())))
      mapping.map(block.getArgument(split.getLeaf(0, i)), leaf);
    unsigned first = 0;
    for (auto [final, direction] :
         llvm::zip_equal(frame.getFinals(), kernel.getFinalDirections())) {
      bool isOwnFinal = (direction != Direction::Same) == isBack();
      elements.push_back(
          isOwnFinal
              ? cloneValue(b, block.getTerminator()->getOperand(first), mapping)
              : Value());
      first += final.numElements;
    }
  }
  io.storeFinals(b, finals);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

SplitStatesWalk::Step SplitStatesWalk::beginStep(ImplicitLocOpBuilder &b,
                                                 const Chunk &chunk,
                                                 int64_t number) {
  Step step;
  step.number = number;
  if (chunk.rest)
    step.inBounds = compare(b, arith::CmpIPredicate::ugt, chunk.rest, number);
  step.parts = chunk.getParts(b, number);
  sharedLoad.take(b, io, chunk.shared.load, number, step.load);
  step.loads.assign(io.getOwnParts(), step.load);
  for (auto [part, ofLoad] : llvm::enumerate(step.loads)) {
    io.mapInvariant(kernel.getLoad(), part, ofLoad);
    io.mapParts(kernel.getLoad(), step.parts, part, ofLoad);
    loadExponentials.compute(b, part, ofLoad);
  }
  step.leaves.resize(io.getOwnParts());
  return step;
}

/// Combines a step into the states of all own parts, and computes what comes of
/// it.
Elements SplitStatesWalk::finishStep(ImplicitLocOpBuilder &b,
                                     const Shared &shared, ValueRange state,
                                     Step &step) {
  IRMapping common;
  sharedStore.take(b, io, shared.store, step.number, common);
  sharedStore.mapReused(step.load, common);
  step.sums.resize(totals.getTerms().size());
  step.results.resize(isOwn.size());
  Elements next;
  for (auto [part, leaves] : llvm::enumerate(step.leaves)) {
    llvm::append_range(next,
                       combinePart(b, getPart(state, part), isBack(),
                                   step.inBounds, step.loads[part], leaves));
    IRMapping ofStore = common;
    io.mapInvariant(kernel.getStore(), part, ofStore);
    io.mapParts(kernel.getStore(), step.parts, part, ofStore);
    storeExponentials.compute(b, part, ofStore);
    for (auto [argument, value] : leaves)
      ofStore.map(argument, value);
    for (auto [ofPart0, sum] : llvm::zip_equal(totals.getTerms(), step.sums)) {
      Value term = cloneValue(b, ofPart0, ofStore);
      sum = sum ? createSum(b, sum, term) : term;
      fuseProducts(sum);
    }
    for (auto [number, ofOutput] : llvm::enumerate(step.results))
      if (isOwn[number] && split.hasOutputParts[number]) {
        ofOutput.push_back(
            cloneValue(b, split.getYielded(kernel, number), ofStore));
        fuseProducts(ofOutput.back());
      }
  }
  return next;
}

void SplitStatesWalk::storeStep(ImplicitLocOpBuilder &b, const Chunk &chunk,
                                const Step &step, SmallVector<Elements> &sums) {
  io.storeParts(b, step.inBounds, step.results);
  reductions.addParts(b, chunk.t, step.number, step.inBounds, step.results);
  for (auto [ofSteps, sum] : llvm::zip_equal(sums, step.sums))
    ofSteps.push_back(sum);
}

Elements SplitStatesWalk::walkChunk(ImplicitLocOpBuilder &b, const Chunk &chunk,
                                    ValueRange state,
                                    SmallVector<Elements> &sums) {
  if (findsTotals())
    return addChunk(b, chunk, state);
  sums.resize(totals.getTerms().size());
  if (isBack())
    return walkChunkBack(b, chunk, state, sums);
  if (checkpoints)
    checkpoints->store(b, chunk.t, state);
  Elements current(state);
  io.startStores(b, chunk.t);
  for (int64_t number = 0; number < io.getSteps(); ++number) {
    Step step = beginStep(b, chunk, number);
    current = finishStep(b, chunk.shared, current, step);
    storeStep(b, chunk, step, sums);
  }
  return current;
}

Elements SplitStatesWalk::addChunk(ImplicitLocOpBuilder &b, const Chunk &chunk,
                                   ValueRange state) {
  Elements current(state);
  for (int64_t number = 0; number < io.getSteps(); ++number) {
    Step step = beginStep(b, chunk, number);
    current = added.add(b, step.loads, current,
                        number == 0 ? chunk.isFirst : Value(), step.inBounds);
  }
  return current;
}

/// The states of the first walk come first, all of the chunk's: they are needed
/// in the opposite order. So are the results, which are stored in that of the
/// steps.
Elements SplitStatesWalk::walkChunkBack(ImplicitLocOpBuilder &b,
                                        const Chunk &chunk, ValueRange state,
                                        SmallVector<Elements> &sums) {
  Elements forward(chunk.checkpoint);
  SmallVector<Step, 0> steps;
  for (int64_t number = 0; number < io.getSteps(); ++number) {
    Step &step = steps.emplace_back(beginStep(b, chunk, number));
    Elements next;
    for (auto [part, leaves] : llvm::enumerate(step.leaves))
      llvm::append_range(next, combinePart(b, getPart(forward, part),
                                           /*areBack=*/false, step.inBounds,
                                           step.loads[part], leaves));
    forward = next;
  }
  Elements current(state);
  for (Step &step : llvm::reverse(steps))
    current = finishStep(b, chunk.shared, current, step);
  io.startStores(b, chunk.t);
  for (const Step &step : steps)
    storeStep(b, chunk, step, sums);
  return current;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void SplitStatesWalk::storeChunk(ImplicitLocOpBuilder &b, const Chunk &chunk,
                                 ValueRange owned, ArrayRef<Elements> sums) {
  // Each lane gets the sums of its own steps.
  SmallVector<Elements> reduced(sums.size());
  for (size_t i = 0; i < sums.size(); ++i)
    reduceOverLanes(b, sums[i], io.getLanes(),
                    [&](ImplicitLocOpBuilder &, Value, Value sum) {
                      reduced[i].push_back(sum);
                    });
  SmallVector<Elements> results;
  for (int64_t group = 0; group < io.getOwnSteps(); ++group) {
    results.push_back(computeResults(b, owned, group, chunk.shared, reduced));
    io.storeStep(b, chunk.t, chunk.rest, group, results.back());
  }
  reductions.addOwned(b, chunk.t, chunk.rest, results);
}

/// The elements at own step `group` of the outputs that parts share, and null
/// for others; `sums` has the sums over the parts of each own step.
Elements SplitStatesWalk::computeResults(ImplicitLocOpBuilder &b,
                                         ValueRange owned, int64_t group,
                                         const Shared &shared,
                                         ArrayRef<Elements> sums) {
  IRMapping ofLoad, mapping;
  io.mapShared(kernel.getStore(), owned, group, mapping);
  sharedLoad.mapOwn(shared.load, group, ofLoad);
  sharedStore.mapOwn(shared.store, group, mapping);
  sharedStore.mapReused(ofLoad, mapping);
  Elements own;
  for (const Elements &ofGroups : sums)
    own.push_back(ofGroups[group]);
  totals.map(b, own, mapping);
  Elements results;
  for (auto [number, hasParts] : llvm::enumerate(split.hasOutputParts))
    results.push_back(
        hasParts || !isOwn[number]
            ? Value()
            : cloneValue(b, split.getYielded(kernel, number), mapping));
  return results;
}
