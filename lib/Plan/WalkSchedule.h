//===- WalkSchedule.h - Threads that walk a recurrence ----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule of the strategy sequential on a scan.recurrence: `threads` of a
// block, and `items`, the steps that rows of inputs are loaded ahead, whether
// a thread walks each lane or a block computes whole rows; `rows`, how many of
// these a block computes together.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PLAN_WALKSCHEDULE_H
#define SCAN_LIB_PLAN_WALKSCHEDULE_H

#include "Scan/IR/ScanRecurrence.h"

namespace mlir::scan {

/// Why threads cannot walk `op` by `schedule`, as the rest of a sentence that
/// starts with "expected"; empty if they can.
std::string checkWalkSchedule(RecurrenceOp op, ScheduleAttr schedule);

} // namespace mlir::scan

#endif // SCAN_LIB_PLAN_WALKSCHEDULE_H
