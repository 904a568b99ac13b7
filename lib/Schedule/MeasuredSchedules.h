//===- MeasuredSchedules.h - What was measured of one kernel ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_SCHEDULE_MEASUREDSCHEDULES_H
#define SCAN_LIB_SCHEDULE_MEASUREDSCHEDULES_H

#include "KernelFacts.h"
#include "TuningCache.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::scan {

struct GPUModel;
struct KernelPlan;

/// The entries of a tuning cache that are of one kernel and chip, and whose
/// schedules the kernel may have: what was measured, and what ptxas said.
class MeasuredSchedules {
public:
  struct Measured {
    const TuningEntry *entry;
    ScheduleAttr schedule;
  };

  /// Those for `kernel` in the cache of `gpu`; none if there is none.
  static MeasuredSchedules get(KernelOp kernel, const GPUModel &gpu);

  /// What is known for these extents: of entries that are measured near to
  /// them, the nearest. An extent that is static is the very one that was
  /// measured. Of a dynamic one, so many steps are near whose next power of two
  /// is the same, and batch sizes from half of what was measured to below twice
  /// that: so far do cells of the search for variants reach. Null if there is
  /// none.
  const Measured *find(const KernelFacts &facts) const;

  ArrayRef<Measured> getAll() const { return all; }

  /// What ptxas said of the kernel under `schedule`; null if that is not known.
  const ResourceEntry *findResources(ScheduleAttr schedule) const {
    return resources.lookup(schedule);
  }

  /// Has `plan` take the registers and the instructions that ptxas said, and
  /// returns that; null, and nothing changes, if it is not known.
  const ResourceEntry *setResources(KernelPlan &plan) const;

private:
  SmallVector<Measured, 0> all;
  llvm::SmallDenseMap<ScheduleAttr, const ResourceEntry *> resources;
};

} // namespace mlir::scan

#endif // SCAN_LIB_SCHEDULE_MEASUREDSCHEDULES_H
