//===- PTXSteps.h - The steps from scans to PTX -----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// compileToPTX takes them for all kernels, KernelCompiler for one after the
// other: up to the launches, which the manifest is made of, and from there to
// PTX.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PIPELINES_PTXSTEPS_H
#define SCAN_LIB_PIPELINES_PTXSTEPS_H

#include "Scan/Pipelines/ScanToPTX.h"
#include "Target/Manifest.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::scan {

/// Lowers `module` up to the launches, with all kernels in one gpu.module, as
/// the emitters have made them: they are neither simplified nor verified.
LogicalResult lowerToLaunches(ModuleOp module, const PTXOptions &options,
                              TimingScope *timing = nullptr);

/// Checks the target, and gives it the PTX ISA version that its chip needs
/// where it has none.
LogicalResult resolveTarget(ModuleOp module, PTXTarget &target);

/// Gives `target` the PTX ISA version that the kernels of `module` need. That
/// is an error where `asked` says which one to use.
LogicalResult raiseISA(ModuleOp module, const PTXTarget &asked,
                       PTXTarget &target);

/// Simplifies, lowers and translates `kernels`, the gpu.modules of `module`, to
/// one PTX text. Each goes all the way by itself, the largest first, as many at
/// a time as the context has threads. With `isPart` a single one is named as
/// one of several.
FailureOr<std::string> lowerToPTX(ModuleOp module,
                                  ArrayRef<gpu::GPUModuleOp> kernels,
                                  const PTXTarget &target, TimingScope *timing,
                                  bool isPart = false);

} // namespace mlir::scan

#endif // SCAN_LIB_PIPELINES_PTXSTEPS_H
