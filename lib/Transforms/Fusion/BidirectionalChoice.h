//===- BidirectionalChoice.h - One kernel or two, by extents ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the extent of the scanned dimension is dynamic, only the host knows
// when the program runs whether a tile holds a row. It then chooses between one
// bidirectional kernel and two kernels:
//
//   scf.if %steps <= MOST { one kernel } else { two kernels }
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_FUSION_BIDIRECTIONALCHOICE_H
#define SCAN_LIB_TRANSFORMS_FUSION_BIDIRECTIONALCHOICE_H

#include "MergeKernels.h"

namespace mlir::scan {

/// Why the two kernels, on tensors, cannot be in both branches of a choice:
/// these have to write their results to the same memory, which the host can
/// then name before it chooses. Empty if they can.
std::string findChoiceObstacle(KernelOp first, KernelOp second);

/// Replaces both kernels by an `scf.if` in front of `first`, whose operands and
/// those of `second`, but for the inputs `chained`, are there. Where the extent
/// of the scanned dimension is `most` at most, one kernel scans in both
/// directions (see mergeKernels); elsewhere the two are as they were. All have
/// their range of steps (setStepsRange).
void chooseBidirectional(RewriterBase &rewriter, KernelOp first,
                         KernelOp second, ArrayRef<unsigned> chained,
                         int64_t most);

/// The same where there are `least` independent scans at least; without ranges
/// of steps.
void chooseByScans(RewriterBase &rewriter, KernelOp first, KernelOp second,
                   ArrayRef<unsigned> chained, int64_t least);

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_FUSION_BIDIRECTIONALCHOICE_H
