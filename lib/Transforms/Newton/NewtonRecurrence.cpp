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
#include "IR/RecurrenceSteps.h"
#include "NewtonIterations.h"
#include "Scan/Transforms/Newton.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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
        steps(createRecurrenceSteps(rewriter, op)), cell(cell),
        iterations(rewriter, op, cell, steps, schedule.getChunk()) {}

  /// Replaces the recurrence; returns the residual, a tensor without
  /// dimensions.
  Value replace(bool unroll);

private:
  struct Solution {
    /// The states that chunks start from, and those behind them.
    SmallVector<Value> starts, ends;
    Value residual;
  };
  Solution createUnrolled();
  Solution createLoop();
  /// A condition: whether the residual is above the tolerance, or not a number.
  Value createIsAbove(Value residual);
  SmallVector<Value> createChoice(const Solution &solution);
  RecurrenceOp createWalk();

  RewriterBase &rewriter;
  RecurrenceOp op;
  NewtonAttr schedule;
  Location loc;
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

NewtonRecurrence::Solution NewtonRecurrence::createUnrolled() {
  SmallVector<Value> starts = iterations.createStarts();
  NewtonIterations::Pass pass = iterations.createPass(starts);
  size_t numStates = starts.size();
  for (unsigned i = 0; i < schedule.getIterations(); ++i) {
    SmallVector<Value> last(starts);
    llvm::append_range(last, pass.ends);
    llvm::append_range(last, pass.slopes);
    auto choice = scf::IfOp::create(
        rewriter, loc, ValueRange(last).getTypes(),
        createIsAbove(iterations.createResidual(starts, pass.ends)),
        /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(rewriter, loc, last);
    rewriter.setInsertionPointToStart(choice.thenBlock());
    starts = iterations.createNext(starts, pass);
    pass = iterations.createPass(starts);
    SmallVector<Value> next(starts);
    llvm::append_range(next, pass.ends);
    llvm::append_range(next, pass.slopes);
    scf::YieldOp::create(rewriter, loc, next);
    ValueRange results = choice.getResults();
    starts.assign(results.begin(), results.begin() + numStates);
    pass.ends = results.slice(numStates, numStates);
    pass.slopes = results.drop_front(2 * numStates);
  }
  return {starts, pass.ends, iterations.createResidual(starts, pass.ends)};
}

NewtonRecurrence::Solution NewtonRecurrence::createLoop() {
  SmallVector<Value> first = iterations.createStarts();
  size_t numStates = first.size();
  first.push_back(arith::ConstantIndexOp::create(rewriter, loc, 0));
  Value last =
      arith::ConstantIndexOp::create(rewriter, loc, schedule.getIterations());
  OpBuilder::InsertionGuard guard(rewriter);
  // The pass says the types of the results.
  auto loop = scf::WhileOp::create(rewriter, loc, TypeRange(), first);
  SmallVector<Type> types(ValueRange(first).getTypes());
  SmallVector<Location> locs(types.size(), loc);
  Block *before = rewriter.createBlock(&loop.getBefore(), {}, types, locs);
  ValueRange starts = before->getArguments().take_front(numStates);
  Value number = before->getArguments().back();
  NewtonIterations::Pass pass = iterations.createPass(starts);
  Value residual = iterations.createResidual(starts, pass.ends);
  Value isLeft = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult,
                                       number, last);
  Value goesOn =
      arith::AndIOp::create(rewriter, loc, createIsAbove(residual), isLeft);
  SmallVector<Value> handed(starts);
  llvm::append_range(handed, pass.ends);
  llvm::append_range(handed, pass.slopes);
  handed.append({number, residual});
  scf::ConditionOp::create(rewriter, loc, goesOn, handed);

  SmallVector<Type> handedTypes(ValueRange(handed).getTypes());
  locs.assign(handedTypes.size(), loc);
  Block *after = rewriter.createBlock(&loop.getAfter(), {}, handedTypes, locs);
  ValueRange found = after->getArguments();
  pass.ends = found.slice(numStates, numStates);
  pass.slopes = found.drop_front(2 * numStates).drop_back(2);
  SmallVector<Value> next =
      iterations.createNext(found.take_front(numStates), pass);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  next.push_back(
      arith::AddIOp::create(rewriter, loc, found.drop_back().back(), one));
  scf::YieldOp::create(rewriter, loc, next);

  rewriter.setInsertionPoint(loop);
  auto typed = scf::WhileOp::create(rewriter, loc, handedTypes, first);
  typed.getBefore().takeBody(loop.getBefore());
  typed.getAfter().takeBody(loop.getAfter());
  rewriter.eraseOp(loop);
  ValueRange results = typed.getResults();
  return {results.take_front(numStates), results.slice(numStates, numStates),
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

SmallVector<Value> NewtonRecurrence::createChoice(const Solution &solution) {
  OpBuilder::InsertionGuard guard(rewriter);
  SmallVector<Value> rows =
      iterations.createRows(solution.starts, solution.ends);
  SmallVector<Type> types(ValueRange(rows).getTypes());
  auto choice =
      scf::IfOp::create(rewriter, loc, types, createIsAbove(solution.residual),
                        /*withElseRegion=*/true);
  rewriter.setInsertionPointToStart(choice.thenBlock());
  SmallVector<Value> walked(createWalk().getResults());
  for (auto [value, type] : llvm::zip_equal(walked, types))
    if (value.getType() != type)
      value = tensor::CastOp::create(rewriter, loc, type, value);
  scf::YieldOp::create(rewriter, loc, walked);
  rewriter.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(rewriter, loc, rows);
  return SmallVector<Value>(choice.getResults());
}

Value NewtonRecurrence::replace(bool unroll) {
  Solution solution = unroll ? createUnrolled() : createLoop();
  SmallVector<Value> rows = createChoice(solution), results;
  PointwiseParts parts(rewriter, op, steps);
  for (auto [i, value] : llvm::enumerate(rows))
    results.push_back(i < op.getNumStates() ? parts.createHistory(i, value)
                                            : value);
  if (op.getFinalStates())
    for (unsigned i = 0, e = op.getNumStates(); i < e; ++i)
      results.push_back(
          iterations.createLast(rows[i], op.getInits()[i], steps));
  for (auto [value, type] : llvm::zip_equal(results, op.getResultTypes()))
    if (value.getType() != type)
      value = tensor::CastOp::create(rewriter, loc, type, value);
  rewriter.replaceOp(op, results);
  return solution.residual;
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
    // No slice is in bounds of what has no element. The steps of a step are
    // walked in that step, and so are those of one chunk.
    auto isEmpty = [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && llvm::is_contained(tensor.getShape(), 0);
    };
    IRRewriter rewriter(op);
    std::optional<int64_t> steps =
        getConstantIntValue(createRecurrenceSteps(rewriter, op));
    if (llvm::any_of(op->getOperandTypes(), isEmpty) ||
        op->getParentOfType<RecurrenceOp>() ||
        (steps && *steps < 2 * int64_t(schedule.getChunk()))) {
      op->removeAttr(RecurrenceOp::getScheduleName());
      return Value();
    }
    if (checkExtents) {
      createStepsChecks(rewriter, op, createRecurrenceSteps(rewriter, op));
      cell.getBody().createChecks(rewriter);
    }
    return NewtonRecurrence(rewriter, op, cell, schedule).replace(unroll);
  }
};

} // namespace
