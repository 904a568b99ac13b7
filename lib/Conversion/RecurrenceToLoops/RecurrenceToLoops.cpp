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
// place.
//
//===----------------------------------------------------------------------===//

#include "IR/Extents.h"
#include "IR/MatchCounts.h"
#include "IR/RecurrenceRows.h"
#include "IR/RuntimeCheck.h"
#include "Scan/Conversion/RecurrenceToLoops/Passes.h"
#include "Scan/IR/ScanRecurrence.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {
#define GEN_PASS_DEF_CONVERTRECURRENCETOLOOPS
#include "Scan/Conversion/RecurrenceToLoops/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

namespace {

using Sizes = SmallVector<OpFoldResult>;

class LoopEmitter {
public:
  LoopEmitter(RewriterBase &builder, RecurrenceOp op)
      : builder(builder), op(op), loc(op.getLoc()), dim(op.getDim()),
        reverse(op.getReverse()), initRows(op.getInitRows()),
        rows(builder, loc, dim) {}

  /// The values that stand for the results.
  SmallVector<Value> emit();

private:
  void emitSteps();
  SmallVector<Value> emitStarts();
  SmallVector<Value> emitStep(Value step, ValueRange carried);
  Value emitPreviousRow(unsigned state, int64_t back, Value t, Value history);
  Value emitFinalState(unsigned state, Value history);
  void checkRow(unsigned state, Value row);

  void require(Value condition, const Twine &what) {
    if (isConstantIntValue(condition, 1))
      return;
    cf::AssertOp::create(builder, loc, condition, describeFailure(op, what));
  }
  Value constant(int64_t number) {
    return arith::ConstantIndexOp::create(builder, loc, number);
  }
  Value get(OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(builder, loc, number);
  }
  Value add(Value lhs, Value rhs) {
    return builder.createOrFold<arith::AddIOp>(loc, lhs, rhs);
  }
  Value subtract(Value lhs, Value rhs) {
    return builder.createOrFold<arith::SubIOp>(loc, lhs, rhs);
  }
  Value minimum(Value lhs, Value rhs) {
    return builder.createOrFold<arith::MinSIOp>(loc, lhs, rhs);
  }
  Value maximum(Value lhs, Value rhs) {
    return builder.createOrFold<arith::MaxSIOp>(loc, lhs, rhs);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, lhs, rhs);
  }

  RewriterBase &builder;
  RecurrenceOp op;
  Location loc;
  int64_t dim;
  bool reverse, initRows;
  RecurrenceRows rows;
  /// How many steps there are.
  Value steps;
  /// The sizes of inits and inputs.
  SmallVector<Sizes> initSizes, inputSizes;
};

} // namespace

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The row of a state `back` steps before row `t`: of its history or, without
/// `init_rows`, of its init where it is before the first step.
Value LoopEmitter::emitPreviousRow(unsigned state, int64_t back, Value t,
                                   Value history) {
  int64_t window = op.getWindow(state);
  ArrayRef<OpFoldResult> sizes = initSizes[state];
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

/// The last rows in the order of the walk, of which the init has what the
/// history is short of.
Value LoopEmitter::emitFinalState(unsigned state, Value history) {
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

/// How many steps there are, and checks that the inputs have their rows.
void LoopEmitter::emitSteps() {
  steps = op.getSteps();
  if (steps) {
    require(compare(arith::CmpIPredicate::sge, steps, constant(0)),
            "expected a number of steps of 0 or more");
  } else {
    for (Value input : op.getInputs())
      if (auto type = cast<RankedTensorType>(input.getType());
          !type.isDynamicDim(dim) && !steps)
        steps = constant(type.getDimSize(dim));
    if (!steps)
      steps = get(createExtent(builder, loc, op.getInputs().front(), dim));
  }
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    if (isExtentOf(steps, input, dim))
      continue;
    auto predicate =
        op.getSteps() ? arith::CmpIPredicate::sge : arith::CmpIPredicate::eq;
    require(
        compare(predicate, get(createExtent(builder, loc, input, dim)), steps),
        "input #" + Twine(i) + " has other rows than there are steps");
  }
}

/// The histories and outputs before the first step.
SmallVector<Value> LoopEmitter::emitStarts() {
  SmallVector<Value> starts;
  for (auto [state, init] : llvm::enumerate(op.getInits())) {
    Sizes sizes = initSizes[state];
    Value window = constant(op.getWindow(state));
    sizes[dim] = getAsOpFoldResult(initRows ? add(steps, window) : steps);
    Type element = cast<RankedTensorType>(init.getType()).getElementType();
    Value history = tensor::EmptyOp::create(builder, loc, sizes, element);
    if (initRows)
      history = rows.insertSome(init, history, sizes,
                                reverse ? steps : constant(0), window);
    starts.push_back(history);
  }
  for (Value output : op.getOutputs()) {
    auto type = cast<RankedTensorType>(output.getType());
    Sizes sizes = getAsIndexOpFoldResult(op.getContext(), type.getShape());
    sizes[dim] = getAsOpFoldResult(steps);
    starts.push_back(
        tensor::EmptyOp::create(builder, loc, sizes, type.getElementType()));
  }
  return starts;
}

/// Stops where a row has other extents than the history that it is put into.
void LoopEmitter::checkRow(unsigned state, Value row) {
  auto type = dyn_cast<RankedTensorType>(row.getType());
  for (int64_t d = 0, rank = type ? type.getRank() : 0; d < rank; ++d) {
    int64_t from = d + (d >= dim);
    if (!haveSameExtent(row, d, op.getInits()[state], from))
      require(compare(arith::CmpIPredicate::eq,
                      get(createExtent(builder, loc, row, d)),
                      get(initSizes[state][from])),
              "the row of state #" + Twine(state) +
                  " has other extents than its init");
  }
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
        mapping.map(argument, emitPreviousRow(state, i + 1, t, carried[state]));
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
      auto type = cast<RankedTensorType>(carried[i].getType());
      Sizes sizes = getAsIndexOpFoldResult(op.getContext(), type.getShape());
      next.push_back(rows.insert(row, carried[i], sizes, at));
      continue;
    }
    checkRow(i, row);
    if (initRows && !reverse)
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
  emitSteps();
  SmallVector<Value> results = emitStarts();
  // No slice is in bounds of histories without a row.
  if (isConstantIntValue(steps, 0)) {
    if (op.getFinalStates())
      llvm::append_range(results, op.getInits());
    return results;
  }
  auto loop = scf::ForOp::create(
      builder, loc, constant(0), steps, constant(1), results,
      [&](OpBuilder &, Location, Value step, ValueRange carried) {
        scf::YieldOp::create(builder, loc, emitStep(step, carried));
      });
  results.assign(loop.result_begin(), loop.result_end());
  if (op.getFinalStates())
    for (unsigned state = 0, e = op.getNumStates(); state < e; ++state)
      results.push_back(emitFinalState(state, loop.getResult(state)));
  return results;
}

void mlir::scan::lowerRecurrenceToLoop(RewriterBase &rewriter,
                                       RecurrenceOp op) {
  SmallVector<Value> results = LoopEmitter(rewriter, op).emit();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  // What was computed may say less of its extents than the results do.
  for (auto [value, type] : llvm::zip(results, op.getResultTypes()))
    if (value.getType() != type)
      value = tensor::CastOp::create(rewriter, op.getLoc(), type, value);
  rewriter.replaceOp(op, results);
}

namespace {

struct ConvertRecurrenceToLoops final
    : scan::impl::ConvertRecurrenceToLoopsBase<ConvertRecurrenceToLoops> {
  using ConvertRecurrenceToLoopsBase::ConvertRecurrenceToLoopsBase;

  void runOnOperation() override {
    // Those in the body of another one first.
    SmallVector<RecurrenceOp> recurrences;
    getOperation()->walk([&](RecurrenceOp op) { recurrences.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (RecurrenceOp op : recurrences)
      lowerRecurrenceToLoop(rewriter, op);
    numLowered += recurrences.size();
    addMatchCounts(getOperation(), getArgument(),
                   {{"recurrences-lowered", recurrences.size()}});
  }
};

} // namespace
