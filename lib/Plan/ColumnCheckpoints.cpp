//===- ColumnCheckpoints.cpp - States before tiles of columns -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnCheckpoints.h"
#include "IR/CombineRegion.h"
#include "IR/KernelParts.h"
#include "IR/OperandMemory.h"
#include "IR/ScatteredOutputs.h"
#include "IR/SplitBidirectional.h"

using namespace mlir;
using namespace mlir::scan;

/// The alignment of a workspace's entries.
static constexpr int64_t kEntryAlignment = 8;

llvm::SmallBitVector mlir::scan::getInputsOfLeaves(KernelOp kernel,
                                                   unsigned numLeaves) {
  Block &load = kernel.getLoad().front();
  llvm::SmallBitVector needed(load.getNumArguments());
  for (unsigned leaf = 0; leaf < numLeaves; ++leaf)
    needed |= impl::getNeededArguments(load, leaf);
  SmallVector<Value> inputs(kernel.getInputs());
  SmallVector<AffineMap> maps = kernel.getInputMaps();
  llvm::SmallBitVector result(inputs.size());
  for (unsigned number = 0; number < inputs.size(); ++number) {
    auto [first, count] = getElementRange(inputs, maps, number);
    for (unsigned element = first; element < first + count; ++element)
      if (needed.test(element))
        result.set(number);
  }
  return result;
}

std::optional<ColumnCheckpoints> ColumnCheckpoints::get(KernelOp kernel) {
  if (!kernel.isBidirectional() || !mixesDirections(kernel) ||
      !kernel.hasInit() || kernel.getOrder() == Order::Sequential ||
      kernel.hasSegmentOffsets() || hasScatteredOutputs(kernel))
    return std::nullopt;
  ColumnCheckpoints checkpoints;
  unsigned numLeaves = kernel.getNumLeaves() - kernel.getNumOpposite();
  SmallVector<bool> isCarried = kernel.getCarriedLeaves();
  for (unsigned number = 0; number < numLeaves; ++number) {
    if (!isCarried[number])
      continue;
    Type type = kernel.getLeafTypes()[number];
    int64_t bytes = getStorageBytes(type);
    int64_t offset = llvm::alignTo(checkpoints.bytes, bytes);
    checkpoints.leaves.push_back({number, type, offset});
    checkpoints.bytes = offset + bytes;
  }
  if (checkpoints.leaves.empty())
    return std::nullopt;
  checkpoints.bytes = llvm::alignTo(checkpoints.bytes, kEntryAlignment);
  checkpoints.inputs = getInputsOfLeaves(kernel, numLeaves);
  return checkpoints;
}

bool mlir::scan::keepsCheckpoints(KernelOp kernel, ScheduleAttr schedule) {
  return schedule.getStrategy() == Strategy::Column && !schedule.isGridWide() &&
         ColumnCheckpoints::get(kernel).has_value();
}
