//===- ShrinkSteps.h - What can be taken away from a program ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_SHRINKSTEPS_H
#define SCAN_LIB_FUZZ_SHRINKSTEPS_H

#include "ProgramGenerator.h"
#include "Reduce/GreedySearch.h"

namespace mlir::scan::fuzz {

/// Makes the program or the case simpler in the way number `index`; both stay
/// valid if the result is `Changed`. Applied often enough, every step has
/// nothing left to do.
StepResult applyShrinkStep(size_t index, Program &program, Case &call);

/// Takes `number` indices from `begin` on out of iteration dimension `dim`, of
/// a case with explicit values. Returns whether the program is still valid.
bool removeIndices(Program &program, Case &call, unsigned dim, int64_t begin,
                   int64_t number);

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_SHRINKSTEPS_H
