//===- PTX.h - GPU modules to PTX text --------------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TARGET_PTX_H
#define SCAN_TARGET_PTX_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir {
class DialectRegistry;
class Operation;
} // namespace mlir

namespace mlir::scan {

/// What to make PTX for, and with what.
struct PTXTarget {
  /// One of getKnownChips().
  std::string chip = "sm_90";
  /// PTX ISA version, major * 10 + minor; 0 takes the chip's own, or what the
  /// kernels need if that is newer. A version that is older than the chip's, or
  /// than the kernels need, is an error.
  unsigned ptxIsa = 0;
  /// Path of libdevice.10.bc; empty looks for it (CudaToolkit.h). Read only if
  /// a kernel calls a math function.
  std::string libdevice;
  /// LLVM's optimisation level, 0 to 3: at 3, those of its passes that kernels
  /// need, which are fewer than those of LLVM's own.
  unsigned optLevel = 3;
};

/// Checks the chip, the PTX ISA version and the level; returns the PTX ISA
/// version to use, or an error that names what would do.
llvm::Expected<unsigned> resolvePTXIsa(const PTXTarget &target);

/// The PTX ISA version that the kernels in `root` need whatever the chip, 0 if
/// any does: 83 for relaxed accesses of 16 bytes.
unsigned getRequiredPTXIsa(Operation *root);

/// Adds the translations to LLVM IR that kernels need to become PTX.
void registerPTXTranslation(DialectRegistry &registry);

} // namespace mlir::scan

#endif // SCAN_TARGET_PTX_H
