//===- RegisterEstimate.h - Registers of a planned kernel -------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PLAN_REGISTERESTIMATE_H
#define SCAN_LIB_PLAN_REGISTERESTIMATE_H

#include "KernelOperands.h"
#include "KernelPlan.h"

namespace mlir::scan {

/// Registers of a thread, roughly.
struct RegisterEstimate {
  /// The compiler mostly finds an order that takes no more than these.
  int64_t usual;
  /// Those that it takes where the most values are alive: with fewer it spills.
  int64_t most;
};

/// What a thread of `kernel` takes under `plan`, of which the kind of kernel,
/// the schedule and whether it prefetches are read. `operands` are those of
/// the kernel.
RegisterEstimate estimateRegisters(KernelOp kernel, const KernelPlan &plan,
                                   const KernelOperands &operands);

} // namespace mlir::scan

#endif // SCAN_LIB_PLAN_REGISTERESTIMATE_H
