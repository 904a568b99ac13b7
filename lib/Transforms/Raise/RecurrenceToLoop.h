//===- RecurrenceToLoop.h - A recurrence in the form of loops ---*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_RAISE_RECURRENCETOLOOP_H
#define SCAN_LIB_TRANSFORMS_RAISE_RECURRENCETOLOOP_H

#include "Scan/IR/ScanRecurrence.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {

/// Writes `op`, which stays, as the loop that RecurrenceLoop analyses: it
/// carries the previous rows of each state, and what is written at each step.
/// Returns a value for each result, null for one that nobody uses.
SmallVector<Value> emitAsLoop(RewriterBase &rewriter, RecurrenceOp op);

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_RAISE_RECURRENCETOLOOP_H
