//===- AssignSchedule.cpp - --scan-assign-schedule ------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/IR/MatchCounts.h"
#include "Scan/Schedule/CostModel.h"
#include "Scan/Schedule/Passes.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANASSIGNSCHEDULE
#include "Scan/Schedule/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

namespace {
struct ScanAssignSchedule
    : public scan::impl::ScanAssignScheduleBase<ScanAssignSchedule> {
  using ScanAssignScheduleBase::ScanAssignScheduleBase;

  void runOnOperation() override {
    const Target *target = findTarget(chip);
    if (!target) {
      getOperation()->emitError()
          << "expected a known chip, found '" << chip.getValue()
          << "'; known are " << listTargets();
      return signalPassFailure();
    }
    unsigned assigned = 0, kept = 0;
    WalkResult result = getOperation()->walk([&](KernelOp kernel) {
      if (ScheduleAttr schedule = kernel.getScheduleAttr()) {
        ++kept;
        if (failed(checkSchedule(kernel, schedule, *target)))
          return WalkResult::interrupt();
        return WalkResult::advance();
      }
      kernel.setScheduleAttr(chooseSchedule(kernel, *target));
      ++assigned;
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    numAssigned += assigned;
    numKept += kept;
    addMatchCounts(
        getOperation(), getArgument(),
        {{"schedules-assigned", assigned}, {"schedules-kept", kept}});
  }
};
} // namespace
