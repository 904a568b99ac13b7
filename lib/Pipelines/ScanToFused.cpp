//===- ScanToFused.cpp - The passes on tensors ----------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Pipelines/ScanToFused.h"
#include "Scan/Conversion/LinalgToGPU/Passes.h"
#include "Scan/Conversion/RecurrenceToLoops/Passes.h"
#include "Scan/Pipelines/Passes.h"
#include "Scan/Target/Passes.h"
#include "Scan/Transforms/Passes.h"
#include "Scan/Transforms/Segments/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::scan;

/// Registers that a thread can have. Estimates near them spill some hundred
/// bytes in some schedules, those above them kilobytes
/// (test/Target/unrolled.mlir).
static constexpr int64_t kStepRegisters = 255;

void scan::buildScanToFusedPipeline(OpPassManager &manager, bool isForGPU,
                                    const TensorPassOptions &options) {
  manager.addPass(createScanFoldEqualOperands());
  // The program as it was written, before anything folds; then the slices that
  // loops become, which checks inside of them would prevent, and other loops.
  // Nothing after that adds operations that could fail.
  if (options.checkBounds)
    manager.addPass(createScanCheckBounds());
  // A GPU cannot stop: its launcher looks at the extents. What the number of
  // steps has to be is asked of a recurrence.
  if (isForGPU)
    manager.addNestedPass<func::FuncOp>(createScanRequireExtents());
  ScanRaiseRecurrenceOptions raise;
  raise.prove = options.proveUpdates;
  raise.checkExtents = !isForGPU;
  // A GPU has no loops on the host; a CPU takes them as they are.
  raise.recurrences = isForGPU;
  // What a CPU walks step by step carries no products of matrices, and along
  // the innermost dimension a tile of steps is one of vectors.
  if (!isForGPU)
    raise.maxMatrixLanes = std::numeric_limits<int64_t>::max();
  manager.addPass(createScanRaiseRecurrence(raise));
  ScanExpandRecurrenceSegmentsOptions starts;
  starts.checkOffsets = !isForGPU;
  starts.checkInKernels = isForGPU;
  manager.addPass(createScanExpandRecurrenceSegments(starts));
  // Behind that: segments are an input of the step by now.
  ScanNewtonRecurrenceOptions newton;
  newton.unroll = isForGPU;
  newton.checkExtents = !isForGPU;
  manager.addPass(createScanNewtonRecurrence(newton));
  // Behind that: loops that recurrences become are not to be raised. A GPU has
  // no loops on the host: its threads walk.
  if (isForGPU) {
    manager.addPass(createScanNormalizeRecurrence());
  } else {
    manager.addPass(createConvertRecurrenceToScans());
    manager.addPass(createConvertRecurrenceToLoops());
  }
  if (options.checkBounds) {
    manager.addPass(createScanCheckBounds());
    manager.addPass(createScanCheckBounds({/*inLoops=*/true}));
  }
  // Loops are scans by now, and nothing has been folded.
  if (isForGPU)
    manager.addNestedPass<func::FuncOp>(createScanRequireExtents());
  manager.addPass(createScanScatterToSelect());
  ScanExpandSegmentsOptions segments;
  segments.checkOffsets = !isForGPU;
  segments.checkInKernels = isForGPU;
  manager.addPass(createScanExpandSegments(segments));
  manager.addPass(createScanSinkScalars());
  manager.addPass(createScanNormalize());
  manager.addPass(createScanSplitResults());
  ScanFuseElementwiseOptions fusion;
  fusion.maxStateBytes = options.maxStateBytes;
  fusion.maxRegisters = isForGPU ? kStepRegisters : 0;
  manager.addPass(createScanFuseElementwise(fusion));
  manager.addPass(createScanFuseReductionOutputs());
  // Copies are launches on a GPU; a CPU moves slices at the speed of memory.
  if (isForGPU) {
    manager.addPass(createScanUnrollConvolutions());
    manager.addPass(createScanSlicesToElementwise());
  }
  manager.addPass(createScanShiftToSlices());
  // Results and leaves that nobody uses are not computed.
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  ScanBidirectionalOptions bidirectional;
  bidirectional.target =
      isForGPU ? BidirectionalTarget::GPU : BidirectionalTarget::CPU;
  manager.addPass(createScanBidirectional(bidirectional));
  manager.addPass(createScanFuseSegmentInits());
  ScanFuseSegmentOffsetsOptions offsets;
  // Loops on the CPU read flags.
  if (!isForGPU)
    offsets.maxScans = 0;
  manager.addPass(createScanFuseSegmentOffsets(offsets));
  OpPassManager &functions = manager.nest<func::FuncOp>();
  // What was not fused into a kernel becomes as few loops as possible.
  functions.addPass(createConvertElementwiseToLinalgPass());
  functions.addPass(createLinalgGeneralizeNamedOpsPass());
  functions.addPass(createScanFuseLinalg());
  if (isForGPU) {
    // Fusion makes tensor.empty of destinations that are not read. Before their
    // extents are those of arguments, they are further uses of a producer, and
    // what has two is not fused.
    functions.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
    functions.addPass(createCanonicalizerPass());
    functions.addPass(createCSEPass());
    functions.addPass(createScanFuseLinalg());
  }
  manager.addPass(createScanFuseScatter());
  // Its reshapes gone, an operation may lie in the domain of a kernel.
  manager.addPass(createScanFuseElementwise(fusion));
  // Functions are where they are computed, and schedules are looked up by what
  // a kernel computes.
  if (isForGPU) {
    manager.addPass(createScanSimplifyGates());
    // Sigmoids of both signs are found by their common argument.
    manager.addPass(createCSEPass());
    manager.addPass(createScanShareSigmoids());
    manager.addPass(createCSEPass());
  }
}

void scan::registerScanToFusedPipeline() {
  PassPipelineRegistration<ScanToFusedOptions>(
      "scan-to-fused",
      "From scans on tensors to kernels on tensors that are fused with what is "
      "around them, as all targets begin",
      [](OpPassManager &manager, const ScanToFusedOptions &options) {
        TensorPassOptions tensors;
        tensors.maxStateBytes = options.maxStateBytes;
        buildScanToFusedPipeline(
            manager, options.target == BidirectionalTarget::GPU, tensors);
      });
}
