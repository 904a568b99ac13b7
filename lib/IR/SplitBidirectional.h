//===- SplitBidirectional.h - Split kernels by direction --------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel with `bidirectional` means is two ordinary kernels. A lowering
// that cannot scan in both directions at once splits it.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_SPLITBIDIRECTIONAL_H
#define SCAN_LIB_IR_SPLITBIDIRECTIONAL_H

#include "Scan/IR/ScanDialect.h"

namespace mlir {
class RewriterBase;
} // namespace mlir

namespace mlir::scan {

/// One ordinary kernel per direction of a kernel with `bidirectional`; null for
/// a direction that no output or final is of.
struct KernelDirections {
  /// In the direction of the kernel: its first leaves.
  KernelOp same;
  /// In the opposite one.
  KernelOp opposite;
};

/// Replaces `kernel`, which has `bidirectional`, by two kernels, each with the
/// inputs and inits that it needs. Where an output depends on both directions,
/// the first kernel stores the states that the second one reads again, in new
/// tensors: such a kernel must not be on memrefs.
KernelDirections splitBidirectional(RewriterBase &rewriter, KernelOp kernel);

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
                        bool isOpposite);

} // namespace mlir::scan

#endif // SCAN_LIB_IR_SPLITBIDIRECTIONAL_H
