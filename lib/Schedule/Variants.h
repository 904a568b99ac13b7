//===- Variants.h - Several schedules for one scan --------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where extents are dynamic, no schedule may be good for all of them: few long
// rows want other kernels than many short ones. Such a scan is compiled two or
// three times, and the host chooses when it knows the extents.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_SCHEDULE_VARIANTS_H
#define SCAN_LIB_SCHEDULE_VARIANTS_H

#include "Calibration.h"
#include "Scan/IR/ScanDialect.h"
#include <optional>

namespace mlir::scan {

/// A comparison of one number that is known when the program runs.
struct ExtentCondition {
  /// Of the extent of the scan dimension; else of the batch size, the
  /// product of the other extents.
  bool isOnSteps;
  /// `number < limit`; else `number >= limit`.
  bool isBelow;
  int64_t limit;

  bool holds(int64_t steps, int64_t batch) const {
    return ((isOnSteps ? steps : batch) < limit) == isBelow;
  }
};

/// "steps < 512".
std::string describe(const ExtentCondition &condition);

struct Variant {
  ScheduleAttr schedule;
  /// When to take it, if none before it was taken; the last has none.
  std::optional<ExtentCondition> condition;
};

/// The first of `variants` whose condition holds.
const Variant &chooseVariant(ArrayRef<Variant> variants, int64_t steps,
                             int64_t batch);

/// Chooses up to three schedules for `kernel` on `gpu`, and which of them is
/// for which extents. One of them alone, that of `chooseSchedule`, unless each
/// further one makes the kernel faster by a tenth, as the cost model estimates
/// it, in the geometric mean over the extents that it is for, and these are a
/// tenth of the range of the dynamic extents (on a logarithmic scale).
SmallVector<Variant> chooseVariants(KernelOp kernel, const GPUModel &gpu);

} // namespace mlir::scan

#endif // SCAN_LIB_SCHEDULE_VARIANTS_H
