//===- OneTileSchedule.h - Rows that a block holds whole --------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PLAN_ONETILESCHEDULE_H
#define SCAN_LIB_PLAN_ONETILESCHEDULE_H

#include "Scan/IR/ScanDialect.h"

namespace mlir::scan {

/// The 32-bit words that a thread of a bidirectional `row` kernel holds per
/// step: the input elements that vary along the scan dimension, and the states
/// before and behind.
int64_t getWordsPerStep(KernelOp kernel);

/// The `row` schedule whose block holds a row of `extent` steps in one tile, if
/// each takes that many words; nothing where registers do not suffice.
std::optional<ScheduleAttr>
getOneTileSchedule(MLIRContext *context, int64_t extent, int64_t wordsPerStep);

/// True if under `schedule` a row of `extent` steps is one tile of a block.
bool isOneTile(int64_t extent, ScheduleAttr schedule);

/// True if under `schedule` each row of `kernel` is, with all extents that it
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
