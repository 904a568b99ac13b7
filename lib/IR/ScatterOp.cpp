//===- ScatterOp.cpp - scan.scatter ---------------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CastOperands.h"
#include "CombineRegion.h"
#include "Extents.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::impl;

LogicalResult ScatterOp::verify() {
  RankedTensorType dest = getDest().getType(), index = getIndex().getType();
  int64_t rank = dest.getRank(), dim = static_cast<int64_t>(getDim());
  // C1.
  if (rank == 0 || !ScanDialect::isSupportedElementType(dest.getElementType()))
    return emitOpError() << "C1: expected the destination to have a rank of 1 "
                            "at least and elements of type "
                         << ScanDialect::getSupportedElementTypes()
                         << ", found " << dest;
  // C2.
  if (dim < -rank || dim >= rank)
    return emitOpError() << "C2: expected dim to be in [" << -rank << ", "
                         << rank << "), found " << dim;
  // C3.
  if (index.getRank() != rank)
    return emitOpError()
           << "C3: expected the index tensor to have the rank of the "
              "destination, "
           << rank << ", found " << index;
  for (int64_t d = 0; d < rank; ++d)
    if (d != getScatterDim() && !index.isDynamicDim(d) &&
        !dest.isDynamicDim(d) && index.getDimSize(d) > dest.getDimSize(d))
      return emitOpError() << "C3: expected the index tensor to have at most "
                              "the extent of the destination, "
                           << dest.getDimSize(d) << ", in dimension " << d
                           << ", found " << index.getDimSize(d);
  // C4.
  Type indexType = index.getElementType();
  if (!indexType.isIndex() && !indexType.isSignlessInteger(8) &&
      !indexType.isSignlessInteger(16) && !indexType.isSignlessInteger(32) &&
      !indexType.isSignlessInteger(64))
    return emitOpError() << "C4: expected indices of type index, i8, i16, i32 "
                            "or i64, found "
                         << indexType;
  // C5.
  Type source = getSource().getType();
  if (source == dest.getElementType())
    return success();
  auto tensor = dyn_cast<RankedTensorType>(source);
  if (!tensor || tensor.getElementType() != dest.getElementType() ||
      !areShapesCompatible(tensor.getShape(), index.getShape()))
    return emitOpError() << "C5: expected the source to be "
                         << dest.getElementType() << " or "
                         << RankedTensorType::get(index.getShape(),
                                                  dest.getElementType())
                         << ", found " << source;
  return success();
}

LogicalResult
ScatterOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getDest()));
  return success();
}

/// Compiled code stops where the index tensor or the source does not fit.
Speculation::Speculatability ScatterOp::getSpeculatability() {
  RankedTensorType dest = getDest().getType(), index = getIndex().getType();
  for (int64_t d = 0, rank = dest.getRank(); d < rank; ++d) {
    bool isStatic = !dest.isDynamicDim(d) && !index.isDynamicDim(d);
    if (d != getScatterDim() && !isStatic &&
        !haveSameExtent(getDest(), d, getIndex(), d))
      return Speculation::NotSpeculatable;
    if (isa<RankedTensorType>(getSource().getType()) &&
        !haveSameExtent(getSource(), d, getIndex(), d))
      return Speculation::NotSpeculatable;
  }
  return Speculation::Speculatable;
}

//===----------------------------------------------------------------------===//
// Canonicalisation
//===----------------------------------------------------------------------===//

/// Counts a negative `dim` from the first dimension; an empty index tensor
/// writes nothing.
OpFoldResult ScatterOp::fold(FoldAdaptor) {
  if (llvm::is_contained(getIndex().getType().getShape(), 0) &&
      getSpeculatability() == Speculation::Speculatable)
    return getDest();
  if (static_cast<int64_t>(getDim()) >= 0)
    return {};
  setDim(getScatterDim());
  return getResult();
}

namespace {

/// A tensor of equal elements scatters as a scalar. Nothing is left that could
/// say which points there are but the index tensor, so that the source must
/// surely fit it.
struct ScatterSplat : OpRewritePattern<ScatterOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScatterOp op,
                                PatternRewriter &rewriter) const override {
    auto splat = op.getSource().getDefiningOp<tensor::SplatOp>();
    if (!splat)
      return rewriter.notifyMatchFailure(op, "the source is no tensor.splat");
    RankedTensorType index = op.getIndex().getType();
    for (int64_t d = 0, rank = index.getRank(); d < rank; ++d)
      if (!haveSameExtent(splat, d, op.getIndex(), d))
        return rewriter.notifyMatchFailure(op, "the source may not fit");
    rewriter.modifyOpInPlace(
        op, [&] { op.getSourceMutable().assign(splat.getInput()); });
    return success();
  }
};

/// True unless static extents of operands of these types contradict C3 or C5.
bool mayFit(Type source, Type dest, Type index, int64_t dim) {
  ArrayRef<int64_t> to = cast<RankedTensorType>(dest).getShape();
  ArrayRef<int64_t> at = cast<RankedTensorType>(index).getShape();
  for (int64_t d = 0, rank = to.size(); d < rank; ++d)
    if (d != dim && !ShapedType::isDynamic(to[d]) &&
        !ShapedType::isDynamic(at[d]) && at[d] > to[d])
      return false;
  auto from = dyn_cast<RankedTensorType>(source);
  return !from || areShapesCompatible(from.getShape(), at);
}

/// Reads through casts that hide static extents, and casts the result back.
struct ScatterCasts : OpRewritePattern<ScatterOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScatterOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> operands(op->getOperands());
    for (Value &operand : operands)
      if (Value source = getHiddenBehindCast(operand))
        operand = source;
    if (llvm::equal(operands, op->getOperands()))
      return rewriter.notifyMatchFailure(op, "no operand hides an extent");
    // Extents that were hidden may contradict each other: the program says so
    // when it runs, and must not become an invalid one before.
    if (!mayFit(operands[0].getType(), operands[1].getType(),
                operands[2].getType(), op.getScatterDim()))
      return rewriter.notifyMatchFailure(op, "the extents contradict");
    auto sharper =
        ScatterOp::create(rewriter, op.getLoc(), operands[1].getType(),
                          operands[0], operands[1], operands[2], op.getDim());
    sharper->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    Value result = sharper.getResult();
    if (result.getType() != op.getType())
      result =
          tensor::CastOp::create(rewriter, op.getLoc(), op.getType(), result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void ScatterOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<ScatterSplat, ScatterCasts>(context);
}
