//===- ScanToFused.h - The passes on tensors --------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_PIPELINES_SCANTOFUSED_H
#define SCAN_PIPELINES_SCANTOFUSED_H

#include "Scan/Pipelines/MaxStateBytes.h"
#include "Scan/Transforms/Fusion.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::scan {

/// Options of `--scan-to-fused`.
struct ScanToFusedOptions : PassPipelineOptions<ScanToFusedOptions> {
  PassOptions::Option<BidirectionalTarget> target{
      *this, "target",
      llvm::cl::desc("What the program is to be lowered to, which decides what "
                     "fuses"),
      llvm::cl::init(BidirectionalTarget::GPU),
      llvm::cl::values(
          clEnumValN(BidirectionalTarget::GPU, "gpu", "to GPU kernels"),
          clEnumValN(BidirectionalTarget::CPU, "cpu", "to loops"))};
  MaxStateBytesOption maxStateBytes{*this};
};

/// What the passes on tensors are told, in all pipelines.
struct TensorPassOptions {
  /// Whether the program stops where an index is outside of its tensor.
  bool checkBounds = false;
  /// Whether z3 is asked about loops whose updates have no known form.
  bool proveUpdates = false;
  /// Limits fusion as FusionOptions say; so do, for a GPU, the registers of a
  /// thread.
  int64_t maxStateBytes = kDefaultMaxStateBytes;
};

/// Adds the passes on tensors, which all targets begin with: what loops and
/// segments mean, normalisation, fusion. What is fused into no kernel becomes
/// as few linalg operations as possible.
void buildScanToFusedPipeline(OpPassManager &manager, bool isForGPU,
                              const TensorPassOptions &options = {});

/// Registers `--scan-to-fused`, which is this without checks: what
/// `--scan-print-traffic` is to count, or a user wants to look at.
void registerScanToFusedPipeline();

} // namespace mlir::scan

#endif // SCAN_PIPELINES_SCANTOFUSED_H
