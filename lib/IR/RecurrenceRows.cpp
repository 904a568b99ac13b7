//===- RecurrenceRows.cpp - Rows of a tensor along time -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrenceRows.h"
#include "Scan/IR/ScanRecurrence.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::scan;

/// A constant as an attribute, which types follow from.
static OpFoldResult fold(OpFoldResult number) {
  auto value = dyn_cast<Value>(number);
  return value ? getAsOpFoldResult(value) : number;
}

RecurrenceRows::Slice RecurrenceRows::getSlice(ArrayRef<OpFoldResult> sizes,
                                               OpFoldResult first,
                                               OpFoldResult count) {
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  Slice slice{offsets, llvm::to_vector(sizes), strides, true};
  slice.offsets[dim] = first;
  slice.sizes[dim] = count;
  for (OpFoldResult size : slice.sizes)
    if (isConstantIntValue(size, 0))
      slice.hasElements = false;
  return slice;
}

Value RecurrenceRows::extract(Value tensor, ArrayRef<OpFoldResult> sizes,
                              OpFoldResult index) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getRank() == 1)
    return tensor::ExtractOp::create(
        builder, loc, tensor,
        getValueOrCreateConstantIndexOp(builder, loc, index));
  Slice slice = getSlice(sizes, index, builder.getIndexAttr(1));
  if (!slice.hasElements) {
    slice.sizes.erase(slice.sizes.begin() + dim);
    return tensor::EmptyOp::create(builder, loc, slice.sizes,
                                   type.getElementType());
  }
  auto row = cast<RankedTensorType>(RecurrenceOp::getRowType(type, dim));
  return tensor::ExtractSliceOp::create(
      builder, loc, row, tensor, slice.offsets, slice.sizes, slice.strides);
}

Value RecurrenceRows::insert(Value row, Value tensor,
                             ArrayRef<OpFoldResult> sizes, OpFoldResult index) {
  if (sizes.size() == 1 && !isa<RankedTensorType>(row.getType()))
    return tensor::InsertOp::create(
        builder, loc, row, tensor,
        getValueOrCreateConstantIndexOp(builder, loc, index));
  Slice slice = getSlice(sizes, index, builder.getIndexAttr(1));
  if (!slice.hasElements)
    return tensor;
  return tensor::InsertSliceOp::create(builder, loc, row, tensor, slice.offsets,
                                       slice.sizes, slice.strides);
}

Value RecurrenceRows::extractSome(Value tensor, ArrayRef<OpFoldResult> sizes,
                                  OpFoldResult first, OpFoldResult count) {
  Slice slice = getSlice(sizes, fold(first), fold(count));
  if (!slice.hasElements)
    return tensor::EmptyOp::create(builder, loc, slice.sizes,
                                   getElementTypeOrSelf(tensor.getType()));
  return tensor::ExtractSliceOp::create(builder, loc, tensor, slice.offsets,
                                        slice.sizes, slice.strides);
}

Value RecurrenceRows::insertSome(Value rows, Value tensor,
                                 ArrayRef<OpFoldResult> sizes,
                                 OpFoldResult first, OpFoldResult count) {
  Slice slice = getSlice(sizes, fold(first), fold(count));
  if (!slice.hasElements)
    return tensor;
  return tensor::InsertSliceOp::create(
      builder, loc, rows, tensor, slice.offsets, slice.sizes, slice.strides);
}
