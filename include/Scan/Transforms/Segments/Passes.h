//===- Passes.h - Segments of scans -----------------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TRANSFORMS_SEGMENTS_PASSES_H
#define SCAN_TRANSFORMS_SEGMENTS_PASSES_H

#include "Scan/IR/ScanDialect.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class RewriterBase;
} // namespace mlir

namespace mlir::scan {

#define GEN_PASS_DECL
#include "Scan/Transforms/Segments/Passes.h.inc"

/// What is to happen at run time where offsets are none.
enum class OffsetsChecking {
  /// Results are unspecified.
  None,
  /// The program stops.
  Stop,
  /// Kernels of a GPU report it.
  InKernels
};

/// Replaces `op`, whose segments are offsets, by a scan with flags, and returns
/// that; `op` itself if it has no offsets.
AssociativeOp expandSegmentOffsets(RewriterBase &rewriter, AssociativeOp op,
                                   OffsetsChecking checking);
LinearRecurrenceOp expandSegmentOffsets(RewriterBase &rewriter,
                                        LinearRecurrenceOp op,
                                        OffsetsChecking checking);

/// What `--scan-expand-recurrence-segments` does, to all recurrences in `root`.
/// With `scatters` final states are made by operations that have derivatives.
void expandRecurrenceSegments(Operation *root, OffsetsChecking checking,
                              bool scatters = false);

/// Replaces inputs of kernels that are states of segments, one per step, as
/// --scan-expand-segments gathers them, by the states themselves as gathered
/// inputs; `op` is what gathers, and is erased if nothing else uses it. Returns
/// how many inputs.
unsigned fuseSegmentInits(RewriterBase &rewriter, Operation *op);

/// Replaces inputs of kernels that are `op` by lists of segment offsets, where
/// --scan-fuse-segment-offsets says that this is done for kernels that have at
/// most `maxScans` independent scans; returns how many kernels. Then
/// lowers what is left of `op`, if it is used, to a tensor that is computed by
/// bisection of the offsets, and erases it.
unsigned fuseSegmentOffsets(RewriterBase &rewriter, HeadFlagsOp op,
                            int64_t maxScans);

#define GEN_PASS_REGISTRATION
#include "Scan/Transforms/Segments/Passes.h.inc"

} // namespace mlir::scan

#endif // SCAN_TRANSFORMS_SEGMENTS_PASSES_H
