//===- RecurrenceVerifier.cpp - Checks of scan.recurrence -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CombineRegion.h"
#include "RecurrenceTypes.h"
#include "Scan/IR/ScanRecurrence.h"
#include "Syntax.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::impl;

/// C2 to C4: the tensors that have time as a dimension.
static LogicalResult verifyTensors(RecurrenceOp op) {
  int64_t dim = op.getDim();
  std::pair<OperandRange, StringRef> groups[] = {{op.getInits(), "init"},
                                                 {op.getInputs(), "input"}};
  for (auto [group, name] : groups)
    for (auto [i, value] : llvm::enumerate(group)) {
      auto type = cast<RankedTensorType>(value.getType());
      // C2.
      if (!ScanDialect::isSupportedElementType(type.getElementType()))
        return op.emitOpError()
               << "C2: expected " << name << " #" << i
               << " to have the element type "
               << ScanDialect::getSupportedElementTypes() << ", found " << type;
      // C3.
      if (dim < 0 || dim >= type.getRank())
        return op.emitOpError()
               << "C3: expected dim to be in [0, " << type.getRank()
               << "), a dimension of " << name << " #" << i << " (" << type
               << "), found " << dim;
    }
  // C4.
  for (auto [i, init] : llvm::enumerate(op.getInits())) {
    int64_t extent = cast<RankedTensorType>(init.getType()).getDimSize(dim);
    if (extent >= 1)
      continue;
    InFlightDiagnostic diag =
        op.emitOpError() << "C4: expected init #" << i
                         << " to have as many rows as steps are looked back: a "
                            "static extent of 1 or more in dimension "
                         << dim << ", found " << init.getType();
    if (ShapedType::isDynamic(extent))
      diag << "; cast it to a tensor of that static extent (tensor.cast)";
    return diag;
  }
  return success();
}

/// C5 and C6: how many steps there are, and what each of them sees.
static LogicalResult verifyStepsAndCaptures(RecurrenceOp op) {
  int64_t dim = op.getDim();
  // C5.
  if (op.getInputs().empty() && !op.getSteps())
    return op.emitOpError("C5: expected an input or a number of steps, found "
                          "neither; say with 'steps(...)' how many steps there "
                          "are");
  int64_t steps =
      getStaticSteps(op.getInputs(), static_cast<bool>(op.getSteps()), dim);
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    auto type = cast<RankedTensorType>(input.getType());
    if (!ShapedType::isDynamic(steps) && !type.isDynamicDim(dim) &&
        type.getDimSize(dim) != steps)
      return op.emitOpError()
             << "C5: expected inputs to have one row per step, " << steps
             << " in dimension " << dim << ", found " << type << " as input #"
             << i << "; slice it, or say the number of steps with 'steps(...)'";
  }
  // C6.
  for (auto [i, capture] : llvm::enumerate(op.getCaptures())) {
    Type type = capture.getType();
    bool isPlain = !isa<ShapedType>(type) || isa<RankedTensorType>(type);
    if (!isPlain || !(type.isIndex() || ScanDialect::isSupportedElementType(
                                            getElementTypeOrSelf(type))))
      return op.emitOpError()
             << "C6: expected capture #" << i
             << " to be an index, or a scalar or ranked tensor of "
             << ScanDialect::getSupportedElementTypes() << ", found " << type;
  }
  return success();
}

/// C7: the block arguments.
static LogicalResult verifyArguments(RecurrenceOp op) {
  int64_t dim = op.getDim();
  SmallVector<std::pair<Type, std::string>> expected;
  expected.push_back(
      {IndexType::get(op.getContext()), "the number of the row"});
  for (auto [i, init] : llvm::enumerate(op.getInits())) {
    Type row =
        RecurrenceOp::getRowType(cast<RankedTensorType>(init.getType()), dim);
    // A window beyond the arguments there are is not listed: it may be long.
    int64_t listed =
        std::min<int64_t>(op.getWindow(i), op.getBody().getNumArguments() + 1);
    for (int64_t back = 1; back <= listed; ++back)
      expected.push_back({row, ("the row of state #" + Twine(i) + " at " +
                                (op.getReverse() ? "t+" : "t-") + Twine(back))
                                   .str()});
  }
  for (auto [i, input] : llvm::enumerate(op.getInputs()))
    expected.push_back(
        {RecurrenceOp::getRowType(cast<RankedTensorType>(input.getType()), dim),
         ("the row of input #" + Twine(i) + " at t").str()});
  for (auto [i, capture] : llvm::enumerate(op.getCaptures()))
    expected.push_back({capture.getType(), ("capture #" + Twine(i)).str()});

  Block &block = op.getBody().front();
  for (auto [argument, entry] : llvm::zip(block.getArguments(), expected)) {
    if (argument.getType() == entry.first)
      continue;
    InFlightDiagnostic diag = op.emitOpError()
                              << "C7: expected block argument #"
                              << argument.getArgNumber() << " to be "
                              << entry.second << ", " << entry.first
                              << ", found " << argument.getType();
    diag.attachNote(argument.getLoc()) << "the block argument is here";
    return diag;
  }
  if (block.getNumArguments() == expected.size())
    return success();
  int64_t windows = 0;
  for (unsigned i = 0, e = op.getNumStates(); i < e; ++i)
    windows += op.getWindow(i);
  return op.emitOpError() << "C7: expected the body to have "
                          << 1 + windows + op.getInputs().size() +
                                 op.getCaptures().size()
                          << " block arguments: the number of the row, "
                          << windows << " row(s) of states (of each state "
                          << (op.getReverse() ? "t+1, t+2" : "t-1, t-2")
                          << ", ..., as many as its init has), "
                          << op.getInputs().size() << " row(s) of inputs, "
                          << op.getCaptures().size()
                          << " capture(s), in this order; found "
                          << block.getNumArguments();
}

/// C9 and C10: what the body yields.
static LogicalResult verifyYieldedRows(RecurrenceOp op) {
  int64_t dim = op.getDim();
  Operation &yield = op.getBody().front().back();
  auto fail = [&](const Twine &constraint) {
    InFlightDiagnostic diag = op.emitOpError() << constraint << ": ";
    diag.attachNote(yield.getLoc()) << "the yield is here";
    return diag;
  };
  if (yield.getNumOperands() < op.getNumStates())
    return fail("C9") << "expected the body to yield the row of each state, "
                      << op.getNumStates() << ", then of outputs, found "
                      << yield.getNumOperands() << " value(s)";
  for (auto [i, init] : llvm::enumerate(op.getInits())) {
    Type row =
        RecurrenceOp::getRowType(cast<RankedTensorType>(init.getType()), dim);
    if (Type found = yield.getOperand(i).getType(); found != row)
      return fail("C9") << "expected the body to yield the row of state #" << i
                        << ", " << row << ", as value #" << i << ", found "
                        << found;
  }
  for (auto [i, row] : llvm::enumerate(
           TypeRange(yield.getOperandTypes()).drop_front(op.getNumStates())))
    if (!isOutputRow(row, dim))
      return fail("C10") << "expected the row of output #" << i
                         << " to be a scalar, or a tensor of rank "
                         << std::max<int64_t>(dim, 1)
                         << " at least, of a supported element type, found "
                         << row;
  return success();
}

/// C13: the extents of outputs.
static LogicalResult verifyExtents(RecurrenceOp op) {
  unsigned expected = 0;
  for (Type row : TypeRange(op.getBody().front().back().getOperandTypes())
                      .drop_front(op.getNumStates()))
    if (auto tensor = dyn_cast<RankedTensorType>(row))
      expected += tensor.getNumDynamicDims();
  if (op.getExtents().size() == expected)
    return success();
  return op.emitOpError() << "C13: expected 'extents(...)' to have " << expected
                          << " number(s), one per dynamic extent of the rows "
                             "of outputs, found "
                          << op.getExtents().size();
}

/// C14 and C15: segments.
static LogicalResult verifySegmentsOf(RecurrenceOp op) {
  int64_t steps = getStaticSteps(op.getInputs(),
                                 static_cast<bool>(op.getSteps()), op.getDim());
  if (failed(verifySegments(op, op.getSegments(), steps, 0, "C14")))
    return failure();
  if (op.getSegments() && op.getInitRows())
    return op.emitOpError("C15: expected no 'init_rows' with segments, each of "
                          "which starts from the rows of the init; put them in "
                          "front of the history where they are wanted");
  return success();
}

/// C12: the results.
static LogicalResult verifyResults(RecurrenceOp op) {
  unsigned rows = op.getNumStates() + op.getNumOutputs();
  if (op.getNumResults() != rows &&
      op.getNumResults() != rows + op.getNumStates())
    return op.emitOpError()
           << "C12: expected " << rows
           << " result(s), one per state and output, or "
           << rows + op.getNumStates() << " with the final states, found "
           << op.getNumResults();
  if (op.getFinalStates() != (op.getNumResults() != rows))
    return op.emitOpError()
           << "C12: expected "
           << rows + (op.getFinalStates() ? op.getNumStates() : 0)
           << " result(s) " << (op.getFinalStates() ? "with" : "without")
           << " 'final_states', found " << op.getNumResults();
  SmallVector<Type> expected;
  appendResultTypes(op.getInputs(), op.getInits(),
                    TypeRange(op.getBody().front().back().getOperandTypes())
                        .drop_front(op.getNumStates()),
                    static_cast<bool>(op.getSteps()), op.getSegments(),
                    op.getDim(), op.getInitRows(), op.getFinalStates(),
                    expected);
  for (auto [i, type, result] : llvm::enumerate(expected, op.getResultTypes()))
    if (type != result)
      return op.emitOpError() << "C12: expected result #" << i << " to be "
                              << type << ", found " << result;
  return success();
}

LogicalResult RecurrenceOp::verify() {
  if (failed(verifyAttributeNames(*this)))
    return failure();
  // C1.
  if (getInits().empty())
    return emitOpError("C1: expected at least one state, found none; name the "
                       "rows that each starts from in 'init(...)'");
  // C2 to C7.
  if (failed(verifyTensors(*this)) || failed(verifyStepsAndCaptures(*this)) ||
      failed(verifyArguments(*this)))
    return failure();
  // C8. Here and not with the other constraints on the region, to be ahead of
  // the trait's less telling message.
  if (failed(verifyNoCapture(*this, getBody(), "C8", "body",
                             "pass it in 'captures(...)'")))
    return failure();
  // C9, C10 and C12 to C15: types and counts only.
  if (failed(verifyYields(*this, getBody(), "C9", "body")) ||
      failed(verifyYieldedRows(*this)) || failed(verifyExtents(*this)) ||
      failed(verifySegmentsOf(*this)))
    return failure();
  return verifyResults(*this);
}

LogicalResult RecurrenceOp::verifyRegions() {
  // C11.
  return verifyNoEffects(*this, getBody(), "C11", "body");
}
