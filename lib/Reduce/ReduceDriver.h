//===- ReduceDriver.h - What scan-reduce does -----------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_REDUCE_REDUCEDRIVER_H
#define SCAN_LIB_REDUCE_REDUCEDRIVER_H

#include "InterestingnessTest.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::scan {

struct ReduceDriverOptions {
  /// Paths; "-" is standard input and output.
  std::string input = "-", output = "-";
  InterestingnessOptions test;
  /// Names of the reductions to use; all of them if it is empty.
  llvm::SmallVector<std::string> only;
  /// Whether the program may have operations of unknown dialects.
  bool allowUnregistered = false;
  /// Whether to report progress from time to time, and each step.
  bool quiet = false, verbose = false;
};

/// Reads, reduces and writes a program. Errors and progress go to standard
/// error, one line each where possible. The smallest program so far is written
/// also when SIGINT or SIGTERM ends the search, which is then a failure.
LogicalResult runReduce(const ReduceDriverOptions &options,
                        const DialectRegistry &registry);

/// Prints the names of the reductions and what they do.
void printReductions(const DialectRegistry &registry, llvm::raw_ostream &os);

} // namespace mlir::scan

#endif // SCAN_LIB_REDUCE_REDUCEDRIVER_H
