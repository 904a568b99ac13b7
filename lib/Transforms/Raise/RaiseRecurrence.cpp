//===- RaiseRecurrence.cpp - Loops over time become scans -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Normalize/PointwiseBody.h"
#include "Analysis/Associativity/Proof.h"
#include "IR/Extents.h"
#include "IR/MatchCounts.h"
#include "IR/MissedLoops.h"
#include "IR/RecurrenceSteps.h"
#include "LoopPreparation.h"
#include "LoopToRecurrence.h"
#include "RecurrenceEmitter.h"
#include "RecurrenceToLoop.h"
#include "Scan/IR/RecurrenceSchedule.h"
#include "Scan/Transforms/Raise.h"
#include "WindowsToScans.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANRAISERECURRENCE
#include "Scan/Transforms/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

namespace {

struct ScanRaiseRecurrencePass
    : scan::impl::ScanRaiseRecurrenceBase<ScanRaiseRecurrencePass> {
  using ScanRaiseRecurrenceBase::ScanRaiseRecurrenceBase;

  void runOnOperation() override {
    raised = recurrent = missed = 0;
    for (Region &region : getOperation()->getRegions())
      raiseIn(region);
    SmallVector<linalg::LinalgOp> reductions;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto reduction = dyn_cast<linalg::LinalgOp>(op);
      if (reduction && reduction.getNumReductionLoops() > 0)
        reductions.push_back(reduction);
      return holdsHostCode(op) ? WalkResult::advance() : WalkResult::skip();
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : reductions) {
      remark::RemarkOpts options = getOptions(op);
      Location loc = op->getLoc();
      if (failed(raiseWindow(rewriter, op, order)))
        continue;
      ++raised;
      remark::passed(loc, options) << "a reduction becomes a scan";
    }
    numRaised += raised;
    numRecurrent += recurrent;
    numMissed += missed;
    addMatchCounts(getOperation(), getArgument(),
                   {{"loops-raised", raised},
                    {"loops-to-recurrences", recurrent},
                    {"missed", missed}});
  }

  /// Of the loops and recurrences that stay, why the first one does.
  std::string firstObstacle;

private:
  static bool isLoop(Operation *op) {
    return isa<scf::ForOp, scf::WhileOp, scf::ForallOp, scf::ParallelOp,
               affine::AffineForOp, affine::AffineParallelOp>(op);
  }

  /// Whether scans may stand in the regions of `op`: not in a kernel of a GPU,
  /// and not in the scalar code of a scan or of a linalg operation.
  static bool holdsHostCode(Operation *op) {
    return isa<ModuleOp, func::FuncOp, scf::IfOp, scf::IndexSwitchOp,
               scf::ExecuteRegionOp, affine::AffineIfOp>(op) ||
           isLoop(op);
  }

  /// Raises nests of loops; where one is none, those in it.
  void raiseIn(Region &region) {
    SmallVector<Operation *> nests;
    region.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isLoop(op) && !isa<RecurrenceOp>(op))
        return holdsHostCode(op) ? WalkResult::advance() : WalkResult::skip();
      nests.push_back(op);
      return WalkResult::skip();
    });
    for (Operation *nest : nests) {
      Obstacle obstacle;
      uint64_t before = missed;
      if (succeeded(raiseNest(nest, obstacle)))
        continue;
      // What is in the body of a recurrence is part of its step.
      bool isRecurrence = isa<RecurrenceOp>(nest);
      for (Region &inner : nest->getRegions())
        if (!isRecurrence)
          raiseIn(inner);
      if (succeeded(raiseRows(nest, obstacle)))
        continue;
      // For those who refuse the loop later.
      if (!obstacle.reason.empty() && !isRecurrence)
        nest->setLoc(
            getMissedLoopLoc(nest->getLoc(), *obstacle.place, obstacle.reason));
      // Said of the loops in it already.
      if (obstacle.reason.empty() || missed > before)
        continue;
      if (missed++ == 0)
        firstObstacle = obstacle.reason;
      remark::missed(*obstacle.place, getOptions(nest))
          << (isRecurrence ? "a recurrence stays" : "a loop stays")
          << remark::reason("{0}", obstacle.reason);
    }
  }

  /// A loop that is no scan, for the reason in `obstacle`, but carries rows.
  LogicalResult raiseRows(Operation *nest, Obstacle &obstacle) {
    auto loop = dyn_cast<scf::ForOp>(nest);
    if (!loop || !recurrences || obstacle.reason.empty())
      return failure();
    // What is divided among thread blocks already is a part of a kernel.
    auto blocks = loop->getParentOfType<scf::ForallOp>();
    if (blocks && blocks.getMapping())
      return failure();
    IRRewriter rewriter(&getContext());
    Location loc = loop.getLoc();
    remark::RemarkOpts options = getOptions(loop);
    Obstacle inRows;
    if (failed(raiseToRecurrence(rewriter, loop, inRows))) {
      if (!inRows.reason.empty() && inRows.reason != obstacle.reason)
        remark::missed(inRows.op->getLoc(), options)
            << "a loop does not become a recurrence"
            << remark::reason("{0}", inRows.reason);
      return failure();
    }
    ++recurrent;
    remark::passed(loc, options) << "a loop becomes a recurrence";
    return success();
  }

  /// Brings a copy of the nest into the form that is matched, and replaces the
  /// nest if all loops in it are raised. The copy is in an operation of one
  /// block in front of the nest. What `obstacle` says is in the nest, or a
  /// place in it.
  LogicalResult raiseNest(Operation *nest, Obstacle &obstacle) {
    IRRewriter rewriter(&getContext());
    rewriter.setInsertionPoint(nest);
    recurrence = dyn_cast<RecurrenceOp>(nest);
    std::unique_ptr<PointwiseBody> body;
    if (recurrence && failed(checkRecurrence(body, obstacle))) {
      obstacle.place = obstacle.op->getLoc();
      return failure();
    }
    // Folding puts constants in front, which have to go with the copy.
    Block *entry = &nest->getParentWithTrait<OpTrait::IsIsolatedFromAbove>()
                        ->getRegion(0)
                        .front();
    llvm::DenseSet<Operation *> before;
    for (Operation &op : *entry)
      before.insert(&op);
    auto eraseConstants = [&] {
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*entry)))
        if (!before.contains(&op) && op.hasTrait<OpTrait::ConstantLike>() &&
            op.use_empty())
          rewriter.eraseOp(&op);
    };
    // What nobody uses is not computed.
    SmallVector<unsigned> used;
    SmallVector<Type> types;
    for (OpResult result : nest->getResults())
      if (!result.use_empty()) {
        used.push_back(result.getResultNumber());
        types.push_back(result.getType());
      }
    auto scope = scf::ExecuteRegionOp::create(rewriter, nest->getLoc(), types);
    Block *block = rewriter.createBlock(&scope.getRegion());
    SmallVector<Value> computed;
    if (recurrence)
      computed = emitAsLoop(rewriter, recurrence);
    else
      llvm::append_range(computed, rewriter.clone(*nest)->getResults());
    SmallVector<Value> yielded;
    for (unsigned result : used)
      yielded.push_back(computed[result]);
    scf::YieldOp::create(rewriter, nest->getLoc(), yielded);
    LogicalResult result = raiseCopy(rewriter, scope, obstacle);
    if (failed(result)) {
      // Only the place is left of what is erased.
      if (!obstacle.place)
        obstacle.place = obstacle.op ? obstacle.op->getLoc() : nest->getLoc();
      obstacle.op = nullptr;
      rewriter.eraseOp(scope);
      eraseConstants();
      return failure();
    }
    remark::passed(nest->getLoc(), getOptions(nest))
        << (recurrence ? "a recurrence becomes a scan"
                       : "a loop becomes a scan");
    rewriter.setInsertionPoint(nest);
    if (recurrence && checkExtents) {
      createStepsChecks(rewriter, recurrence,
                        createRecurrenceSteps(rewriter, recurrence));
      if (body)
        body->createChecks(rewriter);
    }
    keepScalarTensors(rewriter, scope);
    if (ScheduleAttr schedule =
            recurrence ? getTimeSchedule(recurrence) : ScheduleAttr())
      scope->walk([&](Operation *op) {
        if (auto scan = dyn_cast<AssociativeOp>(op))
          scan.setScheduleAttr(schedule);
        else if (auto scan = dyn_cast<LinearRecurrenceOp>(op))
          scan.setScheduleAttr(schedule);
      });
    SmallVector<Value> results(block->getTerminator()->getOperands());
    for (Operation &op :
         llvm::make_early_inc_range(block->without_terminator()))
      rewriter.moveOpBefore(&op, nest);
    for (auto [number, value] : llvm::zip(used, results))
      rewriter.replaceAllUsesWith(nest->getResult(number), value);
    rewriter.eraseOp(nest);
    rewriter.eraseOp(scope);
    eraseConstants();
    return success();
  }

  /// Tensors without dimensions that were carried as scalars are what a scan
  /// returns, not made of its element: nobody on the host of a GPU can read it.
  static void keepScalarTensors(IRRewriter &rewriter, Operation *scope) {
    scope->walk([&](tensor::FromElementsOp wrap) {
      if (wrap.getElements().size() != 1)
        return;
      auto extract =
          wrap.getElements().front().getDefiningOp<tensor::ExtractOp>();
      if (!extract || extract.getTensor().getType() != wrap.getType() ||
          !extract.getIndices().empty())
        return;
      rewriter.replaceOp(wrap, extract.getTensor());
      if (extract->use_empty())
        rewriter.eraseOp(extract);
    });
  }

  LogicalResult raiseCopy(IRRewriter &rewriter, Operation *scope,
                          Obstacle &obstacle) {
    if (failed(prepareLoops(rewriter, scope, getOperation(), obstacle)))
      return failure();
    if (failed(promoteMemory(rewriter, scope, obstacle)) ||
        failed(selectBranches(rewriter, scope, obstacle)))
      return failure();
    // What is not used any more, and what memory has become.
    simplifyLoops(scope);
    SmallVector<scf::ForOp> loops;
    scope->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    unsigned scans = 0;
    for (scf::ForOp loop : loops) {
      Obstacle inTime, inBatch;
      if (succeeded(raiseLoop(rewriter, loop, inTime))) {
        ++scans;
        continue;
      }
      // No state: each iteration is by itself.
      rewriter.setInsertionPoint(loop);
      if (failed(batchLoop(rewriter, loop, inBatch))) {
        obstacle = inTime.reason.empty() ? inBatch : inTime;
        return failure();
      }
    }
    if (scans == 0) {
      obstacle = Obstacle();
      return failure();
    }
    if (failed(checkGuarded(scope, obstacle)))
      return failure();
    raised += scans;
    return success();
  }

  LogicalResult raiseLoop(IRRewriter &rewriter, scf::ForOp op,
                          Obstacle &obstacle) {
    RecurrenceLoop loop(op);
    auto fail = [&] {
      // Who tries something else next may erase the operation.
      obstacle.place =
          (loop.culprit ? loop.culprit : op.getOperation())->getLoc();
      obstacle.reason = loop.reason;
      return failure();
    };
    if (failed(loop.analyze()))
      return fail();
    if (prove)
      loop.isAssociative = [&](AssociativeOp scan) {
        if (!solver) {
          associativity::SolverOptions options;
          options.path = z3;
          solver.emplace(std::move(options));
        }
        return associativity::isProvedAssociative(
            scan, *solver, std::max(1u, unsigned(timeout)));
      };
    std::optional<std::vector<RecurrenceGroup>> groups =
        matchRecurrenceGroups(loop);
    if (groups && recurrence)
      checkLanes(loop, *groups);
    Order order = getOrder();
    if (groups && order == Order::Sequential)
      for (const RecurrenceGroup &group : *groups)
        checkRounding(loop, group);
    if (!groups || !loop.reason.empty())
      return fail();
    SmallVector<Value> results =
        RecurrenceEmitter(rewriter, loop, *groups, order,
                          recurrence ? recurrence.getSegments() : Value())
            .emit();
    rewriter.replaceOp(op, results);
    return success();
  }

  /// Gives the loop a reason if the scan rounds otherwise than the loop.
  static void checkRounding(RecurrenceLoop &loop,
                            const RecurrenceGroup &group) {
    Operation *yield = loop.loop.getBody()->getTerminator();
    bool isFloat =
        !isa<IntegerType>(loop.states[group.states.front()].update->type);
    if (group.update && group.update->isFused)
      (void)loop.fail(
          yield, "a * h + b is rounded once in the loop (math.fma), and twice "
                 "in a scan: order = sequential asks for the same numbers");
    else if (isFloat &&
             (group.update ? group.update->isRounded : group.op->isRounded))
      (void)loop.fail(yield,
                      "the scan of the update rounds otherwise than the loop: "
                      "order = sequential asks for the same numbers");
  }

  /// What the scans have to keep: the pass's option, or what a recurrence asks
  /// for beyond that.
  Order getOrder() {
    Order asked =
        recurrence ? recurrence.getOrder().value_or(Order::Any) : Order::Any;
    return std::max<Order>(order, asked);
  }

  /// Fails where a recurrence is not to become a scan, whatever its step is.
  /// Rows of extents that are known when the program runs have to be pointwise,
  /// as `body` then says, for their extents to be checked.
  LogicalResult checkRecurrence(std::unique_ptr<PointwiseBody> &body,
                                Obstacle &obstacle) {
    if (recurrence->hasAttr(RecurrenceOp::getScheduleName()) &&
        !getTimeSchedule(recurrence))
      return obstacle.set(recurrence, "its schedule walks step by step");
    if (getTimeSchedule(recurrence) && getOrder() == Order::Sequential)
      return obstacle.set(recurrence, "order = sequential asks for steps one "
                                      "after the other");
    // A GPU has no loops.
    if (!recurrences && hasLoopSchedule(recurrence))
      return obstacle.set(recurrence, "its steps are scheduled as loops");
    if (recurrence.hasSegmentOffsets() &&
        !llvm::all_of(recurrence.getFinalResults(),
                      [](Value last) { return last.use_empty(); }))
      return obstacle.set(recurrence,
                          "final states of segments are its results");
    Block &step = recurrence.getBody().front();
    auto isStatic = [](Type type) {
      auto row = dyn_cast<RankedTensorType>(type);
      return !row || row.hasStaticShape();
    };
    if (llvm::all_of(step.getArgumentTypes(), isStatic) &&
        llvm::all_of(step.getTerminator()->getOperandTypes(), isStatic))
      return success();
    NormalizeObstacle found;
    body = std::make_unique<PointwiseBody>(recurrence, found);
    if (succeeded(body->compute()))
      return success();
    return obstacle.set(found.op, "'" + found.op->getName().getStringRef() +
                                      "' " + found.reason +
                                      ", and extents of rows are not static");
  }

  /// The schedule of `op` if threads split time by it: it is that of the scan
  /// which the recurrence becomes.
  static ScheduleAttr getTimeSchedule(RecurrenceOp op) {
    auto schedule =
        op->getAttrOfType<ScheduleAttr>(RecurrenceOp::getScheduleName());
    return schedule && schedule.getStrategy() != Strategy::Sequential
               ? schedule
               : ScheduleAttr();
  }

  /// Gives the loop a reason if a scan of matrices would do more than one
  /// thread per lane does.
  void checkLanes(RecurrenceLoop &loop, ArrayRef<RecurrenceGroup> groups) {
    for (const RecurrenceGroup &group : groups) {
      // The operands of a linear recurrence are two for its state.
      if (!group.op || group.op->leaves.size() <= 2 * group.states.size())
        continue;
      const CarriedState &state = loop.states[group.states.front()];
      auto row = dyn_cast<RankedTensorType>(state.type);
      int64_t lanes = row ? countElements(row.getShape()) : 1;
      if (lanes > maxMatrixLanes)
        (void)loop.fail(
            loop.loop.getBody()->getTerminator(),
            "states that are updated together, " + Twine(group.states.size()) +
                " of them, would be a scan of " +
                Twine(group.op->leaves.size()) +
                " numbers per lane, which pays for few lanes: expected "
                "max-matrix-lanes=" +
                Twine(maxMatrixLanes) + " at most, found rows of type " +
                describe(state.type));
    }
  }

  static std::string describe(Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  }

  /// The nest that is being raised, if it is none of loops.
  RecurrenceOp recurrence;
  uint64_t raised = 0, recurrent = 0, missed = 0;
  /// Asked where the option `prove` is set.
  std::optional<associativity::Solver> solver;

  static remark::RemarkOpts getOptions(Operation *op) {
    auto function = op->getParentOfType<FunctionOpInterface>();
    return remark::RemarkOpts::name("RaiseRecurrence")
        .category("scan-raise-recurrence")
        .function(function ? function.getName() : StringRef());
  }
};

} // namespace

std::string mlir::scan::getRaiseObstacle(RecurrenceOp op) {
  Location loc = op.getLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder builder(module->getBodyRegion());
  auto function = func::FuncOp::create(
      builder, loc, "recurrence",
      builder.getFunctionType(op->getOperandTypes(), op->getResultTypes()));
  builder.setInsertionPointToStart(function.addEntryBlock());
  IRMapping arguments;
  arguments.map(op->getOperands(), function.getArguments());
  Operation *copy = builder.clone(*op, arguments);
  copy->removeAttr(RecurrenceOp::getScheduleName());
  dropLoopSchedule(cast<RecurrenceOp>(copy));
  func::ReturnOp::create(builder, loc, copy->getResults());

  auto pass = std::make_unique<ScanRaiseRecurrencePass>();
  ScanRaiseRecurrencePass *raise = pass.get();
  PassManager manager(op.getContext());
  manager.addPass(std::move(pass));
  if (failed(manager.run(*module)))
    return "it cannot be raised";
  bool stays =
      module->walk([](RecurrenceOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  return stays ? raise->firstObstacle : std::string();
}
