//===- Proof.h - A proof, or none -------------------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For those who only act on a proof, and neither want a counterexample nor a
// reason: --scan-raise-recurrence. lib/Prove has the rest.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_ANALYSIS_ASSOCIATIVITY_PROOF_H
#define SCAN_LIB_ANALYSIS_ASSOCIATIVITY_PROOF_H

#include "Question.h"
#include "Solver.h"

namespace mlir::scan::associativity {

/// The encodings in which to ask about `op`, the most promising one first.
SmallVector<Encoding, 2> chooseEncodings(AssociativeOp op, FloatTheory theory);

/// Whether the solver proves that the combine region is associative for all
/// states, floats taken for real numbers if they are computed with. Where some
/// states have no defined result (a divisor is 0), it is not proved. Takes
/// `seconds` at most.
bool isProvedAssociative(AssociativeOp op, Solver &solver, double seconds);

} // namespace mlir::scan::associativity

#endif // SCAN_LIB_ANALYSIS_ASSOCIATIVITY_PROOF_H
