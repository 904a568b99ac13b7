//===- Worker.h - A batch of programs, in a child ---------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_WORKER_H
#define SCAN_LIB_FUZZ_WORKER_H

#include "FuzzOptions.h"
#include "Isolation.h"

namespace mlir::scan::fuzz {

/// How many cases there are of a program, and how many of them, the first ones,
/// run in the emulator.
struct CaseCounts {
  uint64_t all = 0, emulated = 0;
};
CaseCounts getCaseCounts(const FuzzOptions &options, uint64_t programIndex);

/// The case of that number.
Case getCase(const FuzzOptions &options, uint64_t programIndex,
             uint64_t caseIndex);

/// What a worker says about a program that it is done with.
struct ProgramReport {
  uint64_t program = 0, cases = 0;
  std::map<std::string, uint64_t> runs;
  double maxRatio = 0;
  /// Of case `failedCase`, if it is no pass.
  Outcome outcome;
  uint64_t failedCase = 0;
};
ProgramReport parseReport(StringRef line);

/// Runs programs `begin` to `end` and sends a report for each. A program ends
/// with its first failure.
void runPrograms(const FuzzOptions &options, uint64_t begin, uint64_t end,
                 ChildStatus &status, llvm::raw_ostream &os);

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_WORKER_H
