//===- LoopToRecurrence.cpp - A loop that carries rows --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a loop carries is a state, or a tensor that each step writes a row of:
// an output, and a state as well where later steps read it. What a step reads
// at its own place along the dimension of the outputs are rows of inputs. The
// rest of the body is copied as it is, and may read anything else whole.
//
//===----------------------------------------------------------------------===//

#include "LoopToRecurrence.h"
#include "../Differentiate/RecurrenceBuilder.h"
#include "LoopHoister.h"
#include "Scan/IR/ScanRecurrence.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::scan;
using differentiate::RecurrenceBuilder;

namespace {

class LoopToRecurrence {
public:
  LoopToRecurrence(RewriterBase &rewriter, RecurrenceLoop &loop,
                   const RecurrenceLoop::RowReads &reads)
      : rewriter(rewriter), loop(loop), reads(reads), loc(loop.loop.getLoc()) {}

  /// Finds the dimension of time; changes nothing.
  LogicalResult check();
  SmallVector<Value> emit();

private:
  LogicalResult checkState(const CarriedState &state);
  LogicalResult checkCaptures();
  bool isInput(const TimeSlice &slice) const {
    return slice.getTimePosition() == dim;
  }
  Value emitInit(Value row);
  Value emitLast(Value last, Type type);
  void emitBody(RecurrenceBuilder &recurrence);
  Value emitInductionVar(RecurrenceBuilder &recurrence);
  Value capture(RecurrenceBuilder &recurrence, Value value);
  Value getRow(OpBuilder &builder, Value value, AffineMap map);

  RewriterBase &rewriter;
  RecurrenceLoop &loop;
  const RecurrenceLoop::RowReads &reads;
  Location loc;
  int64_t dim = 0;
  std::optional<LoopHoister> hoister;
  IRMapping mapping;
  /// The numbers of the outputs of the recurrence.
  SmallVector<unsigned> written;
};

} // namespace

//===----------------------------------------------------------------------===//
// What is in the way
//===----------------------------------------------------------------------===//

LogicalResult LoopToRecurrence::checkState(const CarriedState &state) {
  Operation *yield = loop.loop.getBody()->getTerminator();
  auto row = dyn_cast<RankedTensorType>(state.type);
  if (!ScanDialect::isSupportedElementType(getElementTypeOrSelf(state.type)) ||
      (!row && isa<ShapedType>(state.type)) || (row && row.getEncoding()))
    return loop.fail(yield, "a carried value is no row of a supported type");
  if ((row ? row.getRank() : 0) < dim)
    return loop.fail(yield, "a carried value has fewer dimensions than there "
                            "are in front of the one that the loop walks");
  return success();
}

/// What the body sees whole: scalars and tensors.
LogicalResult LoopToRecurrence::checkCaptures() {
  for (Operation &op : *loop.loop.getBody()) {
    SetVector<Value> used;
    getUsedValuesDefinedAbove(op.getRegions(), used);
    used.insert(op.operand_begin(), op.operand_end());
    for (Value value : used) {
      Type type = value.getType();
      bool isPlain = !isa<ShapedType>(type) || isa<RankedTensorType>(type);
      if (loop.loop.isDefinedOutsideOfLoop(value) &&
          !(isPlain && (type.isIndex() || ScanDialect::isSupportedElementType(
                                              getElementTypeOrSelf(type)))))
        return loop.fail(&op, "a step reads a value from outside that is no "
                              "scalar and no tensor of a supported type");
    }
  }
  return success();
}

LogicalResult LoopToRecurrence::check() {
  // Along the outputs; else along what is read.
  if (!loop.outputs.empty())
    dim = loop.outputs.front().part.getTimePosition();
  else
    dim = loop.slices.front().getTimePosition();
  for (const CarriedOutput &output : loop.outputs) {
    if (output.part.getTimePosition() != dim)
      return loop.fail(output.written.getDefiningOp()
                           ? output.written.getDefiningOp()
                           : loop.loop.getOperation(),
                       "tensors are written along different dimensions");
    if (!ScanDialect::isSupportedElementType(
            getElementTypeOrSelf(output.init.getType())))
      return loop.fail(loop.loop,
                       "a tensor that is written has no supported type");
  }
  for (const CarriedState &state : loop.states)
    if (failed(checkState(state)))
      return failure();
  return checkCaptures();
}

//===----------------------------------------------------------------------===//
// The recurrence
//===----------------------------------------------------------------------===//

/// The groups of dimensions of a row with an extent of 1 for the time.
static SmallVector<ReassociationIndices> getGroups(int64_t rank, int64_t dim) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0; d <= rank; ++d) {
    bool joinsBefore = d == dim && !groups.empty();
    if (joinsBefore || (d == 1 && dim == 0))
      groups.back().push_back(d);
    else
      groups.push_back({d});
  }
  if (rank == 0)
    groups.clear();
  return groups;
}

static RankedTensorType addTime(RankedTensorType row, int64_t dim) {
  SmallVector<int64_t> shape(row.getShape());
  shape.insert(shape.begin() + dim, 1);
  return RankedTensorType::get(shape, row.getElementType());
}

/// A row with time as a dimension of extent 1.
static Value expandRow(OpBuilder &builder, Location loc, Value row,
                       int64_t dim) {
  auto type = cast<RankedTensorType>(row.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, row);
  sizes.insert(sizes.begin() + dim, builder.getIndexAttr(1));
  return tensor::ExpandShapeOp::create(builder, loc, addTime(type, dim), row,
                                       getGroups(type.getRank(), dim), sizes);
}

Value LoopToRecurrence::emitInit(Value row) {
  if (isa<RankedTensorType>(row.getType()))
    return expandRow(rewriter, loc, row, dim);
  return tensor::FromElementsOp::create(
      rewriter, loc, RankedTensorType::get({1}, row.getType()), row);
}

Value LoopToRecurrence::emitLast(Value last, Type type) {
  auto row = dyn_cast<RankedTensorType>(type);
  if (!row)
    return tensor::ExtractOp::create(
        rewriter, loc, last,
        Value(arith::ConstantIndexOp::create(rewriter, loc, 0)));
  return tensor::CollapseShapeOp::create(rewriter, loc, row, last,
                                         getGroups(row.getRank(), dim));
}

Value LoopToRecurrence::capture(RecurrenceBuilder &recurrence, Value value) {
  Value known = mapping.lookupOrNull(value);
  if (known)
    return known;
  Operation *def = value.getDefiningOp();
  known = def && def->hasTrait<OpTrait::ConstantLike>()
              ? recurrence.getBodyBuilder().clone(*def)->getResult(0)
              : recurrence.addCapture(value);
  mapping.map(value, known);
  return known;
}

/// Rows are counted from 0 in the order of memory.
Value LoopToRecurrence::emitInductionVar(RecurrenceBuilder &recurrence) {
  OpBuilder &inner = recurrence.getBodyBuilder();
  Value t = recurrence.getTime();
  if (!loop.reverse) {
    if (isConstantIntValue(loop.loop.getLowerBound(), 0))
      return t;
    Value lower = capture(recurrence, loop.loop.getLowerBound());
    return arith::AddIOp::create(inner, loc, t, lower);
  }
  Value upper = capture(recurrence, loop.loop.getUpperBound());
  Value one = arith::ConstantIndexOp::create(inner, loc, 1);
  Value last = arith::SubIOp::create(inner, loc, upper, one);
  return arith::SubIOp::create(inner, loc, last, t);
}

/// What a step writes, without the time among its dimensions.
Value LoopToRecurrence::getRow(OpBuilder &builder, Value value, AffineMap map) {
  if (map.isIdentity())
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  return tensor::CollapseShapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), value,
      getGroups(shape.size(), dim));
}

void LoopToRecurrence::emitBody(RecurrenceBuilder &recurrence) {
  OpBuilder &inner = recurrence.getBodyBuilder();
  auto unwrap = [&](Value row, Type type) -> Value {
    // Without dimensions rows are scalars.
    if (isa<RankedTensorType>(type) && !isa<RankedTensorType>(row.getType()))
      return tensor::FromElementsOp::create(inner, loc,
                                            cast<RankedTensorType>(type), row);
    return row;
  };
  auto wrap = [&](Value row) -> Value {
    auto type = dyn_cast<RankedTensorType>(row.getType());
    if (type && type.getRank() == 0)
      return tensor::ExtractOp::create(inner, loc, row, ValueRange());
    return row;
  };
  SmallVector<Value> previous;
  SmallVector<Type> rowTypes;
  for (const CarriedState &state : loop.states) {
    Value init = state.init ? state.init
                            : hoister->emitRowBefore(loop.outputs[state.output],
                                                     state.distance);
    Value row = recurrence.addState(emitInit(init));
    rowTypes.push_back(row.getType());
    previous.push_back(unwrap(row, state.type));
    if (state.argument)
      mapping.map(state.argument, previous.back());
  }
  SmallVector<Value> rows;
  for (const TimeSlice &slice : loop.slices)
    rows.push_back(isInput(slice)
                       ? recurrence.addInput(hoister->emitPart(slice))
                       : Value());
  mapping.map(loop.loop.getInductionVar(), emitInductionVar(recurrence));

  for (Operation &op : loop.loop.getBody()->without_terminator()) {
    auto read = reads.find(&op);
    Value row;
    if (read != reads.end())
      row = read->second.isState ? previous[read->second.number]
                                 : rows[read->second.number];
    if (row) {
      Type type = op.getResult(0).getType();
      auto tensor = dyn_cast<RankedTensorType>(row.getType());
      if (auto wanted = dyn_cast<RankedTensorType>(type);
          wanted && tensor && tensor.getRank() < wanted.getRank())
        row = expandRow(inner, loc, row, dim);
      row = unwrap(row, type);
      if (row.getType() != type)
        row = tensor::CastOp::create(inner, loc, type, row);
      mapping.map(op.getResult(0), row);
      continue;
    }
    // What writes an output is not copied.
    if (llvm::any_of(loop.outputs, [&](const CarriedOutput &output) {
          return loop.loop.getTiedLoopYieldedValue(output.argument)
                     ->get()
                     .getDefiningOp() == &op;
        }))
      continue;
    SetVector<Value> used;
    getUsedValuesDefinedAbove(op.getRegions(), used);
    used.insert(op.operand_begin(), op.operand_end());
    for (Value value : used) {
      auto argument = dyn_cast<BlockArgument>(value);
      bool isOutput = argument && argument.getOwner() == loop.loop.getBody() &&
                      !mapping.contains(value);
      // Of a tensor that is written only extents are read.
      if (isOutput)
        mapping.map(value, capture(recurrence,
                                   loop.loop.getTiedLoopInit(argument)->get()));
      else if (loop.loop.isDefinedOutsideOfLoop(value))
        (void)capture(recurrence, value);
    }
    inner.clone(op, mapping);
  }

  auto lookup = [&](Value value) {
    return loop.loop.isDefinedOutsideOfLoop(value) ? capture(recurrence, value)
                                                   : mapping.lookup(value);
  };
  for (auto [i, state] : llvm::enumerate(loop.states)) {
    Value next;
    if (state.argument) {
      next = lookup(loop.loop.getTiedLoopYieldedValue(state.argument)->get());
    } else if (state.distance > 1) {
      for (auto [j, younger] : llvm::enumerate(loop.states))
        if (!younger.argument && younger.output == state.output &&
            younger.distance == state.distance - 1)
          next = previous[j];
    } else {
      const CarriedOutput &output = loop.outputs[state.output];
      next = getRow(inner, lookup(output.written), output.map);
    }
    next = wrap(next);
    if (next.getType() != rowTypes[i])
      next = tensor::CastOp::create(inner, loc, rowTypes[i], next);
    recurrence.setNext(i, next);
  }
  for (const CarriedOutput &output : loop.outputs) {
    SmallVector<OpFoldResult> sizes;
    for (auto [d, size] : llvm::enumerate(output.part.sizes))
      if (!output.part.dropped.test(d))
        sizes.push_back(size);
    written.push_back(recurrence.addOutput(
        wrap(getRow(inner, lookup(output.written), output.map)),
        hoister->hoist(sizes)));
  }
}

SmallVector<Value> LoopToRecurrence::emit() {
  hoister.emplace(rewriter, loop);
  RecurrenceBuilder recurrence(rewriter, loc, dim, loop.reverse,
                               hoister->getSteps(), OrderAttr());
  emitBody(recurrence);
  RecurrenceOp op = recurrence.create(/*hasSteps=*/false);

  llvm::DenseMap<Value, Value> results;
  for (auto [state, last] : llvm::zip(loop.states, op.getFinalResults()))
    if (state.argument)
      results[state.argument] = emitLast(last, state.argument.getType());
  for (auto [output, number] : llvm::zip(loop.outputs, written))
    results[output.argument] =
        hoister->emitWritten(output, op.getOutputs()[number]);
  return llvm::map_to_vector(
      loop.loop.getRegionIterArgs(),
      [&](BlockArgument argument) { return results[argument]; });
}

LogicalResult scan::raiseToRecurrence(RewriterBase &rewriter, scf::ForOp op,
                                      Obstacle &obstacle) {
  RecurrenceLoop loop(op);
  RecurrenceLoop::RowReads reads;
  LogicalResult found = loop.analyzeRows(reads);
  LoopToRecurrence raising(rewriter, loop, reads);
  if (failed(found) || failed(raising.check())) {
    if (!loop.reason.empty())
      (void)obstacle.set(loop.culprit, loop.reason);
    return failure();
  }
  rewriter.setInsertionPoint(op);
  SmallVector<Value> results = raising.emit();
  rewriter.replaceOp(op, results);
  return success();
}
