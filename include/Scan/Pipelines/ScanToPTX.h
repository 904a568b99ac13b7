//===- ScanToPTX.h - From graph-level scans to PTX --------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_PIPELINES_SCANTOPTX_H
#define SCAN_PIPELINES_SCANTOPTX_H

#include "Scan/Pipelines/ScanToGPU.h"
#include "Scan/Target/PTX.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
class TimingScope;
} // namespace mlir

namespace mlir::scan {

struct ScanToPTXOptions : public GPUPipelineOptions<ScanToPTXOptions> {};

/// Adds the part of `buildGPUModuleToNVVMPipeline` that says nothing about
/// NVIDIA hardware: what comes out is what a GPU, or the emulator of one, runs.
/// Complex arithmetic is expanded unless kernels have none, as `hasComplex`
/// says.
void buildGPUModuleToBranchesPipeline(OpPassManager &gpuModule,
                                      bool hasComplex = true);

/// Adds the passes that lower the body of a gpu.module from the portable
/// dialects to LLVM and NVVM: pointers as arguments, math functions as calls
/// into libdevice.
void buildGPUModuleToNVVMPipeline(OpPassManager &gpuModule,
                                  bool hasComplex = true);

/// Adds the passes of `--scan-to-ptx` to a pipeline on modules:
/// `--scan-to-gpu`, then all kernels in one gpu.module in the LLVM and NVVM
/// dialects with an #nvvm.target attached.
void buildScanToPTXPipeline(OpPassManager &pm, const ScanToPTXOptions &options);

void registerScanToPTXPipeline();

/// What to compile for.
struct PTXOptions : PTXTarget {
  /// Whether scans with dynamic extents may be compiled several times, with
  /// schedules for different extents, among which the launcher chooses.
  bool dispatch = true;
  /// At most how many such schedules per scan, as long as each makes it faster;
  /// 0: as many as are worth their compilation.
  unsigned maxVariants = 0;
  /// The strides and offsets that launchers may pass with tensor arguments.
  StridedArguments stridedArguments = StridedArguments::None;
  /// The most bytes of states that fusion may give a thread for each scan.
  int64_t maxStateBytes = kDefaultMaxStateBytes;
  /// The file with schedules that scan-tune measured; empty takes the one that
  /// the environment variable SCAN_TUNING names, if it is set.
  std::string tuning;
};

/// Compiles the public functions of `module`, which hold scans on tensors, to
/// one PTX text and the manifest that says how to launch its kernels
/// (docs/manifest.md). `module` is lowered in place. Errors are emitted as
/// diagnostics; the texts are unchanged then. The context needs the dialects of
/// registerAllDialects. The times of passes, LLVM's among them, go to `timing`.
LogicalResult compileToPTX(ModuleOp module, const PTXOptions &options,
                           std::string &ptx, std::string &manifestJson,
                           TimingScope *timing = nullptr);

} // namespace mlir::scan

#endif // SCAN_PIPELINES_SCANTOPTX_H
