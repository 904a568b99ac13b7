//===- StateTiles.cpp - Steps of scans that lanes share -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StateTiles.h"
#include "IR/KernelParts.h"
#include "IR/OperandMemory.h"
#include "KernelPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// What shared memory holds of input number `number`: f32 where it has narrower
/// elements for all parts that regions do nothing with but to extend them.
static Type getStoredType(KernelOp kernel, unsigned number) {
  Value input = kernel.getInputs()[number];
  Type type = getElementTypeOrSelf(input.getType());
  auto extended = Float32Type::get(kernel.getContext());
  if (!type.isF16() && !type.isBF16())
    return type;
  if (KernelOp::getNumElements(input, kernel.getInputMaps()[number]) == 1)
    return type;
  auto isExtension = [&](Operation *user) {
    return isa<arith::ExtFOp>(user) && user->getResult(0).getType() == extended;
  };
  for (Region *region : {&kernel.getLoad(), &kernel.getStore()}) {
    auto arguments = getInputArguments(kernel, *region);
    for (Value element : arguments[number])
      if (!llvm::all_of(element.getUsers(), isExtension))
        return type;
  }
  return extended;
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
    // One number per step, such as the scale of a norm, is no row.
    if (KernelOp::getNumElements(input, map) == 1 && !isOfScan(kernel, map) &&
        kernel.getShift(number) == 0) {
      tiles.inputs.push_back({unsigned(number), /*rowPieces=*/0,
                              /*rowElements=*/1,
                              getElementTypeOrSelf(input.getType())});
      continue;
    }
    std::optional<int64_t> elements =
        getRowElements(input, map, *inner, schedule.getLanes());
    // What is out of bounds is chosen by the lane that owns the step.
    bool isShiftedPart = kernel.getShift(number) != 0 &&
                         KernelOp::getNumElements(input, map) != 1;
    if (!elements || isShiftedPart)
      return std::nullopt;
    int64_t bytes =
        *elements * getStorageBytes(getElementTypeOrSelf(input.getType()));
    if (bytes % kPieceBytes != 0)
      return std::nullopt;
    int64_t rowPieces = bytes / kPieceBytes;
    tiles.inputs.push_back({unsigned(number), rowPieces, *elements,
                            getStoredType(kernel, number)});
  }
  // Those that are extended come first, so that most lanes that load together
  // store alike.
  auto getType = [&](const Input &input) {
    return getElementTypeOrSelf(kernel.getInputs()[input.number].getType());
  };
  // Lanes without a piece of those that are extended store something, too.
  auto endRun = [&] {
    if (tiles.runs.empty() || !tiles.runs.back().extended)
      return;
    const Run &run = tiles.runs.back();
    int64_t lanes = llvm::alignTo(tiles.pieces, kWarpSize) - run.firstPiece;
    tiles.slotPieces = run.firstSlotPiece + lanes * run.scale;
  };
  for (bool areExtended : {true, false})
    for (Input &input : tiles.inputs) {
      Type type = getType(input);
      if ((input.stored != type) != areExtended || input.isOfStep())
        continue;
      int64_t pieces = input.rowPieces * schedule.getItems();
      int64_t scale = getStorageBytes(input.stored) / getStorageBytes(type);
      Type extended = areExtended ? type : Type();
      if (tiles.runs.empty() || tiles.runs.back().extended != extended) {
        endRun();
        tiles.runs.push_back(
            {extended, tiles.pieces, tiles.slotPieces, 0, scale});
      }
      tiles.runs.back().pieces += pieces;
      input.firstPiece = tiles.pieces;
      input.firstSlotPiece = tiles.slotPieces;
      tiles.pieces += pieces;
      tiles.slotPieces += pieces * scale;
    }
  for (auto [number, output, map] :
       llvm::enumerate(kernel.getOutputs(), kernel.getOutputMaps()))
    if (!kernel.isReduction(number) &&
        KernelOp::getNumElements(output, map) != 1 &&
        !hasContiguousElements(output))
      return std::nullopt;
  endRun();
  tiles.warpBytes = kSlots * tiles.slotPieces * kPieceBytes;
  tiles.bytes = tiles.warpBytes * schedule.getThreads() / kWarpSize;
  if (tiles.pieces == 0 || tiles.bytes > sharedLimit)
    return std::nullopt;
  return tiles;
}
