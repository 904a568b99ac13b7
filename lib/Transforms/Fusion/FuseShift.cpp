//===- FuseShift.cpp - Shifts become shifted inputs -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFusion.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;

LogicalResult scan::fuseShift(RewriterBase &rewriter, KernelOp kernel,
                              OpOperand &operand) {
  auto fail = [&](const Twine &reason) {
    return rewriter.notifyMatchFailure(kernel, reason);
  };
  auto shift = operand.get().getDefiningOp<ShiftOp>();
  if (!shift || !kernel.hasPureTensorSemantics())
    return fail("no scan.shift makes the operand, or it is a buffer");
  unsigned number = operand.getOperandNumber();
  if (number >= kernel.getInputs().size())
    return fail("only inputs are shifted");
  if (kernel.getShift(number) != 0)
    return fail("the input is shifted already, with another boundary");
  if (kernel.isPlaces(number))
    return fail("the input holds the places of a gathered one");
  AffineMap map = kernel.getIndexingMap(operand);
  AffineExpr scanned = rewriter.getAffineDimExpr(kernel.getDim());
  unsigned dim = shift.getDim();
  if (dim >= map.getNumResults() || map.getResult(dim) != scanned)
    return fail("the shift is not along the scan dimension");

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(kernel);
  KernelParts parts(kernel);
  parts.inputs[number] = shift.getSource();
  SmallVector<Type> added;
  if (shift.getDistance() != 0) {
    Value boundary = shift.getBoundary();
    AffineMap boundaryMap =
        isa<ShapedType>(boundary.getType())
            ? map.dropResult(dim)
            : AffineMap::get(map.getNumDims(), 0, rewriter.getContext());
    std::optional<unsigned> known = parts.findInput(boundary, boundaryMap);
    if (!known) {
      known = parts.addInput(boundary, boundaryMap);
      added.assign(KernelOp::getNumElements(boundary, boundaryMap),
                   getElementTypeOrSelf(boundary.getType()));
    }
    parts.shifts[number] = shift.getDistance();
    parts.boundaries[number] = *known;
  }

  KernelOp fused = parts.rebuild(rewriter, kernel);
  for (Region *region : {&fused.getLoad(), &fused.getStore()})
    for (Type type : added)
      region->front().addArgument(type, shift.getLoc());
  rewriter.replaceOp(kernel, fused.getResults());
  return success();
}
