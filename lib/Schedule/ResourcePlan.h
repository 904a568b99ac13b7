//===- ResourcePlan.h - What ptxas should be asked about --------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_SCHEDULE_RESOURCEPLAN_H
#define SCAN_LIB_SCHEDULE_RESOURCEPLAN_H

#include "TuningCache.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::scan {

/// The schedules that are chosen for the kernels of a function, over all
/// extents, of which a tuning cache does not say yet what ptxas makes of them.
struct ResourcePlan {
  struct Kernel {
    /// As a tuning cache has it.
    std::string hash;
    /// The one that the program gives, or one that it may have.
    ScheduleAttr schedule;
    bool isGiven;
    /// None where the program gives one.
    SmallVector<ScheduleAttr> unknown;
  };
  /// In the order of a walk.
  SmallVector<Kernel, 0> kernels;

  /// Of `function`, whose scans are kernels already, on `chip`, a known one.
  static ResourcePlan get(FunctionOpInterface function, StringRef chip,
                          const TuningCache &cache);
};

} // namespace mlir::scan

#endif // SCAN_LIB_SCHEDULE_RESOURCEPLAN_H
