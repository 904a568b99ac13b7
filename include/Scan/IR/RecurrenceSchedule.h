//===- RecurrenceSchedule.h - Schedules of steps ----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the steps of a scan.recurrence become loops: the attributes of
// ScanRecurrenceSchedule.td, and which of them are legal where.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_IR_RECURRENCESCHEDULE_H
#define SCAN_IR_RECURRENCESCHEDULE_H

#include "Scan/IR/ScanRecurrence.h"

#define GET_ATTRDEF_CLASSES
#include "Scan/IR/ScanRecurrenceSchedule.h.inc"

namespace mlir::scan {

/// The names of the discardable attributes.
inline constexpr llvm::StringLiteral kLoopsName = "scan.loops";
inline constexpr llvm::StringLiteral kStageName = "scan.stage";

/// How the loop over time is made; null if nothing says so.
LoopsAttr getLoops(RecurrenceOp op);
/// How `op` is computed, if it is in the body of a recurrence; null if nothing
/// says so.
StageAttr getStage(Operation *op);
/// Whether attributes say how the steps of `op` become loops.
bool hasLoopSchedule(RecurrenceOp op);
/// Drops what is said of loops, of `op` and of the stages in its body: where
/// steps become something else.
void dropLoopSchedule(RecurrenceOp op);

/// Why `op` cannot be computed as `stage` says, as the rest of a sentence that
/// starts with "expected"; empty if it can.
std::string checkStage(Operation *op, StageAttr stage);
/// Emits an error if a stage in the body of `op` cannot be computed as it
/// says, or if one of the attributes has another type than its own.
LogicalResult checkLoopSchedule(RecurrenceOp op);

} // namespace mlir::scan

#endif // SCAN_IR_RECURRENCESCHEDULE_H
