//===- SliceOfMoved.cpp - Slices of what only moves elements --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The derivative takes components of states from where they were put together:
// from the coefficients of a matrix, from the cotangents of two slices. A slice
// that lies in one part is read there, so that the whole need not exist.
//
//===----------------------------------------------------------------------===//

#include "ConsumerPlan.h"
#include "ShiftedRead.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

/// Along one dimension, where a slice lies in a part of what it is one of.
enum class Overlap { None, Inside, Unknown };

} // namespace

/// Where `size` elements from `offset` on lie among `partSize` elements from
/// `partOffset` on. If inside, `offset` becomes the one in the part.
static Overlap getOverlap(OpBuilder &builder, OpFoldResult &offset,
                          OpFoldResult size, OpFoldResult partOffset,
                          OpFoldResult partSize) {
  if (isEqualConstantIntOrValue(offset, partOffset) &&
      KnownExtent(size) == KnownExtent(partSize)) {
    offset = builder.getIndexAttr(0);
    return Overlap::Inside;
  }
  std::optional<int64_t> first = getConstantIntValue(offset),
                         count = getConstantIntValue(size),
                         partFirst = getConstantIntValue(partOffset),
                         partCount = getConstantIntValue(partSize);
  if (!first || !count || !partFirst || !partCount)
    return Overlap::Unknown;
  if (*first + *count <= *partFirst || *partFirst + *partCount <= *first)
    return Overlap::None;
  if (*first < *partFirst || *first + *count > *partFirst + *partCount)
    return Overlap::Unknown;
  offset = builder.getIndexAttr(*first - *partFirst);
  return Overlap::Inside;
}

/// The slice `slice` from `source` in place of its own, at `offsets`; all of
/// `source` where that is what it is.
static Value createSliceOf(OpBuilder &builder, tensor::ExtractSliceOp slice,
                           Value source, ArrayRef<OpFoldResult> offsets) {
  bool isAll = true;
  for (auto [i, offset, size] : llvm::enumerate(offsets, slice.getMixedSizes()))
    isAll = isAll && isConstantIntValue(offset, 0) &&
            KnownExtent(size) == KnownExtent(source, i);
  auto type = cast<RankedTensorType>(source.getType());
  if (isAll && type == slice.getType())
    return source;
  if (isAll && type.getRank() != slice.getType().getRank())
    return tensor::CollapseShapeOp::create(
        builder, slice.getLoc(), slice.getType(), source,
        groupDroppedDims(type.getRank(), slice.getDroppedDims()));
  return tensor::ExtractSliceOp::create(
      builder, slice.getLoc(), slice.getType(), source, offsets,
      slice.getMixedSizes(), slice.getMixedStrides());
}

static Value takeFrom(OpBuilder &builder, tensor::ExtractSliceOp slice,
                      tensor::ConcatOp concat) {
  uint64_t dim = concat.getDim();
  int64_t start = 0;
  for (Value input : concat.getInputs()) {
    int64_t extent = cast<RankedTensorType>(input.getType()).getDimSize(dim);
    if (ShapedType::isDynamic(extent))
      return {};
    SmallVector<OpFoldResult> offsets = slice.getMixedOffsets();
    if (getOverlap(builder, offsets[dim], slice.getMixedSizes()[dim],
                   builder.getIndexAttr(start),
                   builder.getIndexAttr(extent)) == Overlap::Inside)
      return createSliceOf(builder, slice, input, offsets);
    start += extent;
  }
  return {};
}

/// `value` with the dimensions of extent 1 that the slice `insert` drops.
static Value createUnitDims(OpBuilder &builder, tensor::InsertSliceOp insert) {
  Value value = insert.getSource();
  llvm::SmallBitVector dropped = insert.getDroppedDims();
  if (dropped.none())
    return value;
  // Each goes with the dimension before it, the first ones with the first that
  // stays.
  auto type = insert.getSourceType();
  SmallVector<ReassociationIndices> groups(type.getRank());
  SmallVector<int64_t> shape;
  unsigned kept = 0;
  for (unsigned i = 0; i < dropped.size(); ++i) {
    bool isUnit = dropped.test(i);
    shape.push_back(isUnit ? 1 : type.getDimSize(kept));
    kept += !isUnit;
    if (!groups.empty())
      groups[std::max(1u, kept) - 1].push_back(i);
  }
  return tensor::ExpandShapeOp::create(
      builder, insert.getLoc(),
      RankedTensorType::get(shape, type.getElementType()), value, groups,
      insert.getMixedSizes());
}

static Value takeFrom(OpBuilder &builder, tensor::ExtractSliceOp slice,
                      tensor::InsertSliceOp insert) {
  if (!insert.hasUnitStride())
    return {};
  bool isInside = true;
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets();
  for (auto [offset, size, partOffset, partSize] :
       llvm::zip_equal(offsets, slice.getMixedSizes(), insert.getMixedOffsets(),
                       insert.getMixedSizes())) {
    Overlap overlap = getOverlap(builder, offset, size, partOffset, partSize);
    if (overlap == Overlap::None)
      return createSliceOf(builder, slice, insert.getDest(),
                           slice.getMixedOffsets());
    isInside &= overlap == Overlap::Inside;
  }
  return isInside ? createSliceOf(builder, slice,
                                  createUnitDims(builder, insert), offsets)
                  : Value();
}

/// A shift of the slice. The dimension has to stay whole, so that what comes in
/// at one end is the boundary.
static Value takeFrom(OpBuilder &builder, tensor::ExtractSliceOp slice,
                      ShiftOp shift) {
  int64_t dim = shift.getDim();
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(),
                            sizes = slice.getMixedSizes(),
                            strides = slice.getMixedStrides();
  if (dropped.test(dim) || !isConstantIntValue(offsets[dim], 0) ||
      !(KnownExtent(sizes[dim]) == KnownExtent(shift.getSource(), dim)))
    return {};
  int64_t kept = 0;
  for (int64_t i = 0; i < dim; ++i)
    kept += !dropped.test(i);
  Value source = createSliceOf(builder, slice, shift.getSource(), offsets);
  Value boundary = shift.getBoundary();
  if (isa<RankedTensorType>(boundary.getType())) {
    for (auto *list : {&offsets, &sizes, &strides})
      list->erase(list->begin() + dim);
    SmallVector<int64_t> shape(slice.getType().getShape());
    shape.erase(shape.begin() + kept);
    boundary = tensor::ExtractSliceOp::create(
        builder, slice.getLoc(),
        RankedTensorType::get(shape, slice.getType().getElementType()),
        boundary, offsets, sizes, strides);
  }
  return ShiftOp::create(builder, shift.getLoc(), slice.getType(), source,
                         boundary, builder.getI64IntegerAttr(kept),
                         shift.getByAttr());
}

/// A splat of the extents of `slice`.
static Value createSplat(OpBuilder &builder, tensor::ExtractSliceOp slice,
                         Attribute element) {
  RankedTensorType type = slice.getType();
  Value scalar = materializeScalar(builder, slice.getLoc(),
                                   type.getElementType(), element);
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  SmallVector<Value> extents;
  for (auto [i, size] : llvm::enumerate(slice.getMixedSizes()))
    if (auto extent = dyn_cast<Value>(size); extent && !dropped.test(i))
      extents.push_back(extent);
  return tensor::SplatOp::create(builder, slice.getLoc(), scalar, type,
                                 extents);
}

LogicalResult scan::takeSliceOfMoved(RewriterBase &rewriter,
                                     tensor::ExtractSliceOp slice) {
  Operation *op = slice.getSource().getDefiningOp();
  if (!op || !slice.hasUnitStride() ||
      !ScanDialect::isSupportedElementType(slice.getType().getElementType()))
    return rewriter.notifyMatchFailure(slice, "not of neighbouring elements");
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(slice);
  Value taken;
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    taken = takeFrom(rewriter, slice, concat);
  else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    taken = takeFrom(rewriter, slice, insert);
  else if (auto shift = dyn_cast<ShiftOp>(op))
    taken = takeFrom(rewriter, slice, shift);
  else if (isa<linalg::FillOp, tensor::SplatOp>(op))
    if (Attribute element = getSplat(slice.getSource()))
      taken = createSplat(rewriter, slice, element);
  if (!taken)
    return rewriter.notifyMatchFailure(slice, "it lies in no single part");
  rewriter.replaceOp(slice, taken);
  return success();
}
