//===- TuningPlan.h - What is worth a measurement ---------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_SCHEDULE_TUNINGPLAN_H
#define SCAN_LIB_SCHEDULE_TUNINGPLAN_H

#include "Scan/IR/ScanDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/Error.h"

namespace mlir::scan {

/// A number for a dynamic extent of an argument, called as in a manifest:
/// `arg0_d1`; or for an argument that is an index: `arg2`.
struct ExtentNumber {
  std::string name;
  int64_t value;
};

/// What can be measured of a function, all extents being known.
struct TuningPlan {
  struct Kernel {
    /// As a tuning cache has it.
    std::string hash;
    int64_t steps, batch;
    /// What is worth a measurement, what the model takes for the best first:
    /// the eight best ones, and the best of each other kind unless it is far
    /// slower. One alone if the program gives it.
    SmallVector<ScheduleAttr> schedules;
    /// Why it is not measured; empty if it is.
    std::string reason;
  };
  /// In the order of a walk.
  SmallVector<Kernel, 0> kernels;
  /// Per argument; empty for scalars.
  SmallVector<SmallVector<int64_t>> argumentShapes;

  /// Of `function`, whose scans are kernels already, on `chip`, a known one.
  /// The error, one line, is about the extents: all of the arguments and of the
  /// kernels' domains have to follow from `extents`.
  static llvm::Expected<TuningPlan> get(FunctionOpInterface function,
                                        StringRef chip,
                                        ArrayRef<ExtentNumber> extents);
};

} // namespace mlir::scan

#endif // SCAN_LIB_SCHEDULE_TUNINGPLAN_H
