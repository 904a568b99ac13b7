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
#include "Plan/StateSplit.h"
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
      : kernel(kernel), gpu(gpu), operands(KernelOperands::get(kernel)),
        facts(kernel, operands), split(StateSplit::get(kernel)),
        measured(MeasuredSchedules::get(kernel, gpu)) {}

  /// What the speed of the kernel depends on, with these extents.
  KernelFacts getFacts(KernelFacts::Question question = {}) const {
    return facts.get(question);
  }

  /// How good `schedule` is with the extents of `facts`; none if the kernel
  /// cannot have it, or should not with these extents, or if it plainly takes
  /// more than `most` nanoseconds.
  std::optional<Candidate>
  rate(const KernelFacts &facts, ScheduleAttr schedule,
       double most = std::numeric_limits<double>::infinity());

  /// Schedules for these extents, the best first; never none.
  SmallVector<Candidate> rank(const KernelFacts &facts);

  /// The first of these, without the others.
  Candidate getBest(const KernelFacts &facts);

  /// The schedule with these parameters. Attributes are made once: candidates
  /// are listed for each cell of the plane of extents.
  ScheduleAttr getSchedule(Strategy strategy, unsigned threads, unsigned items,
                           unsigned rows = 1, unsigned lanes = 32,
                           unsigned vector = 1, Scope scope = Scope::Block,
                           unsigned blocks = 0, unsigned stages = 0,
                           unsigned warps = 1);

  KernelOp getKernel() const { return kernel; }
  const GPUModel &getGPU() const { return gpu; }
  const std::optional<StateSplit> &getSplit() const { return split; }
  const MeasuredSchedules &getMeasured() const { return measured; }
  /// From now on, schedules count that may spill if they take about as few
  /// registers as any that was rejected for that since `forgetRejected`: there
  /// are no others.
  void admitSpills();
  void forgetRejected() {
    leastRejected = std::numeric_limits<double>::infinity();
  }

private:
  KernelOp kernel;
  const GPUModel &gpu;
  double mostSpilling = 0;
  double leastRejected = std::numeric_limits<double>::infinity();
  KernelOperands operands;
  KernelFactsTable facts;
  /// States that threads can share, if they can.
  std::optional<StateSplit> split;
  MeasuredSchedules measured;
  /// By their parameters, in two words.
  llvm::DenseMap<std::pair<uint64_t, uint64_t>, ScheduleAttr> schedules;
  /// None where the kernel cannot have the schedule.
  llvm::DenseMap<ScheduleAttr, std::optional<KernelPlan>> plans;
};

/// Emits an error at `kernel` if its schedule breaks a limit of `gpu`.
LogicalResult checkSchedule(KernelOp kernel, ScheduleAttr schedule,
                            const GPUModel &gpu);

} // namespace mlir::scan

#endif // SCAN_LIB_SCHEDULE_COSTMODEL_H
