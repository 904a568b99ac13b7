//===- Rows.cpp - Rows of tensors that have time as a dimension -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopEmitter.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::scan;

LoopEmitter::Slice LoopEmitter::getSlice(ArrayRef<OpFoldResult> sizes,
                                         OpFoldResult first,
                                         OpFoldResult count) {
  Slice slice{Sizes(sizes.size(), builder.getIndexAttr(0)), Sizes(sizes),
              Sizes(sizes.size(), builder.getIndexAttr(1)), true};
  for (auto [d, size] : llvm::enumerate(sizes))
    if (static_cast<int64_t>(d) != dim && isConstantIntValue(size, 0))
      slice.hasElements = false;
  slice.offsets[dim] = first;
  slice.sizes[dim] = count;
  return slice;
}

/// A row without its dimensions of extent 1, beside which it cannot be told
/// from the types of a slice that drops a dimension which one that is:
/// upstream's canonicalization of slices takes the wrong one. `groups` says
/// which dimensions of the row make one of what is left.
static SmallVector<OpFoldResult>
dropUnitExtents(ArrayRef<OpFoldResult> row,
                SmallVectorImpl<ReassociationIndices> &groups) {
  SmallVector<OpFoldResult> kept;
  ReassociationIndices leading;
  for (auto [d, size] : llvm::enumerate(row)) {
    bool isUnit = isConstantIntValue(size, 1);
    if (!isUnit) {
      kept.push_back(size);
      groups.push_back(std::exchange(leading, {}));
    }
    (groups.empty() ? leading : groups.back()).push_back(d);
  }
  return kept;
}

static RankedTensorType getTypeOf(ArrayRef<OpFoldResult> sizes, Type element) {
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  return RankedTensorType::get(shape, element);
}

Value LoopEmitter::extractRow(Value tensor, ArrayRef<OpFoldResult> sizes,
                              Value index) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getRank() == 1)
    return tensor::ExtractOp::create(builder, loc, tensor, index);
  Slice part = getSlice(sizes, index, builder.getIndexAttr(1));
  if (!part.hasElements) {
    part.sizes.erase(part.sizes.begin() + dim);
    return tensor::EmptyOp::create(builder, loc, part.sizes,
                                   type.getElementType());
  }
  auto row = cast<RankedTensorType>(RecurrenceOp::getRowType(type, dim));
  Sizes rowSizes(sizes);
  rowSizes.erase(rowSizes.begin() + dim);
  SmallVector<ReassociationIndices> groups;
  Sizes kept = dropUnitExtents(rowSizes, groups);
  bool hasUnits = kept.size() < rowSizes.size();
  Value slice = tensor::ExtractSliceOp::create(
      builder, loc, hasUnits ? getTypeOf(kept, type.getElementType()) : row,
      tensor, part.offsets, part.sizes, part.strides);
  if (!hasUnits)
    return slice;
  return tensor::ExpandShapeOp::create(builder, loc, row, slice, groups,
                                       rowSizes);
}

Value LoopEmitter::insertRow(Value row, Value tensor,
                             ArrayRef<OpFoldResult> sizes, Value index) {
  if (sizes.size() == 1)
    return tensor::InsertOp::create(builder, loc, row, tensor, index);
  Slice slice = getSlice(sizes, index, builder.getIndexAttr(1));
  if (!slice.hasElements)
    return tensor;
  Sizes rowSizes(sizes);
  rowSizes.erase(rowSizes.begin() + dim);
  SmallVector<ReassociationIndices> groups;
  if (dropUnitExtents(rowSizes, groups).size() < rowSizes.size())
    row = tensor::CollapseShapeOp::create(builder, loc, row, groups);
  return tensor::InsertSliceOp::create(builder, loc, row, tensor, slice.offsets,
                                       slice.sizes, slice.strides);
}

Value LoopEmitter::extractRows(Value tensor, ArrayRef<OpFoldResult> sizes,
                               Value first, Value count) {
  Slice slice =
      getSlice(sizes, getAsOpFoldResult(first), getAsOpFoldResult(count));
  if (!slice.hasElements)
    return tensor::EmptyOp::create(builder, loc, slice.sizes,
                                   getElementTypeOrSelf(tensor.getType()));
  return tensor::ExtractSliceOp::create(builder, loc, tensor, slice.offsets,
                                        slice.sizes, slice.strides);
}

Value LoopEmitter::insertRows(Value rows, Value tensor,
                              ArrayRef<OpFoldResult> sizes, Value first,
                              Value count) {
  Slice slice =
      getSlice(sizes, getAsOpFoldResult(first), getAsOpFoldResult(count));
  if (!slice.hasElements)
    return tensor;
  return tensor::InsertSliceOp::create(
      builder, loc, rows, tensor, slice.offsets, slice.sizes, slice.strides);
}
