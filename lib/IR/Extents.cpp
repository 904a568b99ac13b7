//===- Extents.cpp - Extents that are the same without running ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extents.h"
#include "Scan/IR/ScanDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

/// Dimension `dim` of a shaped value.
struct ShapedDim {
  Value value;
  int64_t dim;
};

std::optional<ShapedDim> getSource(ShapedDim of);

/// The loops that tiling makes. Of others little is known, such as which value
/// they carry where.
LoopLikeOpInterface getTileLoop(Operation *op) {
  return isa_and_nonnull<scf::ForOp, scf::ForallOp>(op)
             ? cast<LoopLikeOpInterface>(op)
             : LoopLikeOpInterface();
}

/// What a loop starts with in the place of `carried`, an argument of its body,
/// if its iterations leave the extent alone.
std::optional<ShapedDim> getLoopSource(LoopLikeOpInterface loop,
                                       BlockArgument carried, int64_t dim) {
  OpOperand *init = loop.getTiedLoopInit(carried);
  if (!init)
    return std::nullopt;
  ShapedDim source{init->get(), dim};
  if (!carried.getOwner()->mightHaveTerminator())
    return source;
  OpOperand *yielded = loop.getTiedLoopYieldedValue(carried);
  // A loop that yields nothing, as scf.forall, writes slices only.
  if (!yielded)
    return source;
  std::optional<ShapedDim> value = ShapedDim{yielded->get(), dim};
  while (value && value->value != carried)
    value = getSource(*value);
  return value && value->dim == dim ? std::optional(source) : std::nullopt;
}

/// The dimension that the result of a graph-level scan has its extent from,
/// given the tensor that is scanned.
std::optional<ShapedDim> getScanSource(Value scanned, bool isFinal,
                                       bool hasOffsets, int64_t scanDim,
                                       int64_t dim) {
  if (!isFinal || !hasOffsets)
    return ShapedDim{scanned, dim + (isFinal && dim >= scanDim)};
  // One state per segment: how many is not the extent of another dimension.
  return dim == scanDim ? std::nullopt : std::optional(ShapedDim{scanned, dim});
}

/// The dimension of another value that `of` has its extent from, if there is
/// one.
std::optional<ShapedDim> getSource(ShapedDim of) {
  auto [shaped, dim] = of;
  if (auto argument = dyn_cast<BlockArgument>(shaped)) {
    LoopLikeOpInterface loop = getTileLoop(argument.getOwner()->getParentOp());
    return loop ? getLoopSource(loop, argument, dim) : std::nullopt;
  }
  auto result = cast<OpResult>(shaped);
  unsigned number = result.getResultNumber();
  Operation *op = result.getOwner();
  if (isa<tensor::CastOp, memref::CastOp>(op)) {
    // What has no rank has no extents to follow.
    Value source = op->getOperand(0);
    return cast<ShapedType>(source.getType()).hasRank()
               ? std::optional(ShapedDim{source, dim})
               : std::nullopt;
  }
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return ShapedDim{insert.getDest(), dim};
  if (auto shift = dyn_cast<ShiftOp>(op))
    return ShapedDim{shift.getSource(), dim};
  if (auto insert = dyn_cast<tensor::InsertOp>(op))
    return ShapedDim{insert.getDest(), dim};
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return ShapedDim{scatter.getDest(), dim};
  if (auto scan = dyn_cast<LinearRecurrenceOp>(op))
    return getScanSource(scan.getB(), result == scan.getLast(),
                         scan.hasSegmentOffsets(), scan.getDim(), dim);
  if (auto scan = dyn_cast<AssociativeOp>(op)) {
    unsigned leaves = scan.getNumLeaves();
    return getScanSource(scan.getInputs()[number % leaves], number >= leaves,
                         scan.hasSegmentOffsets(), scan.getDim(), dim);
  }
  if (LoopLikeOpInterface loop = getTileLoop(op))
    return getLoopSource(loop, loop.getTiedLoopRegionIterArg(result), dim);
  if (auto style = dyn_cast<DestinationStyleOpInterface>(op))
    return ShapedDim{style.getTiedOpOperand(result)->get(), dim};
  return std::nullopt;
}

/// The size of dimension `dim` of a slice; nothing if the slice drops
/// dimensions.
template <typename SliceOp>
OpFoldResult getSliceExtent(SliceOp slice, int64_t dim) {
  return slice.getDroppedDims().none() ? slice.getMixedSizes()[dim]
                                       : OpFoldResult();
}

ExtentSource resolve(OpFoldResult extent);

ExtentSource resolve(Value shaped, int64_t dim) {
  while (true) {
    auto type = cast<ShapedType>(shaped.getType());
    if (!type.isDynamicDim(dim))
      return {Builder(shaped.getContext()).getIndexAttr(type.getDimSize(dim))};
    OpFoldResult size;
    if (auto empty = shaped.getDefiningOp<tensor::EmptyOp>())
      size = empty.getMixedSizes()[dim];
    else if (auto splat = shaped.getDefiningOp<tensor::SplatOp>())
      size = splat.getDynamicSizes()[type.getDynamicDimIndex(dim)];
    else if (auto generate = shaped.getDefiningOp<tensor::GenerateOp>())
      size = generate.getDynamicExtents()[type.getDynamicDimIndex(dim)];
    else if (auto slice = shaped.getDefiningOp<tensor::ExtractSliceOp>())
      size = getSliceExtent(slice, dim);
    else if (auto view = shaped.getDefiningOp<memref::SubViewOp>())
      size = getSliceExtent(view, dim);
    else if (auto alloc = shaped.getDefiningOp<memref::AllocOp>())
      size = alloc.getMixedSizes()[dim];
    if (size)
      return resolve(size);
    std::optional<ShapedDim> source = getSource({shaped, dim});
    if (!source)
      return {shaped, dim};
    std::tie(shaped, dim) = std::pair(source->value, source->dim);
  }
}

ExtentSource resolve(OpFoldResult extent) {
  if (std::optional<int64_t> constant = getConstantIntValue(extent))
    return {extent};
  Value value = cast<Value>(extent);
  auto dimOp = dyn_cast_or_null<ShapedDimOpInterface>(value.getDefiningOp());
  if (!dimOp)
    return {extent};
  std::optional<int64_t> dim = getConstantIntValue(dimOp.getDimension());
  auto type = dyn_cast<ShapedType>(dimOp.getShapedValue().getType());
  if (!dim || !type || !type.hasRank() || *dim < 0 || *dim >= type.getRank())
    return {extent};
  return resolve(dimOp.getShapedValue(), *dim);
}

} // namespace

int64_t scan::countElements(ArrayRef<int64_t> shape) {
  // An extent of zero makes the product zero whatever the others are.
  if (llvm::is_contained(shape, 0))
    return 0;
  int64_t count = 1;
  for (int64_t extent : shape)
    if (extent < 0 || llvm::MulOverflow(count, extent, count))
      return INT64_MAX;
  return count;
}

bool ExtentSource::operator==(const ExtentSource &other) const {
  return dim == other.dim &&
         (dim >= 0 ? value == other.value
                   : isEqualConstantIntOrValue(value, other.value));
}

ExtentSource scan::resolveExtent(Value shaped, int64_t dim) {
  return resolve(shaped, dim);
}

bool scan::isSameExtent(OpFoldResult lhs, OpFoldResult rhs) {
  return resolve(lhs) == resolve(rhs);
}

bool scan::isExtentOf(OpFoldResult extent, Value shaped, int64_t dim) {
  return resolve(extent) == resolve(shaped, dim);
}

bool scan::haveSameExtent(Value lhs, int64_t lhsDim, Value rhs,
                          int64_t rhsDim) {
  return resolve(lhs, lhsDim) == resolve(rhs, rhsDim);
}

OpFoldResult scan::createExtent(OpBuilder &builder, Location loc, Value shaped,
                                int64_t dim) {
  ExtentSource extent = resolve(shaped, dim);
  if (extent.dim < 0)
    return extent.value;
  auto source = cast<Value>(extent.value);
  if (isa<MemRefType>(source.getType()))
    return builder.createOrFold<memref::DimOp>(loc, source, extent.dim);
  return builder.createOrFold<tensor::DimOp>(loc, source, extent.dim);
}
