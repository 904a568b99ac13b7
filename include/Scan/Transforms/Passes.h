//===- Passes.h - Passes from scans to scans --------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes of this folder and their patterns. The reference for each pass is
// its text in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TRANSFORMS_PASSES_H
#define SCAN_TRANSFORMS_PASSES_H

#include "Scan/IR/ScanDialect.h"
#include "mlir/Pass/Pass.h"
#include <string>

namespace mlir {
class RewritePatternSet;
class RewriterBase;
} // namespace mlir

namespace mlir::scan {

/// What `--scan-differentiate` does about elementwise values that the way
/// forward and the way back both read.
enum class RecomputeMode {
  /// They are computed once, and stored.
  Never,
  /// Each way computes them for itself.
  Always,
  /// Each way computes them for itself where that reads no more bytes than
  /// storing them moves.
  Auto
};

/// Where `--scan-bidirectional` expects a kernel that scans both ways to read
/// its inputs once.
enum class BidirectionalTarget {
  /// In a block that holds a row in one tile.
  GPU,
  /// In loops that walk a row in the cache.
  CPU
};

#define GEN_PASS_DECL
#include "Scan/Transforms/Passes.h.inc"

/// Why a scan cannot be normalised: the operation in the way, and the reason as
/// the rest of a sentence that starts with the operation.
struct NormalizeObstacle {
  Operation *op = nullptr;
  std::string reason;
};

/// Replaces `op` by the kernel that computes the same, and returns it: null
/// where no leaf has an element, and nothing but empty tensors is left. On
/// failure the IR is unchanged and `obstacle` says what was in the way; no
/// diagnostic is emitted.
FailureOr<KernelOp> normalizeScan(RewriterBase &rewriter, AssociativeOp op,
                                  NormalizeObstacle &obstacle);
/// The same for recurrences, which always have a kernel.
KernelOp normalizeScan(RewriterBase &rewriter, LinearRecurrenceOp op);

/// The patterns of `--scan-normalize`, one per op.
void populateScanNormalizePatterns(RewritePatternSet &patterns);

/// Replaces `op`, a shift that no kernel has swallowed, by the slices that it
/// consists of.
LogicalResult lowerShiftToSlices(RewriterBase &rewriter, ShiftOp op);

/// How often the patterns below were applied, and how often two kernels were
/// merged.
struct FusionCounters {
  unsigned producers = 0, consumers = 0, reductions = 0, unrolled = 0,
           slices = 0, kernels = 0;
};

/// What `--scan-fuse-elementwise` may do; its options say more.
struct FusionOptions {
  /// The most bytes of leaves under one point of an unrolled domain.
  int64_t maxStateBytes = 256;
  /// The most times that a value of expensive code may be computed.
  int64_t maxRecompute = 4;
};

/// The patterns of `--scan-fuse-elementwise`, with the canonicalisations that
/// they need in between. `counters` may be null; otherwise it must live as long
/// as the patterns.
void populateScanFuseElementwisePatterns(RewritePatternSet &patterns,
                                         FusionCounters *counters = nullptr,
                                         const FusionOptions &options = {});

/// Applies these patterns to one kernel until nothing changes, and erases the
/// producers that nobody uses any more. Returns the kernel that `kernel` has
/// become; null if nobody uses its results, so that it was erased. Operations
/// before the kernel that ask for the extents of elementwise results ask for
/// those of an operand then; nothing else changes.
KernelOp fuseElementwise(RewriterBase &rewriter, KernelOp kernel,
                         const FusionOptions &options = {});

#define GEN_PASS_REGISTRATION
#include "Scan/Transforms/Passes.h.inc"

} // namespace mlir::scan

#endif // SCAN_TRANSFORMS_PASSES_H
