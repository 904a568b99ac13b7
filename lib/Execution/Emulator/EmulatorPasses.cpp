//===- EmulatorPasses.cpp - From a GPU module to the emulator -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pipelines/SimplifyKernels.h"
#include "Scan/Execution/Emulator/Passes.h"
#include "Scan/Pipelines/Passes.h"
#include "Scan/Pipelines/ScanToGPU.h"
#include "Scan/Pipelines/ScanToPTX.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void mlir::scan::buildGPUToFibersPipeline(OpPassManager &pm, bool checkMemory) {
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(memref::createExpandOpsPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createConvertComplexToStandardPass());
  // Neither bf16 arithmetic nor conversions are left to LLVM: the run-time
  // library that it would call is not everywhere.
  pm.addPass(math::createMathExtendToSupportedTypes());
  arith::ArithEmulateUnsupportedFloatsOptions emulate;
  emulate.sourceTypeStrs = {"bf16"};
  emulate.targetTypeStr = "f32";
  pm.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
  // Those of kernels are checked with their accesses to memory.
  pm.addNestedPass<func::FuncOp>(createScanCheckDivisions());
  pm.addPass(createScanExpandArith());
  // libm, which the conversion prefers to what LLVM has, has no rsqrt. Before
  // the pass above, which drops their flags, this one would fold roundings to
  // bf16 away.
  pm.addPass(math::createMathExpandOpsPass({{"rsqrt"}}));
  pm.addPass(createSCFToControlFlowPass());
  ConvertGPUToFibersOptions fibers;
  fibers.checkMemory = checkMemory;
  pm.addPass(scan::createConvertGPUToFibers(fibers));
  pm.addPass(scan::createScanBF16AsBits());
}

/// The kernels are those of --scan-to-ptx, before the conversion to NVVM; only
/// the host differs, which returns its results.
static void setKernelOptions(ScanToGPUOptions &kernels, bool dispatch,
                             StridedArguments stridedArguments,
                             int64_t maxStateBytes) {
  kernels.dispatch = dispatch;
  kernels.stridedArguments = stridedArguments;
  kernels.maxStateBytes = maxStateBytes;
  kernels.outParams = false;
}

/// From schedules on.
static void addSchedulesToEmulator(OpPassManager &pm,
                                   const ScanToGPUOptions &kernels,
                                   bool checkMemory, bool renameAll) {
  buildSchedulesToLaunchesPipeline(pm, kernels.chip);
  OpPassManager &gpuModule = pm.nest<gpu::GPUModuleOp>();
  addKernelSimplification(gpuModule);
  buildGPUModuleToBranchesPipeline(gpuModule);
  addKernelCanonicalizer(gpuModule.nest<gpu::GPUFuncOp>());
  pm.addPass(createScanCheckStatus());
  // Of what is left on the host, loops work on the memory of the kernels. It
  // is not freed in between: the executable does that after the run.
  pm.addPass(createScanExpandCopies());
  pm.addPass(createConvertBufferizationToMemRefPass());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addPass(createScanRenameSymbols({renameAll}));
  buildGPUToFibersPipeline(pm, checkMemory);
}

void mlir::scan::buildScanToEmulatorPipeline(OpPassManager &pm,
                                             bool checkMemory, bool dispatch,
                                             bool renameAll,
                                             StridedArguments stridedArguments,
                                             int64_t maxStateBytes) {
  ScanToGPUOptions kernels;
  setKernelOptions(kernels, dispatch, stridedArguments, maxStateBytes);
  buildScanToSchedulesPipeline(pm, kernels);
  addSchedulesToEmulator(pm, kernels, checkMemory, renameAll);
}

LogicalResult mlir::scan::lowerToEmulator(ModuleOp module, bool checkMemory,
                                          bool dispatch,
                                          StridedArguments stridedArguments,
                                          int64_t maxStateBytes) {
  ScanToGPUOptions options;
  setKernelOptions(options, dispatch, stridedArguments, maxStateBytes);
  auto schedules = PassManager::on<ModuleOp>(module.getContext());
  buildScanToSchedulesPipeline(schedules, options);
  auto kernels = PassManager::on<ModuleOp>(module.getContext());
  kernels.enableVerifier(false);
  addSchedulesToEmulator(kernels, options, checkMemory, /*renameAll=*/true);
  return success(succeeded(schedules.run(module)) &&
                 succeeded(kernels.run(module)) && succeeded(verify(module)));
}

void mlir::scan::registerEmulatorPasses() {
  scan::registerScanEmulatorPasses();
  PassPipelineRegistration<>(
      "scan-gpu-to-fibers",
      "take host code and GPU modules to the LLVM "
      "dialect for the SIMT emulator",
      [](OpPassManager &pm) { buildGPUToFibersPipeline(pm); });
  PassPipelineRegistration<>(
      "scan-to-emulator",
      "take scans on tensors, and kernels that are there already, to the LLVM "
      "dialect for the SIMT emulator",
      [](OpPassManager &pm) { buildScanToEmulatorPipeline(pm); });
}
