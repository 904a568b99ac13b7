//===- Passes.h - Recurrences to GPU kernels --------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_CONVERSION_RECURRENCETOGPU_PASSES_H
#define SCAN_CONVERSION_RECURRENCETOGPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::scan {

#define GEN_PASS_DECL
#include "Scan/Conversion/RecurrenceToGPU/Passes.h.inc"

class RecurrenceOp;

/// Why --scan-recurrence-to-blocks has launches compute each step of `op`, for
/// reports; empty if thread blocks walk all steps.
std::string describeStepLaunches(RecurrenceOp op, int64_t sharedMemory,
                                 int64_t processors);

/// Why launches cannot compute each step of `op`, which is what
/// #scan.step_launches asks for; empty if they can.
std::string findLaunchObstacle(RecurrenceOp op);

#define GEN_PASS_REGISTRATION
#include "Scan/Conversion/RecurrenceToGPU/Passes.h.inc"

} // namespace mlir::scan

#endif // SCAN_CONVERSION_RECURRENCETOGPU_PASSES_H
