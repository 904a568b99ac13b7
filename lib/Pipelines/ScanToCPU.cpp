//===- ScanToCPU.cpp - From tensors to the LLVM dialect -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Pipelines/ScanToCPU.h"
#include "Scan/Conversion/ScanToLoops/Passes.h"
#include "Scan/Pipelines/Passes.h"
#include "Scan/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void scan::buildScanToBuffersPipeline(OpPassManager &manager,
                                      bool writableArguments,
                                      StridedArguments stridedArguments,
                                      const TensorPassOptions &options) {
  buildScanToFusedPipeline(manager, /*isForGPU=*/false, options);
  // A GPU has no loops on the host: there, --scan-scatter-to-linalg does it.
  manager.addPass(createScanScatterToLoops());
  // Behind fusion, which would take the copies back into the loops.
  manager.addPass(createScanPackOperands());
  buildFusedToBuffersPipeline(manager, writableArguments, stridedArguments);
}

void scan::buildFusedToBuffersPipeline(OpPassManager &manager,
                                       bool writableArguments,
                                       StridedArguments stridedArguments) {
  manager.addPass(createScanSplitDestinations());
  manager.addPass(bufferization::createEmptyTensorEliminationPass());
  ScanBufferizeOptions bufferize;
  bufferize.writableArguments = writableArguments;
  bufferize.stridedArguments = stridedArguments;
  manager.addPass(createScanBufferize(bufferize));
  // Tiles are written where they belong; what is left of putting them there is
  // a copy of a view to another of the same elements, and with the views one,
  // nothing.
  manager.addPass(createCSEPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createScanShareBuffers());
}

/// From loops and linalg operations on memrefs to the LLVM dialect.
static void addCodeGeneration(OpPassManager &manager,
                              const scan::ScanToCPUOptions &options) {
  // Once, over everything that emitters made, of which LLVM simplifies the
  // rest: each further time would take as long as the conversion to the LLVM
  // dialect.
  GreedyRewriteConfig once;
  once.setMaxIterations(1).setRegionSimplificationLevel(
      GreedySimplifyRegionLevel::Disabled);
  manager.addPass(createCSEPass());
  manager.addPass(createCanonicalizerPass(once));
  manager.addPass(scan::createScanRenameSymbols({options.renameAll}));
  manager.addNestedPass<func::FuncOp>(scan::createScanFenceStreams());
  manager.addPass(scan::createScanExpandCopies());
  manager.addPass(createConvertBufferizationToMemRefPass());
  manager.addPass(scan::createScanCheckAllocations());
  if (options.placeResults)
    manager.addPass(scan::createScanPlaceResults());
  manager.addPass(scan::createScanLinalgToVectors(
      {options.vectorBits, options.fusedMultiplyAdd}));
  manager.addNestedPass<func::FuncOp>(scan::createScanLinalgToLoops());
  manager.addPass(scan::createScanCheckDivisions());
  if (options.threads)
    manager.addPass(scan::createScanLoopsToThreads());
  manager.addNestedPass<func::FuncOp>(scan::createScanLegalize());
  manager.addPass(scan::createScanExpandMath({options.fusedMultiplyAdd}));
  manager.addPass(scan::createScanMathToLibm());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createCSEPass());
  manager.addPass(createConvertToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(scan::createScanSplitDescriptors());
  manager.addPass(scan::createScanBF16AsBits());
}

static void addScanToLoops(OpPassManager &manager,
                           const scan::ScanToCPUOptions &options) {
  scan::ConvertScanToLoopsOptions loops;
  loops.vectorBits = options.vectorBits;
  loops.stateBytes = options.stateBytes;
  loops.rows = options.rows;
  loops.streamingBytes = options.streamingBytes;
  loops.threads = options.threads;
  loops.threadWork = options.threadWork;
  if (options.threads)
    manager.addPass(scan::createScanBatchToThreads({options.threadWork}));
  // A combine is emitted many times.
  manager.addPass(scan::createScanShareExponentials());
  manager.addPass(scan::createConvertScanToLoops(loops));
  // Coefficients that are the same at every step. Later they may be calls.
  manager.addPass(createLoopInvariantCodeMotionPass());
}

void scan::buildBuffersToCPUPipeline(OpPassManager &manager,
                                     const ScanToCPUOptions &options) {
  addScanToLoops(manager, options);
  addCodeGeneration(manager, options);
}

void scan::buildScanToHostBuffersPipeline(OpPassManager &manager,
                                          const ScanToCPUOptions &options) {
  addProofs(manager, options.prove);
  TensorPassOptions tensors;
  tensors.checkBounds = options.checkBounds;
  tensors.proveUpdates = options.prove == ProveMode::SMT;
  tensors.maxStateBytes = options.maxStateBytes;
  buildScanToBuffersPipeline(manager, options.writableArguments,
                             options.stridedArguments, tensors);
}

void scan::buildHostBuffersToCPUPipeline(OpPassManager &manager,
                                         const ScanToCPUOptions &options) {
  memref::ExpandReallocPassOptions reallocations;
  reallocations.emitDeallocs = false;
  manager.addPass(memref::createExpandReallocPass(reallocations));
  addScanToLoops(manager, options);
  manager.addPass(createScanDeallocate());
  addCodeGeneration(manager, options);
}

void scan::buildScanToCPUPipeline(OpPassManager &manager,
                                  const ScanToCPUOptions &options) {
  buildScanToHostBuffersPipeline(manager, options);
  buildHostBuffersToCPUPipeline(manager, options);
}

static LogicalResult runUnverified(ModuleOp module, PassManager &manager) {
  manager.enableVerifier(false);
  return success(succeeded(manager.run(module)) && succeeded(verify(module)));
}

LogicalResult scan::lowerHostBuffersToCPU(ModuleOp module,
                                          const ScanToCPUOptions &options) {
  auto manager = PassManager::on<ModuleOp>(module.getContext());
  buildHostBuffersToCPUPipeline(manager, options);
  return runUnverified(module, manager);
}

LogicalResult scan::lowerBuffersToCPU(ModuleOp module,
                                      const ScanToCPUOptions &options) {
  auto manager = PassManager::on<ModuleOp>(module.getContext());
  buildBuffersToCPUPipeline(manager, options);
  return runUnverified(module, manager);
}

void scan::registerScanToCPUPipeline() {
  PassPipelineRegistration<ScanToCPUOptions>(
      "scan-to-cpu",
      "From scans on tensors to the LLVM dialect: normalise, fuse, bufferize, "
      "loops and vectors, LLVM",
      buildScanToCPUPipeline);
}
