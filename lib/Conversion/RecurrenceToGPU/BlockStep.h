//===- BlockStep.h - A step as a thread block computes it -------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_RECURRENCETOGPU_BLOCKSTEP_H
#define SCAN_LIB_CONVERSION_RECURRENCETOGPU_BLOCKSTEP_H

#include "Scan/IR/ScanRecurrence.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {

/// Brings the body of `op` into few structured operations, each of which writes
/// a buffer of its own. Emits an error if a thread block cannot compute it.
LogicalResult prepareForBlock(RewriterBase &rewriter, RecurrenceOp op);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_RECURRENCETOGPU_BLOCKSTEP_H
