//===- RunReport.h - What a run has to tell ---------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_DRIVER_RUNREPORT_H
#define SCAN_LIB_DRIVER_RUNREPORT_H

#include "RunDriver.h"

namespace mlir::scan {

struct RunReport {
  struct Result {
    const HostArray *array;
    /// Against the target that is compared with, if any.
    std::optional<ResultError> error;
    /// What may be done about the error, if anything is known.
    std::string advice;
  };
  std::string program, entry, target, compare;
  SmallVector<Result> results;
  /// Bytes of all inputs and results.
  int64_t bytes = 0;
  std::optional<double> seconds;
  std::optional<double> compareSeconds;
  /// With --stats; per element means per element of the largest array.
  std::optional<emulator::EmulatorStatistics> statistics;
  int64_t elements = 0;
};

/// Prints the results, unless they go to files, and tables of errors and times;
/// or one JSON object.
void printReport(const RunOptions &options, const RunReport &report,
                 llvm::raw_ostream &os);

} // namespace mlir::scan

#endif // SCAN_LIB_DRIVER_RUNREPORT_H
