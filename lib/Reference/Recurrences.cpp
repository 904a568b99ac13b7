//===- Recurrences.cpp - scan.recurrence, step by step --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each state is the list of its rows in the order of the walk, those of the
// init first. A step reads the last k of them and appends one. Where a row lies
// in a result is decided at the end.
//
//===----------------------------------------------------------------------===//

#include "Scan/IR/ScanRecurrence.h"
#include "ScanWalk.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::reference;

namespace {

/// A tensor whose dimension `dim` is time.
struct TimeTensor {
  Tensor tensor;
  int64_t dim;

  int64_t getNumRows() const { return tensor.shape[dim]; }
  /// Calls `fn` with the position of each element of row `index`.
  void forEachElement(int64_t index,
                      llvm::function_ref<void(int64_t)> fn) const {
    SmallVector<int64_t> extents =
        llvm::to_vector(ArrayRef<int64_t>(tensor.shape));
    SmallVector<int64_t> strides = getStrides(tensor.shape);
    extents[dim] = 1;
    if (countElements(extents) == 0)
      return;
    SmallVector<int64_t> point(extents.size(), 0);
    do
      fn(dot(point, strides) + index * strides[dim]);
    while (nextPoint(point, extents));
  }
};

struct Recurrence {
  RecurrenceOp op;
  SmallVector<Use> inits, inputs, captures, extents;
  std::optional<Slot> stepsSlot;
  std::optional<Use> segmentsUse;
  SmallVector<Slot> results;
  ProgramPtr body;

  LogicalResult run(Frame &frame);

private:
  /// The rows of a state or an output, in the order of the walk.
  using Rows = std::vector<Datum>;

  FailureOr<int64_t> countSteps(Frame &frame, ArrayRef<TimeTensor> xs);
  FailureOr<Datum> readRow(Frame &frame, const TimeTensor &from, int64_t index);
  void writeRow(TimeTensor &to, int64_t index, const Datum &row);
  LogicalResult verifyRow(const Datum &row, ArrayRef<int64_t> expected,
                          const Twine &what);
  LogicalResult step(Frame &frame, int64_t t, MutableArrayRef<Rows> states,
                     MutableArrayRef<Rows> outputs, ArrayRef<TimeTensor> xs,
                     ArrayRef<Datum> captured);
  LogicalResult writeResult(Frame &frame, unsigned result,
                            SmallVector<int64_t> shape,
                            MutableArrayRef<Datum> rows);

  FailureOr<SmallVector<SmallVector<int64_t>>> getOutputShapes(Frame &frame);

  SmallVector<SmallVector<int64_t>> initShapes, outputShapes;
};

} // namespace

FailureOr<int64_t> Recurrence::countSteps(Frame &frame,
                                          ArrayRef<TimeTensor> xs) {
  int64_t steps = stepsSlot ? frame.integer(*stepsSlot) : xs[0].getNumRows();
  if (steps < 0)
    return op.emitOpError("expected a number of steps of 0 or more, found ")
           << steps;
  for (auto [i, x] : llvm::enumerate(xs)) {
    int64_t rows = x.getNumRows();
    if (stepsSlot ? rows < steps : rows != steps)
      return op.emitOpError("input #")
             << i << " has other rows than there are steps: expected " << steps
             << (stepsSlot ? " or more" : "") << " in dimension " << x.dim
             << ", found " << rows;
  }
  return steps;
}

FailureOr<Datum> Recurrence::readRow(Frame &frame, const TimeTensor &from,
                                     int64_t index) {
  Datum row;
  row.isTensor = from.tensor.shape.size() > 1;
  if (!row.isTensor) {
    row.scalar = from.tensor.load(index);
    return row;
  }
  FailureOr<Tensor> tensor = frame.session.allocate(
      op, from.tensor.format, withoutDim(from.tensor.shape, from.dim));
  if (failed(tensor))
    return failure();
  int64_t next = 0;
  from.forEachElement(index, [&](int64_t position) {
    tensor->store(next++, from.tensor.load(position));
  });
  row.tensor = std::move(*tensor);
  return row;
}

void Recurrence::writeRow(TimeTensor &to, int64_t index, const Datum &row) {
  int64_t next = 0;
  to.forEachElement(index, [&](int64_t position) {
    to.tensor.store(position,
                    row.isTensor ? row.tensor.load(next++) : row.scalar);
  });
}

LogicalResult Recurrence::verifyRow(const Datum &row,
                                    ArrayRef<int64_t> expected,
                                    const Twine &what) {
  if (!row.isTensor || ArrayRef<int64_t>(row.tensor.shape) == expected)
    return success();
  return op.emitOpError("the row of ")
         << what << ": expected " << describeShape(expected) << ", found "
         << describeShape(row.tensor.shape);
}

LogicalResult Recurrence::step(Frame &frame, int64_t t,
                               MutableArrayRef<Rows> states,
                               MutableArrayRef<Rows> outputs,
                               ArrayRef<TimeTensor> xs,
                               ArrayRef<Datum> captured) {
  SmallVector<Datum> arguments;
  Datum index;
  index.scalar.i = t;
  arguments.push_back(index);
  for (auto [i, rows] : llvm::enumerate(states))
    for (int64_t back = 1, e = op.getWindow(i); back <= e; ++back)
      arguments.push_back(rows[rows.size() - back]);
  for (const TimeTensor &x : xs) {
    FailureOr<Datum> row = readRow(frame, x, t);
    if (failed(row))
      return failure();
    arguments.push_back(std::move(*row));
  }
  llvm::append_range(arguments, captured);
  body->writeArguments(frame, arguments);
  if (failed(body->run(frame)))
    return failure();
  SmallVector<Datum> yields = body->readYields(frame);
  for (auto [i, rows] : llvm::enumerate(states)) {
    if (failed(verifyRow(yields[i], withoutDim(initShapes[i], op.getDim()),
                         "state #" + Twine(i) +
                             " has other extents than its init")))
      return failure();
    rows.push_back(std::move(yields[i]));
  }
  for (auto [i, rows] : llvm::enumerate(outputs)) {
    Datum &row = yields[states.size() + i];
    if (failed(verifyRow(row, withoutDim(outputShapes[i], op.getDim()),
                         "output #" + Twine(i) +
                             " has other extents than 'extents' says")))
      return failure();
    rows.push_back(std::move(row));
  }
  return success();
}

/// Puts `rows`, in the order of the walk, into result number `result`.
LogicalResult Recurrence::writeResult(Frame &frame, unsigned result,
                                      SmallVector<int64_t> shape,
                                      MutableArrayRef<Datum> rows) {
  Slot slot = results[result];
  shape[op.getDim()] = rows.size();
  FailureOr<Tensor> tensor = frame.session.allocate(op, slot.format, shape);
  if (failed(tensor))
    return failure();
  TimeTensor to{std::move(*tensor), static_cast<int64_t>(op.getDim())};
  for (auto [i, row] : llvm::enumerate(rows))
    writeRow(to, op.getReverse() ? rows.size() - 1 - i : i, row);
  return setResult(frame, op, result, slot, std::move(to.tensor));
}

/// The shapes of outputs, of one step.
FailureOr<SmallVector<SmallVector<int64_t>>>
Recurrence::getOutputShapes(Frame &frame) {
  SmallVector<SmallVector<int64_t>> shapes;
  unsigned next = 0;
  for (Value output : op.getOutputs()) {
    ArrayRef<int64_t> known =
        cast<RankedTensorType>(output.getType()).getShape();
    SmallVector<int64_t> &shape = shapes.emplace_back(known);
    for (auto [d, extent] : llvm::enumerate(shape)) {
      if (d == op.getDim()) {
        extent = 1;
      } else if (ShapedType::isDynamic(extent)) {
        extent = frame.read(extents[next]).scalar.i;
        if (extent < 0)
          return op.emitOpError("expected extents of 0 or more, found ")
                 << extent << " as number #" << next;
        ++next;
      }
    }
  }
  return shapes;
}

LogicalResult Recurrence::run(Frame &frame) {
  int64_t dim = op.getDim();
  SmallVector<TimeTensor> xs;
  for (Use use : inputs)
    xs.push_back({frame.take(use), dim});
  FailureOr<int64_t> steps = countSteps(frame, xs);
  if (failed(steps))
    return failure();

  FailureOr<SmallVector<SmallVector<int64_t>>> shapes = getOutputShapes(frame);
  if (failed(shapes))
    return failure();
  outputShapes = std::move(*shapes);

  FailureOr<Segments> segments =
      Segments::create(frame, op, op.getSegments(), segmentsUse, *steps,
                       /*dim=*/0, op.getReverse());
  if (failed(segments))
    return failure();

  SmallVector<Rows> starts(inits.size()), histories(inits.size()),
      finals(inits.size()), outputs(op.getNumOutputs());
  initShapes.clear();
  for (auto [use, rows] : llvm::zip(inits, starts)) {
    TimeTensor init{frame.take(use), dim};
    initShapes.emplace_back(ArrayRef<int64_t>(init.tensor.shape));
    for (int64_t i = 0, k = init.getNumRows(); i < k; ++i) {
      FailureOr<Datum> row =
          readRow(frame, init, op.getReverse() ? k - 1 - i : i);
      if (failed(row))
        return failure();
      rows.push_back(std::move(*row));
    }
  }
  SmallVector<Datum> captured;
  for (Use use : captures)
    captured.push_back(frame.read(use));

  // Segments come in the order of memory where offsets say them.
  bool areOffsets = op.hasSegmentOffsets();
  SmallVector<Run> runs = segments->getRuns(0);
  if (areOffsets && op.getReverse())
    std::reverse(runs.begin(), runs.end());
  for (const Run &run : runs) {
    SmallVector<Rows> states(starts);
    for (int64_t i = 0; i < run.count; ++i)
      if (failed(step(frame, op.getReverse() ? run.first - i : run.first + i,
                      states, outputs, xs, captured)))
        return failure();
    for (auto [i, rows] : llvm::enumerate(states)) {
      size_t k = op.getWindow(i);
      histories[i].insert(histories[i].end(), rows.begin() + k, rows.end());
      if (!areOffsets)
        finals[i].clear();
      finals[i].insert(finals[i].end(), rows.end() - k, rows.end());
    }
  }

  unsigned numStates = starts.size(), numRows = numStates + outputs.size();
  for (unsigned i = 0; i < numStates; ++i) {
    if (op.getFinalStates() &&
        failed(writeResult(frame, numRows + i, initShapes[i], finals[i])))
      return failure();
    if (op.getInitRows())
      histories[i].insert(histories[i].begin(), starts[i].begin(),
                          starts[i].end());
    if (failed(writeResult(frame, i, initShapes[i], histories[i])))
      return failure();
  }
  for (auto [i, rows] : llvm::enumerate(outputs))
    if (failed(writeResult(frame, numStates + i, outputShapes[i], rows)))
      return failure();
  return success();
}

FailureOr<Step> mlir::scan::reference::compileRecurrence(Compiler &compiler,
                                                         RecurrenceOp op) {
  // The body computes in the types that it is written in, whatever is around.
  Compiler::Accumulators outer =
      compiler.exchangeAccumulators(Compiler::Accumulators());
  FailureOr<ProgramPtr> body = compiler.compileRegion(op.getBody());
  compiler.exchangeAccumulators(std::move(outer));
  if (failed(body))
    return failure();
  auto recurrence = std::make_shared<Recurrence>();
  recurrence->op = op;
  recurrence->body = *body;
  recurrence->inits = compiler.useAll(op.getInitsMutable());
  recurrence->inputs = compiler.useAll(op.getInputsMutable());
  recurrence->captures = compiler.useAll(op.getCapturesMutable());
  recurrence->extents = compiler.useAll(op.getExtentsMutable());
  if (Value steps = op.getSteps())
    recurrence->stepsSlot = compiler.lookup(steps);
  if (op.getSegments())
    recurrence->segmentsUse = compiler.use(*op.getSegmentsMutable().begin());
  recurrence->results = compiler.lookupAll(op.getResults());
  return Step([recurrence](Frame &frame) { return recurrence->run(frame); });
}
