//===- SplitOpposite.h - Kernels that scan both ways ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel with `opposite` means is two ordinary kernels. A lowering that
// cannot scan both ways at once splits it.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_SPLITOPPOSITE_H
#define SCAN_LIB_IR_SPLITOPPOSITE_H

#include "Scan/IR/ScanDialect.h"

namespace mlir {
class RewriterBase;
} // namespace mlir

namespace mlir::scan {

/// One ordinary kernel per direction of a kernel with `opposite`; null for
/// a direction that no output or final is of.
struct KernelDirections {
  /// Scans the way that the kernel says: its first leaves.
  KernelOp along;
  /// Scans the other way.
  KernelOp against;
};

/// Replaces `kernel`, which has `opposite`, by two kernels, each with the
/// inputs and inits that it needs. Where an output depends on both directions,
/// the first kernel stores the states that the second one reads again, in new
/// tensors: such a kernel must not be on memrefs.
KernelDirections splitOpposite(RewriterBase &rewriter, KernelOp kernel);

/// True if an output depends on both directions.
bool mixesDirections(KernelOp kernel);

/// Fails with an error that says the way out if the kernel is on memrefs and
/// an output depends on both directions: it can not be split any more.
LogicalResult checkSplittable(KernelOp kernel);

/// Creates, in front of `kernel`, a kernel with the leaves of one direction,
/// and with the outputs and finals that depend on these alone, perhaps none:
/// whose regions, but `store`, say what to compute in this direction. Inputs
/// and inits are those of `kernel`, under the same numbers. To be erased.
KernelOp cloneDirection(RewriterBase &rewriter, KernelOp kernel,
                        bool isAgainst);

} // namespace mlir::scan

#endif // SCAN_LIB_IR_SPLITOPPOSITE_H
