//===- Passes.h - scan.kernel to gpu kernels --------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_CONVERSION_SCANTOGPU_PASSES_H
#define SCAN_CONVERSION_SCANTOGPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class RewriterBase;
} // namespace mlir

namespace mlir::scan {

class KernelOp;

#define GEN_PASS_DECL
#include "Scan/Conversion/ScanToGPU/Passes.h.inc"

/// Makes a `gpu.func` of `kernel`, in the `gpu.module @scan_kernels` of the
/// module around it, which is made if there is none, and replaces `kernel` by
/// its launch, which is returned. Fails after an error was emitted at the
/// kernel, with the IR unchanged, if it is not on memrefs with a strided
/// layout, has no schedule, or is in device code already.
FailureOr<Operation *> lowerKernelToGPU(RewriterBase &rewriter,
                                        KernelOp kernel);

#define GEN_PASS_REGISTRATION
#include "Scan/Conversion/ScanToGPU/Passes.h.inc"

} // namespace mlir::scan

#endif // SCAN_CONVERSION_SCANTOGPU_PASSES_H
