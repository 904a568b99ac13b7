//===- InitAll.cpp - One registration for every tool ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/InitAll/InitAll.h"
#include "Scan/Conversion/ScanToGPU/Passes.h"
#include "Scan/Conversion/ScanToLoops/Passes.h"
#include "Scan/Execution/Emulator/Passes.h"
#include "Scan/IR/BufferizableOpInterfaceImpl.h"
#include "Scan/IR/ScanDialect.h"
#include "Scan/Pipelines/Passes.h"
#include "Scan/Pipelines/ScanToCPU.h"
#include "Scan/Pipelines/ScanToGPU.h"
#include "Scan/Pipelines/ScanToPTX.h"
#include "Scan/Reduce/ReductionPatterns.h"
#include "Scan/Schedule/Passes.h"
#include "Scan/Target/PTX.h"
#include "Scan/Target/Passes.h"
#include "Scan/Transforms/Passes.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

using namespace mlir;

void scan::registerAllDialects(DialectRegistry &registry) {
  registry.insert<ScanDialect>();
  scan::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registerPTXTranslation(registry);
  registerReductionPatterns(registry);
}

void scan::registerAllPasses() {
  mlir::registerAllPasses();
  registerScanTransformsPasses();
  registerScanToLoopsPasses();
  registerScanPipelinesPasses();
  registerScanToCPUPipeline();
  registerEmulatorPasses();
  registerScanToGPUPasses();
  registerScanSchedulePasses();
  registerScanTargetPasses();
  registerScanToGPUPipeline();
  registerScanToPTXPipeline();
}
