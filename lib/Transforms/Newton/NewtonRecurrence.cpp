//===- NewtonRecurrence.cpp - Recurrences solved for all steps at once ----===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Newton's method for recurrences (Lim et al., "Parallelizing non-linear
// sequential models over the sequence length", 2023: DEER; Danieli et al.,
// "ParaRNN: Unlocking parallel training of nonlinear RNNs for large language
// models", 2025), and the walk for what it does not solve.
//
//===----------------------------------------------------------------------===//

#include "IR/MatchCounts.h"
#include "IR/RecurrenceRows.h"
#include "IR/RecurrenceSteps.h"
#include "NewtonIterations.h"
#include "Scan/Transforms/Newton.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANNEWTONRECURRENCE
#include "Scan/Transforms/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

namespace {

class NewtonRecurrence {
public:
  NewtonRecurrence(RewriterBase &rewriter, RecurrenceOp op, NewtonCell &cell,
                   NewtonAttr schedule)
      : rewriter(rewriter), op(op), schedule(schedule), loc(op.getLoc()),
        dim(op.getDim()), steps(createRecurrenceSteps(rewriter, op)),
        cell(cell), iterations(rewriter, op, cell, steps) {}

  /// Replaces the recurrence; returns the residual, a tensor without
  /// dimensions.
  Value replace(bool unroll);

private:
  NewtonIterations::Check createUnrolled();
  NewtonIterations::Check createLoop();
  /// A condition: whether the residual is above the tolerance, or not a number.
  Value createIsAbove(Value residual);
  SmallVector<Value> createChoice(const NewtonIterations::Check &check);
  RecurrenceOp createWalk();
  Value createFinalState(unsigned state, Value rows);

  RewriterBase &rewriter;
  RecurrenceOp op;
  NewtonAttr schedule;
  Location loc;
  int64_t dim;
  OpFoldResult steps;
  NewtonCell &cell;
  NewtonIterations iterations;
};

} // namespace

Value NewtonRecurrence::createIsAbove(Value residual) {
  Value number =
      tensor::ExtractOp::create(rewriter, loc, residual, ValueRange());
  Value tolerance = arith::ConstantOp::create(
      rewriter, loc,
      rewriter.getFloatAttr(cell.getType(),
                            schedule.getTolerance().getValueAsDouble()));
  return arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::UGT, number,
                               tolerance);
}

NewtonIterations::Check NewtonRecurrence::createUnrolled() {
  SmallVector<Value> histories = iterations.createFirst();
  for (unsigned i = 1; i < schedule.getIterations(); ++i)
    histories = iterations.createNext(histories);
  return iterations.createCheck(histories);
}

NewtonIterations::Check NewtonRecurrence::createLoop() {
  SmallVector<Value> starts = iterations.createFirst();
  size_t numStates = starts.size();
  starts.push_back(arith::ConstantIndexOp::create(rewriter, loc, 1));
  Value last =
      arith::ConstantIndexOp::create(rewriter, loc, schedule.getIterations());
  OpBuilder::InsertionGuard guard(rewriter);
  // The check says the types of the results.
  auto loop = scf::WhileOp::create(rewriter, loc, TypeRange(), starts);
  SmallVector<Type> types(ValueRange(starts).getTypes());
  SmallVector<Location> locs(types.size(), loc);
  Block *before = rewriter.createBlock(&loop.getBefore(), {}, types, locs);
  ValueRange carried = before->getArguments();
  NewtonIterations::Check check =
      iterations.createCheck(carried.take_front(numStates));
  Value isLeft = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult,
                                       carried.back(), last);
  Value goesOn = arith::AndIOp::create(rewriter, loc,
                                       createIsAbove(check.residual), isLeft);
  SmallVector<Value> handed(carried);
  llvm::append_range(handed, check.rows);
  handed.push_back(check.residual);
  scf::ConditionOp::create(rewriter, loc, goesOn, handed);

  SmallVector<Type> handedTypes(ValueRange(handed).getTypes());
  locs.assign(handedTypes.size(), loc);
  Block *after = rewriter.createBlock(&loop.getAfter(), {}, handedTypes, locs);
  SmallVector<Value> next =
      iterations.createNext(after->getArguments().take_front(numStates));
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  next.push_back(
      arith::AddIOp::create(rewriter, loc, after->getArgument(numStates), one));
  scf::YieldOp::create(rewriter, loc, next);

  rewriter.setInsertionPoint(loop);
  auto typed = scf::WhileOp::create(rewriter, loc, handedTypes, starts);
  typed.getBefore().takeBody(loop.getBefore());
  typed.getAfter().takeBody(loop.getAfter());
  rewriter.eraseOp(loop);
  ValueRange results = typed.getResults();
  return {SmallVector<Value>(results.drop_front(starts.size()).drop_back()),
          results.back()};
}

/// The recurrence without a schedule: histories and outputs, a row per step.
RecurrenceOp NewtonRecurrence::createWalk() {
  OperationState state(loc, op->getName(), op->getOperands(), TypeRange(),
                       llvm::to_vector(op->getDiscardableAttrs()));
  state.attributes.erase(RecurrenceOp::getScheduleName());
  auto &properties = state.getOrAddProperties<RecurrenceOp::Properties>();
  properties = op.getProperties();
  properties.init_rows = nullptr;
  properties.final_states = nullptr;
  IRMapping mapping;
  op.getBody().cloneInto(state.addRegion(), mapping);
  LogicalResult inferred = RecurrenceOp::inferReturnTypes(
      rewriter.getContext(), loc, state.operands,
      state.attributes.getDictionary(rewriter.getContext()),
      state.getRawProperties(), state.regions, state.types);
  assert(succeeded(inferred) && "the recurrence was verified");
  (void)inferred;
  return cast<RecurrenceOp>(rewriter.create(state));
}

SmallVector<Value>
NewtonRecurrence::createChoice(const NewtonIterations::Check &check) {
  OpBuilder::InsertionGuard guard(rewriter);
  SmallVector<Type> types(ValueRange(check.rows).getTypes());
  auto choice =
      scf::IfOp::create(rewriter, loc, types, createIsAbove(check.residual),
                        /*withElseRegion=*/true);
  rewriter.setInsertionPointToStart(choice.thenBlock());
  SmallVector<Value> walked(createWalk().getResults());
  for (auto [value, type] : llvm::zip_equal(walked, types))
    if (value.getType() != type)
      value = tensor::CastOp::create(rewriter, loc, type, value);
  scf::YieldOp::create(rewriter, loc, walked);
  rewriter.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(rewriter, loc, check.rows);
  return SmallVector<Value>(choice.getResults());
}

/// The last row of `rows`, or that of the init where there are none.
Value NewtonRecurrence::createFinalState(unsigned state, Value rows) {
  Value init = op.getInits()[state];
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, init);
  Value extent = getValueOrCreateConstantIndexOp(rewriter, loc, steps);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  OpFoldResult count = getAsOpFoldResult(
      rewriter.createOrFold<arith::MinSIOp>(loc, extent, one));
  OpFoldResult first = rewriter.getIndexAttr(0);
  if (!op.getReverse())
    first = getAsOpFoldResult(rewriter.createOrFold<arith::SubIOp>(
        loc, extent, getValueOrCreateConstantIndexOp(rewriter, loc, count)));
  RecurrenceRows slices(rewriter, loc, dim);
  Value last = slices.extractSome(rows, sizes, first, count);
  if (isConstantIntValue(count, 1))
    return last;
  return slices.insertSome(last, init, sizes, rewriter.getIndexAttr(0), count);
}

Value NewtonRecurrence::replace(bool unroll) {
  NewtonIterations::Check check = unroll ? createUnrolled() : createLoop();
  SmallVector<Value> rows = createChoice(check), results;
  PointwiseParts parts(rewriter, op, steps);
  for (auto [i, value] : llvm::enumerate(rows))
    results.push_back(i < op.getNumStates() ? parts.createHistory(i, value)
                                            : value);
  if (op.getFinalStates())
    for (unsigned i = 0, e = op.getNumStates(); i < e; ++i)
      results.push_back(createFinalState(i, rows[i]));
  for (auto [value, type] : llvm::zip_equal(results, op.getResultTypes()))
    if (value.getType() != type)
      value = tensor::CastOp::create(rewriter, loc, type, value);
  rewriter.replaceOp(op, results);
  return check.residual;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Makes the residual a result of the function that it is in the body of,
/// behind the others.
static LogicalResult returnResidual(Value residual, Operation *root) {
  Operation *parent = residual.getDefiningOp()->getParentOp();
  auto function = dyn_cast<func::FuncOp>(parent);
  if (!function || !function.getBody().hasOneBlock())
    return emitError(residual.getLoc())
           << "expected a recurrence in the only block of a function, whose "
              "result its residual is to be, found it in '"
           << parent->getName() << "'";
  if (!SymbolTable::symbolKnownUseEmpty(function, root))
    return emitError(residual.getLoc())
           << "expected a function that no other calls, for the residual to be "
              "one more result of it, found '"
           << function.getName() << "'";
  Operation *end = function.getBody().front().getTerminator();
  end->insertOperands(end->getNumOperands(), residual);
  return function.insertResult(function.getNumResults(), residual.getType(),
                               {});
}

namespace {

struct ScanNewtonRecurrence
    : scan::impl::ScanNewtonRecurrenceBase<ScanNewtonRecurrence> {
  using ScanNewtonRecurrenceBase::ScanNewtonRecurrenceBase;

  void runOnOperation() override {
    SmallVector<RecurrenceOp> recurrences;
    getOperation()->walk([&](RecurrenceOp op) {
      if (isa_and_present<NewtonAttr>(
              op->getAttr(RecurrenceOp::getScheduleName())))
        recurrences.push_back(op);
    });
    unsigned solved = 0;
    for (RecurrenceOp op : recurrences) {
      FailureOr<Value> residual = solve(op);
      if (failed(residual))
        return signalPassFailure();
      if (!*residual)
        continue;
      ++solved;
      if (residuals && failed(returnResidual(*residual, getOperation())))
        return signalPassFailure();
    }
    numSolved += solved;
    addMatchCounts(getOperation(), getArgument(),
                   {{"recurrences-solved", solved}});
  }

private:
  /// Returns the residual; null where there was nothing to solve.
  FailureOr<Value> solve(RecurrenceOp op) {
    auto schedule =
        cast<NewtonAttr>(op->getAttr(RecurrenceOp::getScheduleName()));
    NewtonCell cell(op);
    if (failed(cell.init()))
      return failure();
    // No slice is in bounds of what has no element. And the steps of a step are
    // walked in that step.
    auto isEmpty = [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && llvm::is_contained(tensor.getShape(), 0);
    };
    if (llvm::any_of(op->getOperandTypes(), isEmpty) ||
        op->getParentOfType<RecurrenceOp>()) {
      op->removeAttr(RecurrenceOp::getScheduleName());
      return Value();
    }
    IRRewriter rewriter(op);
    if (checkExtents) {
      createStepsChecks(rewriter, op, createRecurrenceSteps(rewriter, op));
      cell.getBody().createChecks(rewriter);
    }
    return NewtonRecurrence(rewriter, op, cell, schedule).replace(unroll);
  }
};

} // namespace
