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

/// Lowers `module` up to the launches, with all kernels in one gpu.module: as
/// the emitters have made them, or with `simplify` simplified. Kernels are not
/// verified: lowerToPTX does that.
LogicalResult lowerToLaunches(ModuleOp module, const PTXOptions &options,
                              bool simplify, TimingScope *timing = nullptr);

/// Checks the target, and gives it the PTX ISA version that its chip needs
/// where it has none.
LogicalResult resolveTarget(ModuleOp module, PTXTarget &target);

/// Gives `target` the PTX ISA version that the kernels of `module` need. That
/// is an error where `asked` says which one to use.
LogicalResult raiseISA(ModuleOp module, const PTXTarget &asked,
                       PTXTarget &target);

/// Lowers the kernels of `module`, which are simplified and in `kernels`, and
/// translates them, `isPart` as translateToPTX takes it.
FailureOr<std::string> lowerToPTX(ModuleOp module,
                                  ArrayRef<gpu::GPUModuleOp> kernels,
                                  const PTXTarget &target, TimingScope *timing,
                                  bool isPart = false);

} // namespace mlir::scan

#endif // SCAN_LIB_PIPELINES_PTXSTEPS_H
