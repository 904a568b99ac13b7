//===- SharedMemory.cpp - What a block may access and share ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedMemory.h"
#include "IR/OperandMemory.h"

using namespace mlir;
using namespace mlir::scan;

int64_t mlir::scan::getVectorLength(Type type, int64_t count) {
  int64_t length = 1;
  while (2 * length * getStorageBytes(type) <= kMaxVectorBytes &&
         count % (2 * length) == 0)
    length *= 2;
  return length;
}

int64_t mlir::scan::getSharedStateBytes(KernelOp kernel, int64_t count) {
  int64_t bytes = 0;
  for (Type type : kernel.getLeafTypes())
    bytes += alignShared(count * getStorageBytes(type));
  return bytes;
}
