//===- Passes.h - Passes of the SIMT emulator -------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_EXECUTION_EMULATOR_PASSES_H
#define SCAN_EXECUTION_EMULATOR_PASSES_H

#include "Scan/Pipelines/MaxStateBytes.h"
#include "Scan/Pipelines/StridedArguments.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;

namespace scan {

#define GEN_PASS_DECL
#include "Scan/Execution/Emulator/Passes.h.inc"

/// Adds the passes that take a module with host code and `gpu.module`s, as it
/// stands before the conversion to NVVM, to the LLVM dialect for the emulator.
/// With `checkMemory` every access to memory is a call of the runtime as well.
/// Registered as `--scan-gpu-to-fibers`.
void buildGPUToFibersPipeline(OpPassManager &pm, bool checkMemory = false);

/// Adds the passes that EmulatorExecutable runs: from scans on tensors to the
/// LLVM dialect, with the kernels that `--scan-to-ptx` would translate. Kernels
/// and launches that are there already pass through. With `renameAll` functions
/// of the host get the name of `getRenamedSymbol`. Registered as
/// `--scan-to-emulator`.
void buildScanToEmulatorPipeline(
    OpPassManager &pm, bool checkMemory = false, bool dispatch = true,
    bool renameAll = false,
    StridedArguments stridedArguments = StridedArguments::None,
    int64_t maxStateBytes = kDefaultMaxStateBytes);

/// Runs that pipeline with `renameAll`. Programs are verified after each pass
/// up to their schedules, and what becomes of them once: to verify kernels
/// after each pass takes longer than the passes.
LogicalResult lowerToEmulator(ModuleOp module, bool checkMemory, bool dispatch,
                              StridedArguments stridedArguments,
                              int64_t maxStateBytes);

/// Registers the pass and the pipelines under their names.
void registerEmulatorPasses();

#define GEN_PASS_REGISTRATION
#include "Scan/Execution/Emulator/Passes.h.inc"

} // namespace scan
} // namespace mlir

#endif // SCAN_EXECUTION_EMULATOR_PASSES_H
