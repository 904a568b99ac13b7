//===- Passes.td - Choosing schedules ----------------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_SCHEDULE_PASSES_TD
#define SCAN_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ScanAssignSchedule : Pass<"scan-assign-schedule"> {
  let summary = "Chooses a schedule for each scan.kernel that has none";
  let description = [{
    Writes `#scan.schedule` on every `scan.kernel` without one, as a cost model
    decides from what is known at compile time: the order of the scan, along
    which dimension its operands are contiguous, extents where static, bytes and
    registers per step.

    A schedule that is there already is kept, whatever the model thinks. It has
    to respect the limits of the chip; one that does not is an error that names
    the limit.
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90\"",
           "GPU architecture to choose for: sm_75, sm_80, sm_86, sm_89, sm_90, "
           "sm_100 or sm_120">
  ];
  let dependentDialects = ["::mlir::scan::ScanDialect"];
  let statistics = [
    Statistic<"numAssigned", "schedules-assigned", "schedules chosen">,
    Statistic<"numKept", "schedules-kept", "schedules found and kept">
  ];
}

#endif // SCAN_SCHEDULE_PASSES_TD
