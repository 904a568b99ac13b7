//===- RecurrenceToLoops.cpp - Recurrences to loops on tensors ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop carries the histories and the outputs. All rows that a step reads
// are slices in front of the body, and the new rows are inserted behind it:
// nothing reads a history that was changed, so that bufferization changes it in
// place. Of a state whose history nobody reads the loop carries the last rows
// only.
//
//===----------------------------------------------------------------------===//

#include "IR/Extents.h"
#include "IR/MatchCounts.h"
#include "IR/RecurrenceSteps.h"
#include "LoopEmitter.h"
#include "Scan/Conversion/RecurrenceToLoops/Passes.h"
#include "Scan/IR/RecurrenceSchedule.h"
#include "StageLoops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::scan {
#define GEN_PASS_DEF_CONVERTRECURRENCETOLOOPS
#include "Scan/Conversion/RecurrenceToLoops/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

//===----------------------------------------------------------------------===//
// Rows of states
//===----------------------------------------------------------------------===//

/// The row of a state `back` steps before row `t`: of its history or, without
/// `init_rows`, of its init where it is before the first step.
Value LoopEmitter::emitPreviousRow(unsigned state, int64_t back, Value step,
                                   Value t, Value history) {
  int64_t window = op.getWindow(state);
  ArrayRef<OpFoldResult> sizes = initSizes[state];
  if (!keepsHistory(state))
    return rows.extract(history, sizes, getRingIndex(state, step, -back));
  if (initRows)
    return rows.extract(history, sizes,
                        add(t, constant(reverse ? back : window - back)));
  // Both slices are in bounds, and the select chooses one.
  Value init = op.getInits()[state], computed, inHistory, inInit;
  if (reverse) {
    Value at = add(t, constant(back));
    computed = compare(arith::CmpIPredicate::slt, at, steps);
    inHistory = minimum(at, subtract(steps, constant(1)));
    inInit = maximum(subtract(at, steps), constant(0));
  } else {
    Value at = subtract(t, constant(back));
    computed = compare(arith::CmpIPredicate::sge, at, constant(0));
    inHistory = maximum(at, constant(0));
    inInit = minimum(add(at, constant(window)), constant(window - 1));
  }
  return builder.createOrFold<arith::SelectOp>(
      loc, computed, rows.extract(history, sizes, inHistory),
      rows.extract(init, sizes, inInit));
}

Value LoopEmitter::getRingIndex(unsigned state, Value step, int64_t after) {
  int64_t ringRows = getRingRows(state);
  if (ringRows == 1)
    return constant(0);
  // `after` is -window at least, of the first row of the init.
  int64_t offset = (op.getWindow(state) + after) % ringRows;
  Value at = builder.createOrFold<arith::RemUIOp>(
      loc, add(step, constant(offset)), constant(ringRows));
  return reverse ? subtract(constant(ringRows - 1), at) : at;
}

/// The last rows of a ring in the order of the walk.
Value LoopEmitter::emitFinalRing(unsigned state, Value ring) {
  int64_t window = op.getWindow(state);
  if (getRingRows(state) == 1)
    return ring;
  ArrayRef<OpFoldResult> sizes = initSizes[state];
  Value last = tensor::EmptyOp::create(builder, loc, sizes,
                                       getElementTypeOrSelf(ring.getType()));
  for (int64_t i = 0; i < window; ++i) {
    Value row =
        rows.extract(ring, sizes, getRingIndex(state, steps, i - window));
    last =
        rows.insert(row, last, sizes, constant(reverse ? window - 1 - i : i));
  }
  return last;
}

/// The last rows in the order of the walk, of which the init has what the
/// history is short of.
Value LoopEmitter::emitFinalState(unsigned state, Value history) {
  if (!keepsHistory(state))
    return emitFinalRing(state, history);
  Value window = constant(op.getWindow(state)), zero = constant(0);
  ArrayRef<OpFoldResult> sizes = initSizes[state];
  if (initRows)
    return rows.extractSome(history, sizes, reverse ? zero : steps, window);
  Value computed = minimum(steps, window);
  Value missing = subtract(window, computed);
  auto type = cast<RankedTensorType>(op.getInits()[state].getType());
  if (isConstantIntValue(missing, 0))
    return rows.extractSome(history, sizes,
                            reverse ? zero : subtract(steps, window), window);
  Value last =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  Value old = rows.extractSome(op.getInits()[state], sizes,
                               reverse ? zero : computed, missing);
  last = rows.insertSome(old, last, sizes, reverse ? computed : zero, missing);
  Value computedRows = rows.extractSome(
      history, sizes, reverse ? zero : subtract(steps, computed), computed);
  return rows.insertSome(computedRows, last, sizes, reverse ? zero : missing,
                         computed);
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// The ring of a state before the first step.
Value LoopEmitter::emitRing(unsigned state) {
  Value init = op.getInits()[state];
  int64_t window = op.getWindow(state), ringRows = getRingRows(state);
  if (ringRows == window)
    return init;
  Sizes sizes = initSizes[state];
  sizes[dim] = builder.getIndexAttr(ringRows);
  Value ring = tensor::EmptyOp::create(builder, loc, sizes,
                                       getElementTypeOrSelf(init.getType()));
  return rows.insertSome(init, ring, sizes,
                         constant(reverse ? ringRows - window : 0),
                         constant(window));
}

Sizes LoopEmitter::getHistorySizes(unsigned state, bool withInit) {
  Sizes sizes = initSizes[state];
  Value window = constant(op.getWindow(state));
  sizes[dim] = getAsOpFoldResult(withInit ? add(steps, window) : steps);
  return sizes;
}

/// The histories and outputs before the first step.
SmallVector<Value> LoopEmitter::emitStarts() {
  SmallVector<Value> starts;
  for (auto [state, init] : llvm::enumerate(op.getInits())) {
    if (!keepsHistory(state)) {
      starts.push_back(emitRing(state));
      continue;
    }
    Sizes sizes = getHistorySizes(state, initRows);
    Value window = constant(op.getWindow(state));
    Type element = cast<RankedTensorType>(init.getType()).getElementType();
    Value history = tensor::EmptyOp::create(builder, loc, sizes, element);
    if (initRows)
      history = rows.insertSome(init, history, sizes,
                                reverse ? steps : constant(0), window);
    starts.push_back(history);
  }
  for (auto [i, output] : llvm::enumerate(op.getOutputs())) {
    Sizes &sizes = outputSizes.emplace_back(op.getOutputRowSizes(i));
    sizes.insert(sizes.begin() + dim, getAsOpFoldResult(steps));
    starts.push_back(tensor::EmptyOp::create(
        builder, loc, sizes, getElementTypeOrSelf(output.getType())));
  }
  return starts;
}

/// Stops where a row has other extents than the history that it is put into.
void LoopEmitter::checkRow(unsigned state, Value row) {
  auto type = dyn_cast<RankedTensorType>(row.getType());
  int64_t rank = type && !isForLaunches ? type.getRank() : 0;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t from = d + (d >= dim);
    if (!haveSameExtent(row, d, op.getInits()[state], from))
      createExtentCheck(builder, op, createExtent(builder, loc, row, d),
                        initSizes[state][from],
                        "the row of state #" + Twine(state) +
                            " has other extents than its init");
  }
}

/// The same for an output, whose extents are an operand.
void LoopEmitter::checkOutputRow(unsigned output, Value row) {
  for (auto [d, size] : llvm::enumerate(op.getOutputRowSizes(output)))
    if (!isForLaunches && isa<Value>(size) && !isExtentOf(size, row, d))
      createExtentCheck(builder, op, createExtent(builder, loc, row, d), size,
                        "the row of output #" + Twine(output) +
                            " has other extents than 'extents' says");
}

/// The body of the loop; returns what it carries on.
SmallVector<Value> LoopEmitter::emitStep(Value step, ValueRange carried) {
  Value t = reverse ? subtract(subtract(steps, constant(1)), step) : step;
  IRMapping mapping;
  Block &body = op.getBody().front();
  mapping.map(body.getArgument(0), t);
  for (unsigned state = 0, e = op.getNumStates(); state < e; ++state)
    for (auto [i, argument] : llvm::enumerate(op.getWindowArguments(state)))
      if (!argument.use_empty())
        mapping.map(argument,
                    emitPreviousRow(state, i + 1, step, t, carried[state]));
  for (auto [input, sizes, argument] :
       llvm::zip(op.getInputs(), inputSizes, op.getInputArguments()))
    if (!argument.use_empty())
      mapping.map(argument, rows.extract(input, sizes, t));
  for (auto [capture, argument] :
       llvm::zip(op.getCaptures(), op.getCaptureArguments()))
    mapping.map(argument, capture);

  for (Operation &inner : body.without_terminator())
    builder.clone(inner, mapping);

  SmallVector<Value> next;
  for (auto [i, yielded] :
       llvm::enumerate(body.getTerminator()->getOperands())) {
    Value row = mapping.lookup(yielded), at = t;
    if (i >= op.getNumStates()) {
      unsigned output = i - op.getNumStates();
      checkOutputRow(output, row);
      next.push_back(rows.insert(row, carried[i], outputSizes[output], at));
      continue;
    }
    checkRow(i, row);
    if (!keepsHistory(i))
      at = getRingIndex(i, step, 0);
    else if (initRows && !reverse)
      at = add(t, constant(op.getWindow(i)));
    next.push_back(rows.insert(row, carried[i], initSizes[i], at));
  }
  return next;
}

SmallVector<Value> LoopEmitter::emit() {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  for (Value init : op.getInits())
    initSizes.push_back(tensor::getMixedSizes(builder, loc, init));
  for (Value input : op.getInputs())
    inputSizes.push_back(tensor::getMixedSizes(builder, loc, input));
  OpFoldResult number = createRecurrenceSteps(builder, op);
  if (!isForLaunches)
    createStepsChecks(builder, op, number);
  steps = get(number);
  SmallVector<Value> results = emitStarts();
  // No slice is in bounds of histories without a row.
  bool hasSteps = !isConstantIntValue(steps, 0);
  if (hasSteps) {
    timeLoop = scf::ForOp::create(
        builder, loc, constant(0), steps, constant(1), results,
        [&](OpBuilder &, Location, Value step, ValueRange carried) {
          scf::YieldOp::create(builder, loc, emitStep(step, carried));
        });
    results.assign(timeLoop.result_begin(), timeLoop.result_end());
  }
  for (unsigned state = 0, e = op.getNumStates(); state < e; ++state) {
    if (op.getFinalStates())
      results.push_back(hasSteps ? emitFinalState(state, results[state])
                                 : op.getInits()[state]);
    // Nobody reads it, but it has a type.
    if (!keepsHistory(state))
      results[state] = tensor::EmptyOp::create(
          builder, loc, getHistorySizes(state, op.getInitRows()),
          getElementTypeOrSelf(op.getHistories()[state].getType()));
    else if (initRows && !op.getInitRows())
      results[state] =
          rows.extractSome(results[state], initSizes[state],
                           constant(reverse ? 0 : op.getWindow(state)), steps);
  }
  return results;
}

scf::ForOp mlir::scan::lowerRecurrenceToLoop(RewriterBase &rewriter,
                                             RecurrenceOp op, LoopUse use) {
  LoopEmitter emitter(rewriter, op, use);
  SmallVector<Value> results = emitter.emit();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  // What was computed may say less of its extents than the results do.
  for (auto [value, type] : llvm::zip(results, op.getResultTypes()))
    if (value.getType() != type)
      value = tensor::CastOp::create(rewriter, op.getLoc(), type, value);
  LoopsAttr loops = getLoops(op);
  rewriter.replaceOp(op, results);
  scf::ForOp loop = emitter.getTimeLoop();
  // It fails where there are fewer steps than that.
  if (loop && loops && loops.getUnroll() > 1 && use == LoopUse::Code)
    (void)loopUnrollByFactor(loop, loops.getUnroll());
  return loop;
}

namespace {

struct ConvertRecurrenceToLoops final
    : scan::impl::ConvertRecurrenceToLoopsBase<ConvertRecurrenceToLoops> {
  using ConvertRecurrenceToLoopsBase::ConvertRecurrenceToLoopsBase;

  void runOnOperation() override {
    // Those in the body of another one first.
    SmallVector<RecurrenceOp> recurrences;
    getOperation()->walk([&](RecurrenceOp op) { recurrences.push_back(op); });
    for (RecurrenceOp op : recurrences)
      if (op.getSegments()) {
        op.emitOpError("has segments, which no loop is made of: run "
                       "--scan-expand-recurrence-segments first");
        return signalPassFailure();
      }
    IRRewriter rewriter(&getContext());
    for (RecurrenceOp op : recurrences) {
      if (failed(emitStageLoops(rewriter, op)))
        return signalPassFailure();
      lowerRecurrenceToLoop(rewriter, op);
    }
    numLowered += recurrences.size();
    addMatchCounts(getOperation(), getArgument(),
                   {{"recurrences-lowered", recurrences.size()}});
  }
};

} // namespace
