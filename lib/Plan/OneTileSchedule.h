//===- OneTileSchedule.h - Scans that a block holds whole -------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bidirectional kernel reads its inputs once where a block holds all steps of
// its scans in one tile: of a row, where memory is contiguous along the scan
// dimension, or of some neighbouring columns, where it is across.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PLAN_ONETILESCHEDULE_H
#define SCAN_LIB_PLAN_ONETILESCHEDULE_H

#include "Scan/IR/ScanDialect.h"

namespace mlir::scan {

/// What tiles of a kernel take.
struct TileNeeds {
  /// Whether they are of neighbouring columns.
  bool isColumn = false;
  /// The 32-bit words that a thread holds per step, about.
  int64_t words = 0;
  /// Of columns, the bytes of the narrowest operand in one column and step.
  int64_t leastBytes = 0;
};

/// The needs of the kernel that `kernels`, of one domain, are or become when
/// they are merged; nothing where their operands lie neither all along the scan
/// dimension nor all along one other.
std::optional<TileNeeds> getTileNeeds(ArrayRef<KernelOp> kernels);

/// The schedule whose block holds `extent` steps in one tile; nothing where
/// registers do not suffice.
std::optional<ScheduleAttr> getOneTileSchedule(MLIRContext *context,
                                               int64_t extent,
                                               const TileNeeds &needs);
/// That of the bidirectional `kernel`; nothing where no shared memory suffices,
/// either.
std::optional<ScheduleAttr> getOneTileSchedule(KernelOp kernel, int64_t extent);

/// The first input or output, as "input #1", that does not lie in memory along
/// the scan dimension; empty if all do.
std::string findScattered(KernelOp kernel);

/// True if under `schedule` a scan of `extent` steps is one tile of a block.
bool isOneTile(int64_t extent, ScheduleAttr schedule);

/// True if under `schedule` each scan of `kernel` is, with all extents that it
/// is run with (getStepsRange). Where it is, a bidirectional kernel reads its
/// inputs once; else it is split in two.
bool isScannedInOneTile(KernelOp kernel, ScheduleAttr schedule);

/// The extent of the scanned dimension, or the largest one that a tile of
/// `schedule` has to hold of those that the kernel is run with; dynamic if
/// nothing limits them. Of a kernel that several schedules are made for, each
/// is for extents that its tile holds.
int64_t getTiledExtent(KernelOp kernel, ScheduleAttr schedule);

} // namespace mlir::scan

#endif // SCAN_LIB_PLAN_ONETILESCHEDULE_H
