//===- RecurrenceSteps.h - The steps of a recurrence ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many steps a scan.recurrence has, and the checks that every lowering for
// code that can stop makes before the first of them.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_RECURRENCESTEPS_H
#define SCAN_LIB_IR_RECURRENCESTEPS_H

#include "Scan/IR/ScanRecurrence.h"

namespace mlir::scan {

/// The number of steps of `op`, which may be negative where an operand says it.
OpFoldResult createRecurrenceSteps(OpBuilder &builder, RecurrenceOp op);

/// Stops the program, by `op` and `what`, where `condition` is not true; adds
/// nothing where it is known to be.
void createRecurrenceCheck(OpBuilder &builder, RecurrenceOp op, Value condition,
                           const Twine &what);

/// Stops the program where `lhs` and `rhs` are not equal.
void createExtentCheck(OpBuilder &builder, RecurrenceOp op, OpFoldResult lhs,
                       OpFoldResult rhs, const Twine &what);

/// Stops the program where the number of steps or an operand of `extents` is
/// negative, or where an input has not the rows that the steps read.
void createStepsChecks(OpBuilder &builder, RecurrenceOp op, OpFoldResult steps);

} // namespace mlir::scan

#endif // SCAN_LIB_IR_RECURRENCESTEPS_H
