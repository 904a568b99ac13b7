//===- StateCheckpoints.cpp - States kept between walks -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StateCheckpoints.h"
#include "IR/OperandMemory.h"
#include "SharedMemory.h"

using namespace mlir;
using namespace mlir::scan;

StateCheckpoints StateCheckpoints::get(KernelOp kernel,
                                       const StateSplit &split) {
  StateCheckpoints checkpoints;
  SmallVector<bool> isCarried = kernel.getCarriedLeaves();
  for (unsigned number = 0; number < split.sameLeavesPerPart; ++number) {
    unsigned leaf = split.getLeaf(0, number);
    if (!isCarried[leaf])
      continue;
    Type type = kernel.getLeafTypes()[leaf];
    checkpoints.leaves.push_back({number, type, checkpoints.bytes});
    checkpoints.bytes +=
        llvm::alignTo(split.parts * getStorageBytes(type), kMaxVectorBytes);
  }
  return checkpoints;
}
