//===- SliceOperand.cpp - Operands that are read slice by slice -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements that a kernel has of an operand under one point of the domain
// are in the operand's last dimensions. Where the unrolled dimension stands
// before others, each of its indices becomes an operand: a view of the tensor,
// which costs nothing.
//
//===----------------------------------------------------------------------===//

#include "IR/KernelParts.h"
#include "KernelFusion.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::scan;

/// True if `size` is the whole extent of dimension `dim` of `value`.
static bool isWholeExtent(OpFoldResult size, Value value, int64_t dim) {
  int64_t extent = cast<RankedTensorType>(value.getType()).getDimSize(dim);
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return *constant == extent;
  auto asked = cast<Value>(size).getDefiningOp<tensor::DimOp>();
  return asked && asked.getSource() == value &&
         asked.getConstantIndex() == std::optional<int64_t>(dim);
}

/// True if `slice` drops the dimensions `dims` of its source at the indices
/// `indices`, and has all of the others.
static bool isSliceAt(tensor::ExtractSliceOp slice, ArrayRef<int64_t> dims,
                      ArrayRef<int64_t> indices) {
  SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  if (dropped.count() != dims.size() || !slice.hasUnitStride())
    return false;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    const auto *found = llvm::find(dims, static_cast<int64_t>(dim));
    bool isDropped = found != dims.end();
    int64_t offset = isDropped ? indices[found - dims.begin()] : 0;
    if (slice.getStaticOffset(dim) != offset || dropped.test(dim) != isDropped)
      return false;
    if (!isDropped && !isWholeExtent(size, slice.getSource(), dim))
      return false;
  }
  return true;
}

Value scan::createSliceAt(OpBuilder &builder, Location loc, Value value,
                          ArrayRef<int64_t> dims, ArrayRef<int64_t> indices) {
  Block *block = builder.getInsertionBlock();
  Block::iterator point = builder.getInsertionPoint();
  for (Operation *user : value.getUsers()) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
    if (slice && slice->getBlock() == block &&
        (point == block->end() || slice->isBeforeInBlock(&*point)) &&
        isSliceAt(slice, dims, indices))
      return slice;
  }
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, value);
  for (auto [dim, index] : llvm::zip_equal(dims, indices)) {
    offsets[dim] = builder.getIndexAttr(index);
    sizes[dim] = builder.getIndexAttr(1);
  }
  SmallVector<int64_t> kept;
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      kept.push_back(extent);
  auto sliced = RankedTensorType::get(kept, type.getElementType());
  return tensor::ExtractSliceOp::create(builder, loc, sliced, value, offsets,
                                        sizes, strides);
}

SmallVector<Value> PlacedOperand::createValues(OpBuilder &builder,
                                               Location loc) const {
  if (!isSliced())
    return {source.value};
  SmallVector<Value> slices;
  SmallVector<int64_t> strides = computeStrides(trailingShape);
  for (int64_t i = 0, e = getNumElements(); i < e; ++i)
    slices.push_back(createSliceAt(builder, loc, source.value, slicedDims,
                                   delinearize(i, strides)));
  return slices;
}

SmallVector<int64_t> scan::addElements(OpBuilder &builder, Location loc,
                                       const PlacedOperand &operand,
                                       SmallVectorImpl<Value> &values,
                                       SmallVectorImpl<AffineMap> &maps,
                                       function_ref<bool(unsigned)> mayShare,
                                       SmallVectorImpl<Type> &added) {
  SmallVector<int64_t> positions;
  for (Value value : operand.createValues(builder, loc)) {
    unsigned number = 0;
    while (number < values.size() &&
           !(values[number] == value && maps[number] == operand.map &&
             mayShare(number)))
      ++number;
    if (number == values.size()) {
      values.push_back(value);
      maps.push_back(operand.map);
      added.append(KernelOp::getNumElements(value, operand.map),
                   operand.source.elementType);
    }
    auto [first, count] = getElementRange(values, maps, number);
    llvm::append_range(positions, llvm::seq<int64_t>(first, first + count));
  }
  return positions;
}
