//===- OperatorUse.h - What a kernel saves by its operator ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which of the facts that are known of an operator (IR/OperatorFacts.h) a
// scheduled kernel uses, for --scan-explain:
//
//  *   identity: what is in front of the first step is a state as any other, so
//      that nothing is chosen by whether it is present; positions beyond the
//      end that come first in a walk hold it.
//  *   idempotent: lanes of a warp that have no earlier one combine their own
//      state with itself.
//  *   commutative: the lanes of a warp add up by a butterfly, in which no lane
//      knows which state is the earlier one; of kernels without outputs.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PLAN_OPERATORUSE_H
#define SCAN_LIB_PLAN_OPERATORUSE_H

#include "KernelPlan.h"

namespace mlir::scan {

/// One fact that a kernel uses.
struct OperatorUse {
  /// "identity", "idempotent", "commutative".
  StringRef fact;
  /// What it is used for.
  StringRef use;
  /// Choices between two values (select) that a thread makes less, in each tile
  /// or, of a kernel without tiles, in all.
  int64_t savedSelects = 0;
};

/// The facts that `kernel` uses under its plan; none if it has an init (for the
/// identity) or another shape than those that gain by them.
SmallVector<OperatorUse> getOperatorUses(KernelOp kernel,
                                         const KernelPlan &plan);

} // namespace mlir::scan

#endif // SCAN_LIB_PLAN_OPERATORUSE_H
