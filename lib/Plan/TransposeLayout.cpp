//===- TransposeLayout.cpp - How a tile lies in shared memory -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransposeLayout.h"
#include "IR/OperandMemory.h"
#include "mlir/IR/TypeUtilities.h"
#include <numeric>

using namespace mlir;
using namespace mlir::scan;

/// So many widest chunks cover all banks of shared memory once.
static constexpr int64_t kBankChunks = 8;

TransposeLayout TransposeLayout::get(Value operand, AffineMap map, unsigned dim,
                                     int64_t threads, int64_t items) {
  TransposeLayout layout;
  int64_t width = items * KernelOp::getNumElements(operand, map);
  if (width == 1 || !isContiguousAlong(operand, map, dim))
    return layout;
  Type type = getElementTypeOrSelf(operand.getType());
  layout.elementBytes = getStorageBytes(type);
  layout.length = getVectorLength(type, width);
  layout.perThread = width / layout.length;
  // Narrower chunks are as wide as they can be, so that a thread has an odd
  // number of them.
  if (layout.perThread % 2 == 0)
    layout.group = std::lcm(layout.perThread, kBankChunks);
  int64_t last = threads * layout.perThread - 1;
  if (layout.group != 0)
    last += last / layout.group;
  layout.slots = (last + 1) * layout.length;
  return layout;
}
