//===- ScatteredOutputs.cpp - Outputs written elsewhere -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScatteredOutputs.h"

using namespace mlir;
using namespace mlir::scan;

std::optional<unsigned> scan::getPlaceDim(AffineMap map) {
  for (auto [position, expr] : llvm::enumerate(map.getResults()))
    if (isa<AffineConstantExpr>(expr))
      return position;
  return std::nullopt;
}

bool scan::isScattered(KernelOp kernel, unsigned output) {
  unsigned first = kernel.getInputs().size() + kernel.getInits().size();
  auto map = cast<AffineMapAttr>(kernel.getIndexingMaps()[first + output]);
  return getPlaceDim(map.getValue()).has_value();
}

bool scan::hasScatteredOutputs(KernelOp kernel) {
  return llvm::any_of(kernel.getOutputMaps(), [](AffineMap map) {
    return getPlaceDim(map).has_value();
  });
}

unsigned scan::getPlaceNumber(KernelOp kernel, unsigned output) {
  unsigned elements = 0, before = 0;
  for (auto [i, value, map] :
       llvm::enumerate(kernel.getOutputs(), kernel.getOutputMaps())) {
    elements += KernelOp::getNumElements(value, map);
    before += i < output && getPlaceDim(map);
  }
  return elements + before;
}

AffineMap scan::getWrittenMap(AffineMap map, unsigned dim) {
  SmallVector<AffineExpr> results(map.getResults());
  for (AffineExpr &result : results)
    if (isa<AffineConstantExpr>(result))
      result = getAffineDimExpr(dim, map.getContext());
  return AffineMap::get(map.getNumDims(), 0, results, map.getContext());
}

LogicalResult scan::impl::verifyScatteredOutputs(KernelOp op) {
  if (op.getDim() >= op.getDomainRank())
    return op.emitOpError("C5: expected dim to be in [0, ")
           << op.getDomainRank() << "), found "
           << static_cast<int64_t>(op.getDim());
  for (auto [i, map] : llvm::enumerate(op.getOutputMaps())) {
    if (!getPlaceDim(map))
      continue;
    // With all other dimensions once, there is one constant.
    AffineMap written = getWrittenMap(map, op.getDim());
    if (!written.isPermutation() || op.isBidirectional())
      return op.emitOpError("C24: expected output #")
             << i
             << ", a scattered output, to have all dimensions of the domain, "
                "the constant 0 in place of the scan dimension, in a kernel "
                "that scans in one direction, found "
             << AffineMapAttr::get(map)
             << (op.isBidirectional() ? " and 'bidirectional'" : "");
  }
  return success();
}
