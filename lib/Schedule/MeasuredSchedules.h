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

namespace mlir::scan {

struct GPUModel;

/// The entries of a tuning cache that are of one kernel and chip, and whose
/// schedules the kernel may have.
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

private:
  SmallVector<Measured, 0> all;
};

} // namespace mlir::scan

#endif // SCAN_LIB_SCHEDULE_MEASUREDSCHEDULES_H
