//===- PointwiseRecurrence.cpp - Recurrences of lanes ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PointwiseRecurrence.h"
#include "IR/ElementwiseView.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

class PointwiseMatch {
public:
  explicit PointwiseMatch(RecurrenceOp op) : op(op) {}
  bool match();

private:
  bool isRow(Type type);
  bool matchOperation(Operation &inner, DenseSet<Value> &known);
  bool haveSameLanes();

  RecurrenceOp op;
};

} // namespace

/// True for a row of all lanes, of any element type.
bool PointwiseMatch::isRow(Type type) {
  Type state = op.getBody().getArgument(1).getType();
  auto row = dyn_cast<RankedTensorType>(state);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!row || !tensor)
    return !row && !isa<ShapedType>(type);
  return row.getRank() == tensor.getRank() &&
         succeeded(verifyCompatibleShape(row.getShape(), tensor.getShape()));
}

bool PointwiseMatch::matchOperation(Operation &inner, DenseSet<Value> &known) {
  // What only says extents is left out; nothing else may read it.
  if (isa<tensor::EmptyOp, tensor::DimOp>(inner))
    return true;
  auto isKnown = [&](Value value) { return known.contains(value); };
  if (llvm::none_of(inner.getResultTypes(), llvm::IsaPred<ShapedType>)) {
    if (inner.getNumRegions() > 0 || !isPure(&inner) ||
        llvm::any_of(inner.getOperandTypes(), llvm::IsaPred<ShapedType>) ||
        !llvm::all_of(inner.getOperands(), isKnown))
      return false;
  } else {
    std::string why;
    std::optional<ElementwiseView> view = ElementwiseView::get(&inner, why);
    if (!view || !llvm::all_of(inner.getResultTypes(),
                               [&](Type type) { return isRow(type); }))
      return false;
    bool readsIndex =
        inner.walk([](linalg::IndexOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    for (const ElementwiseView::Operand &operand : view->getOperands())
      if (operand.value &&
          (!isKnown(operand.value) ||
           !(operand.map.isIdentity() || operand.map.getNumResults() == 0)))
        return false;
    for (unsigned i = 0; i < inner.getNumResults(); ++i)
      if (!view->getResultMap(i).isIdentity())
        return false;
    if (readsIndex)
      return false;
  }
  for (Value result : inner.getResults())
    known.insert(result);
  return true;
}

/// Whether the rows that are read have the same lanes in any program that is
/// right: all are static, or operations on elements join them. Rows that have
/// nothing to do with each other may be of different widths.
bool PointwiseMatch::haveSameLanes() {
  Block &body = op.getBody().front();
  llvm::EquivalenceClasses<void *> widths;
  auto join = [&](Value a, Value b) {
    widths.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
  };
  bool isStatic = true;
  Value first = op.getWindowArguments(0).front();
  for (Operation &inner : body.without_terminator()) {
    if (isa<tensor::EmptyOp, tensor::DimOp>(inner))
      continue;
    std::optional<ElementwiseView> view;
    std::string why;
    if (llvm::any_of(inner.getResultTypes(), llvm::IsaPred<ShapedType>))
      view = ElementwiseView::get(&inner, why);
    for (Value result : inner.getResults())
      if (view)
        for (const ElementwiseView::Operand &operand : view->getOperands())
          if (operand.value && isa<ShapedType>(operand.value.getType()))
            join(result, operand.value);
    for (Value result : inner.getResults())
      if (view)
        join(result, inner.getResult(0));
  }
  for (unsigned i = 0, e = op.getNumStates(); i < e; ++i)
    join(op.getWindowArguments(i).front(), body.getTerminator()->getOperand(i));
  auto hasLanesOfFirst = [&](Value row) {
    auto type = dyn_cast<RankedTensorType>(row.getType());
    isStatic &= !type || type.hasStaticShape();
    return !type || widths.isEquivalent(first.getAsOpaquePointer(),
                                        row.getAsOpaquePointer());
  };
  bool areJoined = true;
  for (unsigned i = 0, e = op.getNumStates(); i < e; ++i)
    areJoined &= hasLanesOfFirst(op.getWindowArguments(i).front());
  for (Value argument : body.getArguments().drop_front())
    if (!argument.use_empty())
      areJoined &= hasLanesOfFirst(argument);
  for (Value row : body.getTerminator()->getOperands())
    areJoined &= hasLanesOfFirst(row);
  return isStatic || areJoined;
}

bool PointwiseMatch::match() {
  Block &body = op.getBody().front();
  if (op.getSteps() || op.getSegments() || !body.getArgument(0).use_empty())
    return false;
  for (unsigned i = 0, e = op.getNumStates(); i < e; ++i)
    if (op.getWindow(i) != 1)
      return false;
  // No slice is in bounds of what has no element.
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<RankedTensorType>(operand.getType());
        type && llvm::is_contained(type.getShape(), 0))
      return false;
  DenseSet<Value> known;
  for (Value argument : body.getArguments().drop_front()) {
    bool isScalarCapture =
        cast<BlockArgument>(argument).getArgNumber() >=
            body.getNumArguments() - op.getCaptures().size() &&
        !isa<ShapedType>(argument.getType()) && !argument.getType().isIndex();
    if (argument.use_empty())
      continue;
    if (!isRow(argument.getType()) && !isScalarCapture)
      return false;
    known.insert(argument);
  }
  for (Operation &inner : body.without_terminator())
    if (!matchOperation(inner, known))
      return false;
  return llvm::all_of(body.getTerminator()->getOperands(),
                      [&](Value value) {
                        return known.contains(value) && isRow(value.getType());
                      }) &&
         haveSameLanes();
}

bool mlir::scan::isPointwise(RecurrenceOp op) {
  return PointwiseMatch(op).match();
}
