//===- GatheredInputs.cpp - Inputs read elsewhere -------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GatheredInputs.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;

unsigned KernelOp::getGatheredDim(AffineMap map) {
  return llvm::find_if(map.getResults(), llvm::IsaPred<AffineConstantExpr>) -
         map.getResults().begin();
}

void KernelOp::setInputGathers(ArrayRef<int64_t> places) {
  if (llvm::any_of(places, [](int64_t input) { return input >= 0; }))
    setGathers(places);
  else
    removeGathersAttr();
}

/// C25, which all that asks for gathered inputs relies on.
LogicalResult scan::impl::verifyGathersCount(KernelOp op) {
  std::optional<ArrayRef<int64_t>> gathers = op.getGathers();
  if (!gathers)
    return success();
  int64_t inputs = op.getInputs().size();
  if (static_cast<int64_t>(gathers->size()) != inputs)
    return op.emitOpError("C25: expected 'gathers' to have one entry per "
                          "input, ")
           << inputs << ", found " << gathers->size();
  for (int64_t places : *gathers)
    if (places < -1 || places >= inputs)
      return op.emitOpError("C25: expected the entries of 'gathers' to be -1 "
                            "or the number of an input, less than ")
             << inputs << ", found " << places;
  if (op.isBidirectional())
    return op.emitOpError("C25: expected no 'bidirectional' in a kernel with "
                          "'gathers', found ")
           << op.getNumOpposite()
           << "; scan each direction by a kernel of its own";
  return success();
}

/// C26 and C27.
LogicalResult scan::impl::verifyGathers(KernelOp op) {
  if (!op.hasGathered())
    return success();
  SmallVector<AffineMap> maps = op.getInputMaps();
  for (auto [i, input, map] : llvm::enumerate(op.getInputs(), maps)) {
    if (!op.isGathered(i))
      continue;
    if (!isa<ShapedType>(input.getType()) ||
        llvm::count_if(map.getResults(), llvm::IsaPred<AffineConstantExpr>) !=
            1 ||
        map.isFunctionOfDim(op.getDim()))
      return op.emitOpError("C26: expected input #")
             << i
             << ", which is gathered, to be a tensor or memref whose map has "
                "the constant 0 once and not the scan dimension, found "
             << input.getType() << " and " << AffineMapAttr::get(map);
    if (op.getShift(i) != 0 || op.isBoundary(i) || op.isSegmentOffsets(i))
      return op.emitOpError("C26: expected input #")
             << i
             << ", which is gathered, not to be shifted, no boundary and no "
                "list of segment offsets, found "
             << (op.isSegmentOffsets(i) ? "a list of segment offsets"
                 : op.isBoundary(i)     ? "a boundary"
                                        : "a shifted input");
    unsigned places = op.getPlacesInput(i);
    Value place = op.getInputs()[places];
    Type type = getElementTypeOrSelf(place.getType());
    if (!(type.isInteger(32) || type.isInteger(64)) ||
        KernelOp::getNumElements(place, maps[places]) != 1)
      return op.emitOpError("C27: expected input #")
             << places
             << ", which holds places, to have one element of type i32 or i64 "
                "at a point, found "
             << place.getType() << " and " << AffineMapAttr::get(maps[places]);
    if (op.getShift(places) != 0 || op.isGathered(places) ||
        op.isSegmentOffsets(places))
      return op.emitOpError("C27: expected input #")
             << places
             << ", which holds places, not to be shifted, gathered or a list "
                "of segment offsets, found "
             << (op.isSegmentOffsets(places) ? "a list of segment offsets"
                 : op.isGathered(places)     ? "a gathered input"
                                             : "a shifted input");
  }
  return success();
}
