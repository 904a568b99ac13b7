//===- RecurrenceToBlocks.cpp - Recurrences to loops of thread blocks -----===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for each index of the batch dimensions, a thread block:
//     rows = those of the inits, in buffers of their own
//     for each step: compute the body; put its rows into the results, then into
//                    the buffers
//     final states = rows
//
// The buffers become shared memory. Rows are put there behind all reads of
// the step, so that nothing reads a row that was changed.
//
//===----------------------------------------------------------------------===//

#include "BatchDims.h"
#include "BlockStep.h"
#include "IR/Branches.h"
#include "IR/Extents.h"
#include "IR/MatchCounts.h"
#include "IR/RecurrenceRows.h"
#include "Scan/Conversion/RecurrenceToGPU/Passes.h"
#include "StepLaunches.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANRECURRENCETOBLOCKS
#include "Scan/Conversion/RecurrenceToGPU/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

namespace {

using Sizes = SmallVector<OpFoldResult>;

class BlockEmitter {
public:
  BlockEmitter(RewriterBase &builder, RecurrenceOp op)
      : builder(builder), op(op), loc(op.getLoc()), dim(op.getDim()),
        reverse(op.getReverse()), batches(op) {}

  SmallVector<Value> emit();

private:
  void createSteps();
  SmallVector<Value> createResults();
  Sizes getBatchExtents();
  /// The part of an operand or result whose rows are those of `row`, a value
  /// of the body, that belongs to this block; `isRow` if it has no dimension
  /// of time.
  void getPart(Value whole, Value row, bool isRow, Sizes &offsets,
               Sizes &sizes);
  Value extractPart(Value whole, Value row, bool isRow);
  Value extractRow(Value rows, OpFoldResult index);
  Value stageRow(Value row);
  Value insertRow(Value row, Value rows, OpFoldResult index);
  void emitBlock(ValueRange results);
  SmallVector<Value> emitStep(Value step, ValueRange carried);
  void finish(ValueRange results, ValueRange parts);

  Value getBodyRow(unsigned result);
  bool isUsed(unsigned result) { return !op.getResult(result).use_empty(); }
  OpFoldResult number(int64_t n) { return builder.getIndexAttr(n); }
  Value constant(int64_t n) {
    return arith::ConstantIndexOp::create(builder, loc, n);
  }
  Value get(OpFoldResult n) {
    return getValueOrCreateConstantIndexOp(builder, loc, n);
  }
  OpFoldResult add(OpFoldResult lhs, OpFoldResult rhs) {
    return getAsOpFoldResult(
        builder.createOrFold<arith::AddIOp>(loc, get(lhs), get(rhs)));
  }

  RewriterBase &builder;
  RecurrenceOp op;
  Location loc;
  int64_t dim;
  bool reverse;
  BatchDims batches;
  OpFoldResult steps;
  /// The index of this block along each batch dimension.
  SmallVector<Value> indices;
  /// The parts of the operands.
  SmallVector<Value> inits, inputs, captures;
};

} // namespace

void BlockEmitter::createSteps() {
  if (op.getSteps()) {
    steps = getAsOpFoldResult(op.getSteps());
    return;
  }
  for (Value input : op.getInputs())
    if (auto type = cast<RankedTensorType>(input.getType());
        !type.isDynamicDim(dim))
      steps = number(type.getDimSize(dim));
  if (!steps)
    steps = createExtent(builder, loc, op.getInputs().front(), dim);
}

/// A row in the body of each result.
Value BlockEmitter::getBodyRow(unsigned result) {
  unsigned numStates = op.getNumStates();
  if (result < numStates)
    return op.getWindowArguments(result).front();
  unsigned state = result - numStates - op.getNumOutputs();
  if (result >= numStates + op.getNumOutputs())
    return op.getWindowArguments(state).front();
  return op.getBody().front().getTerminator()->getOperand(result);
}

SmallVector<Value> BlockEmitter::createResults() {
  SmallVector<Value> results;
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    auto type = cast<RankedTensorType>(result.getType());
    Sizes sizes;
    if (i < op.getNumStates()) {
      sizes = tensor::getMixedSizes(builder, loc, op.getInits()[i]);
      sizes[dim] =
          op.getInitRows() ? add(steps, number(op.getWindow(i))) : steps;
    } else if (i >= op.getNumStates() + op.getNumOutputs()) {
      unsigned state = i - op.getNumStates() - op.getNumOutputs();
      sizes = tensor::getMixedSizes(builder, loc, op.getInits()[state]);
    } else {
      sizes = op.getOutputRowSizes(i - op.getNumStates());
      sizes.insert(sizes.begin() + dim, steps);
    }
    results.push_back(
        tensor::EmptyOp::create(builder, loc, sizes, type.getElementType()));
  }
  return results;
}

Sizes BlockEmitter::getBatchExtents() {
  Sizes extents(batches.size());
  Value row = op.getWindowArguments(0).front();
  auto type = cast<RankedTensorType>(op.getInits()[0].getType());
  for (int64_t d = 0; d + 1 < type.getRank(); ++d)
    if (std::optional<unsigned> batch = batches.get(row, d))
      extents[*batch] =
          createExtent(builder, loc, op.getInits()[0], d + (d >= dim));
  if (extents.empty())
    extents.push_back(number(1));
  return extents;
}

void BlockEmitter::getPart(Value whole, Value row, bool isRow, Sizes &offsets,
                           Sizes &sizes) {
  sizes = tensor::getMixedSizes(builder, loc, whole);
  offsets.assign(sizes.size(), number(0));
  for (int64_t d = 0, e = sizes.size(); d < e; ++d) {
    if (!isRow && d == dim)
      continue;
    if (auto batch = batches.get(row, d - (!isRow && d > dim))) {
      offsets[d] = indices[*batch];
      sizes[d] = number(1);
    }
  }
}

/// Whether a tensor is known to have no elements: no slice of it is in bounds.
static bool isEmpty(Value tensor) {
  return llvm::is_contained(cast<RankedTensorType>(tensor.getType()).getShape(),
                            0);
}

Value BlockEmitter::extractPart(Value whole, Value row, bool isRow) {
  if (!isa<RankedTensorType>(whole.getType()))
    return whole;
  Sizes offsets, sizes;
  getPart(whole, row, isRow, offsets, sizes);
  if (isEmpty(whole))
    return tensor::EmptyOp::create(builder, loc, sizes,
                                   getElementTypeOrSelf(whole.getType()));
  Sizes strides(sizes.size(), number(1));
  return tensor::ExtractSliceOp::create(builder, loc, whole, offsets, sizes,
                                        strides);
}

Value BlockEmitter::extractRow(Value rows, OpFoldResult index) {
  return RecurrenceRows(builder, loc, dim)
      .extract(rows, tensor::getMixedSizes(builder, loc, rows), index);
}

Value BlockEmitter::insertRow(Value row, Value rows, OpFoldResult index) {
  return RecurrenceRows(builder, loc, dim)
      .insert(row, rows, tensor::getMixedSizes(builder, loc, rows), index);
}

/// A row of an input in a buffer of its own, which the kernel fills ahead of
/// the step that reads it.
Value BlockEmitter::stageRow(Value row) {
  auto type = dyn_cast<RankedTensorType>(row.getType());
  if (!type || !type.hasStaticShape())
    return row;
  return bufferization::AllocTensorOp::create(builder, loc, type, ValueRange(),
                                              /*copy=*/row);
}

/// One step. Carried are the parts of the histories and outputs, and the
/// previous rows of each state, the latest first.
SmallVector<Value> BlockEmitter::emitStep(Value step, ValueRange carried) {
  unsigned numStates = op.getNumStates();
  unsigned numResults = numStates + op.getNumOutputs();
  Value t = step;
  if (reverse) {
    Value last = arith::SubIOp::create(builder, loc, get(steps), constant(1));
    t = arith::SubIOp::create(builder, loc, last, step);
  }
  Block &body = op.getBody().front();
  ValueRange rows = carried.drop_front(numResults);
  IRMapping mapping;
  mapping.map(body.getArgument(0), t);
  unsigned first = 0;
  for (unsigned state = 0; state < numStates; ++state)
    for (BlockArgument argument : op.getWindowArguments(state))
      mapping.map(argument, rows[first++]);
  for (auto [input, argument] : llvm::zip(inputs, op.getInputArguments()))
    if (!argument.use_empty())
      mapping.map(argument, stageRow(extractRow(input, t)));
  for (auto [capture, argument] : llvm::zip(captures, op.getCaptureArguments()))
    mapping.map(argument, capture);
  SmallVector<Value> yields = batches.cloneBody(builder, mapping);

  // Rows that change places, before one of them is overwritten, and rows of
  // several states: each is put into one place only.
  SmallVector<Value> seen(rows);
  for (Value &row : MutableArrayRef(yields).take_front(numStates)) {
    auto type = dyn_cast<RankedTensorType>(row.getType());
    if (type && llvm::is_contained(seen, row))
      row = bufferization::AllocTensorOp::create(builder, loc, type,
                                                 ValueRange(), /*copy=*/row);
    else
      seen.push_back(row);
  }
  // Outputs may be rows, or parts of rows, that are overwritten next. Rows that
  // are of a state as well come with its history.
  auto states = ArrayRef(yields).take_front(numStates);
  SmallVector<Value> next(carried.take_front(numResults));
  for (unsigned i = numStates; i < numResults; ++i)
    if (isUsed(i) && !llvm::is_contained(states, yields[i]))
      next[i] = insertRow(yields[i], carried[i], t);
  // The oldest rows first: they make place for the others.
  auto put = [&](Value row, Value place) -> Value {
    if (!isa<RankedTensorType>(place.getType()))
      return row;
    if (row.getType() != place.getType())
      row = tensor::CastOp::create(builder, loc, place.getType(), row);
    return bufferization::MaterializeInDestinationOp::create(builder, loc, row,
                                                             place)
        .getResult();
  };
  SmallVector<Value> shifted(rows);
  first = 0;
  for (unsigned state = 0; state < numStates; ++state) {
    unsigned window = op.getWindow(state);
    for (unsigned back = window - 1; back > 0; --back)
      shifted[first + back] = put(rows[first + back - 1], rows[first + back]);
    first += window;
  }
  first = 0;
  for (unsigned state = 0; state < numStates; ++state) {
    shifted[first] = put(yields[state], rows[first]);
    first += op.getWindow(state);
  }
  // The histories last: what computes a row can do it in place.
  first = 0;
  for (unsigned state = 0; state < numStates; ++state) {
    Value row = shifted[first];
    first += op.getWindow(state);
    OpFoldResult at = t;
    if (op.getInitRows() && !reverse)
      at = add(at, number(op.getWindow(state)));
    if (isUsed(state))
      next[state] = insertRow(row, carried[state], at);
    for (unsigned i = numStates; i < numResults; ++i)
      if (isUsed(i) && yields[i] == yields[state] && next[i] == carried[i])
        next[i] = insertRow(row, carried[i], t);
  }
  llvm::append_range(next, shifted);
  return next;
}

/// What one block does with its parts of `results`.
void BlockEmitter::emitBlock(ValueRange results) {
  unsigned numStates = op.getNumStates();
  unsigned numSteps = numStates + op.getNumOutputs();
  for (auto [state, init] : llvm::enumerate(op.getInits()))
    inits.push_back(extractPart(init, getBodyRow(state), /*isRow=*/false));
  for (auto [input, row] : llvm::zip(op.getInputs(), op.getInputArguments()))
    inputs.push_back(extractPart(input, row, /*isRow=*/false));
  for (auto [capture, argument] :
       llvm::zip(op.getCaptures(), op.getCaptureArguments()))
    captures.push_back(extractPart(capture, argument, /*isRow=*/true));
  SmallVector<Value> parts;
  for (auto [i, result] : llvm::enumerate(results))
    parts.push_back(extractPart(result, getBodyRow(i), /*isRow=*/false));

  SmallVector<Value> carried(ArrayRef(parts).take_front(numSteps));
  SmallVector<Value> rows;
  for (unsigned state = 0; state < numStates; ++state) {
    int64_t window = op.getWindow(state);
    for (int64_t back = 1; back <= window; ++back) {
      OpFoldResult at = number(reverse ? back - 1 : window - back);
      Value row = extractRow(inits[state], at);
      if (op.getInitRows() && isUsed(state))
        carried[state] =
            insertRow(row, carried[state], reverse ? add(steps, at) : at);
      if (auto type = dyn_cast<RankedTensorType>(row.getType()))
        row = bufferization::AllocTensorOp::create(builder, loc, type,
                                                   ValueRange(), /*copy=*/row);
      rows.push_back(row);
    }
  }
  llvm::append_range(carried, rows);
  auto loop = scf::ForOp::create(
      builder, loc, constant(0), get(steps), constant(1), carried,
      [&](OpBuilder &, Location, Value step, ValueRange values) {
        scf::YieldOp::create(builder, loc, emitStep(step, values));
      });
  for (unsigned i = 0; i < numSteps; ++i)
    parts[i] = loop.getResult(i);
  unsigned first = numSteps;
  for (unsigned state = 0; op.getFinalStates() && state < numStates; ++state) {
    int64_t window = op.getWindow(state);
    Value &last = parts[numSteps + state];
    for (int64_t back = 1; back <= window; ++back)
      last = insertRow(loop.getResult(first++), last,
                       number(reverse ? back - 1 : window - back));
  }
  finish(results, parts);
}

/// Ends the loop over the blocks.
void BlockEmitter::finish(ValueRange results, ValueRange parts) {
  SmallVector<std::pair<Sizes, Sizes>> places;
  for (auto [i, result] : llvm::enumerate(results)) {
    auto &[offsets, sizes] = places.emplace_back();
    getPart(result, getBodyRow(i), /*isRow=*/false, offsets, sizes);
  }
  auto end = scf::InParallelOp::create(builder, loc);
  builder.setInsertionPointToStart(end.getBody());
  for (auto [part, result, place] : llvm::zip_equal(parts, results, places)) {
    if (isEmpty(result) || !isa<BlockArgument>(result))
      continue;
    Sizes strides(place.first.size(), number(1));
    tensor::ParallelInsertSliceOp::create(builder, loc, part, result,
                                          place.first, place.second, strides);
  }
}

SmallVector<Value> BlockEmitter::emit() {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  createSteps();
  SmallVector<Value> results = createResults();
  Sizes extents = getBatchExtents();
  SmallVector<Attribute> mapping;
  for (unsigned i = 0; i < extents.size(); ++i)
    mapping.push_back(gpu::GPUBlockMappingAttr::get(
        op.getContext(), gpu::symbolizeMappingId(
                             static_cast<uint64_t>(gpu::MappingId::LinearDim0) +
                             extents.size() - 1 - i)
                             .value()));
  // Results that nobody uses are none of the loop: MLIR's canonicalization of
  // such loops may crash.
  SmallVector<Value> used;
  for (auto [i, result] : llvm::enumerate(results))
    if (isUsed(i))
      used.push_back(result);
  auto blocks = scf::ForallOp::create(
      builder, loc, extents, used, builder.getArrayAttr(mapping),
      [&](OpBuilder &, Location, ValueRange arguments) {
        indices.assign(arguments.begin(), arguments.begin() + extents.size());
        SmallVector<Value> inside(results);
        auto next = arguments.drop_front(extents.size()).begin();
        for (auto [i, result] : llvm::enumerate(inside))
          if (isUsed(i))
            result = *next++;
        emitBlock(inside);
      });
  if (Attribute schedule = op->getAttr(RecurrenceOp::getScheduleName()))
    blocks->setAttr(RecurrenceOp::getScheduleName(), schedule);
  auto next = blocks.getResults().begin();
  for (auto [i, result] : llvm::enumerate(results))
    if (isUsed(i))
      result = *next++;
  return results;
}

namespace {

struct ScanRecurrenceToBlocks
    : scan::impl::ScanRecurrenceToBlocksBase<ScanRecurrenceToBlocks> {
  using ScanRecurrenceToBlocksBase::ScanRecurrenceToBlocksBase;

  void runOnOperation() override {
    SmallVector<RecurrenceOp> recurrences;
    getOperation()->walk<WalkOrder::PreOrder>([&](RecurrenceOp op) {
      recurrences.push_back(op);
      return WalkResult::skip();
    });
    IRRewriter rewriter(&getContext());
    for (RecurrenceOp op : recurrences) {
      if (op.getSegments()) {
        op.emitOpError("has segments, which thread blocks know nothing of: run "
                       "--scan-expand-recurrence-segments first");
        return signalPassFailure();
      }
      bool areLaunches =
          !describeStepLaunches(op, sharedMemory, processors).empty();
      // The host decides nothing by elements, and blocks walk loops.
      if (areLaunches)
        flattenControl(rewriter, op);
      if (failed(prepareForBlock(rewriter, op)))
        return signalPassFailure();
      if (areLaunches) {
        if (failed(lowerToStepLaunches(rewriter, op)))
          return signalPassFailure();
        ++numLaunches;
        continue;
      }
      SmallVector<Value> results = BlockEmitter(rewriter, op).emit();
      rewriter.setInsertionPoint(op);
      for (auto [value, type] : llvm::zip_equal(results, op.getResultTypes()))
        if (value.getType() != type)
          value = tensor::CastOp::create(rewriter, op.getLoc(), type, value);
      rewriter.replaceOp(op, results);
    }
    numLowered += recurrences.size();
    addMatchCounts(getOperation(), getArgument(),
                   {{"recurrences-lowered", recurrences.size()}});
  }
};

} // namespace
