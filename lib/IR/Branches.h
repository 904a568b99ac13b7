//===- Branches.h - Branches whose sides are both computed ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_BRANCHES_H
#define SCAN_LIB_IR_BRANCHES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::scan {

/// Whether an element or a slice is of all indices of each dimension, or of
/// some that are known to be in bounds.
bool isKnownInBounds(Operation *op);

/// Whether both sides can be computed where only one would be: they have no
/// effects, no loops, and no index that the condition may guard.
bool canComputeBothSides(scf::IfOp branch);

/// Computes both sides of `branch` and selects its results.
void replaceBySelections(RewriterBase &rewriter, scf::IfOp branch);

/// Loops with so many iterations at most are short.
constexpr int64_t kMostShortIterations = 16;

/// Unrolls short loops inside of `op`, and makes selections of branches where
/// both sides can be computed. What is left of either stays.
void flattenControl(RewriterBase &rewriter, Operation *op);

} // namespace mlir::scan

#endif // SCAN_LIB_IR_BRANCHES_H
