//===- ShiftOp.cpp - scan.shift and scan.index ----------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CombineRegion.h"
#include "IndexedScan.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::impl;

//===----------------------------------------------------------------------===//
// scan.shift
//===----------------------------------------------------------------------===//

LogicalResult ShiftOp::verify() {
  RankedTensorType type = getSource().getType();
  int64_t dim = getDim(), rank = type.getRank();
  // C1.
  if (rank == 0 || !ScanDialect::isSupportedElementType(type.getElementType()))
    return emitOpError() << "C1: expected a tensor of rank 1 at least, of "
                         << ScanDialect::getSupportedElementTypes()
                         << ", found " << type;
  // C2.
  if (dim < 0 || dim >= rank)
    return emitOpError() << "C2: expected dim to be in [0, " << rank
                         << "), found " << dim;
  // C3.
  return verifyInit(*this, getBoundary().getType(), type, dim,
                    /*segments=*/Value(),
                    /*hasTrailing=*/false, "C3", "the boundary");
}

OpFoldResult ShiftOp::fold(FoldAdaptor adaptor) {
  // Nothing moves, or there is nothing to move.
  if (getDistance() == 0 ||
      llvm::is_contained(getSource().getType().getShape(), 0))
    return getSource();
  return {};
}

Speculation::Speculatability ShiftOp::getSpeculatability() {
  return getScanSpeculatability(IndexedScan(*this));
}

LogicalResult ShiftOp::reifyResultShapes(OpBuilder &builder,
                                         ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getSource()));
  return success();
}

//===----------------------------------------------------------------------===//
// scan.index
//===----------------------------------------------------------------------===//

LogicalResult IndexOp::verify() {
  // C1.
  auto kernel = (*this)->getParentOfType<KernelOp>();
  Region *region = (*this)->getParentRegion();
  auto isIn = [&](Region &part) { return part.isAncestor(region); };
  if (!kernel || isIn(kernel.getCombine()))
    return emitOpError() << "C1: expected to be in a region of scan.kernel "
                            "other than 'combine', found it "
                         << (kernel ? "in 'combine'" : "outside");
  // C2.
  int64_t dim = getDim(), rank = kernel.getDomainRank();
  if (dim < 0 || dim >= rank)
    return emitOpError() << "C2: expected a dimension of the domain, in [0, "
                         << rank << "), found " << dim;
  // C3.
  if (dim == static_cast<int64_t>(kernel.getDim()) &&
      (isIn(kernel.getInitialize()) || isIn(kernel.getFinalize())))
    return emitOpError() << "C3: expected a dimension other than the scan "
                            "dimension in 'initialize' and 'finalize', found "
                         << dim;
  return success();
}
