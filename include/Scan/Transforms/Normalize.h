//===- Normalize.h - From graph-level operations to kernels -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TRANSFORMS_NORMALIZE_H
#define SCAN_TRANSFORMS_NORMALIZE_H

#include "Scan/IR/ScanDialect.h"
#include "mlir/Pass/Pass.h"
#include <string>

namespace mlir {
class RewritePatternSet;
class RewriterBase;
} // namespace mlir

namespace mlir::scan {

class RecurrenceOp;

#define GEN_PASS_DECL_SCANFASTMATH
#define GEN_PASS_DECL_SCANNORMALIZE
#define GEN_PASS_DECL_SCANNORMALIZERECURRENCE
#define GEN_PASS_DECL_SCANSHIFTTOSLICES
#define GEN_PASS_DECL_SCANSINKSCALARS
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
/// The same for general recurrences whose steps are pointwise: an obstacle is
/// what makes a step read other lanes than its own.
FailureOr<KernelOp> normalizeScan(RewriterBase &rewriter, RecurrenceOp op,
                                  NormalizeObstacle &obstacle);

/// What `--scan-fast-math` does, to all operations in `root`.
void allowFastMath(Operation *root);

/// The patterns of `--scan-normalize`, one per op.
void populateScanNormalizePatterns(RewritePatternSet &patterns);

/// Replaces `op`, a shift that was fused into no kernel, by the slices that it
/// consists of.
LogicalResult lowerShiftToSlices(RewriterBase &rewriter, ShiftOp op);

} // namespace mlir::scan

#endif // SCAN_TRANSFORMS_NORMALIZE_H
