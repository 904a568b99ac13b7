//===- MoveSlice.cpp - Slices in front of elementwise code ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice of an argument is a view, which a kernel can read in place. A slice
// of what elementwise code computes is that code on slices.
//
//===----------------------------------------------------------------------===//

#include "KernelFusion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

/// The part of each loop of an operation that a slice of its result needs.
struct LoopRanges {
  SmallVector<OpFoldResult> offsets, sizes, strides;
};

/// The part of `value`, indexed by the loops under `map`, that `loops` reads.
Value createSlice(OpBuilder &builder, Location loc, Value value, AffineMap map,
                  const LoopRanges &loops) {
  LoopRanges ranges;
  for (AffineExpr expr : map.getResults()) {
    // Where it is repeated the one element is enough.
    auto dim = dyn_cast<AffineDimExpr>(expr);
    ranges.offsets.push_back(dim ? loops.offsets[dim.getPosition()]
                                 : builder.getIndexAttr(0));
    ranges.sizes.push_back(dim ? loops.sizes[dim.getPosition()]
                               : builder.getIndexAttr(1));
    ranges.strides.push_back(dim ? loops.strides[dim.getPosition()]
                                 : builder.getIndexAttr(1));
  }
  if (value.getDefiningOp<tensor::EmptyOp>())
    return tensor::EmptyOp::create(
        builder, loc, ranges.sizes,
        cast<RankedTensorType>(value.getType()).getElementType());
  return tensor::ExtractSliceOp::create(builder, loc, value, ranges.offsets,
                                        ranges.sizes, ranges.strides);
}

/// Whether an operand under `map` can be sliced along the loops.
bool isSliceable(Value value, AffineMap map) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return !isa<ShapedType>(value.getType());
  for (auto [expr, extent] : llvm::zip_equal(map.getResults(), type.getShape()))
    if (!isa<AffineDimExpr>(expr) &&
        !(isa<AffineConstantExpr>(expr) && extent == 1))
      return false;
  return true;
}

} // namespace

SmallVector<ReassociationIndices>
scan::groupDroppedDims(int64_t rank, const llvm::SmallBitVector &dropped) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices group;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (!dropped.test(dim) && !group.empty() &&
        llvm::any_of(group,
                     [&](int64_t other) { return !dropped.test(other); })) {
      groups.push_back(group);
      group.clear();
    }
    group.push_back(dim);
  }
  if (!dropped.all())
    groups.push_back(group);
  return groups;
}

/// Replaces a slice of the result of elementwise code.
static LogicalResult moveThroughCode(RewriterBase &rewriter,
                                     tensor::ExtractSliceOp slice) {
  auto fail = [&](const Twine &reason) {
    return rewriter.notifyMatchFailure(slice, "the slice stays: " + reason);
  };
  auto produced = cast<OpResult>(slice.getSource());
  Operation *op = produced.getOwner();
  std::string why;
  std::optional<ElementwiseView> view = ElementwiseView::get(op, why);
  if (!view)
    return fail(why);
  if (!llvm::all_of(op->getUsers(), llvm::IsaPred<tensor::ExtractSliceOp>))
    return fail("its source is needed as a whole, too");
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  bool isConstant = isa<arith::ConstantOp>(op);
  if (!linalgOp && !isConstant && !OpTrait::hasElementwiseMappableTraits(op))
    return fail("its source is a cast or a splat");
  if (linalgOp && linalgOp.hasIndexSemantics())
    return fail("its source depends on where an element lies");

  unsigned rank = view->getNumLoops();
  AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
  auto getMap = [&](OpOperand &operand) {
    return linalgOp ? linalgOp.getMatchingIndexingMap(&operand) : identity;
  };
  for (OpOperand &operand : op->getOpOperands())
    if (!isSliceable(operand.get(), getMap(operand)))
      return fail("an operand of its source cannot be sliced");
  RankedTensorType whole = tensor::ExtractSliceOp::inferResultType(
      slice.getSourceType(), slice.getStaticSizes());
  if (isConstant && !whole.hasStaticShape())
    return fail("its source is a constant and its size is dynamic");

  LoopRanges loops;
  for (auto *list : {&loops.offsets, &loops.sizes, &loops.strides})
    list->resize(rank);
  AffineMap resultMap = view->getResultMap(produced.getResultNumber());
  for (auto [i, expr] : llvm::enumerate(resultMap.getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    loops.offsets[loop] = slice.getMixedOffsets()[i];
    loops.sizes[loop] = slice.getMixedSizes()[i];
    loops.strides[loop] = slice.getMixedStrides()[i];
  }

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(slice);
  Location loc = op->getLoc();
  Value sliced;
  if (isConstant) {
    auto dense =
        cast<DenseElementsAttr>(cast<arith::ConstantOp>(op).getValue());
    sliced = arith::ConstantOp::create(
        rewriter, loc,
        DenseElementsAttr::get(whole, dense.getSplatValue<Attribute>()));
  } else {
    SmallVector<Value> operands;
    for (OpOperand &operand : op->getOpOperands())
      operands.push_back(isa<RankedTensorType>(operand.get().getType())
                             ? createSlice(rewriter, loc, operand.get(),
                                           getMap(operand), loops)
                             : operand.get());
    Operation *copy = rewriter.clone(*op);
    rewriter.modifyOpInPlace(copy, [&] {
      copy->setOperands(operands);
      for (OpResult result : copy->getResults()) {
        unsigned number = result.getResultNumber();
        SmallVector<OpFoldResult> sizes;
        for (AffineExpr expr : view->getResultMap(number).getResults())
          sizes.push_back(loops.sizes[cast<AffineDimExpr>(expr).getPosition()]);
        SmallVector<int64_t> shape;
        SmallVector<Value> dynamic;
        dispatchIndexOpFoldResults(sizes, dynamic, shape);
        result.setType(cast<RankedTensorType>(result.getType()).clone(shape));
      }
    });
    sliced = copy->getResult(produced.getResultNumber());
  }
  // Of a slice that drops extents of 1, that is still to be done.
  if (sliced.getType() != slice.getType())
    sliced = tensor::CollapseShapeOp::create(
        rewriter, loc, slice.getType(), sliced,
        groupDroppedDims(whole.getRank(), slice.getDroppedDims()));
  rewriter.replaceOp(slice, sliced);
  return success();
}

LogicalResult scan::moveSlice(RewriterBase &rewriter,
                              tensor::ExtractSliceOp slice) {
  if (!slice.getSource().getDefiningOp())
    return rewriter.notifyMatchFailure(
        slice, "the slice stays: it is one of an argument");
  if (succeeded(takeSliceOfMoved(rewriter, slice)))
    return success();
  return moveThroughCode(rewriter, slice);
}
