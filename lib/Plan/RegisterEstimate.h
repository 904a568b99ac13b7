//===- RegisterEstimate.h - Registers of a planned kernel -------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PLAN_REGISTERESTIMATE_H
#define SCAN_LIB_PLAN_REGISTERESTIMATE_H

#include "KernelPlan.h"

namespace mlir::scan {

/// The registers that a thread of `kernel` takes under `plan`, roughly: reads
/// the kind of kernel, the schedule and whether it prefetches.
int64_t estimateRegisters(KernelOp kernel, const KernelPlan &plan);

/// Those that it takes where the most values are alive: with fewer it spills.
/// The compiler mostly finds an order that takes less than that, which is what
/// `estimateRegisters` says.
int64_t estimateMostRegisters(KernelOp kernel, const KernelPlan &plan);

} // namespace mlir::scan

#endif // SCAN_LIB_PLAN_REGISTERESTIMATE_H
