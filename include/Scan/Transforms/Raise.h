//===- Raise.h - From loops and reductions to scans -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TRANSFORMS_RAISE_H
#define SCAN_TRANSFORMS_RAISE_H

#include "Scan/IR/ScanDialect.h"
#include "mlir/Pass/Pass.h"
#include <string>

namespace mlir::scan {

#define GEN_PASS_DECL_SCANFOLDEQUALOPERANDS
#define GEN_PASS_DECL_SCANIMPORTLINALGEXT
#define GEN_PASS_DECL_SCANRAISERECURRENCE
#define GEN_PASS_DECL_SCANREDUCTIONSTOKERNELS
#include "Scan/Transforms/Passes.h.inc"

class RecurrenceOp;

/// Why `--scan-raise-recurrence` makes no scan of `op`, whatever its schedule
/// is; empty if it does. `op` stays.
std::string getRaiseObstacle(RecurrenceOp op);

} // namespace mlir::scan

#endif // SCAN_TRANSFORMS_RAISE_H
