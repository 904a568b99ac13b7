//===- SimpleStates.h - Small numbers to try first --------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PROVE_SIMPLESTATES_H
#define SCAN_LIB_PROVE_SIMPLESTATES_H

#include "States.h"

namespace mlir::scan::prove {

/// `count` times three states of numbers that people like to read, the simplest
/// first, which fulfil what is assumed: counterexamples among them are easier
/// to understand than those of a solver. Empty if no number fulfils it.
std::array<LeafValues, 3> makeSimpleTriples(AssociativeOp op,
                                            ArrayRef<LeafInvariant> invariants,
                                            associativity::FloatTheory theory,
                                            int64_t count);

} // namespace mlir::scan::prove

#endif // SCAN_LIB_PROVE_SIMPLESTATES_H
