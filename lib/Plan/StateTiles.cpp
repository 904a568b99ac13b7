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

/// The elements of `input`'s row of a step for `scans` scans side by side along
/// `inner`; none if they are not contiguous.
static std::optional<int64_t> getRowElements(Value input, AffineMap map,
                                             unsigned inner, int64_t scans) {
  int64_t elements = KernelOp::getNumElements(input, map);
  if (elements == 1)
    return isContiguousAlong(input, map, inner) ? std::optional(scans)
                                                : std::nullopt;
  SmallVector<int64_t> strides =
      getOperandStrides(cast<ShapedType>(input.getType()));
  if (map.isFunctionOfDim(inner) || strides.empty() || strides.back() != 1)
    return std::nullopt;
  return elements;
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
  tiles.warpBytes = kSlots * tiles.pieces * kPieceBytes;
  tiles.bytes = tiles.warpBytes * schedule.getThreads() / kWarpSize;
  if (tiles.pieces == 0 || tiles.bytes > sharedLimit)
    return std::nullopt;
  return tiles;
}
