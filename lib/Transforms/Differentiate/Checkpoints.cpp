//===- Checkpoints.cpp - Recurrences over parts of time -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recurrence over T steps is one over T / n parts of n steps, whose step is
// a recurrence over the part, and one over what is left of T. The backward pass
// of that is what is called checkpointing (Griewank and Walther, Algorithm 799,
// 2000; two levels of it): the outer recurrence keeps its states, which are
// those between parts, T / n of them, and its step is computed again by the
// backward pass, with the n states of one part. Nothing else has to know of it.
//
//===----------------------------------------------------------------------===//

#include "RecurrenceBuilder.h"
#include "TimeLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

namespace {

class Checkpoints {
public:
  Checkpoints(IRRewriter &rewriter, RecurrenceOp op, int64_t interval)
      : rewriter(rewriter), op(op), loc(op.getLoc()), dim(op.getDim()),
        interval(interval), numStates(op.getNumStates()) {}
  void run();

private:
  using Sizes = SmallVector<OpFoldResult>;
  /// The results of a walk over a part of time: histories, outputs, and the
  /// final states. Null where nobody asks.
  struct Part {
    SmallVector<Value> rows, finals;
  };

  Value get(OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(rewriter, loc, number);
  }
  template <typename OpTy> OpFoldResult compute(OpFoldResult a, int64_t b) {
    Value value = rewriter.createOrFold<OpTy>(
        loc, get(a), arith::ConstantIndexOp::create(rewriter, loc, b));
    return getAsOpFoldResult(value);
  }
  bool isAsked(unsigned row) { return !op.getResult(row).use_empty(); }
  /// The extents of a history or output for one step, or of a state's init.
  Sizes getSizes(unsigned row);
  /// The dimension of time in two: `count` parts of `rows` rows.
  Value split(Value tensor, Sizes sizes, OpFoldResult count, int64_t rows);
  Value join(Value tensor);

  /// The same recurrence over other rows; the number of its first one is
  /// `base`, a capture behind the others.
  RecurrenceOp createWalk(OpBuilder &builder, ValueRange inputs,
                          ValueRange inits, ValueRange captures, Value steps,
                          ValueRange extents, Value base);
  Part walkParts(ArrayRef<Value> inits);
  Part walkRest(ArrayRef<Value> inits);
  void replace(Part &parts, Part &rest, bool hasRest);

  IRRewriter &rewriter;
  RecurrenceOp op;
  Location loc;
  int64_t dim, interval;
  unsigned numStates;
  /// The number of steps, of parts, of steps in these, and of those left over.
  OpFoldResult steps, numParts, inParts, numLeft;
};

} // namespace

Checkpoints::Sizes Checkpoints::getSizes(unsigned row) {
  if (row < numStates)
    return tensor::getMixedSizes(rewriter, loc, op.getInits()[row]);
  Sizes sizes = op.getOutputRowSizes(row - numStates);
  sizes.insert(sizes.begin() + dim, rewriter.getIndexAttr(1));
  return sizes;
}

static SmallVector<ReassociationIndices> getGroups(int64_t rank, int64_t dim) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0; d < rank; ++d)
    groups.push_back({d + (d > dim)});
  groups[dim].push_back(dim + 1);
  return groups;
}

Value Checkpoints::split(Value tensor, Sizes sizes, OpFoldResult count,
                         int64_t rows) {
  sizes[dim] = rewriter.getIndexAttr(rows);
  sizes.insert(sizes.begin() + dim, count);
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  return tensor::ExpandShapeOp::create(
      rewriter, loc,
      RankedTensorType::get(shape, getElementTypeOrSelf(tensor.getType())),
      tensor, getGroups(shape.size() - 1, dim), sizes);
}

Value Checkpoints::join(Value tensor) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  return tensor::CollapseShapeOp::create(rewriter, loc, tensor,
                                         getGroups(rank - 1, dim));
}

RecurrenceOp Checkpoints::createWalk(OpBuilder &builder, ValueRange inputs,
                                     ValueRange inits, ValueRange captures,
                                     Value steps, ValueRange extents,
                                     Value base) {
  OperationState state(loc, RecurrenceOp::getOperationName());
  auto &properties = state.getOrAddProperties<RecurrenceOp::Properties>();
  properties = op.getProperties();
  properties.init_rows = {};
  properties.final_states = builder.getUnitAttr();
  auto count = [](ValueRange group) {
    return static_cast<int32_t>(group.size());
  };
  properties.operandSegmentSizes = {count(inputs),       count(inits),
                                    count(captures) + 1, steps ? 1 : 0,
                                    count(extents),      0};
  for (ValueRange group : {inputs, inits, captures, ValueRange(base)})
    state.addOperands(group);
  if (steps)
    state.addOperands(steps);
  state.addOperands(extents);
  Region *body = state.addRegion();
  IRMapping mapping;
  op.getBody().cloneInto(body, mapping);
  Value first = body->front().addArgument(builder.getIndexType(), loc);
  Value t = body->front().getArgument(0);
  OpBuilder inner(builder.getContext());
  inner.setInsertionPointToStart(&body->front());
  auto number = arith::AddIOp::create(inner, loc, t, first);
  t.replaceAllUsesExcept(number, number);
  LogicalResult inferred = RecurrenceOp::inferReturnTypes(
      builder.getContext(), loc, state.operands,
      state.attributes.getDictionary(builder.getContext()),
      state.getRawProperties(), state.regions, state.types);
  assert(succeeded(inferred) && "the parts have rows of the same types");
  (void)inferred;
  return cast<RecurrenceOp>(builder.create(state));
}

Checkpoints::Part Checkpoints::walkParts(ArrayRef<Value> inits) {
  RecurrenceBuilder outer(rewriter, loc, dim, op.getReverse(), numParts,
                          op.getOrderAttr());
  OpBuilder &inner = outer.getBodyBuilder();
  SmallVector<Value> states, inputs, captures, extents;
  for (auto [i, init] : llvm::enumerate(inits))
    states.push_back(outer.addState(
        split(init, getSizes(i), rewriter.getIndexAttr(1), op.getWindow(i))));
  for (Value input : op.getInputs()) {
    Sizes sizes = tensor::getMixedSizes(rewriter, loc, input);
    Value rows = createRows(rewriter, loc, input, sizes, dim,
                            rewriter.getIndexAttr(0), inParts);
    inputs.push_back(outer.addInput(split(rows, sizes, numParts, interval)));
  }
  for (Value capture : op.getCaptures())
    captures.push_back(outer.addCapture(capture));
  for (Value extent : op.getExtents())
    extents.push_back(outer.addCapture(extent));
  Value length = arith::ConstantIndexOp::create(inner, loc, interval);
  Value base = arith::MulIOp::create(inner, loc, outer.getTime(), length);
  RecurrenceOp walk =
      createWalk(inner, inputs, states, captures,
                 inputs.empty() ? length : Value(), extents, base);
  SmallVector<int> numbers;
  for (unsigned i = 0; i < numStates; ++i)
    outer.setNext(i, walk.getFinalResults()[i]);
  for (unsigned i = 0, e = numStates + op.getNumOutputs(); i < e; ++i) {
    Sizes sizes = getSizes(i);
    sizes[dim] = rewriter.getIndexAttr(interval);
    Value rows = walk.getResult(i);
    // Without inputs the type does not say how many rows there are.
    SmallVector<int64_t> shape(
        cast<RankedTensorType>(rows.getType()).getShape());
    shape[dim] = interval;
    auto type =
        RankedTensorType::get(shape, getElementTypeOrSelf(rows.getType()));
    if (isAsked(i) && type != rows.getType())
      rows = tensor::CastOp::create(inner, loc, type, rows);
    numbers.push_back(isAsked(i) ? outer.addOutput(rows, sizes) : -1);
  }
  RecurrenceOp made = outer.create(!!op.getSteps());
  Part part;
  for (int number : numbers)
    part.rows.push_back(number < 0 ? Value() : join(made.getOutputs()[number]));
  for (Value last : made.getFinalResults())
    part.finals.push_back(join(last));
  return part;
}

Checkpoints::Part Checkpoints::walkRest(ArrayRef<Value> inits) {
  SmallVector<Value> inputs;
  for (Value input : op.getInputs())
    inputs.push_back(createRows(rewriter, loc, input,
                                tensor::getMixedSizes(rewriter, loc, input),
                                dim, inParts, numLeft));
  RecurrenceOp walk = createWalk(rewriter, inputs, inits, op.getCaptures(),
                                 inputs.empty() ? get(numLeft) : Value(),
                                 op.getExtents(), get(inParts));
  Part part;
  for (unsigned i = 0, e = numStates + op.getNumOutputs(); i < e; ++i)
    part.rows.push_back(isAsked(i) ? walk.getResult(i) : Value());
  llvm::append_range(part.finals, walk.getFinalResults());
  return part;
}

/// Puts together what the two have computed.
void Checkpoints::replace(Part &parts, Part &rest, bool hasRest) {
  SmallVector<Value> results;
  for (unsigned i = 0, e = numStates + op.getNumOutputs(); i < e; ++i) {
    bool hasInit = i < numStates && op.getInitRows();
    Value rows = parts.rows[i];
    if (rows && (hasRest || hasInit)) {
      Sizes sizes = getSizes(i);
      int64_t window = hasInit ? op.getWindow(i) : 0;
      OpFoldResult before = rewriter.getIndexAttr(op.getReverse() ? 0 : window);
      sizes[dim] = compute<arith::AddIOp>(steps, window);
      Value all = tensor::EmptyOp::create(rewriter, loc, sizes,
                                          getElementTypeOrSelf(rows.getType()));
      if (hasInit)
        all = insertRows(
            rewriter, loc, op.getInits()[i], all, sizes, dim,
            op.getReverse() ? steps : OpFoldResult(rewriter.getIndexAttr(0)),
            rewriter.getIndexAttr(window));
      all = insertRows(rewriter, loc, rows, all, sizes, dim, before, inParts);
      if (hasRest)
        all = insertRows(
            rewriter, loc, rest.rows[i], all, sizes, dim,
            compute<arith::AddIOp>(inParts, op.getReverse() ? 0 : window),
            numLeft);
      rows = all;
    }
    results.push_back(rows);
  }
  if (op.getFinalStates())
    llvm::append_range(results, hasRest && !op.getReverse() ? rest.finals
                                                            : parts.finals);
  for (auto [result, value] : llvm::zip(op.getResults(), results)) {
    if (result.use_empty())
      continue;
    if (value.getType() != result.getType())
      value = tensor::CastOp::create(rewriter, loc, result.getType(), value);
    rewriter.replaceAllUsesWith(result, value);
  }
  rewriter.eraseOp(op);
}

void Checkpoints::run() {
  rewriter.setInsertionPoint(op);
  if (op.getSteps()) {
    steps = op.getSteps();
  } else {
    Value input = op.getInputs().front();
    for (Value other : op.getInputs())
      if (!cast<RankedTensorType>(other.getType()).isDynamicDim(dim))
        input = other;
    steps = tensor::getMixedSize(rewriter, loc, input, dim);
  }
  std::optional<int64_t> known = getConstantIntValue(steps);
  if (known && *known <= interval)
    return;
  numParts = compute<arith::DivUIOp>(steps, interval);
  inParts = compute<arith::MulIOp>(numParts, interval);
  numLeft = compute<arith::RemUIOp>(steps, interval);
  bool hasRest = !isConstantIntValue(numLeft, 0);
  SmallVector<Value> inits(op.getInits());
  Part parts, rest;
  // In the order of the walk.
  if (hasRest && op.getReverse()) {
    rest = walkRest(inits);
    parts = walkParts(rest.finals);
  } else {
    parts = walkParts(inits);
    if (hasRest)
      rest = walkRest(parts.finals);
  }
  replace(parts, rest, hasRest);
}

void differentiate::checkpoint(Operation *root, int64_t interval) {
  SmallVector<RecurrenceOp> recurrences;
  root->walk<WalkOrder::PreOrder>([&](RecurrenceOp op) {
    recurrences.push_back(op);
    return WalkResult::skip();
  });
  IRRewriter rewriter(root->getContext());
  for (RecurrenceOp op : recurrences)
    Checkpoints(rewriter, op, interval).run();
}
