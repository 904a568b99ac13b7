//===- ScanToGPU.cpp - From graph-level scans to kernels ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Pipelines/ScanToGPU.h"
#include "Scan/Conversion/LinalgToGPU/Passes.h"
#include "Scan/Conversion/RecurrenceToGPU/Passes.h"
#include "Scan/Conversion/ScanToGPU/Passes.h"
#include "Scan/Pipelines/ScanToCPU.h"
#include "Scan/Schedule/Passes.h"
#include "Scan/Target/Passes.h"
#include "Scan/Transforms/Passes.h"
#include "SimplifyKernels.h"
#include "Target/Chips.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::scan;

void mlir::scan::buildScanToSchedulesPipeline(OpPassManager &pm,
                                              const ScanToGPUOptions &options) {
  addProofs(pm, options.prove);
  // Inlining folds.
  pm.addPass(createScanFoldEqualOperands());
  // A launch belongs to the function that the user calls: no calls between.
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  // Where nothing runs on the host, nobody could read a scalar of memory.
  if (options.checkHost)
    pm.addPass(createScalarResultsToTensorsPass());
  TensorPassOptions tensors;
  tensors.proveUpdates = options.prove == ProveMode::SMT;
  tensors.maxStateBytes = options.maxStateBytes;
  buildScanToFusedPipeline(pm, /*isForGPU=*/true, tensors);
  pm.addPass(createScanScatterToLinalg());
  if (options.checkHost)
    pm.addNestedPass<func::FuncOp>(createCheckGPUHostPass());
  pm.addPass(createScanReductionsToKernels());
  // What no kernel of one thread per lane computes.
  ScanRecurrenceToBlocksOptions recurrences;
  if (const Chip *chip = lookupChip(options.chip)) {
    recurrences.sharedMemory = chip->maxSharedPerBlock;
    recurrences.processors = chip->numSMs;
  }
  pm.addPass(createScanRecurrenceToBlocks(recurrences));
  buildFusedToBuffersPipeline(pm, /*writableArguments=*/false,
                              options.stridedArguments);
  // Extents of allocations have become those of arguments: the out-parameters
  // that allocations are replaced by have no extents to ask for.
  if (options.outParams)
    pm.addPass(createResultsToOutParamsPass());

  ScanAssignScheduleOptions schedule;
  schedule.chip = options.chip;
  schedule.dispatch = options.dispatch;
  schedule.maxVariants = options.maxVariants;
  schedule.tuning = options.tuning;
  pm.addPass(createScanAssignSchedule(schedule));
}

void mlir::scan::buildSchedulesToLaunchesPipeline(OpPassManager &pm,
                                                  StringRef name) {
  pm.addPass(createConvertScanToGPU());
  ConvertBlocksToGPUOptions blocks;
  // Who writes schedules has refused chips that are not known.
  if (const Chip *chip = lookupChip(name)) {
    blocks.sharedMemory = chip->maxSharedPerBlock;
    blocks.processors = chip->numSMs;
  }
  pm.addPass(createConvertBlocksToGPU(blocks));
  pm.addPass(createScanLinalgToGPU());
  pm.addPass(createScanPredicateLaunches());
  // The arithmetic behind offsets and strides of views, in the open.
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(memref::createExpandStridedMetadataPass());
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
}

void mlir::scan::buildScanToLaunchesPipeline(OpPassManager &pm,
                                             const ScanToGPUOptions &options) {
  buildScanToSchedulesPipeline(pm, options);
  buildSchedulesToLaunchesPipeline(pm, options.chip);
}

void mlir::scan::buildScanToGPUPipeline(OpPassManager &pm,
                                        const ScanToGPUOptions &options) {
  buildScanToLaunchesPipeline(pm, options);
  addKernelSimplification(pm.nest<gpu::GPUModuleOp>());
}

void mlir::scan::registerScanToGPUPipeline() {
  PassPipelineRegistration<ScanToGPUOptions>(
      "scan-to-gpu", "Turn scans on tensors into GPU kernels and launches",
      buildScanToGPUPipeline);
}
