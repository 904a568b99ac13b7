//===- SequentialKernel.cpp - One thread walks the scan dimension ---------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   the point of this thread:
//     state = init                or the first element, peeled, without an init
//     for t in chunks of `items`: load the next chunk, then combine and store
//                                 this one step by step
//     for the rest:               one by one
//     store finals; add the thread's part of reductions to memory
//
// Loads do not depend on the state, so that those of a whole chunk are in
// flight while the chunk before is combined.
//
//===----------------------------------------------------------------------===//

#include "../../GPUCommon/Emit.h"
#include "../Primitives/InitAndFinals.h"
#include "../Primitives/Reductions.h"
#include "../Tile/StepPointer.h"
#include "Strategies.h"

using namespace mlir;
using namespace mlir::scan;

namespace {
/// The reduction outputs of one thread, and the scattered ones. Its neighbours
/// may have elements of their own, so that each thread adds its totals to
/// memory.
class ThreadReductions {
public:
  ThreadReductions(ImplicitLocOpBuilder &b, KernelFrame &frame)
      : outputs(getReductionOutputs(b, frame)) {
    for (const ReductionOutput &output : outputs)
      totals.push_back(output.isPerStep
                           ? PrivateTotals()
                           : PrivateTotals(frame, output.view.elementType,
                                           output.view.numElements));
  }

  void start(ImplicitLocOpBuilder &b) {
    for (PrivateTotals &total : totals)
      total.clear(b);
  }
  /// Adds the results of the store-map at `point`.
  void add(ImplicitLocOpBuilder &b, ArrayRef<Value> point, ValueRange results) {
    for (auto [output, total] : llvm::zip_equal(outputs, totals)) {
      if (output.isPerStep) {
        output.addToMemory(b, point, results);
        continue;
      }
      for (auto [i, element] : llvm::enumerate(output.getElements(results)))
        total.add(b, i, element);
    }
  }
  /// Adds to memory what was kept.
  void finish(ImplicitLocOpBuilder &b, ArrayRef<Value> point) {
    for (auto [output, total] : llvm::zip_equal(outputs, totals))
      if (!output.isPerStep)
        output.addElements(b, point, total.load(b, 0, output.view.numElements));
  }

private:
  SmallVector<ReductionOutput, 0> outputs;
  /// One for each of them; empty if it is not kept.
  SmallVector<PrivateTotals> totals;
};

/// One of the independent scans: the walk along the scan dimension.
class Walk {
public:
  Walk(ImplicitLocOpBuilder &b, KernelFrame &frame, ArrayRef<Value> point,
       ThreadReductions &reductions)
      : frame(frame), kernel(frame.getKernel()), point(point),
        reductions(reductions) {
    reductions.start(b);
    // What does not vary along the scan dimension is read once.
    for (const OperandView &input : frame.getInputs()) {
      invariants.emplace_back();
      if (input.isGathered())
        continue;
      if (!isVarying(input))
        invariants.back() = loadElements(b, input, point);
      else
        startScan(b, loads.emplace_back(frame, input));
    }
    for (const OperandView &output : frame.getOutputs())
      if (output.isStored())
        startScan(b, stores.emplace_back(frame, output));
  }

  void emit(ImplicitLocOpBuilder &b);

private:
  using Elements = SmallVector<Value>;

  /// Moves to step `t + offset`, counted in scan order.
  void moveTo(ImplicitLocOpBuilder &b, Value t, int64_t offset) {
    Value &index = point[kernel.getDim()];
    if (!kernel.getReverse()) {
      index = addConstant(b, t, offset);
      return;
    }
    Value last = addConstant(b, frame.getExtent(), -1);
    index = addConstant(b, b.createOrFold<arith::SubIOp>(last, t), -offset);
  }

  void startScan(ImplicitLocOpBuilder &b, StepPointer &pointer) {
    pointer.prepare(b);
    pointer.start(b, point);
  }
  /// Of inputs, or of outputs: the next accesses are at step `t`; and then at
  /// the step after.
  static void startAt(ImplicitLocOpBuilder &b,
                      MutableArrayRef<StepPointer> pointers, Value t) {
    for (StepPointer &pointer : pointers)
      pointer.startAt(b, t);
  }
  static void advance(ImplicitLocOpBuilder &b,
                      MutableArrayRef<StepPointer> pointers) {
    for (StepPointer &pointer : pointers)
      pointer.advance(b);
  }

  bool isVarying(const OperandView &input) {
    return input.map.isFunctionOfDim(kernel.getDim());
  }

  /// The elements of the varying inputs at the current step.
  Elements loadVarying(ImplicitLocOpBuilder &b) {
    Elements varying;
    const StepPointer *pointer = loads.begin();
    for (const OperandView &input : frame.getInputs()) {
      if (!isVarying(input))
        continue;
      Elements own = pointer->load(b, pointer->getAddress(b));
      if (input.shift != 0)
        own = pointer->selectInBounds(b, own, invariants[input.boundary]);
      ++pointer;
      llvm::append_range(varying, own);
    }
    return varying;
  }

  /// Moves to step `t` and loads the elements of all inputs.
  Elements load(ImplicitLocOpBuilder &b, Value t) {
    moveTo(b, t, 0);
    startAt(b, loads, t);
    Elements varying = loadVarying(b);
    ValueRange rest(varying);
    return takeElements(b, rest);
  }

  /// The elements of all inputs at one step, of which the varying ones are
  /// taken from the front of `varying`.
  Elements takeElements(ImplicitLocOpBuilder &b, ValueRange &varying) {
    SmallVector<const OperandView *> views;
    SmallVector<Elements> ofInputs(invariants);
    for (auto [input, own] : llvm::zip_equal(frame.getInputs(), ofInputs)) {
      views.push_back(&input);
      if (!isVarying(input))
        continue;
      own = llvm::to_vector(varying.take_front(input.numElements));
      varying = varying.drop_front(input.numElements);
    }
    Elements elements;
    appendElements(b, views, ofInputs, point, elements);
    return elements;
  }

  /// Combines the elements of one step into `before`, stores the outputs and
  /// returns the state after the step.
  State step(ImplicitLocOpBuilder &b, ValueRange elements,
             const State *before) {
    State leaves = inlineRegion(b, kernel.getLoad(), elements, point);
    State inclusive = before ? combineItem(b, kernel, *before, leaves) : leaves;
    SmallVector<Value> results = computeResults(
        b, kernel, inclusive, before ? *before : zeroState(b, kernel), elements,
        point);
    ValueRange rest(results);
    const StepPointer *pointer = stores.begin();
    for (const OperandView &output : frame.getOutputs()) {
      if (output.isStored()) {
        pointer->store(b, rest.take_front(output.numElements),
                       pointer->getAddress(b));
        ++pointer;
      }
      rest = rest.drop_front(output.numElements);
    }
    reductions.add(b, point, results);
    return inclusive;
  }

  State peelFirstStep(ImplicitLocOpBuilder &b);
  State walk(ImplicitLocOpBuilder &b, Value from, Value to, ValueRange state);
  SmallVector<Value> loadChunk(ImplicitLocOpBuilder &b, Value t, int64_t count);
  State walkChunks(ImplicitLocOpBuilder &b, Value from, Value to, int64_t count,
                   ValueRange state);

  KernelFrame &frame;
  KernelOp kernel;
  SmallVector<Value> point;
  /// Per input the elements that were read once; empty if it varies or is
  /// gathered.
  SmallVector<Elements> invariants;
  /// The varying inputs, and the outputs that are stored step by step.
  SmallVector<StepPointer, 0> loads, stores;
  ThreadReductions &reductions;
};
} // namespace

/// Without an init the first element is the state: returns it, or zero for an
/// empty scan.
State Walk::peelFirstStep(ImplicitLocOpBuilder &b) {
  Value zero = indexConstant(b, 0);
  auto first = [&](ImplicitLocOpBuilder &inner) {
    startAt(inner, stores, zero);
    return step(inner, load(inner, zero), /*before=*/nullptr);
  };
  if (!ShapedType::isDynamic(frame.getStaticExtent()))
    return first(b);
  return unpackCarried(
      b, kernel,
      createIfOrZeros(
          b, compare(b, arith::CmpIPredicate::ugt, frame.getExtent(), zero),
          [&](ImplicitLocOpBuilder &inner) {
            return packCarried(kernel, first(inner));
          }));
}

/// Walks from step `from` to step `to` one by one.
State Walk::walk(ImplicitLocOpBuilder &b, Value from, Value to,
                 ValueRange state) {
  SmallVector<Value> results = createFor(
      b, from, to, indexConstant(b, 1), packCarried(kernel, state),
      [&](ImplicitLocOpBuilder &inner, Value t, ValueRange carried) {
        startAt(inner, stores, t);
        State before = unpackCarried(inner, kernel, carried);
        return packCarried(kernel, step(inner, load(inner, t), &before));
      });
  return unpackCarried(b, kernel, results);
}

/// What varies along the scan dimension at the `count` steps from `t` on.
SmallVector<Value> Walk::loadChunk(ImplicitLocOpBuilder &b, Value t,
                                   int64_t count) {
  SmallVector<Value> values;
  startAt(b, loads, t);
  for (int64_t k = 0; k < count; ++k) {
    moveTo(b, t, k);
    llvm::append_range(values, loadVarying(b));
    advance(b, loads);
  }
  return values;
}

/// Walks from step `from` to step `to`, a multiple of `count` steps, in chunks
/// of `count`. Each chunk's loads are issued before the chunk in front of it is
/// combined, so that memory and arithmetic overlap. The last chunk is loaded
/// again in place of the one behind it, which does not exist: in a branch,
/// ptxas places the loads behind the arithmetic, and each chunk waits for them.
State Walk::walkChunks(ImplicitLocOpBuilder &b, Value from, Value to,
                       int64_t count, ValueRange state) {
  SmallVector<Value> carriedState = packCarried(kernel, state);
  unsigned numCarried = carriedState.size();
  SmallVector<Value> inits = carriedState;
  Value isAny = compare(b, arith::CmpIPredicate::ult, from, to);
  llvm::append_range(
      inits, createIfOrZeros(b, isAny, [&](ImplicitLocOpBuilder &inner) {
        return loadChunk(inner, from, count);
      }));
  SmallVector<Value> results = createFor(
      b, from, to, indexConstant(b, count), inits,
      [&](ImplicitLocOpBuilder &inner, Value t, ValueRange carried) {
        ValueRange chunk = carried.drop_front(numCarried);
        Value behind = addConstant(inner, t, count);
        Value isLast = compare(inner, arith::CmpIPredicate::uge, behind, to);
        Value at = inner.createOrFold<arith::SelectOp>(isLast, t, behind);
        SmallVector<Value> next = loadChunk(inner, at, count);
        State current =
            unpackCarried(inner, kernel, carried.take_front(numCarried));
        startAt(inner, stores, t);
        for (int64_t k = 0; k < count; ++k) {
          moveTo(inner, t, k);
          current = step(inner, takeElements(inner, chunk), &current);
          advance(inner, stores);
        }
        SmallVector<Value> yielded = packCarried(kernel, current);
        llvm::append_range(yielded, next);
        return yielded;
      });
  return unpackCarried(b, kernel, ValueRange(results).take_front(numCarried));
}

void Walk::emit(ImplicitLocOpBuilder &b) {
  State state = createStartState(b, frame, point);
  Value extent = frame.getExtent();
  int64_t known = frame.getStaticExtent();
  int64_t items = frame.getSchedule().getItems();
  int64_t start = 0;
  if (!hasStartState(kernel) && known != 0) {
    state = peelFirstStep(b);
    start = 1;
  }
  Value from = indexConstant(b, start);
  if (items > 1 && (ShapedType::isDynamic(known) || known - start >= items)) {
    // An empty scan has no first step to peel either: never count below zero.
    Value to = b.createOrFold<arith::MaxUIOp>(extent, from);
    Value left = b.createOrFold<arith::SubIOp>(to, from);
    Value rest = b.createOrFold<arith::RemUIOp>(left, indexConstant(b, items));
    Value middle = b.createOrFold<arith::SubIOp>(to, rest);
    state = walkChunks(b, from, middle, items, state);
    from = middle;
  }
  bool isExact = !ShapedType::isDynamic(known) &&
                 (known == 0 || (known - start) % items == 0);
  if (!isExact || (items == 1 && known > start))
    state = walk(b, from, extent, state);
  storeFinals(b, frame, point, createFinalState(b, frame, state));
  reductions.finish(b, point);
}

void mlir::scan::emitSequentialKernel(ImplicitLocOpBuilder &b,
                                      KernelFrame &frame) {
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  Value number = arith::AddIOp::create(
      b, mulConstant(b, createBlockNumber(b), frame.getSchedule().getThreads()),
      thread);
  Value inBounds =
      compare(b, arith::CmpIPredicate::ult, number, frame.createScanCount(b));
  ThreadReductions reductions(b, frame);
  createIf(b, inBounds, [&](ImplicitLocOpBuilder &inner) {
    SmallVector<Value> point = frame.createScanPoint(inner, number);
    Walk(inner, frame, point, reductions).emit(inner);
  });
  gpu::ReturnOp::create(b);
}
