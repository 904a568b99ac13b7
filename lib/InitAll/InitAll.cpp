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
#include "Scan/Conversion/RecurrenceToGPU/Passes.h"
#include "Scan/Conversion/RecurrenceToLoops/Passes.h"
#include "Scan/Conversion/ScanToGPU/Passes.h"
#include "Scan/Conversion/ScanToLoops/Passes.h"
#include "Scan/Execution/Emulator/Passes.h"
#include "Scan/IR/ScanDialect.h"
#include "Scan/Pipelines/Passes.h"
#include "Scan/Pipelines/ScanToCPU.h"
#include "Scan/Pipelines/ScanToGPU.h"
#include "Scan/Pipelines/ScanToPTX.h"
#include "Scan/Prove/Passes.h"
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

/// Accepts the name that `pass` had before, for one release. `max-points` was
/// the option `max-scans`.
static void registerFormerName(StringRef name, StringRef pass) {
  if (PassPipelineInfo::lookup(name))
    return;
  const PassInfo *info = PassInfo::lookup(pass);
  assert(info && "a pass is registered before its former name");
  registerPassPipeline(
      name, ("former name of --" + pass).str(),
      [info](OpPassManager &manager, StringRef options,
             llvm::function_ref<LogicalResult(const Twine &)> handleError) {
        std::string current = options.str();
        constexpr StringLiteral option = "max-points=";
        if (size_t at = current.find(option); at != std::string::npos)
          current.replace(at, option.size(), "max-scans=");
        return info->addToPipeline(manager, current, handleError);
      },
      [](llvm::function_ref<void(const detail::PassOptions &)>) {});
}

void scan::registerScanPasses() {
  registerScanTransformsPasses();
  registerScanSegmentsPasses();
  registerScanToLoopsPasses();
  registerScanRecurrenceToLoopsPasses();
  registerScanRecurrenceToGPUPasses();
  registerScanPipelinesPasses();
  registerOnce("scan-to-fused", registerScanToFusedPipeline);
  registerOnce("scan-to-cpu", registerScanToCPUPipeline);
  registerOnce("scan-to-emulator", registerEmulatorPasses);
  registerScanToGPUPasses();
  registerScanLinalgToGPUPasses();
  registerScanProvePasses();
  registerOnce("scan-emit-smt", registerEmitSMTPipeline);
  registerScanSchedulePasses();
  registerScanTargetPasses();
  registerOnce("scan-to-gpu", registerScanToGPUPipeline);
  registerOnce("scan-to-ptx", registerScanToPTXPipeline);
  registerFormerName("scan-fuse-sums", "scan-fuse-reduction-outputs");
  registerFormerName("scan-fuse-starts", "scan-fuse-segment-offsets");
  registerFormerName("scan-wide-accesses-to-ptx",
                     "scan-vectorized-accesses-to-ptx");
}

void scan::registerAllPasses() {
  mlir::registerAllPasses();
  registerScanPasses();
}
