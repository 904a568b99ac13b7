//===- Shrink.h - Smaller programs that fail the same way -------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_SHRINK_H
#define SCAN_LIB_FUZZ_SHRINK_H

#include "FuzzOptions.h"
#include "Reduce/GreedySearch.h"

namespace mlir::scan::fuzz {

/// A program and its data that do not do what they should.
struct Failure {
  uint64_t programIndex = 0, caseIndex = 0;
  Program program;
  Case call;
  Outcome outcome;
};

/// Makes the program or the case simpler in the way number `index`; both stay
/// valid if the result is `Changed`. Applied often enough, every step has
/// nothing left to do.
StepResult applyShrinkStep(size_t index, Program &program, Case &call);

/// Takes `number` indices from `begin` on out of iteration dimension `dim`, of
/// a case with explicit values. Returns whether the program is still valid.
bool removeIndices(Program &program, Case &call, unsigned dim, int64_t begin,
                   int64_t number);

/// Makes program and data as simple as it can while they fail on the same
/// target in the same way. Returns how many attempts that took.
/// `context` has to outlive the failure.
unsigned shrink(Failure &failure, const FuzzOptions &options,
                MLIRContext &context);

/// The failure as a lit test, complete with inputs and the numbers that the
/// interpreter gives. Runs the interpreter in a child.
std::string printRegressionTest(const Failure &failure,
                                const FuzzOptions &options);

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_SHRINK_H
