//===- CostModel.h - Which schedule suits a scan ----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_SCHEDULE_COSTMODEL_H
#define SCAN_LIB_SCHEDULE_COSTMODEL_H

#include "Calibration.h"
#include "Estimate.h"
#include "Scan/IR/ScanDialect.h"

namespace mlir::scan {

/// A schedule that a kernel may have.
struct Candidate {
  ScheduleAttr schedule;
  Estimate estimate;
  /// What the estimated time is multiplied by before it is compared.
  double penalty;

  double getRank() const { return estimate.nanoseconds * penalty; }
};

/// How good `schedule` is for `kernel` with the extents of `facts`; none if it
/// cannot have it.
std::optional<Candidate> rateSchedule(KernelOp kernel, const KernelFacts &facts,
                                      ScheduleAttr schedule,
                                      const GPUModel &gpu);

/// Schedules for `kernel` on `gpu`, the best first; never none.
SmallVector<Candidate> rankSchedules(KernelOp kernel, const KernelFacts &facts,
                                     const GPUModel &gpu);

/// Chooses a schedule for `kernel` on `gpu`.
ScheduleAttr chooseSchedule(KernelOp kernel, const GPUModel &gpu);

/// Emits an error at `kernel` if its schedule breaks a limit of `gpu`.
LogicalResult checkSchedule(KernelOp kernel, ScheduleAttr schedule,
                            const GPUModel &gpu);

} // namespace mlir::scan

#endif // SCAN_LIB_SCHEDULE_COSTMODEL_H
