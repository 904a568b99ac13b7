//===- MakeShift.cpp - Reads of other steps become scan.shift -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel reads at other steps: slices of pads and joined rows. As a
// scan.shift each becomes a shifted input (FuseShift.cpp), and no tensor in
// between exists.
//
//===----------------------------------------------------------------------===//

#include "KernelFusion.h"
#include "ShiftedRead.h"

using namespace mlir;
using namespace mlir::scan;

std::optional<int64_t> scan::getScannedDim(KernelOp kernel,
                                           OpOperand &operand) {
  unsigned number = operand.getOperandNumber();
  if (!kernel.hasPureTensorSemantics() || number >= kernel.getInputs().size() ||
      kernel.getShift(number) != 0 || kernel.isBoundary(number) ||
      kernel.isSegmentOffsets(number) || kernel.isGathered(number) ||
      kernel.isPlaces(number))
    return std::nullopt;
  for (auto [i, expr] :
       llvm::enumerate(kernel.getIndexingMap(operand).getResults()))
    if (expr == getAffineDimExpr(kernel.getDim(), kernel.getContext()))
      return i;
  return std::nullopt;
}

LogicalResult scan::makeShift(RewriterBase &rewriter, KernelOp kernel,
                              OpOperand &operand) {
  auto fail = [&](const Twine &reason) {
    return rewriter.notifyMatchFailure(kernel, reason);
  };
  std::optional<int64_t> dim = getScannedDim(kernel, operand);
  Operation *def = operand.get().getDefiningOp();
  if (!dim || !def)
    return fail("the operand is no input along the scan dimension");
  std::optional<ShiftedRead> read = ShiftedRead::get(operand.get(), *dim);
  if (!read)
    return fail("the input is no pad, slice or concatenation of a tensor of "
                "the same extents");
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfter(def);
  Value shifted = read->create(rewriter, def->getLoc(), *dim,
                               cast<RankedTensorType>(operand.get().getType()));
  rewriter.replaceUsesWithIf(operand.get(), shifted, [](OpOperand &use) {
    return isa<KernelOp>(use.getOwner());
  });
  return success();
}
