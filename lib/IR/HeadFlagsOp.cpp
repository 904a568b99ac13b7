//===- HeadFlagsOp.cpp - scan.head_flags ----------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/IR/ScanDialect.h"

using namespace mlir;
using namespace mlir::scan;

LogicalResult HeadFlagsOp::verify() {
  RankedTensorType offsets = getOffsets().getType(),
                   type = getResult().getType();
  // C1.
  Type element = offsets.getElementType();
  if (offsets.getRank() != 1 ||
      !(element.isInteger(32) || element.isInteger(64) || element.isIndex()))
    return emitOpError("C1: expected offsets of rank 1, of type i32, i64 or "
                       "index, found ")
           << offsets;
  Type flag = type.getElementType();
  if (type.getRank() != 1 ||
      !(flag.isInteger(1) || flag.isInteger(32) || flag.isInteger(64)))
    return emitOpError("C1: expected a result of rank 1, of type i1, i32 or "
                       "i64, found ")
           << type;
  // C2.
  if (type.isDynamicDim(0) != static_cast<bool>(getExtent()))
    return emitOpError("C2: expected ")
           << (type.isDynamicDim(0) ? "an extent for a result of dynamic extent"
                                    : "no extent for a result of static extent")
           << ", found " << (getExtent() ? "one" : "none") << " and " << type;
  return success();
}

LogicalResult
HeadFlagsOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  RankedTensorType type = getResult().getType();
  OpFoldResult extent = getExtent();
  if (!type.isDynamicDim(0))
    extent = builder.getIndexAttr(type.getDimSize(0));
  shapes.push_back({extent});
  return success();
}
