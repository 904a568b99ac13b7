//===- Differentiate.h - Derivatives ----------------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TRANSFORMS_DIFFERENTIATE_H
#define SCAN_TRANSFORMS_DIFFERENTIATE_H

#include "mlir/Pass/Pass.h"

namespace mlir::scan {

/// What `--scan-differentiate` does about elementwise values that the
/// forward and the backward pass both read.
enum class RematerializeMode {
  /// They are computed once, and stored.
  Never,
  /// Each pass computes them for itself.
  Always,
  /// Each pass computes them for itself where that reads no more bytes than
  /// storing them moves.
  Auto
};

#define GEN_PASS_DECL_SCANDIFFERENTIATE
#include "Scan/Transforms/Passes.h.inc"

} // namespace mlir::scan

#endif // SCAN_TRANSFORMS_DIFFERENTIATE_H
