//===- TimeLoopAdjoint.cpp - Backpropagation through time -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The backward pass of h_t = f(t, h_{t-1}, ..., h_{t-k}, x_t, w) is a
// recurrence in the other direction. Its states are what the steps from t+1 on
// have given to the rows t, t-1, ..., t-k+1: p_{t+1,1}, ..., p_{t+1,k}. A step
// takes g_t = dh_t + p_{t+1,1}, goes backwards through f, which gives c_{t,j}
// to the row t-j, and leaves
//
//   p_{t,j} = p_{t+1,j+1} + c_{t,j},  p_{t,k} = c_{t,k}.
//
// The cotangents of the final states are what it starts from, and the states in
// the end are the gradients of the inits. Gradients of inputs are outputs;
// those of captures are in CaptureGradients.h. f is computed again from the
// rows that it has read, which the histories have: no other value is kept.
//
//===----------------------------------------------------------------------===//

#include "CaptureGradients.h"
#include "Scan/IR/RecurrenceSchedule.h"
#include "TimeLoops.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

namespace {

class TimeLoopAdjoint {
public:
  TimeLoopAdjoint(GraphAdjoint &graph, RecurrenceOp op, Refuse refuse)
      : graph(graph), builder(graph.builder), op(op), loc(op.getLoc()),
        dim(op.getDim()), refuse(refuse), steps(getSteps()) {}
  LogicalResult visit();

private:
  /// The backward pass in the making.
  struct Backward {
    Backward(TimeLoopAdjoint &parent)
        : recurrence(parent.builder, parent.loc, parent.dim,
                     !parent.op.getReverse(), parent.steps,
                     parent.op.getOrderAttr()),
          graph(recurrence.getBodyBuilder()),
          captures(parent.graph, graph, recurrence, parent.dim, parent.steps) {}
    RecurrenceBuilder recurrence;
    GraphAdjoint graph;
    CaptureGradients captures;
    IRMapping primal;
    SmallVector<Operation *> forward;
    /// Of each state, the arguments p_1 to p_k; none where nothing is asked
    /// for.
    SmallVector<SmallVector<Value>> pending;
    /// Of each input the number of the output with its gradient, or -1.
    SmallVector<int> inputOutputs;
    /// Of each capture the number of the state that sums its gradient up.
    SmallVector<int> captureStates;
  };

  OpFoldResult getSteps();
  void findActiveStates();
  bool isActiveState(unsigned i) { return activeStates.contains(i); }
  /// `count` rows from `first` on of `tensor`, whose other extents are those of
  /// `like`.
  Value slice(Value tensor, Value like, OpFoldResult first, OpFoldResult count);
  /// The row of a state in its init, or in its final state, as the `back`th
  /// row in front of the next step.
  int64_t getInitRow(unsigned state, int64_t back) {
    return op.getReverse() ? back - 1 : op.getWindow(state) - back;
  }
  Value startPending(unsigned state, int64_t back);

  void cloneForward(Backward &backward);
  void seed(Backward &backward, bool isMasked);
  LogicalResult goBack(Backward &backward);
  /// True if what the steps give to earlier rows is masked.
  bool isMasked(Backward &backward);
  void finishStates(Backward &backward);
  void finishInputs(Backward &backward);
  void finishCaptures(Backward &backward);

  void accumulateInits(Backward &backward, RecurrenceOp made);
  void accumulateInputs(Backward &backward, RecurrenceOp made);
  void accumulateCaptures(Backward &backward, RecurrenceOp made);

  GraphAdjoint &graph;
  OpBuilder &builder;
  RecurrenceOp op;
  Location loc;
  int64_t dim;
  Refuse refuse;
  OpFoldResult steps;
  DenseSet<unsigned> activeStates;
};

} // namespace

//===----------------------------------------------------------------------===//
// Around the loop
//===----------------------------------------------------------------------===//

OpFoldResult TimeLoopAdjoint::getSteps() {
  if (op.getSteps())
    return op.getSteps();
  for (Value input : op.getInputs())
    if (auto type = cast<RankedTensorType>(input.getType());
        !type.isDynamicDim(dim))
      return builder.getIndexAttr(type.getDimSize(dim));
  return graph.getSizes(op.getInputs().front())[dim];
}

Value TimeLoopAdjoint::slice(Value tensor, Value like, OpFoldResult first,
                             OpFoldResult count) {
  return createRows(builder, loc, tensor, graph.getSizes(like), dim, first,
                    count);
}

/// A state is active if its init is, or if what a step makes of it is: which
/// depends on the other states.
void TimeLoopAdjoint::findActiveStates() {
  Block &body = op.getBody().front();
  for (auto [i, init] : llvm::enumerate(op.getInits()))
    if (graph.isActive(init))
      activeStates.insert(i);
  size_t before;
  do {
    before = activeStates.size();
    GraphAdjoint probe(builder);
    for (unsigned i : activeStates)
      for (Value argument : op.getWindowArguments(i))
        probe.activate(argument);
    for (auto [input, argument] :
         llvm::zip(op.getInputs(), op.getInputArguments()))
      if (graph.isActive(input))
        probe.activate(argument);
    for (auto [capture, argument] :
         llvm::zip(op.getCaptures(), op.getCaptureArguments()))
      if (graph.isActive(capture))
        probe.activate(argument);
    for (Operation &inner : body.without_terminator())
      probe.activateResults(&inner);
    for (unsigned i = 0, e = op.getNumStates(); i < e; ++i)
      if (probe.isActive(body.getTerminator()->getOperand(i)))
        activeStates.insert(i);
  } while (activeStates.size() != before);
}

/// What the cotangent of a final state has for the `back`th row of it.
Value TimeLoopAdjoint::startPending(unsigned state, int64_t back) {
  Value init = op.getInits()[state];
  Value last = op.getFinalStates()
                   ? graph.getCotangent(op.getFinalResults()[state])
                   : Value();
  if (last)
    return op.getWindow(state) == 1
               ? last
               : slice(last, init,
                       builder.getIndexAttr(getInitRow(state, back)),
                       builder.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = graph.getSizes(init);
  sizes[dim] = builder.getIndexAttr(1);
  return graph.createFill(loc, getElementTypeOrSelf(init.getType()), sizes,
                          0.0);
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

void TimeLoopAdjoint::cloneForward(Backward &backward) {
  RecurrenceBuilder &recurrence = backward.recurrence;
  for (unsigned i = 0, e = op.getNumStates(); i < e; ++i) {
    backward.pending.emplace_back();
    if (isActiveState(i))
      for (int64_t back = 1; back <= op.getWindow(i); ++back)
        backward.pending[i].push_back(
            recurrence.addState(startPending(i, back)));
  }
  backward.primal.map(op.getBody().getArgument(0), recurrence.getTime());
  for (unsigned i = 0, e = op.getNumStates(); i < e; ++i)
    for (auto [j, argument] : llvm::enumerate(op.getWindowArguments(i))) {
      // With the rows of the init in front, row t of a history is the oldest
      // that step t has read.
      int64_t first = op.getReverse() ? j + 1 : op.getWindow(i) - j - 1;
      Value row =
          recurrence.addInput(slice(op.getHistories()[i], op.getInits()[i],
                                    builder.getIndexAttr(first), steps));
      backward.primal.map(argument, row);
      if (isActiveState(i))
        backward.graph.activate(row);
    }
  for (auto [input, argument] :
       llvm::zip(op.getInputs(), op.getInputArguments())) {
    Value row = recurrence.addInput(input);
    backward.primal.map(argument, row);
    if (graph.isActive(input))
      backward.graph.activate(row);
  }
  for (auto [capture, argument] :
       llvm::zip(op.getCaptures(), op.getCaptureArguments())) {
    Value inside = recurrence.addCapture(capture);
    backward.primal.map(argument, inside);
    if (graph.isActive(capture))
      backward.graph.activate(inside);
  }
  for (Operation &inner : op.getBody().front().without_terminator()) {
    Operation *copy = recurrence.getBodyBuilder().clone(inner, backward.primal);
    // It has other readers here.
    copy->removeAttr(kStageName);
    backward.graph.activateResults(copy);
    backward.forward.push_back(copy);
  }
}

void TimeLoopAdjoint::seed(Backward &backward, bool isMasked) {
  ValueRange yields = op.getBody().front().getTerminator()->getOperands();
  auto give = [&](Value yielded, Value cotangent) {
    backward.graph.accumulate(backward.primal.lookup(yielded), cotangent,
                              isMasked);
  };
  for (unsigned i = 0, e = op.getNumStates(); i < e; ++i) {
    if (!isActiveState(i))
      continue;
    give(yields[i], backward.pending[i].front());
    if (Value history = graph.getCotangent(op.getHistories()[i])) {
      int64_t first = op.getReverse() ? 0 : op.getWindow(i);
      Value rows =
          slice(history, op.getInits()[i], builder.getIndexAttr(first), steps);
      give(yields[i], backward.recurrence.addInput(rows));
    }
    for (Value rows : getStepRows(op, i))
      if (Value cotangent = graph.getCotangent(rows))
        give(yields[i], backward.recurrence.addInput(cotangent));
  }
  for (auto [output, yielded] :
       llvm::zip(op.getOutputs(), yields.drop_front(op.getNumStates())))
    if (Value rows = graph.getCotangent(output))
      give(yielded, backward.recurrence.addInput(rows));
}

LogicalResult TimeLoopAdjoint::goBack(Backward &backward) {
  for (Operation *inner : llvm::reverse(backward.forward)) {
    SmallVector<Value> deferred = backward.captures.defer(inner);
    for (Value capture : deferred)
      backward.graph.deactivate(capture);
    if (failed(visitOperation(backward.graph, inner, refuse)))
      return failure();
    for (Value capture : deferred)
      backward.graph.activate(capture);
  }
  return success();
}

bool TimeLoopAdjoint::isMasked(Backward &backward) {
  for (unsigned i : activeStates)
    for (Value argument : op.getWindowArguments(i))
      if (backward.graph.isMasked(backward.primal.lookup(argument)))
        return true;
  return false;
}

void TimeLoopAdjoint::finishStates(Backward &backward) {
  unsigned next = 0;
  for (unsigned i = 0, e = op.getNumStates(); i < e; ++i) {
    ArrayRef<Value> pending = backward.pending[i];
    for (auto [j, argument] : llvm::enumerate(pending)) {
      // The cotangent of the row as an argument, and what later steps have
      // given to it before.
      Value row = backward.primal.lookup(op.getWindowArguments(i)[j]);
      if (j + 1 < pending.size())
        backward.graph.accumulate(row, pending[j + 1]);
      Value sum = backward.graph.getCotangent(row);
      backward.recurrence.setNext(
          next++,
          sum ? sum
              : backward.graph.castTo(loc, backward.graph.createZeros(loc, row),
                                      row.getType()));
    }
  }
}

void TimeLoopAdjoint::finishInputs(Backward &backward) {
  for (auto [input, argument] :
       llvm::zip(op.getInputs(), op.getInputArguments())) {
    Value cotangent =
        backward.graph.getCotangent(backward.primal.lookup(argument));
    if (!cotangent) {
      backward.inputOutputs.push_back(-1);
      continue;
    }
    SmallVector<OpFoldResult> sizes = graph.getSizes(input);
    sizes.erase(sizes.begin() + dim);
    backward.inputOutputs.push_back(
        backward.recurrence.addOutput(cotangent, sizes));
  }
}

/// What no contraction behind the loop computes is summed up in states, in the
/// type of long sums.
void TimeLoopAdjoint::finishCaptures(Backward &backward) {
  RecurrenceBuilder &recurrence = backward.recurrence;
  GraphAdjoint &inner = backward.graph;
  unsigned next = 0;
  for (ArrayRef<Value> pending : backward.pending)
    next += pending.size();
  for (auto [capture, argument] :
       llvm::zip(op.getCaptures(), op.getCaptureArguments())) {
    Value cotangent = inner.getCotangent(backward.primal.lookup(argument));
    backward.captureStates.push_back(cotangent ? next++ : -1);
    if (!cotangent)
      continue;
    Type element = getElementTypeOrSelf(capture.getType());
    Type wide = getSumType(element);
    SmallVector<OpFoldResult> sizes(recurrence.getUnitDims(capture.getType()),
                                    builder.getIndexAttr(1));
    if (isa<RankedTensorType>(capture.getType()))
      llvm::append_range(sizes, graph.getSizes(capture));
    sizes.insert(sizes.begin() + dim, builder.getIndexAttr(1));
    Value sum = recurrence.addState(graph.createFill(loc, wide, sizes, 0.0));
    Value term = recurrence.padRow(cotangent);
    if (wide != element)
      term = isa<RankedTensorType>(term.getType())
                 ? inner.castElements(loc, term, wide)
                 : Value(arith::ExtFOp::create(inner.builder, loc, wide, term));
    inner.activate(sum);
    inner.accumulate(sum, sum);
    inner.accumulate(sum, term);
    recurrence.setNext(backward.captureStates.back(), inner.getCotangent(sum));
  }
}

//===----------------------------------------------------------------------===//
// Behind the loop
//===----------------------------------------------------------------------===//

/// The row of a state in the end, and what is given to the row in front of the
/// history.
void TimeLoopAdjoint::accumulateInits(Backward &backward, RecurrenceOp made) {
  unsigned next = 0;
  for (auto [i, init] : llvm::enumerate(op.getInits())) {
    ArrayRef<Value> pending = backward.pending[i];
    unsigned first = next;
    next += pending.size();
    if (!graph.isActive(init))
      continue;
    Value gradient = made.getFinalResults()[first];
    if (pending.size() > 1) {
      SmallVector<OpFoldResult> sizes = graph.getSizes(init);
      gradient = tensor::EmptyOp::create(builder, loc, sizes,
                                         getElementTypeOrSelf(init.getType()));
      for (unsigned j = 0; j < pending.size(); ++j)
        gradient = insertRows(builder, loc, made.getFinalResults()[first + j],
                              gradient, sizes, dim,
                              builder.getIndexAttr(getInitRow(i, j + 1)),
                              builder.getIndexAttr(1));
    }
    bool isMasked = this->isMasked(backward);
    graph.accumulate(init, gradient, isMasked);
    if (Value history = graph.getCotangent(op.getHistories()[i]))
      graph.accumulate(init,
                       slice(history, init,
                             op.getReverse() ? steps : builder.getIndexAttr(0),
                             builder.getIndexAttr(op.getWindow(i))));
  }
}

void TimeLoopAdjoint::accumulateInputs(Backward &backward, RecurrenceOp made) {
  for (auto [input, argument, output] : llvm::zip(
           op.getInputs(), op.getInputArguments(), backward.inputOutputs)) {
    if (output < 0)
      continue;
    Value gradient = made.getOutputs()[output];
    // Rows that are not read get nothing.
    if (op.getSteps())
      gradient = insertRows(
          builder, loc, gradient, graph.createZeros(loc, input),
          graph.getSizes(input), dim, builder.getIndexAttr(0), steps);
    graph.accumulate(input, gradient,
                     backward.graph.isMasked(backward.primal.lookup(argument)));
  }
}

void TimeLoopAdjoint::accumulateCaptures(Backward &backward,
                                         RecurrenceOp made) {
  for (auto [capture, argument, state] :
       llvm::zip(op.getCaptures(), op.getCaptureArguments(),
                 backward.captureStates)) {
    if (state < 0)
      continue;
    Value sum = made.getFinalResults()[state];
    Type element = getElementTypeOrSelf(capture.getType());
    bool isMasked = backward.graph.isMasked(backward.primal.lookup(argument));
    auto type = dyn_cast<RankedTensorType>(capture.getType());
    auto sumType = cast<RankedTensorType>(sum.getType());
    if (!type) {
      SmallVector<Value> zeros(sumType.getRank(),
                               arith::ConstantIndexOp::create(builder, loc, 0));
      sum = tensor::ExtractOp::create(builder, loc, sum, zeros);
      if (sum.getType() != element)
        sum = arith::TruncFOp::create(builder, loc, element, sum);
      graph.accumulate(capture, sum, isMasked);
      continue;
    }
    sum = graph.castElements(loc, sum, element);
    // Without the dimension of time, and those in front of a narrow tensor.
    SmallVector<ReassociationIndices> groups;
    ReassociationIndices leading;
    int64_t units = sumType.getRank() - 1 - type.getRank();
    for (int64_t d = 0; d < sumType.getRank(); ++d) {
      if (d >= units && d != dim)
        groups.push_back(std::exchange(leading, {}));
      (groups.empty() ? leading : groups.back()).push_back(d);
    }
    sum = tensor::CollapseShapeOp::create(builder, loc, sum, groups);
    graph.accumulate(capture, sum, isMasked);
  }
}

LogicalResult TimeLoopAdjoint::visit() {
  if (!op.getInitRows())
    return refuse(op, "was made without the rows of its inits, which the "
                      "backward pass reads");
  findActiveStates();
  // What a step gives to the rows before it may be masked, and is what other
  // steps start from.
  bool isMasked = graph.isMasked();
  auto backward = std::make_unique<Backward>(*this);
  for (;;) {
    cloneForward(*backward);
    seed(*backward, isMasked);
    if (failed(goBack(*backward)))
      return failure();
    if (isMasked || !this->isMasked(*backward))
      break;
    isMasked = true;
    backward = std::make_unique<Backward>(*this);
  }
  finishStates(*backward);
  finishInputs(*backward);
  finishCaptures(*backward);
  RecurrenceOp made = backward->recurrence.create(!!op.getSteps());
  accumulateInits(*backward, made);
  accumulateInputs(*backward, made);
  accumulateCaptures(*backward, made);
  return backward->captures.emit(made, refuse);
}

LogicalResult differentiate::visitTimeLoop(GraphAdjoint &graph, RecurrenceOp op,
                                           Refuse refuse) {
  return TimeLoopAdjoint(graph, op, refuse).visit();
}
