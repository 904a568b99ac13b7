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
//   for t in chunks of `items` steps:
//     load the next chunk
//     for the steps that this lane owns, one of as many as there are lanes:
//       compute what all parts share
//     for each step of the chunk:
//       take what is shared from the lane that owns the step
//       combine the states of the own parts, and add their terms up
//     exchange sums, so that each lane has those of the steps that it owns
//     for the steps that this lane owns: compute and store the outputs
//
// What is shared is computed once and not by every lane: functions such as
// exponentials would be what all of it waits for.
//
//===----------------------------------------------------------------------===//

#include "../../GPUCommon/Emit.h"
#include "../Primitives/ProductGuard.h"
#include "../Primitives/WarpScan.h"
#include "IR/KernelParts.h"
#include "SplitStatesIO.h"
#include "Strategies.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::scan;

using Elements = SmallVector<Value>;
using Chunk = SplitStatesIO::Chunk;

/// `value` of a region with what `mapping` has for values that it depends on.
static Value cloneValue(ImplicitLocOpBuilder &b, Value value,
                        IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    cloneValue(b, operand, mapping);
  if (isGuardedProduct(*op))
    mapping.map(value,
                createPlainProduct(b, *op, mapping.lookup(op->getOperand(0)),
                                   mapping.lookup(op->getOperand(1))));
  else
    b.clone(*op, mapping);
  return mapping.lookup(value);
}

namespace {
/// What part 0 needs of a region that depends on no part, and that varies along
/// the scan dimension: all lanes that share a scan need the same.
class SharedValues {
public:
  /// `roots` are what part 0 computes in `region`.
  SharedValues(KernelOp kernel, Region &region, const StateSplit &split,
               ValueRange roots);

  /// Computes those of the own steps of a chunk.
  void compute(ImplicitLocOpBuilder &b, const SplitStatesIO &io,
               const Chunk &chunk);
  /// Maps them to those of step `step`, from the lane that owns it.
  void take(ImplicitLocOpBuilder &b, const SplitStatesIO &io, int64_t step,
            IRMapping &mapping) const;

private:
  enum Kind { Invariant, Varying, Part };
  static DenseMap<Value, Kind> getKinds(KernelOp kernel, Region &region,
                                        const StateSplit &split);

  Region &region;
  llvm::SetVector<Value> values;
  /// Of each own step, one of each of `values`.
  Elements owned;
};

class SplitWalk {
public:
  SplitWalk(ImplicitLocOpBuilder &b, KernelFrame &frame,
            const StateSplit &split);

  void emit(ImplicitLocOpBuilder &b, bool isPacked);
  Value createIsAligned(ImplicitLocOpBuilder &b) {
    return io.createIsAligned(b);
  }

private:
  State startState(ImplicitLocOpBuilder &b);
  Elements unpackPart(ImplicitLocOpBuilder &b, ValueRange carried);
  State walkPart(ImplicitLocOpBuilder &b, ValueRange carried, Value inBounds,
                 IRMapping &ofLoad, IRMapping &ofStore);
  State walkStep(ImplicitLocOpBuilder &b, const Chunk &chunk, int64_t step,
                 Value inBounds, ValueRange state, Elements &terms);
  State walkChunk(ImplicitLocOpBuilder &b, Value t, Value rest,
                  ValueRange values, ValueRange state);
  Elements computeResults(ImplicitLocOpBuilder &b, const Chunk &chunk,
                          int64_t group, ArrayRef<Elements> totals);
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
  /// Of the load region, and of what each total adds up in the store region.
  SharedValues sharedLoad, sharedStore;
};
} // namespace

//===----------------------------------------------------------------------===//
// What parts share
//===----------------------------------------------------------------------===//

DenseMap<Value, SharedValues::Kind>
SharedValues::getKinds(KernelOp kernel, Region &region,
                       const StateSplit &split) {
  DenseMap<Value, Kind> kinds;
  for (Value argument : region.getArguments())
    kinds[argument] = Part;
  for (auto [arguments, hasParts, map] :
       llvm::zip_equal(getInputArguments(kernel, region), split.hasInputParts,
                       kernel.getInputMaps()))
    if (!hasParts)
      kinds[arguments.front()] =
          map.isFunctionOfDim(kernel.getDim()) ? Varying : Invariant;
  for (Operation &op : region.front()) {
    Kind kind = Invariant;
    for (Value operand : op.getOperands())
      kind = std::max(kind, kinds.lookup(operand));
    for (Value result : op.getResults())
      kinds[result] = kind;
  }
  return kinds;
}

SharedValues::SharedValues(KernelOp kernel, Region &region,
                           const StateSplit &split, ValueRange roots)
    : region(region) {
  DenseMap<Value, Kind> kinds = getKinds(kernel, region, split);
  DenseSet<Value> seen;
  SmallVector<Value> left(roots);
  while (!left.empty()) {
    Value value = left.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Kind kind = kinds.lookup(value);
    if (kind == Varying)
      values.insert(value);
    else if (Operation *op = value.getDefiningOp(); op && kind == Part)
      llvm::append_range(left, op->getOperands());
  }
}

void SharedValues::compute(ImplicitLocOpBuilder &b, const SplitStatesIO &io,
                           const Chunk &chunk) {
  owned.clear();
  for (int64_t group = 0; group < io.getOwnSteps(); ++group) {
    IRMapping mapping;
    io.mapShared(region, chunk, group, mapping);
    for (Value value : values)
      owned.push_back(cloneValue(b, value, mapping));
  }
}

void SharedValues::take(ImplicitLocOpBuilder &b, const SplitStatesIO &io,
                        int64_t step, IRMapping &mapping) const {
  int64_t lanes = io.getLanes().count;
  Value lane = io.getLane(b, step % lanes);
  ArrayRef<Value> ofStep =
      ArrayRef(owned).slice(step / lanes * values.size(), values.size());
  for (auto [value, own] : llvm::zip_equal(values, ofStep))
    mapping.map(value, shuffleFrom(b, own, lane).front());
}

/// What part 0 computes in the load region, one of each of its leaves.
static SmallVector<Value> getLoadRoots(KernelOp kernel,
                                       const StateSplit &split) {
  Operation *yield = kernel.getLoad().front().getTerminator();
  SmallVector<Value> roots;
  for (unsigned i = 0; i < split.leavesPerPart; ++i)
    roots.push_back(yield->getOperand(split.getLeaf(0, i)));
  return roots;
}

/// What it contributes to the sums over all parts in the store region.
static SmallVector<Value> getStoreRoots(const StateSplit &split) {
  return llvm::map_to_vector(
      split.totals, [](const StateSplit::Total &total) { return total.term; });
}

SplitWalk::SplitWalk(ImplicitLocOpBuilder &b, KernelFrame &frame,
                     const StateSplit &split)
    : frame(frame), kernel(frame.getKernel()), split(split),
      io(b, frame, split),
      sharedLoad(kernel, kernel.getLoad(), split, getLoadRoots(kernel, split)),
      sharedStore(kernel, kernel.getStore(), split, getStoreRoots(split)) {}

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

/// Combines one step into the states of all own parts; `terms` gets the sums
/// over them.
State SplitWalk::walkStep(ImplicitLocOpBuilder &b, const Chunk &chunk,
                          int64_t step, Value inBounds, ValueRange state,
                          Elements &terms) {
  IRMapping commonLoad, commonStore;
  sharedLoad.take(b, io, step, commonLoad);
  sharedStore.take(b, io, step, commonStore);
  terms.assign(split.totals.size(), Value());
  State next;
  for (int64_t part = 0; part < io.getOwnParts(); ++part) {
    IRMapping ofLoad = commonLoad, ofStore = commonStore;
    io.mapParts(kernel.getLoad(), chunk, step, part, ofLoad);
    io.mapParts(kernel.getStore(), chunk, step, part, ofStore);
    llvm::append_range(
        next, walkPart(b, getPart(state, part), inBounds, ofLoad, ofStore));
    for (auto [total, sum] : llvm::zip_equal(split.totals, terms)) {
      Value term = cloneValue(b, total.term, ofStore);
      sum = sum ? createSum(b, sum, term) : term;
    }
  }
  return next;
}

/// Walks the chunk from step `t` on, of which `rest` steps are there, all if it
/// is null, and returns the state after it.
State SplitWalk::walkChunk(ImplicitLocOpBuilder &b, Value t, Value rest,
                           ValueRange values, ValueRange state) {
  Chunk chunk = io.unpackChunk(values);
  sharedLoad.compute(b, io, chunk);
  sharedStore.compute(b, io, chunk);
  State current(state);
  SmallVector<Elements> totals(split.totals.size());
  for (int64_t step = 0; step < io.getSteps(); ++step) {
    Value inBounds =
        rest ? compare(b, arith::CmpIPredicate::ugt, rest, step) : Value();
    Elements terms;
    current = walkStep(b, chunk, step, inBounds, current, terms);
    for (auto [total, term] : llvm::zip_equal(totals, terms))
      total.push_back(term);
  }
  // Each lane gets the sums of its own steps.
  SmallVector<Elements> owned(split.totals.size());
  for (size_t i = 0; i < totals.size(); ++i)
    reduceOverLanes(b, totals[i], io.getLanes(),
                    [&](ImplicitLocOpBuilder &, Value, Value sum) {
                      owned[i].push_back(sum);
                    });
  for (int64_t group = 0; group < io.getOwnSteps(); ++group)
    io.storeStep(b, t, rest, group, computeResults(b, chunk, group, owned));
  return current;
}

/// The outputs of own step `group`; `totals` has the sums of each of these.
Elements SplitWalk::computeResults(ImplicitLocOpBuilder &b, const Chunk &chunk,
                                   int64_t group, ArrayRef<Elements> totals) {
  IRMapping mapping;
  io.mapShared(kernel.getStore(), chunk, group, mapping);
  for (auto [total, ofGroups] : llvm::zip_equal(split.totals, totals)) {
    Value sum = ofGroups[group];
    for (Value other : total.others)
      sum = createSum(b, sum, cloneValue(b, other, mapping));
    mapping.map(total.value, sum);
  }
  Elements results;
  for (Value yielded : kernel.getStore().front().getTerminator()->getOperands())
    results.push_back(cloneValue(b, yielded, mapping));
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

/// Emits the walk, where accesses to the elements of all own parts at once are
/// aligned, if `isPacked` says so.
void SplitWalk::emit(ImplicitLocOpBuilder &b, bool isPacked) {
  io.start(b, isPacked);
  int64_t items = io.getSteps();
  Value extent = frame.getExtent(), zero = indexConstant(b, 0);
  Value rest = b.createOrFold<arith::RemUIOp>(extent, indexConstant(b, items));
  Value to = b.createOrFold<arith::SubIOp>(extent, rest);
  State state = startState(b);
  size_t numCarried = state.size();
  auto loadNext = [&](ImplicitLocOpBuilder &inner, Value t) {
    return createIfOrZeros(inner,
                           compare(inner, arith::CmpIPredicate::ult, t, to),
                           [&](ImplicitLocOpBuilder &nested) {
                             return io.loadChunk(nested, t, /*rest=*/Value());
                           });
  };
  SmallVector<Value> inits = state;
  llvm::append_range(inits, loadNext(b, zero));
  SmallVector<Value> results = createFor(
      b, zero, to, indexConstant(b, items), inits,
      [&](ImplicitLocOpBuilder &inner, Value t, ValueRange carried) {
        SmallVector<Value> next = loadNext(inner, addConstant(inner, t, items));
        SmallVector<Value> after = walkChunk(inner, t, /*rest=*/Value(),
                                             carried.drop_front(numCarried),
                                             carried.take_front(numCarried));
        llvm::append_range(after, next);
        return after;
      });
  state = State(ValueRange(results).take_front(numCarried));
  int64_t known = frame.getStaticExtent();
  if (ShapedType::isDynamic(known) || known % items != 0)
    state = createIfElse(
        b, compare(b, arith::CmpIPredicate::ne, rest, 0),
        [&](ImplicitLocOpBuilder &inner) {
          return walkChunk(inner, to, rest, io.loadChunk(inner, to, rest),
                           state);
        },
        [&](ImplicitLocOpBuilder &) { return state; });
  storeFinals(b, state);
}

void mlir::scan::emitSplitStatesKernel(ImplicitLocOpBuilder &b,
                                       KernelFrame &frame) {
  StateSplit split = *StateSplit::get(frame.getKernel());
  SplitWalk walk(b, frame, split);
  Value isAligned = walk.createIsAligned(b);
  if (isAligned)
    createIf(
        b, isAligned,
        [&](ImplicitLocOpBuilder &inner) { walk.emit(inner, true); },
        [&](ImplicitLocOpBuilder &inner) { walk.emit(inner, false); });
  else
    walk.emit(b, false);
  gpu::ReturnOp::create(b);
}
