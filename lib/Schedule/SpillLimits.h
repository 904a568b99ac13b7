//===- SpillLimits.h - Which kernels have to spill --------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_SCHEDULE_SPILLLIMITS_H
#define SCAN_LIB_SCHEDULE_SPILLLIMITS_H

#include "KernelFacts.h"
#include "Plan/KernelPlan.h"
#include "Target/Chips.h"

namespace mlir::scan {

/// States of more words are wide: a thread holds few of them.
constexpr int64_t kWideStateWords = 8;

/// Whether there is no kernel of the scan that takes less.
bool isSmallest(const KernelPlan &plan);

/// Whether `plan` is estimated to spill on `chip`, where a thread has so many
/// registers.
bool mustSpill(const KernelPlan &plan, const KernelFacts &facts,
               const Chip &chip);

} // namespace mlir::scan

#endif // SCAN_LIB_SCHEDULE_SPILLLIMITS_H
