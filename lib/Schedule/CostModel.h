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
#include "MeasuredSchedules.h"
#include "Plan/KernelPlan.h"
#include "Scan/IR/ScanDialect.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace mlir::scan {

/// A schedule that a kernel may have.
struct Candidate {
  ScheduleAttr schedule;
  Estimate estimate;
};

/// Judges schedules of one kernel, for as many extents as are asked about: what
/// a schedule makes of the kernel does not depend on these, and is kept. Where
/// a schedule was measured to be the best one, its time is not the model's: it
/// is so short that the schedule is chosen, whatever the model says of others.
class ScheduleRater {
public:
  ScheduleRater(KernelOp kernel, const GPUModel &gpu)
      : kernel(kernel), gpu(gpu),
        measured(MeasuredSchedules::get(kernel, gpu)) {}

  /// How good `schedule` is with the extents of `facts`; none if the kernel
  /// cannot have it, or should not with these extents.
  std::optional<Candidate> rate(const KernelFacts &facts,
                                ScheduleAttr schedule);

  /// Schedules for these extents, the best first; never none.
  SmallVector<Candidate> rank(const KernelFacts &facts);

  KernelOp getKernel() const { return kernel; }
  const GPUModel &getGPU() const { return gpu; }
  const MeasuredSchedules &getMeasured() const { return measured; }

private:
  KernelOp kernel;
  const GPUModel &gpu;
  MeasuredSchedules measured;
  /// None where the kernel cannot have the schedule.
  llvm::DenseMap<ScheduleAttr, std::optional<KernelPlan>> plans;
};

/// Emits an error at `kernel` if its schedule breaks a limit of `gpu`.
LogicalResult checkSchedule(KernelOp kernel, ScheduleAttr schedule,
                            const GPUModel &gpu);

} // namespace mlir::scan

#endif // SCAN_LIB_SCHEDULE_COSTMODEL_H
