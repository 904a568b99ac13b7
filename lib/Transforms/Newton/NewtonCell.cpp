//===- NewtonCell.cpp - A step of a recurrence and its slopes -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NewtonCell.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

/// Matrices of n states have n * n entries to carry, all of which a thread has
/// twice when it composes two of them.
static constexpr unsigned kMaxStates = 4;

LogicalResult NewtonCell::checkRecurrence() {
  auto expected = [&](const Twine &what) -> InFlightDiagnostic {
    return op.emitOpError()
           << "with the schedule #scan.newton: expected " << what;
  };
  if (numStates > kMaxStates)
    return expected("at most " + Twine(kMaxStates) +
                    " states, whose Jacobian matrix every lane has, found ")
           << numStates;
  for (unsigned i = 0; i < numStates; ++i) {
    if (op.getWindow(i) != 1)
      return expected("steps that look one row back, found an init of state #" +
                      Twine(i) + " with ")
             << op.getWindow(i) << " rows";
    Type type = getElementTypeOrSelf(op.getInits()[i].getType());
    if (!type.isF32() && !type.isF64())
      return expected("states of f32 or f64, found state #" + Twine(i) + " of ")
             << type;
    if (type != getElementTypeOrSelf(op.getInits()[0].getType()))
      return expected("states of one type, found state #0 of ")
             << getElementTypeOrSelf(op.getInits()[0].getType())
             << " and state #" << i << " of " << type;
  }
  if (op.getOrder() == Order::Sequential)
    return expected("no order = sequential, which asks for the bits of the "
                    "steps, while Newton's method has them within a tolerance");
  return success();
}

LogicalResult NewtonCell::init() {
  if (failed(checkRecurrence()))
    return failure();
  auto refuse = [&](Operation *at, const Twine &reason) -> LogicalResult {
    InFlightDiagnostic error =
        op.emitOpError()
        << "with the schedule #scan.newton: expected a step that computes each "
           "lane from the same lane one row back, by operations with "
           "derivatives, but '"
        << at->getName() << "' " << reason
        << "; without the schedule the steps are walked one after the other";
    if (at != op)
      error.attachNote(at->getLoc()) << "this is in the way";
    return error;
  };
  if (failed(body.compute()))
    return refuse(obstacle.op, obstacle.reason);
  Location loc = op.getLoc();
  for (Type type : body.getRowTypes())
    code.addArgument(type, loc);
  for (const PointwiseBody::Element &element : body.getElements())
    code.addArgument(element.type, loc);
  ValueRange arguments = code.getArguments();
  SmallVector<Value> yields = body.moveTo(code, arguments.take_front(numStates),
                                          arguments.drop_front(numStates));
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToEnd(&code);
  YieldOp::create(builder, loc, yields);

  // The pattern, of a copy that is thrown away.
  Block scratch;
  for (BlockArgument argument : code.getArguments())
    scratch.addArgument(argument.getType(), loc);
  builder.setInsertionPointToEnd(&scratch);
  FailureOr<Slopes> slopes =
      emitSlopes(builder, scratch.getArguments(), refuse);
  if (failed(slopes))
    return failure();
  pattern = Sparsity(numStates);
  for (unsigned i = 0; i < numStates; ++i)
    for (unsigned j = 0; j < numStates; ++j)
      if (Value slope = slopes->matrix[i * numStates + j])
        pattern.at(i, j) = isConstantOne(slope) ? Entry::One : Entry::Value;
  return success();
}

IRMapping NewtonCell::clone(OpBuilder &builder, ValueRange values) {
  IRMapping mapping;
  mapping.map(code.getArguments(), values);
  for (Operation &inner : code.without_terminator())
    builder.clone(inner, mapping);
  return mapping;
}

SmallVector<Value> NewtonCell::emit(OpBuilder &builder, ValueRange values) {
  IRMapping mapping = clone(builder, values);
  return llvm::map_to_vector(
      code.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

FailureOr<NewtonCell::Slopes>
NewtonCell::emitSlopes(OpBuilder &builder, ValueRange values, Refuse refuse) {
  IRMapping primal = clone(builder, values);
  Operation *yield = code.getTerminator();
  Slopes slopes;
  for (unsigned i = 0; i < numStates; ++i) {
    slopes.states.push_back(primal.lookupOrDefault(yield->getOperand(i)));
    ScalarAdjoint adjoint(builder, primal);
    for (unsigned j = 0; j < numStates; ++j)
      adjoint.activate(code.getArgument(j));
    adjoint.activateUsers(code);
    SmallVector<Value> seeds(yield->getNumOperands());
    seeds[i] = ScalarMath{builder, op.getLoc()}.constant(getType(), 1.0);
    if (failed(adjoint.visit(code, seeds, /*isMasked=*/false, refuse)))
      return failure();
    for (unsigned j = 0; j < numStates; ++j)
      slopes.matrix.push_back(adjoint.getCotangent(code.getArgument(j)));
  }
  return slopes;
}

NewtonCell::Slopes NewtonCell::emitSlopes(OpBuilder &builder,
                                          ValueRange values) {
  // What `init` went through has rules.
  return *emitSlopes(builder, values,
                     [](Operation *, const Twine &) { return failure(); });
}
