//===- ScanOps.cpp - Graph-level scans as left folds ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scan is evaluated line by line: a line is what is left of the iteration
// shape when all dimensions but the scan dimension are fixed. Within a line the
// state walks from step to step, exactly as the operation is defined.
//
//===----------------------------------------------------------------------===//

#include "Scan/IR/ScanRecurrence.h"
#include "ScanWalk.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::reference;

LogicalResult mlir::scan::reference::forEachLine(
    ArrayRef<int64_t> shape, int64_t dim,
    llvm::function_ref<LogicalResult(ArrayRef<int64_t>)> fn) {
  SmallVector<int64_t> extents(shape);
  extents[dim] = 1;
  if (countElements(extents) == 0)
    return success();
  SmallVector<int64_t> point(shape.size(), 0);
  do {
    if (failed(fn(point)))
      return failure();
  } while (nextPoint(point, extents));
  return success();
}

SmallVector<int64_t> mlir::scan::reference::withoutDim(ArrayRef<int64_t> shape,
                                                       int64_t dim) {
  SmallVector<int64_t> rest(shape);
  rest.erase(rest.begin() + dim);
  return rest;
}

int64_t mlir::scan::reference::dot(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  int64_t sum = 0;
  for (auto [x, y] : llvm::zip(a, b))
    sum += x * y;
  return sum;
}

//===----------------------------------------------------------------------===//
// scan.associative
//===----------------------------------------------------------------------===//

namespace {
/// One leaf of a scan.associative.
struct Leaf {
  Use input;
  std::optional<Use> init;
  Slot result;
  std::optional<Slot> finalState;
  /// How elements are held: in the tensor and in the state.
  Format element, accumulator;
  /// The leaf's share of the combine region.
  Slot accumulatedArgument, newArgument;
  Use yield;
  SmallVector<int64_t> trailing;
  /// Elements of the trailing block, and where they start in the state.
  int64_t count = 1;
  int64_t start = 0;
};

struct AssociativeScan {
  AssociativeOp op;
  SmallVector<Leaf> leaves;
  std::optional<Use> segmentsUse;
  ProgramPtr combine;
  int64_t stateSize = 0;

  LogicalResult run(Frame &frame);

private:
  LogicalResult verifyShapes(Frame &frame, const Segments &segments);
  LogicalResult combineStates(Frame &frame, MutableArrayRef<Scalar> state,
                              ArrayRef<Scalar> incoming);
  LogicalResult passArgument(Frame &frame, const Leaf &leaf, Slot argument,
                             ArrayRef<Scalar> state);
};
} // namespace

/// Writes a leaf's part of a state into a block argument of the region.
LogicalResult AssociativeScan::passArgument(Frame &frame, const Leaf &leaf,
                                            Slot argument,
                                            ArrayRef<Scalar> state) {
  ArrayRef<Scalar> part = state.slice(leaf.start, leaf.count);
  if (!argument.isTensor) {
    frame.scalar(argument) =
        convert(part[0], leaf.accumulator, argument.format);
    return success();
  }
  FailureOr<Tensor> tensor =
      frame.session.allocate(op, argument.format, leaf.trailing);
  if (failed(tensor))
    return failure();
  for (auto [i, element] : llvm::enumerate(part))
    tensor->store(i, convert(element, leaf.accumulator, argument.format));
  frame.tensor(argument) = std::move(*tensor);
  return success();
}

/// state = combine(state, incoming)
LogicalResult AssociativeScan::combineStates(Frame &frame,
                                             MutableArrayRef<Scalar> state,
                                             ArrayRef<Scalar> incoming) {
  for (const Leaf &leaf : leaves)
    if (failed(passArgument(frame, leaf, leaf.accumulatedArgument, state)) ||
        failed(passArgument(frame, leaf, leaf.newArgument, incoming)))
      return failure();
  if (failed(combine->run(frame)))
    return failure();
  for (const Leaf &leaf : leaves) {
    Slot yield = leaf.yield.slot;
    for (int64_t i = 0; i < leaf.count; ++i) {
      Scalar value =
          yield.isTensor ? frame.tensor(yield).load(i) : frame.scalar(yield);
      state[leaf.start + i] = convert(value, yield.format, leaf.accumulator);
    }
  }
  return success();
}

LogicalResult AssociativeScan::verifyShapes(Frame &frame,
                                            const Segments &segments) {
  int64_t rank = op.getIterationRank();
  ArrayRef<int64_t> first = frame.tensor(leaves[0].input.slot).shape;
  for (auto [i, leaf] : llvm::enumerate(leaves)) {
    ArrayRef<int64_t> shape = frame.tensor(leaf.input.slot).shape;
    if (shape.take_front(rank) != first.take_front(rank))
      return op.emitOpError("leaf #")
             << i << " has other extents than leaf #0: expected "
             << describeShape(first.take_front(rank)) << ", found "
             << describeShape(shape.take_front(rank));
    if (!leaf.init || !leaf.init->slot.isTensor)
      continue;
    ArrayRef<int64_t> found = frame.tensor(leaf.init->slot).shape;
    SmallVector<int64_t> expected = segments.getInitShape(shape, found.size());
    if (ArrayRef<int64_t>(expected) != found)
      return op.emitOpError("init #")
             << i << " does not fit its leaf: expected "
             << describeShape(expected) << ", found " << describeShape(found);
  }
  return success();
}

LogicalResult AssociativeScan::run(Frame &frame) {
  int64_t dim = op.getDim(), rank = op.getIterationRank();
  bool reverse = op.getReverse(), exclusive = op.getExclusive();
  SmallVector<int64_t> shape(
      ArrayRef<int64_t>(frame.tensor(leaves[0].input.slot).shape)
          .take_front(rank));
  FailureOr<Segments> segments = Segments::create(
      frame, op, op.getSegments(), segmentsUse, shape, dim, reverse);
  if (failed(segments) || failed(verifyShapes(frame, *segments)))
    return failure();
  SmallVector<Tensor> inputs, inits, results, finals;
  SmallVector<StateIndex> initIndices, finalIndices;
  for (const Leaf &leaf : leaves) {
    inputs.push_back(frame.take(leaf.input));
    inits.push_back(leaf.init && leaf.init->slot.isTensor
                        ? frame.take(*leaf.init)
                        : Tensor());
    ArrayRef<int64_t> leafShape = inputs.back().shape;
    FailureOr<Tensor> result =
        frame.session.allocate(op, leaf.element, leafShape);
    FailureOr<Tensor> last = frame.session.allocate(
        op, leaf.element,
        leaf.finalState ? segments->getFinalShape(leafShape)
                        : SmallVector<int64_t>{0});
    if (failed(result) || failed(last))
      return failure();
    initIndices.emplace_back(inits.back().shape, leafShape, rank, dim);
    finalIndices.emplace_back(last->shape, leafShape, rank, dim);
    results.push_back(std::move(*result));
    finals.push_back(std::move(*last));
  }

  // A part of `state` as elements of a tensor, rounded once.
  auto store = [](const Leaf &leaf, Tensor &tensor, int64_t block,
                  ArrayRef<Scalar> state) {
    for (int64_t i = 0; i < leaf.count; ++i)
      tensor.store(
          block * leaf.count + i,
          convert(state[leaf.start + i], leaf.accumulator, leaf.element));
  };
  auto load = [](const Leaf &leaf, const Tensor &tensor, int64_t block,
                 MutableArrayRef<Scalar> state) {
    for (int64_t i = 0; i < leaf.count; ++i)
      state[leaf.start + i] = convert(tensor.load(block * leaf.count + i),
                                      leaf.element, leaf.accumulator);
  };

  SmallVector<int64_t> strides = getStrides(shape);
  SmallVector<Scalar> state(stateSize), incoming(stateSize);
  bool hasInit = leaves[0].init.has_value();
  auto start = [&](ArrayRef<int64_t> point, const Run &run, int64_t line) {
    llvm::fill(state, Scalar{});
    for (auto [leaf, init, index] : llvm::zip(leaves, inits, initIndices)) {
      if (!leaf.init)
        continue;
      if (!leaf.init->slot.isTensor)
        state[leaf.start] = convert(frame.scalar(leaf.init->slot), leaf.element,
                                    leaf.accumulator);
      // There is none of an empty walk where there is one per step.
      else if (countElements(init.shape) > 0)
        load(leaf, init, index(point, run, line), state);
    }
  };
  int64_t line = 0;
  LogicalResult walked = forEachLine(shape, dim, [&](ArrayRef<int64_t> point) {
    int64_t base = dot(point, strides);
    for (const Run &run : segments->getRuns(point)) {
      start(point, run, line);
      bool hasState = hasInit;
      for (int64_t i = 0; i < run.count; ++i) {
        int64_t t = run.first + (reverse ? -i : i);
        int64_t position = base + t * strides[dim];
        for (auto [leaf, input] : llvm::zip(leaves, inputs))
          load(leaf, input, position, incoming);
        if (exclusive)
          for (auto [leaf, result] : llvm::zip(leaves, results))
            store(leaf, result, position, state);
        if (!hasState)
          state = incoming;
        else if (failed(combineStates(frame, state, incoming)))
          return failure();
        hasState = true;
        if (!exclusive)
          for (auto [leaf, result] : llvm::zip(leaves, results))
            store(leaf, result, position, state);
      }
      // Without one per segment the last walk leaves what is left.
      for (auto [leaf, last, index] : llvm::zip(leaves, finals, finalIndices))
        if (leaf.finalState)
          store(leaf, last, index(point, run, line), state);
    }
    ++line;
    return success();
  });
  if (failed(walked))
    return failure();

  for (auto [i, leaf] : llvm::enumerate(leaves)) {
    if (failed(setResult(frame, op, i, leaf.result, std::move(results[i]))))
      return failure();
    if (leaf.finalState &&
        failed(setResult(frame, op, leaves.size() + i, *leaf.finalState,
                         std::move(finals[i]))))
      return failure();
  }
  return success();
}

/// In which format each scalar type of a combine region is held: 16-bit floats
/// as f32, leaves in their accumulator types, and what a leaf may be extended
/// to on the way no narrower than its accumulator. Two leaves of one type share
/// the wider accumulator. `i1` values are conditions, and stay what they are.
static Compiler::Accumulators getAccumulators(AssociativeOp op) {
  MLIRContext *context = op.getContext();
  Compiler::Accumulators formats;
  SmallVector<std::pair<Type, Type>> pairs;
  for (unsigned i = 0; i < op.getNumLeaves(); ++i) {
    Type leaf = getElementTypeOrSelf(op.getInputs()[i].getType());
    Type accumulator = op.getAccumulatorType(i);
    pairs.emplace_back(leaf, accumulator);
    // Real and imaginary parts.
    if (auto complex = dyn_cast<ComplexType>(leaf))
      pairs.emplace_back(complex.getElementType(),
                         cast<ComplexType>(accumulator).getElementType());
  }
  auto widen = [&](Type type, Format format) {
    auto [it, isNew] = formats.try_emplace(type, format);
    if (!isNew && it->second.width < format.width)
      it->second = format;
  };
  for (auto [leaf, accumulator] : pairs) {
    if (leaf.isInteger(1))
      continue;
    Format from = *getFormat(leaf), to = *getFormat(accumulator);
    widen(leaf, to);
    for (Type between :
         {Type(Float32Type::get(context)), Type(IntegerType::get(context, 16)),
          Type(IntegerType::get(context, 32))}) {
      Format format = *getFormat(between);
      if (format.isFloat() == from.isFloat() &&
          format.isInteger() == from.isInteger() && format.width > from.width &&
          format.width < to.width)
        widen(between, to);
    }
  }
  for (Type narrow :
       {Type(Float16Type::get(context)), Type(BFloat16Type::get(context))})
    formats.try_emplace(narrow, *getFormat(Float32Type::get(context)));
  return formats;
}

static FailureOr<Step> compileFold(Compiler &compiler, AssociativeOp op) {
  if (op.getCompensated())
    return compileCompensated(compiler, op);
  Compiler::Accumulators outer =
      compiler.exchangeAccumulators(getAccumulators(op));
  FailureOr<ProgramPtr> combine = compiler.compileRegion(op.getCombine());
  compiler.exchangeAccumulators(std::move(outer));
  if (failed(combine))
    return failure();

  auto scan = std::make_shared<AssociativeScan>();
  scan->op = op;
  scan->combine = *combine;
  if (op.getSegments())
    scan->segmentsUse = compiler.use(*op.getSegmentsMutable().begin());
  unsigned numLeaves = op.getNumLeaves();
  for (unsigned i = 0; i < numLeaves; ++i) {
    Leaf leaf;
    leaf.input = compiler.use(op.getInputsMutable()[i]);
    if (!op.getInits().empty())
      leaf.init = compiler.use(op.getInitsMutable()[i]);
    leaf.result = compiler.lookup(op.getScanResults()[i]);
    if (op.getFinalStates())
      leaf.finalState = compiler.lookup(op.getFinalResults()[i]);
    leaf.element = leaf.input.slot.format;
    leaf.accumulator = *getFormat(op.getAccumulatorType(i));
    leaf.accumulatedArgument = (*combine)->arguments[i];
    leaf.newArgument = (*combine)->arguments[numLeaves + i];
    leaf.yield = (*combine)->yields[i];
    if (auto block = dyn_cast<RankedTensorType>(op.getLeafTypes()[i])) {
      leaf.trailing.assign(block.getShape().begin(), block.getShape().end());
      leaf.count = block.getNumElements();
    }
    leaf.start = scan->stateSize;
    scan->stateSize += leaf.count;
    scan->leaves.push_back(leaf);
  }
  return Step([scan](Frame &frame) { return scan->run(frame); });
}

static FailureOr<Step> compileAssociative(Compiler &compiler,
                                          AssociativeOp op) {
  FailureOr<Step> fold = compileFold(compiler, op);
  Step check = compileInvariants(compiler, op);
  if (failed(fold) || !check)
    return fold;
  return Step([check, fold = *fold](Frame &frame) {
    return failure(failed(check(frame)) || failed(fold(frame)));
  });
}

static Step compileClone(Compiler &compiler, CloneOp op) {
  Use input = compiler.use(op.getInputMutable());
  Slot result = compiler.lookup(op.getResult());
  return [=](Frame &frame) {
    frame.write(result, frame.read(input));
    return success();
  };
}

static Step compileIndex(Compiler &compiler, IndexOp op) {
  Slot source = compiler.getDomainIndices()[op.getDim()];
  Slot result = compiler.lookup(op.getResult());
  return [=](Frame &frame) {
    frame.scalar(result) = frame.scalar(source);
    return success();
  };
}

FailureOr<Step> mlir::scan::reference::compileScanOp(Compiler &compiler,
                                                     Operation *op) {
  return llvm::TypeSwitch<Operation *, FailureOr<Step>>(op)
      .Case([&](AssociativeOp op) { return compileAssociative(compiler, op); })
      .Case([&](LinearRecurrenceOp op) {
        return compileLinearRecurrence(compiler, op);
      })
      .Case([&](RecurrenceOp op) { return compileRecurrence(compiler, op); })
      .Case([&](CloneOp op) { return compileClone(compiler, op); })
      .Case([&](ShiftOp op) { return compileShift(compiler, op); })
      .Case([&](HeadFlagsOp op) { return compileHeadFlags(compiler, op); })
      .Case([&](KernelOp op) { return compileKernel(compiler, op); })
      .Case([&](IndexOp op) { return compileIndex(compiler, op); })
      .Case([&](ScatterOp op) { return compileScatter(compiler, op); })
      .Default([](Operation *) { return Step(); });
}
