//===- GPUMath.h - Functions in f32 by few instructions ---------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PIPELINES_GPUMATH_H
#define SCAN_LIB_PIPELINES_GPUMATH_H

namespace mlir {
class Operation;
class RewriterBase;
} // namespace mlir

namespace mlir::scan {

/// Replaces functions below `module` of which the form of their arguments says
/// more than libdevice's ask for: sigmoids, roots of multiples, and logarithms.
/// Results are within 4 units in the last place, those below 2^-126 included.
/// Also writes as one instruction how the upper one of two numbers in bf16
/// becomes f32.
void shortenMath(RewriterBase &rewriter, Operation *module);

} // namespace mlir::scan

#endif // SCAN_LIB_PIPELINES_GPUMATH_H
