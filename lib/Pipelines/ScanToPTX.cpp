//===- ScanToPTX.cpp - From graph-level scans to PTX ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Pipelines/ScanToPTX.h"
#include "Scan/Pipelines/Passes.h"
#include "Scan/Pipelines/ScanToGPU.h"
#include "Scan/Target/Passes.h"
#include "SimplifyKernels.h"
#include "Target/Chips.h"
#include "Target/KernelModules.h"
#include "Target/Manifest.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::scan;

void mlir::scan::buildGPUModuleToBranchesPipeline(OpPassManager &gpuModule) {
  OpPassManager &kernels = gpuModule.nest<gpu::GPUFuncOp>();
  kernels.addPass(createConvertComplexToStandardPass());
  kernels.addPass(createScanExpandViews());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createSCFToControlFlowPass());
  addKernelCanonicalizer(kernels);
}

void mlir::scan::buildGPUModuleToNVVMPipeline(OpPassManager &gpuModule) {
  buildGPUModuleToBranchesPipeline(gpuModule);
  ConvertGpuOpsToNVVMOpsOptions convert;
  convert.useBarePtrCallConv = true;
  convert.indexBitwidth = 64;
  gpuModule.addPass(createConvertGpuOpsToNVVMOps(convert));
  // What libdevice has no function for: math.trunc, math.absi, math.ctpop.
  gpuModule.addPass(createConvertMathToLLVMPass());
  gpuModule.addPass(createReconcileUnrealizedCastsPass());
  gpuModule.addPass(createVectorizedAccessesToPTXPass());
}

/// `--scan-to-gpu` with everything on the host checked and all kernels in one
/// module.
static void buildKernels(OpPassManager &pm, StringRef chip, bool dispatch,
                         StringRef tuning, StridedArguments stridedArguments) {
  ScanToGPUOptions kernels;
  kernels.chip = chip.str();
  kernels.dispatch = dispatch;
  kernels.stridedArguments = stridedArguments;
  kernels.tuning = tuning.str();
  kernels.checkHost = true;
  buildScanToGPUPipeline(pm, kernels);
  pm.addPass(createMergeGPUModulesPass());
}

void mlir::scan::buildScanToPTXPipeline(OpPassManager &pm,
                                        const ScanToPTXOptions &options) {
  addProofs(pm, options.prove);
  buildKernels(pm, options.chip, options.dispatch, options.tuning,
               options.stridedArguments);
  // Before the lowering, which may find that the version is too old.
  GpuNVVMAttachTargetOptions attach;
  attach.chip = options.chip;
  attach.optLevel = 3;
  if (const Chip *chip = lookupChip(options.chip))
    attach.features = "+ptx" + std::to_string(chip->ptxIsa);
  pm.addPass(createGpuNVVMAttachTarget(attach));
  buildGPUModuleToNVVMPipeline(pm.nest<gpu::GPUModuleOp>());
}

void mlir::scan::registerScanToPTXPipeline() {
  PassPipelineRegistration<ScanToPTXOptions>(
      "scan-to-ptx",
      "Turn scans on tensors into GPU kernels in the NVVM dialect",
      buildScanToPTXPipeline);
}

LogicalResult mlir::scan::compileToPTX(ModuleOp module,
                                       const PTXOptions &options,
                                       std::string &ptx,
                                       std::string &manifestJson,
                                       TimingScope *timing) {
  llvm::Expected<unsigned> isa = resolvePTXIsa(options);
  if (!isa)
    return module.emitError() << llvm::toString(isa.takeError());
  TimingScope untimed;
  if (!timing)
    timing = &untimed;
  auto kernels = PassManager::on<ModuleOp>(module.getContext());
  kernels.enableTiming(*timing);
  buildKernels(kernels, options.chip, options.dispatch, options.tuning,
               options.stridedArguments);
  if (failed(kernels.run(module)))
    return failure();

  PTXTarget target = options;
  if (unsigned required = getRequiredPTXIsa(module); required > *isa) {
    if (options.ptxIsa != 0)
      return module.emitError()
             << "expected PTX ISA " << required / 10 << "." << required % 10
             << " or newer, found " << *isa / 10 << "." << *isa % 10
             << ": a scan over the grid reads and writes 16 bytes at once; "
                "leave the version out, or give the scan a schedule with "
                "scope = block";
    target.ptxIsa = *isa = required;
  }

  // The manifest reads what the next step removes.
  FailureOr<std::string> manifest = buildManifest(module, options.chip, *isa);
  if (failed(manifest))
    return failure();

  SmallVector<gpu::GPUModuleOp> modules = splitKernels(module);
  auto lowering = PassManager::on<ModuleOp>(module.getContext());
  lowering.enableTiming(*timing);
  // Upstream's passes; what comes out is verified once.
  lowering.enableVerifier(false);
  buildGPUModuleToNVVMPipeline(lowering.nest<gpu::GPUModuleOp>());
  if (failed(lowering.run(module)) || failed(verify(module)))
    return failure();
  // Functions that return what they were given take no kernel.
  if (modules.empty()) {
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    modules.push_back(
        gpu::GPUModuleOp::create(b, module.getLoc(), "scan_kernels"));
  }
  FailureOr<std::string> text = translateToPTX(modules, target, timing);
  if (failed(text))
    return failure();
  ptx = std::move(*text);
  manifestJson = std::move(*manifest);
  addPTXHash(manifestJson, ptx);
  return success();
}
