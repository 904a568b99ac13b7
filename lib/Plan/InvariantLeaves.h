//===- InvariantLeaves.h - Leaves that all steps have alike -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The coefficients of a time-invariant system, as those of S4, S5 and LRU
// layers and of moving averages, are the same at every step. What parts of a
// scan have of such leaves depends on nothing but their length: it takes few
// steps to compute, and blocks need not tell each other.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PLAN_INVARIANTLEAVES_H
#define SCAN_LIB_PLAN_INVARIANTLEAVES_H

#include "Scan/IR/ScanDialect.h"

namespace mlir::scan {

/// For each leaf: whether it has the same value at every step of a scan, and is
/// combined with nothing but other leaves of this kind.
SmallVector<bool> getInvariantLeaves(KernelOp kernel);

/// For each leaf: whether tiles of one length may differ in it, or who follows
/// a tile needs it of all steps before (KernelOp::getCarriedLeaves). All of
/// them if none else is.
SmallVector<bool> getPublishedLeaves(KernelOp kernel);

} // namespace mlir::scan

#endif // SCAN_LIB_PLAN_INVARIANTLEAVES_H
