//===- SimplifyKernels.h - Canonicalization of whole kernels ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PIPELINES_SIMPLIFYKERNELS_H
#define SCAN_LIB_PIPELINES_SIMPLIFYKERNELS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace mlir::scan {

/// Adds canonicalization of functions of thousands of operations, in loops in
/// conditions in loops. It goes bottom up: top down, each change makes the
/// driver look at all operations around it again, whether these are dead, for
/// which it walks through what is in them, and time is quadratic. Blocks are
/// left for LLVM to merge; and so are values that a loop carries twice: the
/// pattern for these compares all pairs whenever something in the loop changes,
/// minutes for hundreds of leaves.
inline void addKernelCanonicalizer(OpPassManager &functions) {
  GreedyRewriteConfig config;
  config.setUseTopDownTraversal(false);
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  functions.addPass(createCanonicalizerPass(
      config, /*disabledPatterns=*/
      {"(anonymous namespace)::RemoveDuplicateSuccessorInputUses"}));
  functions.addPass(createCSEPass());
}

/// Adds what kernels go through as the emitters have made them: first of all
/// what these say several times, above all constants.
inline void addKernelSimplification(OpPassManager &gpuModule) {
  OpPassManager &kernels = gpuModule.nest<gpu::GPUFuncOp>();
  kernels.addPass(createCSEPass());
  addKernelCanonicalizer(kernels);
}

} // namespace mlir::scan

#endif // SCAN_LIB_PIPELINES_SIMPLIFYKERNELS_H
