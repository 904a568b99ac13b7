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
#include "llvm/Support/JSON.h"

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

/// Runs a program, up to its first failure: `cases` of them and `runs` on each
/// target, of which `last_case` was the last and came to `outcome`, and the
/// largest error in relation to its bound, `ratio`.
llvm::json::Object runProgram(const FuzzOptions &options, uint64_t index,
                              MLIRContext &context, ChildStatus &status);

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_WORKER_H
