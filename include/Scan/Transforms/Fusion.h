//===- Fusion.h - What kernels are fused with -------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TRANSFORMS_FUSION_H
#define SCAN_TRANSFORMS_FUSION_H

#include "Scan/IR/ScanDialect.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class RewritePatternSet;
class RewriterBase;
} // namespace mlir

namespace mlir::scan {

/// Where `--scan-bidirectional` expects a kernel that scans in both directions
/// to read its inputs once.
enum class BidirectionalTarget {
  /// In a block that holds a row in one tile.
  GPU,
  /// In loops that walk a row in the cache.
  CPU
};

#define GEN_PASS_DECL_SCANBIDIRECTIONAL
#define GEN_PASS_DECL_SCANFUSEELEMENTWISE
#define GEN_PASS_DECL_SCANFUSEREDUCTIONOUTPUTS
#define GEN_PASS_DECL_SCANSPLITRESULTS
#define GEN_PASS_DECL_SCANUNROLLCONVOLUTIONS
#include "Scan/Transforms/Passes.h.inc"

/// How often the patterns below were applied, and how often two kernels were
/// merged.
struct FusionCounters {
  unsigned producers = 0, consumers = 0, reductions = 0, unrolled = 0,
           slices = 0, kernels = 0, moves = 0;
};

/// What `--scan-fuse-elementwise` may do; its options say more.
struct FusionOptions {
  /// The most bytes of leaves under one point of an unrolled domain.
  int64_t maxStateBytes = 256;
  /// The most 32-bit registers that a step of an unrolled kernel may take, by
  /// an estimate; 0: as many as it takes.
  int64_t maxRegisters = 0;
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

} // namespace mlir::scan

#endif // SCAN_TRANSFORMS_FUSION_H
