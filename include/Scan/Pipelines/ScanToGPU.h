//===- ScanToGPU.h - From graph-level scans to kernels ----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_PIPELINES_SCANTOGPU_H
#define SCAN_PIPELINES_SCANTOGPU_H

#include "Scan/Pipelines/MaxStateBytes.h"
#include "Scan/Pipelines/StridedArguments.h"
#include "Scan/Prove/ProveMode.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::scan {

/// The options that --scan-to-gpu and --scan-to-ptx have in common.
template <typename Options>
struct GPUPipelineOptions : public PassPipelineOptions<Options> {
  mlir::detail::PassOptions::Option<std::string> chip{
      *this, "chip",
      llvm::cl::desc("GPU to compile for, such as sm_80 or sm_90; an "
                     "unknown one is an error that lists them"),
      llvm::cl::init("sm_90")};
  mlir::detail::PassOptions::Option<bool> dispatch{
      *this, "dispatch",
      llvm::cl::desc(
          "Compile scans with dynamic extents several times, with schedules "
          "for different extents; the host chooses when it knows them"),
      llvm::cl::init(true)};
  mlir::detail::PassOptions::Option<unsigned> maxVariants{
      *this, "max-variants",
      llvm::cl::desc("At most so many kernels per scan with dynamic extents, "
                     "as long as each makes it faster (0: as many as are "
                     "worth their compilation)"),
      llvm::cl::init(0)};
  StridedArgumentsOption stridedArguments{*this};
  MaxStateBytesOption maxStateBytes{*this};
  ProveModeOption prove{*this};
  mlir::detail::PassOptions::Option<std::string> tuning{
      *this, "tuning",
      llvm::cl::desc("File with schedules that scan-tune measured, which are "
                     "preferred (default: the one that the environment "
                     "variable SCAN_TUNING names)"),
      llvm::cl::init("")};
};

struct ScanToGPUOptions : public GPUPipelineOptions<ScanToGPUOptions> {
  mlir::detail::PassOptions::Option<bool> checkHost{
      *this, "check-host",
      llvm::cl::desc("Reject functions with operations that are left outside "
                     "of the kernels (--scan-check-gpu-host)"),
      llvm::cl::init(false)};
  mlir::detail::PassOptions::Option<bool> outParams{
      *this, "out-params",
      llvm::cl::desc("Make out-parameters of results "
                     "(--scan-results-to-out-params)"),
      llvm::cl::init(true)};
};

/// Adds the passes of `--scan-to-gpu` to a pipeline on modules: graph-level
/// scans on tensors become kernels in a gpu.module and their launches from
/// functions on memrefs: without layout maps, but for those of arguments with
/// `stridedArguments`.
void buildScanToGPUPipeline(OpPassManager &pm, const ScanToGPUOptions &options);

/// Adds the same but for the last passes, which simplify what is in the
/// kernels and leave the host's code alone.
void buildScanToLaunchesPipeline(OpPassManager &pm,
                                 const ScanToGPUOptions &options);

/// The two parts of that: what ends with a schedule for each scan, and what
/// makes kernels and launches.
void buildScanToSchedulesPipeline(OpPassManager &pm,
                                  const ScanToGPUOptions &options);
void buildSchedulesToLaunchesPipeline(OpPassManager &pm, llvm::StringRef chip);

void registerScanToGPUPipeline();

} // namespace mlir::scan

#endif // SCAN_PIPELINES_SCANTOGPU_H
