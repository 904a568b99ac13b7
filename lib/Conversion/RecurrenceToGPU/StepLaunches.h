//===- StepLaunches.h - Launches for each step ------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_RECURRENCETOGPU_STEPLAUNCHES_H
#define SCAN_LIB_CONVERSION_RECURRENCETOGPU_STEPLAUNCHES_H

#include "Scan/IR/ScanRecurrence.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {

/// Replaces `op`, whose body `prepareForBlock` has prepared, by a loop over the
/// steps in which all that reads or writes elements are operations of linalg
/// and slices: kernels of the whole grid. Emits an error if a step has
/// something else.
LogicalResult lowerToStepLaunches(RewriterBase &rewriter, RecurrenceOp op);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_RECURRENCETOGPU_STEPLAUNCHES_H
