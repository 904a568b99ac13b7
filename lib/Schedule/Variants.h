//===- Variants.h - Several schedules for one scan --------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where extents are dynamic, no schedule may be good for all of them: few long
// rows want other kernels than many short ones. Such a scan is compiled several
// times, and the host chooses when it knows the extents.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_SCHEDULE_VARIANTS_H
#define SCAN_LIB_SCHEDULE_VARIANTS_H

#include "Calibration.h"
#include "Scan/IR/ScanDialect.h"
#include <memory>

namespace mlir::scan {

/// A comparison of one number that is known when the program runs.
struct ExtentCondition {
  /// Of the extent of the scan dimension; else of the batch size, the
  /// product of the other extents.
  bool isOnSteps;
  /// What the number is below.
  int64_t limit;

  bool holds(int64_t steps, int64_t batch) const {
    return (isOnSteps ? steps : batch) < limit;
  }
};

/// Which schedule a kernel has for which extents: a binary decision tree.
struct VariantTree {
  /// Of a leaf; null of all other nodes.
  ScheduleAttr schedule;
  /// Of other nodes: a condition, and what is for extents where it holds and
  /// where it does not.
  ExtentCondition condition = {};
  std::unique_ptr<VariantTree> below, above;

  explicit VariantTree(ScheduleAttr schedule = {}) : schedule(schedule) {}

  bool isLeaf() const { return schedule != nullptr; }

  /// The leaf for these extents.
  const VariantTree &find(int64_t steps, int64_t batch) const;

  /// Calls `visit` with each leaf, from the least extents to the largest, and a
  /// text that says when it is taken ("steps < 512 and batch >= 64"); it is
  /// empty if there is but one leaf.
  void forEachLeaf(
      function_ref<void(const VariantTree &leaf, StringRef when)> visit) const;
};

/// How many schedules a kernel may have.
struct VariantLimits {
  /// The most that are worth their compilation before the program runs.
  unsigned most = 6;
  /// How much faster each one makes the kernel, as the cost model estimates it,
  /// in the geometric mean over the range that dynamic extents may have (on a
  /// logarithmic scale): that of the only scan of a program.
  double worthwhile = 1.015;
};

/// The most variants where each is compiled when it is first needed.
constexpr unsigned kMostVariantsOnDemand = 12;

/// The limits for `kernel`, in a function without variants so far; of one who
/// asks for `asked` variants unless that is 0. What is worthwhile for the only
/// scan of a program is less so for one of several.
VariantLimits getVariantLimits(KernelOp kernel, const GPUModel &gpu,
                               unsigned asked);

/// Chooses schedules for `kernel` on `gpu`, and which of them is for which
/// extents: one where all extents are static.
VariantTree chooseVariants(KernelOp kernel, const GPUModel &gpu,
                           const VariantLimits &limits);

/// Of a bidirectional kernel that is run with extents that a tile holds: tiles
/// for all of them, and smaller ones for the extents that these hold: a tile
/// that is too large moves no more, but its threads are idle. Of the large ones
/// a multiprocessor runs one or two at a time, and half of one idle is half of
/// the speed; of small ones it runs many.
/// None of other kernels.
std::optional<VariantTree> chooseTileVariants(KernelOp kernel,
                                              const VariantLimits &limits);

/// The one schedule for `kernel` that is least slower than the best, as above.
/// On tensors a kernel may still grow by fusion: it has the best schedule for
/// usual extents, which leaves room for that.
ScheduleAttr chooseSchedule(KernelOp kernel, const GPUModel &gpu);

} // namespace mlir::scan

#endif // SCAN_LIB_SCHEDULE_VARIANTS_H
