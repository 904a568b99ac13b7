//===- ScanToPTX.cpp - From graph-level scans to PTX ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Pipelines/ScanToPTX.h"
#include "PTXSteps.h"
#include "Scan/Pipelines/Passes.h"
#include "Scan/Pipelines/ScanToGPU.h"
#include "Scan/Target/Passes.h"
#include "SimplifyKernels.h"
#include "Target/Chips.h"
#include "Target/KernelModules.h"
#include "Target/Manifest.h"
#include "Target/PTXTranslator.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::scan;

void mlir::scan::buildGPUModuleToBranchesPipeline(OpPassManager &gpuModule,
                                                  bool hasComplex) {
  OpPassManager &kernels = gpuModule.nest<gpu::GPUFuncOp>();
  if (hasComplex)
    kernels.addPass(createConvertComplexToStandardPass());
  kernels.addPass(createScanExpandViews());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createSCFToControlFlowPass());
}

void mlir::scan::buildGPUModuleToNVVMPipeline(OpPassManager &gpuModule,
                                              bool hasComplex) {
  buildGPUModuleToBranchesPipeline(gpuModule, hasComplex);
  gpuModule.addPass(createScanGPUToNVVM());
  gpuModule.addPass(createReconcileUnrealizedCastsPass());
  gpuModule.addPass(createVectorizedAccessesToPTXPass());
}

/// What `--scan-to-gpu` is to make kernels of, with everything on the host
/// checked.
template <typename Options>
static void setKernelOptions(ScanToGPUOptions &kernels,
                             const Options &options) {
  kernels.chip = options.chip;
  kernels.dispatch = options.dispatch;
  kernels.maxVariants = options.maxVariants;
  kernels.stridedArguments = options.stridedArguments;
  kernels.maxStateBytes = options.maxStateBytes;
  kernels.tuning = options.tuning;
  kernels.checkHost = true;
}

void mlir::scan::buildScanToPTXPipeline(OpPassManager &pm,
                                        const ScanToPTXOptions &options) {
  addProofs(pm, options.prove);
  ScanToGPUOptions kernels;
  setKernelOptions(kernels, options);
  buildScanToGPUPipeline(pm, kernels);
  pm.addPass(createMergeGPUModulesPass());
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

LogicalResult mlir::scan::lowerToLaunches(ModuleOp module,
                                          const PTXOptions &options,
                                          TimingScope *timing) {
  MLIRContext *context = module.getContext();
  auto schedules = PassManager::on<ModuleOp>(context);
  ScanToGPUOptions launches;
  setKernelOptions(launches, options);
  buildScanToSchedulesPipeline(schedules, launches);
  // To verify kernels after each pass takes as long as the passes.
  auto kernels = PassManager::on<ModuleOp>(context);
  kernels.enableVerifier(false);
  buildSchedulesToLaunchesPipeline(kernels, options.chip);
  kernels.addPass(createMergeGPUModulesPass());
  if (timing) {
    schedules.enableTiming(*timing);
    kernels.enableTiming(*timing);
  }
  return success(succeeded(schedules.run(module)) &&
                 succeeded(kernels.run(module)));
}

LogicalResult mlir::scan::resolveTarget(ModuleOp module, PTXTarget &target) {
  llvm::Expected<unsigned> isa = resolvePTXIsa(target);
  if (!isa)
    return module.emitError() << llvm::toString(isa.takeError());
  target.ptxIsa = *isa;
  return success();
}

LogicalResult mlir::scan::raiseISA(ModuleOp module, const PTXTarget &asked,
                                   PTXTarget &target) {
  unsigned required = getRequiredPTXIsa(module);
  if (required <= target.ptxIsa)
    return success();
  if (asked.ptxIsa != 0)
    return module.emitError()
           << "expected PTX ISA " << required / 10 << "." << required % 10
           << " or newer, found " << asked.ptxIsa / 10 << "."
           << asked.ptxIsa % 10
           << ": a scan over the grid reads and writes 16 bytes at once; "
              "leave the version out, or give the scan a schedule with "
              "scope = block";
  target.ptxIsa = required;
  return success();
}

/// A conversion for nothing walks over kernels of thousands of operations.
static bool hasComplexOperations(ArrayRef<gpu::GPUModuleOp> kernels) {
  auto interrupt = [](Operation *op) {
    return isa_and_present<complex::ComplexDialect>(op->getDialect())
               ? WalkResult::interrupt()
               : WalkResult::advance();
  };
  return llvm::any_of(kernels, [&](gpu::GPUModuleOp module) {
    return module->walk(interrupt).wasInterrupted();
  });
}

namespace {
/// The last pass of a kernel's way.
struct TranslateToPTX
    : PassWrapper<TranslateToPTX, OperationPass<gpu::GPUModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TranslateToPTX)

  /// The texts go where `texts` has a place for their module.
  TranslateToPTX(PTXTranslator &translator,
                 const DenseMap<Operation *, std::string *> &texts,
                 TimingScope &timing)
      : translator(translator), texts(texts), timing(timing) {}

  StringRef getName() const override { return "TranslateToPTX"; }

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    // What upstream's passes make is verified once.
    if (failed(verify(module)))
      return signalPassFailure();
    TimingScope ofModule = timing.nest("LLVM");
    FailureOr<std::string> text = translator.translate(module, ofModule);
    if (failed(text))
      return signalPassFailure();
    *texts.lookup(module) = std::move(*text);
    markAllAnalysesPreserved();
  }

private:
  PTXTranslator &translator;
  const DenseMap<Operation *, std::string *> &texts;
  TimingScope &timing;
};
} // namespace

/// Brings the largest of `kernels` to the front of `module`: its compilation
/// begins first, so that no thread is left with a long one at the end.
static void sortBySize(ModuleOp module, ArrayRef<gpu::GPUModuleOp> kernels) {
  SmallVector<std::tuple<size_t, size_t, Operation *>> sizes;
  for (gpu::GPUModuleOp kernel : kernels) {
    size_t size = 0;
    kernel.walk([&](Operation *) { ++size; });
    sizes.push_back({size, sizes.size(), kernel});
  }
  llvm::sort(sizes);
  for (auto [size, number, kernel] : sizes)
    kernel->moveBefore(module.getBody(), module.getBody()->begin());
}

FailureOr<std::string>
mlir::scan::lowerToPTX(ModuleOp module, ArrayRef<gpu::GPUModuleOp> kernels,
                       const PTXTarget &target, TimingScope *timing,
                       bool isPart) {
  TimingScope untimed;
  PTXTranslator translator(target, isPart || kernels.size() > 1);
  SmallVector<std::string> texts(kernels.size());
  DenseMap<Operation *, std::string *> places;
  for (auto [kernel, text] : llvm::zip_equal(kernels, texts))
    places[kernel] = &text;
  auto lowering = PassManager::on<ModuleOp>(module.getContext());
  if (timing)
    lowering.enableTiming(*timing);
  lowering.enableVerifier(false);
  OpPassManager &passes = lowering.nest<gpu::GPUModuleOp>();
  addKernelSimplification(passes);
  buildGPUModuleToNVVMPipeline(passes, hasComplexOperations(kernels));
  passes.addPass(std::make_unique<TranslateToPTX>(translator, places,
                                                  timing ? *timing : untimed));
  sortBySize(module, kernels);
  if (failed(lowering.run(module)))
    return failure();
  return joinPTX(texts);
}

LogicalResult mlir::scan::compileToPTX(ModuleOp module,
                                       const PTXOptions &options,
                                       std::string &ptx,
                                       std::string &manifestJson,
                                       TimingScope *timing) {
  PTXTarget target = options;
  if (failed(resolveTarget(module, target)))
    return failure();
  TimingScope untimed;
  if (!timing)
    timing = &untimed;
  if (failed(lowerToLaunches(module, options, timing)) ||
      failed(raiseISA(module, options, target)))
    return failure();

  // The manifest reads what the next step removes.
  FailureOr<std::string> manifest =
      buildManifest(module, target.chip, target.ptxIsa);
  if (failed(manifest))
    return failure();

  SmallVector<gpu::GPUModuleOp> modules = splitKernels(module);
  // Functions that return what they were given take no kernel.
  if (modules.empty()) {
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    modules.push_back(
        gpu::GPUModuleOp::create(b, module.getLoc(), "scan_kernels"));
  }
  FailureOr<std::string> text = lowerToPTX(module, modules, target, timing);
  if (failed(text))
    return failure();
  ptx = std::move(*text);
  manifestJson = std::move(*manifest);
  addPTXHash(manifestJson, ptx);
  return success();
}
