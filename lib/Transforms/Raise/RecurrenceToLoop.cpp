//===- RecurrenceToLoop.cpp - A recurrence in the form of loops -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --convert-recurrence-to-loops reads previous rows from the histories, where
// those of the init are chosen by the step. Here they are carried, k of each
// state, so that each is a state of its own: the companion form of a state that
// looks back k steps.
//
//===----------------------------------------------------------------------===//

#include "RecurrenceToLoop.h"
#include "IR/RecurrenceRows.h"
#include "IR/RecurrenceSteps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

using Sizes = SmallVector<OpFoldResult>;

class RecurrenceToLoop {
public:
  RecurrenceToLoop(RewriterBase &builder, RecurrenceOp op)
      : builder(builder), op(op), loc(op.getLoc()), dim(op.getDim()),
        rows(builder, loc, dim, /*dropsUnitExtents=*/true) {}

  SmallVector<Value> emit();

private:
  void collectParts();
  SmallVector<Value> emitStep(Value step, ValueRange carried);
  Value emitHistory(unsigned state, Value computed);
  Value emitFinalState(unsigned state, ValueRange previous);
  Value emitInitRow(unsigned state, int64_t back);
  /// Where the row `back` steps before the first one, or before the end, is
  /// among k rows.
  int64_t getPlace(unsigned state, int64_t back) {
    return op.getReverse() ? back - 1 : op.getWindow(state) - back;
  }
  Value constant(int64_t number) {
    return arith::ConstantIndexOp::create(builder, loc, number);
  }
  Value subtract(Value lhs, Value rhs) {
    return builder.createOrFold<arith::SubIOp>(loc, lhs, rhs);
  }

  RewriterBase &builder;
  RecurrenceOp op;
  Location loc;
  int64_t dim;
  RecurrenceRows rows;
  OpFoldResult numSteps;
  Value steps;
  SmallVector<Sizes> inputSizes;

  /// A result with a row per step that somebody uses: its number, and the sizes
  /// of all of them.
  struct Written {
    unsigned number;
    Sizes sizes;
  };
  SmallVector<Written> written;
  /// How many previous rows of each state are carried.
  SmallVector<int64_t> depths;
};

} // namespace

/// A row of an init; without dimensions a tensor, as no scalar of a GPU's
/// memory can be read around the loop.
Value RecurrenceToLoop::emitInitRow(unsigned state, int64_t back) {
  Value init = op.getInits()[state];
  OpFoldResult place = builder.getIndexAttr(getPlace(state, back));
  auto type = cast<RankedTensorType>(init.getType());
  if (type.getRank() > 1)
    return rows.extract(init, tensor::getMixedSizes(builder, loc, init), place);
  OpFoldResult one = builder.getIndexAttr(1);
  return tensor::ExtractSliceOp::create(
      builder, loc, RankedTensorType::get({}, type.getElementType()), init,
      place, one, one);
}

void RecurrenceToLoop::collectParts() {
  numSteps = createRecurrenceSteps(builder, op);
  steps = getValueOrCreateConstantIndexOp(builder, loc, numSteps);
  for (Value input : op.getInputs())
    inputSizes.push_back(tensor::getMixedSizes(builder, loc, input));
  unsigned numStates = op.getNumStates();
  for (auto [i, result] : llvm::enumerate(
           op->getResults().take_front(numStates + op.getNumOutputs()))) {
    if (result.use_empty())
      continue;
    Sizes sizes;
    if (i < numStates) {
      sizes = tensor::getMixedSizes(builder, loc, op.getInits()[i]);
      sizes[dim] = numSteps;
    } else {
      sizes = op.getOutputRowSizes(i - numStates);
      sizes.insert(sizes.begin() + dim, numSteps);
    }
    written.push_back({static_cast<unsigned>(i), std::move(sizes)});
  }
  for (unsigned state = 0; state < numStates; ++state) {
    int64_t depth = 1;
    for (auto [i, row] : llvm::enumerate(op.getWindowArguments(state)))
      if (!row.use_empty())
        depth = i + 1;
    bool isFinal =
        op.getFinalStates() && !op.getFinalResults()[state].use_empty();
    depths.push_back(isFinal ? op.getWindow(state) : depth);
  }
}

SmallVector<Value> RecurrenceToLoop::emitStep(Value step, ValueRange carried) {
  Value t =
      op.getReverse() ? subtract(subtract(steps, constant(1)), step) : step;
  Block &body = op.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArgument(0), t);
  SmallVector<ValueRange> windows;
  ValueRange left = carried.drop_front(written.size());
  for (auto [state, depth] : llvm::enumerate(depths)) {
    windows.push_back(left.take_front(depth));
    left = left.drop_front(depth);
    for (auto [argument, row] :
         llvm::zip(op.getWindowArguments(state), windows.back()))
      mapping.map(argument, isa<RankedTensorType>(argument.getType())
                                ? row
                                : tensor::ExtractOp::create(builder, loc, row,
                                                            ValueRange()));
  }
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
  auto yields = body.getTerminator()->getOperands();
  for (auto [result, tensor] : llvm::zip(written, carried))
    next.push_back(rows.insert(mapping.lookup(yields[result.number]), tensor,
                               result.sizes, t));
  for (auto [state, window] : llvm::enumerate(windows)) {
    Value row = mapping.lookup(yields[state]);
    if (!isa<RankedTensorType>(row.getType()))
      row = tensor::FromElementsOp::create(
          builder, loc, cast<RankedTensorType>(window.front().getType()), row);
    next.push_back(row);
    llvm::append_range(next, window.drop_back());
  }
  return next;
}

/// The rows of all steps, `computed`, with those of the init in front.
Value RecurrenceToLoop::emitHistory(unsigned state, Value computed) {
  Value init = op.getInits()[state];
  Value window = constant(op.getWindow(state));
  Sizes inner = tensor::getMixedSizes(builder, loc, init), all(inner);
  inner[dim] = numSteps;
  all[dim] = getAsOpFoldResult(
      builder.createOrFold<arith::AddIOp>(loc, steps, window));
  Value history = tensor::EmptyOp::create(builder, loc, all,
                                          getElementTypeOrSelf(init.getType()));
  OpFoldResult zero = builder.getIndexAttr(0);
  OpFoldResult k = builder.getIndexAttr(op.getWindow(state));
  history = rows.insertSome(computed, history, inner,
                            op.getReverse() ? zero : k, numSteps);
  return rows.insertSome(init, history, inner,
                         op.getReverse() ? numSteps : zero, k);
}

Value RecurrenceToLoop::emitFinalState(unsigned state, ValueRange previous) {
  Value init = op.getInits()[state];
  Sizes sizes = tensor::getMixedSizes(builder, loc, init);
  Value last = tensor::EmptyOp::create(builder, loc, sizes,
                                       getElementTypeOrSelf(init.getType()));
  for (auto [i, row] : llvm::enumerate(previous)) {
    OpFoldResult place = builder.getIndexAttr(getPlace(state, i + 1));
    if (sizes.size() > 1) {
      last = rows.insert(row, last, sizes, place);
      continue;
    }
    OpFoldResult one = builder.getIndexAttr(1);
    last =
        tensor::InsertSliceOp::create(builder, loc, row, last, place, one, one);
  }
  return last;
}

SmallVector<Value> RecurrenceToLoop::emit() {
  collectParts();
  SmallVector<Value> starts;
  for (const Written &result : written)
    starts.push_back(tensor::EmptyOp::create(
        builder, loc, result.sizes,
        getElementTypeOrSelf(op->getResult(result.number).getType())));
  for (auto [state, depth] : llvm::enumerate(depths))
    for (int64_t back = 1; back <= depth; ++back)
      starts.push_back(emitInitRow(state, back));
  auto loop = scf::ForOp::create(
      builder, loc, constant(0), steps, constant(1), starts,
      [&](OpBuilder &, Location, Value step, ValueRange carried) {
        scf::YieldOp::create(builder, loc, emitStep(step, carried));
      });

  SmallVector<Value> results(op->getNumResults());
  for (auto [i, result] : llvm::enumerate(written)) {
    bool hasInit = op.getInitRows() && result.number < op.getNumStates();
    Value computed = loop.getResult(i);
    results[result.number] =
        hasInit ? emitHistory(result.number, computed) : computed;
  }
  ValueRange left = loop.getResults().drop_front(written.size());
  unsigned firstFinal = op.getNumStates() + op.getNumOutputs();
  for (auto [state, depth] : llvm::enumerate(depths)) {
    if (op.getFinalStates() && !op.getFinalResults()[state].use_empty())
      results[firstFinal + state] =
          emitFinalState(state, left.take_front(depth));
    left = left.drop_front(depth);
  }
  for (auto [value, type] : llvm::zip(results, op->getResultTypes()))
    if (value && value.getType() != type)
      value = tensor::CastOp::create(builder, loc, type, value);
  return results;
}

SmallVector<Value> scan::emitAsLoop(RewriterBase &rewriter, RecurrenceOp op) {
  OpBuilder::InsertionGuard guard(rewriter);
  return RecurrenceToLoop(rewriter, op).emit();
}
