//===- LaunchLimits.cpp - What a launch may ask for -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver of a GPU refuses a launch that breaks a limit of the hardware; so
// does the emulator, with the limit in its message.
//
//===----------------------------------------------------------------------===//

#include "Plan/KernelPlan.h"
#include "Scheduler.h"

using namespace mlir::scan::emulator;

// Limits of all NVIDIA GPUs that the project targets (CUDA C++ Programming
// Guide, table "Technical Specifications per Compute Capability").
static constexpr int64_t kMaxThreadsPerBlock = 1024;
static constexpr int64_t kMaxBlockDimZ = 64;
static constexpr int64_t kMaxGridDimX = 2147483647;
static constexpr int64_t kMaxGridDimYZ = 65535;

bool Scheduler::checkLaunch(Dim3 grid, Dim3 block, int64_t dynamicSharedBytes) {
  auto within = [](int64_t value, int64_t limit) {
    return value >= 1 && value <= limit;
  };
  if (!within(grid.x, kMaxGridDimX) || !within(grid.y, kMaxGridDimYZ) ||
      !within(grid.z, kMaxGridDimYZ)) {
    fail("the grid " + formatDim(grid) + " is out of range: expected 1 to " +
         formatDim({kMaxGridDimX, kMaxGridDimYZ, kMaxGridDimYZ}));
    return false;
  }
  if (!within(block.x, kMaxThreadsPerBlock) ||
      !within(block.y, kMaxThreadsPerBlock) ||
      !within(block.z, kMaxBlockDimZ) || block.count() > kMaxThreadsPerBlock) {
    fail("the block " + formatDim(block) + " is out of range: expected 1 to " +
         llvm::Twine(kMaxThreadsPerBlock) + " threads, and at most " +
         llvm::Twine(kMaxBlockDimZ) + " along z");
    return false;
  }
  Dim3 known = {kernel->knownBlockSize[0], kernel->knownBlockSize[1],
                kernel->knownBlockSize[2]};
  if (known.x != 0 &&
      (known.x != block.x || known.y != block.y || known.z != block.z)) {
    fail("the block " + formatDim(block) + " is not the kernel's " +
         "known_block_size " + formatDim(known));
    return false;
  }
  if (kernel->sharedBytes > mlir::scan::kStaticSharedLimit) {
    fail("the kernel declares " + llvm::Twine(kernel->sharedBytes) +
         " bytes of workgroup memory; at most " +
         llvm::Twine(mlir::scan::kStaticSharedLimit) + " can be declared");
    return false;
  }
  if (dynamicSharedBytes < 0 || kernel->sharedBytes + dynamicSharedBytes >
                                    mlir::scan::kDynamicSharedLimit) {
    fail("the launch asks for " + llvm::Twine(dynamicSharedBytes) +
         " bytes of dynamic workgroup memory beside " +
         llvm::Twine(kernel->sharedBytes) +
         " declared ones; expected at most " +
         llvm::Twine(mlir::scan::kDynamicSharedLimit) + " in sum");
    return false;
  }
  return true;
}
