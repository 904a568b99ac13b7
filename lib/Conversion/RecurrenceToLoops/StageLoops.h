//===- StageLoops.h - Loops over parts of rows ------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_RECURRENCETOLOOPS_STAGELOOPS_H
#define SCAN_LIB_CONVERSION_RECURRENCETOLOOPS_STAGELOOPS_H

#include "Scan/IR/ScanRecurrence.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {

/// Makes the loops in the body of `op` that its stages ask for. Emits an error
/// if one cannot be computed as it says.
LogicalResult emitStageLoops(RewriterBase &rewriter, RecurrenceOp op);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_RECURRENCETOLOOPS_STAGELOOPS_H
