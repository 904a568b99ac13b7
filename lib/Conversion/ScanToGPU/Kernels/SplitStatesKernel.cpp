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
#include "../Primitives/PackedAccess.h"
#include "../Primitives/ProductGuard.h"
#include "../Primitives/Reductions.h"
#include "../Primitives/WarpScan.h"
#include "../Tile/StepPointer.h"
#include "Plan/StateSplit.h"
#include "Strategies.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::scan;

namespace {
using Elements = SmallVector<Value>;

/// An input or an output of the kernel for one thread.
struct Operand {
  OperandView view;
  /// Its first argument among those of all operands of its kind.
  unsigned argument;
  bool hasParts, isVarying;
  StepPointer steps;
  /// Of an input that does not vary along the scan dimension: its element, or
  /// those of the own parts.
  Elements invariant;
};

/// What all lanes that share a scan need of a region that part 0 computes, and
/// that varies along the scan dimension: the lane that owns a step computes it.
using SharedValues = llvm::SetVector<Value>;

class SplitWalk {
public:
  SplitWalk(ImplicitLocOpBuilder &b, KernelFrame &frame,
            const StateSplit &split);

  /// Emits the walk, where accesses to the elements of all own parts at once
  /// are aligned, if `isPacked` says so.
  void emit(ImplicitLocOpBuilder &b, bool isPacked);
  /// i1: whether they are. Null if there are none.
  Value createIsAligned(ImplicitLocOpBuilder &b);

private:
  /// What is loaded for a chunk: for each shared varying input the elements of
  /// the own steps, and for each with parts, of each step, those of the own
  /// parts.
  struct Chunk {
    Elements owned, parts;
  };

  Operand makeOperand(const OperandView &view, unsigned &argument,
                      bool hasParts);
  void findShared(Region &region, ValueRange roots, SharedValues &shared);
  Value clone(ImplicitLocOpBuilder &b, Value value, IRMapping &mapping);
  std::optional<PackedAccess> getPacked(const Operand &input) const;
  Elements loadParts(ImplicitLocOpBuilder &b, const Operand &input,
                     Value address);
  Value loadElement(ImplicitLocOpBuilder &b, const OperandView &view,
                    int64_t part);
  Elements loadChunk(ImplicitLocOpBuilder &b, Value t, Value rest);
  Chunk unpackChunk(ValueRange values) const;
  void mapShared(Region &region, unsigned firstElement, const Chunk &chunk,
                 int64_t group, IRMapping &mapping);
  void mapParts(Region &region, unsigned firstElement, const Chunk &chunk,
                int64_t step, int64_t part, IRMapping &mapping);
  State startState(ImplicitLocOpBuilder &b);
  State walkChunk(ImplicitLocOpBuilder &b, Value t, Value rest,
                  ValueRange values, ValueRange state);
  void storeOutputs(ImplicitLocOpBuilder &b, Value t, Value rest,
                    const Chunk &chunk, ArrayRef<Elements> totals);
  void storeFinals(ImplicitLocOpBuilder &b, ValueRange state);

  /// Own parts, and steps of a chunk per lane.
  int64_t getOwnParts() const { return split.parts / lanes.count; }
  int64_t getOwnSteps() const {
    return frame.getSchedule().getItems() / lanes.count;
  }
  /// The step of a chunk that this lane owns in group `group` of its steps.
  Value createOwnStep(ImplicitLocOpBuilder &b, int64_t group) {
    return addConstant(b, lanes.index, group * lanes.count);
  }

  KernelFrame &frame;
  KernelOp kernel;
  const StateSplit &split;
  /// The lanes that share a scan, and this lane's scan in its warp.
  LaneGroup lanes;
  Value scanLane;
  /// Whether there is such a scan, and its point; some other's if not.
  Value isValid;
  SmallVector<Value> point;
  SmallVector<Operand, 0> inputs, outputs;
  /// Of the load region, and of what each total adds up in the store region.
  SharedValues sharedLoad, sharedStore;
  bool isPacked = false;
};
} // namespace

Operand SplitWalk::makeOperand(const OperandView &view, unsigned &argument,
                               bool hasParts) {
  Operand operand = {view,
                     argument,
                     hasParts,
                     view.map.isFunctionOfDim(kernel.getDim()),
                     StepPointer(frame, view),
                     {}};
  argument += view.numElements;
  return operand;
}

SplitWalk::SplitWalk(ImplicitLocOpBuilder &b, KernelFrame &frame,
                     const StateSplit &split)
    : frame(frame), kernel(frame.getKernel()), split(split) {
  ThreadIds ids = frame.createThreadIds(b);
  ScheduleAttr schedule = frame.getSchedule();
  int64_t side = schedule.getLanes();
  lanes = {arith::DivUIOp::create(b, ids.lane, indexConstant(b, side)),
           kWarpSize / side, side};
  scanLane = arith::RemUIOp::create(b, ids.lane, indexConstant(b, side));
  Value number = b.createOrFold<arith::AddIOp>(
      mulConstant(b, createBlockNumber(b), schedule.getScansPerBlock()),
      b.createOrFold<arith::AddIOp>(mulConstant(b, ids.warp, side), scanLane));
  Value count = frame.createScanCount(b);
  isValid = compare(b, arith::CmpIPredicate::ult, number, count);
  Value last = addConstant(b, count, -1);
  point = frame.createScanPoint(
      b, arith::SelectOp::create(b, isValid, number, last));

  unsigned argument = 0;
  for (auto [view, hasParts] :
       llvm::zip_equal(frame.getInputs(), split.hasInputParts))
    inputs.push_back(makeOperand(view, argument, hasParts));
  argument = 0;
  for (const OperandView &view : frame.getOutputs())
    outputs.push_back(makeOperand(view, argument, /*hasParts=*/false));

  SmallVector<Value> roots;
  Block &load = kernel.getLoad().front();
  for (unsigned i = 0; i < split.leavesPerPart; ++i)
    roots.push_back(load.getTerminator()->getOperand(split.getLeaf(0, i)));
  findShared(kernel.getLoad(), roots, sharedLoad);
  roots.clear();
  for (const StateSplit::Total &total : split.totals)
    roots.push_back(total.term);
  findShared(kernel.getStore(), roots, sharedStore);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// Finds what `roots` need that depends on no part and on an input that varies
/// along the scan dimension.
void SplitWalk::findShared(Region &region, ValueRange roots,
                           SharedValues &shared) {
  enum Kind { Invariant, Varying, Part };
  DenseMap<Value, Kind> kinds;
  unsigned numArguments = region.getNumArguments();
  unsigned first = numArguments;
  for (const Operand &input : inputs)
    first -= input.view.numElements;
  // Leaves come before the elements of inputs.
  for (unsigned i = 0; i < first; ++i)
    kinds[region.getArgument(i)] = Part;
  for (const Operand &input : inputs)
    for (int64_t i = 0; i < input.view.numElements; ++i)
      kinds[region.getArgument(first + input.argument + i)] =
          input.hasParts    ? Part
          : input.isVarying ? Varying
                            : Invariant;
  for (Operation &op : region.front()) {
    Kind kind = Invariant;
    for (Value operand : op.getOperands())
      kind = std::max(kind, kinds.lookup(operand));
    for (Value result : op.getResults())
      kinds[result] = kind;
  }
  DenseSet<Value> seen;
  SmallVector<Value> left(roots);
  while (!left.empty()) {
    Value value = left.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Kind kind = kinds.lookup(value);
    if (kind == Varying)
      shared.insert(value);
    else if (Operation *op = value.getDefiningOp(); op && kind == Part)
      llvm::append_range(left, op->getOperands());
  }
}

/// `value` of a region with what `mapping` has for values that it depends on.
Value SplitWalk::clone(ImplicitLocOpBuilder &b, Value value,
                       IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    clone(b, operand, mapping);
  if (isGuardedProduct(*op))
    mapping.map(value,
                createPlainProduct(b, *op, mapping.lookup(op->getOperand(0)),
                                   mapping.lookup(op->getOperand(1))));
  else
    b.clone(*op, mapping);
  return mapping.lookup(value);
}

/// Maps the arguments of inputs that all parts share to their elements at the
/// own step of `group`.
void SplitWalk::mapShared(Region &region, unsigned firstElement,
                          const Chunk &chunk, int64_t group,
                          IRMapping &mapping) {
  ArrayRef<Value> owned(chunk.owned);
  for (const Operand &input : inputs) {
    if (input.hasParts)
      continue;
    Value argument = region.getArgument(firstElement + input.argument);
    if (!input.isVarying) {
      mapping.map(argument, input.invariant.front());
      continue;
    }
    mapping.map(argument, owned[group]);
    owned = owned.drop_front(getOwnSteps());
  }
}

/// Maps the arguments of part 0 to the elements of the own part `part` at step
/// `step` of a chunk, and those that never vary.
void SplitWalk::mapParts(Region &region, unsigned firstElement,
                         const Chunk &chunk, int64_t step, int64_t part,
                         IRMapping &mapping) {
  ArrayRef<Value> parts(chunk.parts);
  int64_t steps = frame.getSchedule().getItems();
  for (const Operand &input : inputs) {
    Value argument = region.getArgument(firstElement + input.argument);
    if (!input.isVarying) {
      mapping.map(argument, input.invariant[input.hasParts ? part : 0]);
    } else if (input.hasParts) {
      mapping.map(argument, parts[step * getOwnParts() + part]);
      parts = parts.drop_front(steps * getOwnParts());
    }
  }
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// How the elements of the own parts are accessed at once; none if they do not
/// lie side by side.
std::optional<PackedAccess> SplitWalk::getPacked(const Operand &input) const {
  PackedAccess packed =
      PackedAccess::get(input.view.elementType, getOwnParts());
  if (!input.hasParts || !input.isVarying || !packed.isVectorized())
    return std::nullopt;
  SmallVector<int64_t> strides;
  int64_t offset;
  auto type = cast<MemRefType>(input.view.value.getType());
  (void)type.getStridesAndOffset(strides, offset);
  if (strides.back() != 1)
    return std::nullopt;
  return packed;
}

Value SplitWalk::createIsAligned(ImplicitLocOpBuilder &b) {
  Value all;
  for (Operand &input : inputs) {
    std::optional<PackedAccess> packed = getPacked(input);
    if (!packed)
      continue;
    input.steps.prepare(b);
    const GlobalPointer &global = input.steps.getGlobal();
    int64_t elements =
        packed->getAccessBytes() / getStorageBytes(input.view.elementType);
    all = createAnd(b, all,
                    global.createIsAligned(b, indexConstant(b, 0),
                                           ArrayRef(global.strides).drop_back(),
                                           elements));
  }
  return all;
}

/// The elements of the own parts, where that of part 0 is at `address`.
Elements SplitWalk::loadParts(ImplicitLocOpBuilder &b, const Operand &input,
                              Value address) {
  const GlobalPointer &global = input.steps.getGlobal();
  Value stride = global.strides.back();
  Value own = mulConstant(b, lanes.index, getOwnParts());
  Value first = global.moveAddress(b, address,
                                   b.createOrFold<arith::MulIOp>(own, stride));
  if (std::optional<PackedAccess> packed = getPacked(input); packed && isPacked)
    return unpackWords(b, *packed, loadWords(b, *packed, first));
  Elements elements;
  for (int64_t i = 0; i < getOwnParts(); ++i)
    elements.push_back(mlir::scan::loadElement(
        b, input.view.elementType,
        global.moveAddress(b, first, mulConstant(b, stride, i))));
  return elements;
}

/// The element of own part `part` of what does not vary, or the one there is.
Value SplitWalk::loadElement(ImplicitLocOpBuilder &b, const OperandView &view,
                             int64_t part) {
  if (view.numElements == 1)
    return loadElements(b, view, point).front();
  Value index =
      addConstant(b, mulConstant(b, lanes.index, getOwnParts()), part);
  return memref::LoadOp::create(b, view.value,
                                getElementIndices(b, view, point, index));
}

/// Loads the chunk from step `t` on, of which `rest` steps are there, an index;
/// null if all are.
Elements SplitWalk::loadChunk(ImplicitLocOpBuilder &b, Value t, Value rest) {
  Elements values;
  Value last = addConstant(b, frame.getExtent(), -1);
  for (Operand &input : inputs) {
    if (!input.isVarying || input.hasParts)
      continue;
    for (int64_t group = 0; group < getOwnSteps(); ++group) {
      Value position =
          b.createOrFold<arith::AddIOp>(t, createOwnStep(b, group));
      if (rest)
        position = b.createOrFold<arith::MinUIOp>(position, last);
      input.steps.startAt(b, position);
      Elements own = input.steps.load(b, input.steps.getAddress(b));
      if (input.view.shift != 0)
        own = selectInBounds(b,
                             createShiftedIndex(b, input.view,
                                                frame.createIndex(b, position),
                                                frame.getExtent())
                                 .inBounds,
                             own, inputs[input.view.boundary].invariant);
      llvm::append_range(values, own);
    }
  }
  for (Operand &input : inputs) {
    if (!input.isVarying || !input.hasParts)
      continue;
    input.steps.startAt(b, t);
    for (int64_t step = 0; step < frame.getSchedule().getItems(); ++step) {
      if (step != 0)
        input.steps.advance(
            b,
            rest ? compare(b, arith::CmpIPredicate::ugt, rest, step) : Value());
      Elements own = loadParts(b, input, input.steps.getAddress(b));
      if (input.view.shift != 0) {
        Value position = addConstant(b, t, step);
        own = selectInBounds(b,
                             createShiftedIndex(b, input.view,
                                                frame.createIndex(b, position),
                                                frame.getExtent())
                                 .inBounds,
                             own, inputs[input.view.boundary].invariant);
      }
      llvm::append_range(values, own);
    }
  }
  return values;
}

SplitWalk::Chunk SplitWalk::unpackChunk(ValueRange values) const {
  int64_t owned = 0;
  for (const Operand &input : inputs)
    owned += input.isVarying && !input.hasParts ? getOwnSteps() : 0;
  return {Elements(values.take_front(owned)),
          Elements(values.drop_front(owned))};
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

/// The carried leaves of the own parts, part by part.
State SplitWalk::startState(ImplicitLocOpBuilder &b) {
  State state;
  Block &block = kernel.getInitialize().front();
  SmallVector<bool> carried = kernel.getCarriedLeaves();
  for (int64_t part = 0; part < getOwnParts(); ++part) {
    IRMapping mapping;
    unsigned argument = 0;
    for (const OperandView &init : frame.getInits()) {
      mapping.map(block.getArgument(argument), loadElement(b, init, part));
      argument += init.numElements;
    }
    for (unsigned i = 0; i < split.leavesPerPart; ++i)
      if (unsigned leaf = split.getLeaf(0, i); carried[leaf])
        state.push_back(
            clone(b, block.getTerminator()->getOperand(leaf), mapping));
  }
  return state;
}

/// Walks the chunk from step `t` on, of which `rest` steps are there, all if it
/// is null, and returns the state after it.
State SplitWalk::walkChunk(ImplicitLocOpBuilder &b, Value t, Value rest,
                           ValueRange values, ValueRange state) {
  Chunk chunk = unpackChunk(values);
  Region &load = kernel.getLoad(), &store = kernel.getStore();
  Block &combine = kernel.getCombine().front();
  unsigned numLeaves = kernel.getNumLeaves();
  SmallVector<bool> carried = kernel.getCarriedLeaves();

  // Of each group of own steps what the parts share.
  SmallVector<Elements> ownedLoad, ownedStore;
  for (int64_t group = 0; group < getOwnSteps(); ++group) {
    IRMapping ofLoad, ofStore;
    mapShared(load, 0, chunk, group, ofLoad);
    mapShared(store, 2 * numLeaves, chunk, group, ofStore);
    for (Value value : sharedLoad)
      ownedLoad.emplace_back().push_back(clone(b, value, ofLoad));
    for (Value value : sharedStore)
      ownedStore.emplace_back().push_back(clone(b, value, ofStore));
  }
  auto takeShared = [&](const SharedValues &shared, ArrayRef<Elements> owned,
                        int64_t step, IRMapping &mapping) {
    int64_t group = step / lanes.count, owner = step % lanes.count;
    Value lane = addConstant(b, scanLane, owner * lanes.stride);
    for (auto [i, value] : llvm::enumerate(shared))
      mapping.map(
          value,
          shuffleFrom(b, owned[group * shared.size() + i], lane).front());
  };

  State current(state);
  SmallVector<Elements> totals(split.totals.size());
  for (int64_t step = 0; step < frame.getSchedule().getItems(); ++step) {
    IRMapping commonLoad, commonStore;
    takeShared(sharedLoad, ownedLoad, step, commonLoad);
    takeShared(sharedStore, ownedStore, step, commonStore);
    Value inBounds =
        rest ? compare(b, arith::CmpIPredicate::ugt, rest, step) : Value();
    State next;
    for (Elements &total : totals)
      total.push_back(Value());
    ValueRange left(current);
    for (int64_t part = 0; part < getOwnParts(); ++part) {
      IRMapping ofLoad = commonLoad, ofStore = commonStore, ofCombine;
      mapParts(load, 0, chunk, step, part, ofLoad);
      mapParts(store, 2 * numLeaves, chunk, step, part, ofStore);
      for (unsigned i = 0; i < split.leavesPerPart; ++i) {
        unsigned leaf = split.getLeaf(0, i);
        Value before = createZero(b, kernel.getLeafTypes()[leaf]);
        if (carried[leaf]) {
          before = left.front();
          left = left.drop_front();
        }
        Value item =
            clone(b, load.front().getTerminator()->getOperand(leaf), ofLoad);
        ofCombine.map(combine.getArgument(leaf), before);
        ofCombine.map(combine.getArgument(numLeaves + leaf), item);
        ofStore.map(store.getArgument(numLeaves + leaf), before);
      }
      for (unsigned i = 0; i < split.leavesPerPart; ++i) {
        unsigned leaf = split.getLeaf(0, i);
        Value after =
            clone(b, combine.getTerminator()->getOperand(leaf), ofCombine);
        ofStore.map(store.getArgument(leaf), after);
        if (!carried[leaf])
          continue;
        Value before = ofCombine.lookup(combine.getArgument(leaf));
        next.push_back(inBounds
                           ? arith::SelectOp::create(b, inBounds, after, before)
                                 .getResult()
                           : after);
      }
      for (auto [total, sums] : llvm::zip_equal(split.totals, totals)) {
        Value term = clone(b, total.term, ofStore);
        sums.back() = sums.back() ? createSum(b, sums.back(), term) : term;
      }
    }
    current = next;
  }

  // Each lane gets the sums of its own steps.
  SmallVector<Elements> owned(split.totals.size());
  for (size_t i = 0; i < totals.size(); ++i)
    reduceOverLanes(b, totals[i], lanes,
                    [&](ImplicitLocOpBuilder &, Value, Value total) {
                      owned[i].push_back(total);
                    });
  storeOutputs(b, t, rest, chunk, owned);
  return current;
}

/// Computes and stores the outputs of the own steps; `totals` has the sums of
/// each group of steps.
void SplitWalk::storeOutputs(ImplicitLocOpBuilder &b, Value t, Value rest,
                             const Chunk &chunk, ArrayRef<Elements> totals) {
  Region &store = kernel.getStore();
  for (int64_t group = 0; group < getOwnSteps(); ++group) {
    IRMapping mapping;
    mapShared(store, 2 * kernel.getNumLeaves(), chunk, group, mapping);
    for (auto [total, ofGroups] : llvm::zip_equal(split.totals, totals)) {
      Value sum = ofGroups[group];
      for (Value other : total.others)
        sum = createSum(b, sum, clone(b, other, mapping));
      mapping.map(total.value, sum);
    }
    Elements results;
    for (Value yielded : store.front().getTerminator()->getOperands())
      results.push_back(clone(b, yielded, mapping));
    Value step = createOwnStep(b, group);
    Value inBounds =
        rest ? compare(b, arith::CmpIPredicate::ult, step, rest) : Value();
    createIf(
        b, createAnd(b, isValid, inBounds), [&](ImplicitLocOpBuilder &inner) {
          Value position = inner.createOrFold<arith::AddIOp>(t, step);
          for (auto [output, result] : llvm::zip_equal(outputs, results)) {
            output.steps.startAt(inner, position);
            output.steps.store(inner, result, output.steps.getAddress(inner));
          }
        });
  }
}

void SplitWalk::storeFinals(ImplicitLocOpBuilder &b, ValueRange state) {
  if (frame.getFinals().empty())
    return;
  Block &block = kernel.getFinalize().front();
  SmallVector<bool> carried = kernel.getCarriedLeaves();
  createIf(b, isValid, [&](ImplicitLocOpBuilder &inner) {
    for (int64_t part = 0; part < getOwnParts(); ++part) {
      IRMapping mapping;
      for (unsigned i = 0; i < split.leavesPerPart; ++i) {
        unsigned leaf = split.getLeaf(0, i);
        Value value = createZero(inner, kernel.getLeafTypes()[leaf]);
        if (carried[leaf]) {
          value = state.front();
          state = state.drop_front();
        }
        mapping.map(block.getArgument(leaf), value);
      }
      Value own = addConstant(
          inner, mulConstant(inner, lanes.index, getOwnParts()), part);
      unsigned first = 0;
      for (const OperandView &final : frame.getFinals()) {
        Value element =
            clone(inner, block.getTerminator()->getOperand(first), mapping);
        memref::StoreOp::create(inner, element, final.value,
                                getElementIndices(inner, final, point, own));
        first += final.numElements;
      }
    }
  });
}

void SplitWalk::emit(ImplicitLocOpBuilder &b, bool withPacked) {
  isPacked = withPacked;
  for (Operand &input : inputs) {
    if (input.isVarying) {
      input.steps = StepPointer(frame, input.view);
      input.steps.prepare(b);
      input.steps.start(b, point);
      continue;
    }
    input.invariant.clear();
    for (int64_t i = 0; i < (input.hasParts ? getOwnParts() : 1); ++i)
      input.invariant.push_back(loadElement(b, input.view, i));
  }
  for (Operand &output : outputs) {
    output.steps = StepPointer(frame, output.view);
    output.steps.prepare(b);
    output.steps.start(b, point);
  }

  int64_t items = frame.getSchedule().getItems();
  Value extent = frame.getExtent(), zero = indexConstant(b, 0);
  Value rest = b.createOrFold<arith::RemUIOp>(extent, indexConstant(b, items));
  Value to = b.createOrFold<arith::SubIOp>(extent, rest);
  State state = startState(b);
  size_t numCarried = state.size();
  auto loadNext = [&](ImplicitLocOpBuilder &inner, Value t) {
    return createIfOrZeros(inner,
                           compare(inner, arith::CmpIPredicate::ult, t, to),
                           [&](ImplicitLocOpBuilder &nested) {
                             return loadChunk(nested, t, /*rest=*/Value());
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
          return walkChunk(inner, to, rest, loadChunk(inner, to, rest), state);
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
