//===- RaiseRecurrence.cpp - Loops over time become scans -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/MatchCounts.h"
#include "RecurrenceEmitter.h"
#include "Scan/Transforms/Raise.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

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
    // Loops in loops first: a scan in a loop is no loop over time.
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    uint64_t raised = 0, missed = 0;
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops) {
      std::string reason;
      if (succeeded(raise(rewriter, loop, reason))) {
        ++raised;
      } else if (!reason.empty()) {
        ++missed;
        remark::missed(loop.getLoc(), getOptions(loop))
            << "a loop stays" << remark::reason("{0}", reason);
      }
    }
    numRaised += raised;
    numMissed += missed;
    addMatchCounts(getOperation(), getArgument(),
                   {{"loops-raised", raised}, {"missed", missed}});
  }

private:
  LogicalResult raise(IRRewriter &rewriter, scf::ForOp op,
                      std::string &reason) {
    RecurrenceLoop loop(op);
    if (failed(loop.analyze())) {
      reason = loop.reason;
      return failure();
    }
    std::optional<std::vector<RecurrenceGroup>> groups =
        matchRecurrenceGroups(loop);
    if (groups && order == Order::Sequential)
      for (const RecurrenceGroup &group : *groups)
        checkRounding(loop, group);
    if (!groups || !loop.reason.empty()) {
      reason = loop.reason;
      return failure();
    }
    remark::passed(op.getLoc(), getOptions(op)) << "a loop becomes a scan";
    SmallVector<Value> results =
        RecurrenceEmitter(rewriter, loop, *groups, order).emit();
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

  static remark::RemarkOpts getOptions(Operation *op) {
    auto function = op->getParentOfType<FunctionOpInterface>();
    return remark::RemarkOpts::name("RaiseRecurrence")
        .category("scan-raise-recurrence")
        .function(function ? function.getName() : StringRef());
  }
};

} // namespace
