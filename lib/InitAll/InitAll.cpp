//===- InitAll.cpp - One registration for every tool ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/InitAll/InitAll.h"
#include "IR/BufferizableOpInterfaceImpl.h"
#include "ReductionPatterns/ReductionPatterns.h"
#include "Scan/Conversion/LinalgToGPU/Passes.h"
#include "Scan/Conversion/ScanToGPU/Passes.h"
#include "Scan/Conversion/ScanToLoops/Passes.h"
#include "Scan/Execution/Emulator/Passes.h"
#include "Scan/IR/ScanDialect.h"
#include "Scan/Pipelines/Passes.h"
#include "Scan/Pipelines/ScanToCPU.h"
#include "Scan/Pipelines/ScanToGPU.h"
#include "Scan/Pipelines/ScanToPTX.h"
#include "Scan/Schedule/Passes.h"
#include "Scan/Target/PTX.h"
#include "Scan/Target/Passes.h"
#include "Scan/TransformOps/ScanTransformOps.h"
#include "Scan/Transforms/Passes.h"
#include "Scan/Transforms/Segments/Passes.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

void scan::registerAllDialects(DialectRegistry &registry) {
  registry.insert<ScanDialect>();
  scan::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registerPTXTranslation(registry);
  registerTransformDialectExtension(registry);
  registerReductionPatterns(registry);
}

/// Unlike a pass, a pipeline must not be registered again: MLIR with assertions
/// ends the process then. `name` is one of those that `registerPipelines`
/// makes.
static void registerOnce(StringRef name, void (*registerPipelines)()) {
  if (!PassPipelineInfo::lookup(name))
    registerPipelines();
}

void scan::registerScanPasses() {
  registerScanTransformsPasses();
  registerScanSegmentsPasses();
  registerScanToLoopsPasses();
  registerScanPipelinesPasses();
  registerOnce("scan-to-cpu", registerScanToCPUPipeline);
  registerOnce("scan-to-emulator", registerEmulatorPasses);
  registerScanToGPUPasses();
  registerScanLinalgToGPUPasses();
  registerScanSchedulePasses();
  registerScanTargetPasses();
  registerOnce("scan-to-gpu", registerScanToGPUPipeline);
  registerOnce("scan-to-ptx", registerScanToPTXPipeline);
}

void scan::registerAllPasses() {
  mlir::registerAllPasses();
  registerScanPasses();
}
