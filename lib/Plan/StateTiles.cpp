//===- StateTiles.cpp - Steps of scans that lanes share -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StateTiles.h"
#include "IR/OperandMemory.h"
#include "KernelPlan.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;

/// Whether the elements of `operand` at each point follow each other.
static bool hasContiguousElements(Value operand) {
  SmallVector<int64_t> strides =
      getOperandStrides(cast<ShapedType>(operand.getType()));
  return !strides.empty() && strides.back() == 1;
}

/// The elements of `input`'s row of a step for `scans` scans side by side along
/// `inner`; none if they are not contiguous.
static std::optional<int64_t> getRowElements(Value input, AffineMap map,
                                             unsigned inner, int64_t scans) {
  int64_t elements = KernelOp::getNumElements(input, map);
  if (elements == 1)
    return isContiguousAlong(input, map, inner) ? std::optional(scans)
                                                : std::nullopt;
  if (!hasContiguousElements(input))
    return std::nullopt;
  return elements;
}

bool StateTiles::isOfScan(KernelOp kernel, AffineMap map) {
  std::optional<unsigned> inner = getInnerDim(kernel);
  return inner && map.isFunctionOfDim(*inner);
}

std::optional<StateTiles>
StateTiles::get(KernelOp kernel, ScheduleAttr schedule, int64_t sharedLimit) {
  std::optional<unsigned> inner = getInnerDim(kernel);
  if (!inner)
    return std::nullopt;
  StateTiles tiles;
  for (auto [number, input, map] :
       llvm::enumerate(kernel.getInputs(), kernel.getInputMaps())) {
    if (!map.isFunctionOfDim(kernel.getDim()))
      continue;
    if (KernelOp::getNumElements(input, map) != 1 && isOfScan(kernel, map)) {
      if (!hasContiguousElements(input))
        return std::nullopt;
      continue;
    }
    std::optional<int64_t> elements =
        getRowElements(input, map, *inner, schedule.getLanes());
    if (!elements || kernel.getShift(number) != 0)
      return std::nullopt;
    int64_t bytes =
        *elements * getStorageBytes(getElementTypeOrSelf(input.getType()));
    if (bytes % kPieceBytes != 0)
      return std::nullopt;
    int64_t rowPieces = bytes / kPieceBytes;
    tiles.inputs.push_back(
        {unsigned(number), tiles.pieces, rowPieces, *elements});
    tiles.pieces += rowPieces * schedule.getItems();
  }
  for (auto [number, output, map] :
       llvm::enumerate(kernel.getOutputs(), kernel.getOutputMaps()))
    if (!kernel.isReduction(number) &&
        KernelOp::getNumElements(output, map) != 1 &&
        !hasContiguousElements(output))
      return std::nullopt;
  tiles.warpBytes = kSlots * tiles.pieces * kPieceBytes;
  tiles.bytes = tiles.warpBytes * schedule.getThreads() / kWarpSize;
  if (tiles.pieces == 0 || tiles.bytes > sharedLimit)
    return std::nullopt;
  return tiles;
}
