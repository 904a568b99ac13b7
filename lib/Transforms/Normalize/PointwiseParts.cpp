//===- PointwiseParts.cpp - Operands of a pointwise recurrence ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PointwiseParts.h"
#include "IR/Extents.h"
#include "IR/RecurrenceRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::scan;

using Sizes = SmallVector<OpFoldResult>;

PointwiseParts::PointwiseParts(RewriterBase &rewriter, RecurrenceOp op,
                               OpFoldResult steps)
    : rewriter(rewriter), op(op), loc(op.getLoc()), dim(op.getDim()),
      rank(cast<RankedTensorType>(op.getInits().front().getType()).getRank()),
      steps(steps) {}

Value PointwiseParts::createInitRow(unsigned state, int64_t number) {
  Value rows = op.getInits()[state];
  Sizes sizes = tensor::getMixedSizes(rewriter, loc, rows);
  if (rank > 1)
    return RecurrenceRows(rewriter, loc, dim)
        .extract(rows, sizes, rewriter.getIndexAttr(number));
  // A tensor without dimensions, not a scalar: nothing reads it on the host.
  auto type = cast<RankedTensorType>(rows.getType());
  OpFoldResult one = rewriter.getIndexAttr(1);
  return tensor::ExtractSliceOp::create(
      rewriter, loc, RankedTensorType::Builder(type).dropDim(dim), rows,
      OpFoldResult(rewriter.getIndexAttr(number)), one, one);
}

AffineMap PointwiseParts::getDomainMap(AffineMap fromLanes, bool isPerStep) {
  SmallVector<AffineExpr> lanes;
  for (unsigned lane = 0; lane + 1 < rank; ++lane)
    lanes.push_back(rewriter.getAffineDimExpr(lane + (lane >= dim)));
  SmallVector<AffineExpr> exprs;
  for (AffineExpr expr : fromLanes.getResults())
    exprs.push_back(expr.replaceDims(lanes));
  if (isPerStep)
    exprs.insert(exprs.begin() + dim, rewriter.getAffineDimExpr(dim));
  return AffineMap::get(rank, 0, exprs, rewriter.getContext());
}

PointwiseParts::Read
PointwiseParts::createRead(const PointwiseBody::Element &element) {
  if (!element.row)
    return {};
  AffineMap scalar = AffineMap::get(rank, 0, rewriter.getContext());
  bool isInput = llvm::is_contained(op.getInputArguments(), element.row);
  bool isWhole = llvm::is_contained(op.getCaptureArguments(), element.row);
  Value source = op.getOperandOf(element.row);
  if (element.extent) {
    unsigned number = *element.extent + (!isWhole && *element.extent >= dim);
    Value extent = getValueOrCreateConstantIndexOp(
        rewriter, loc, createExtent(rewriter, loc, source, number));
    return {arith::IndexCastOp::create(rewriter, loc, element.type, extent),
            scalar};
  }
  if (source.getType().isIndex())
    source = arith::IndexCastOp::create(rewriter, loc, element.type, source);
  auto type = dyn_cast<RankedTensorType>(source.getType());
  if (!type)
    return {source, scalar};
  // Constant indices, and steps beyond the last one, are cut off.
  Sizes sizes = tensor::getMixedSizes(rewriter, loc, source);
  Sizes offsets(sizes.size(), rewriter.getIndexAttr(0));
  Sizes strides(sizes.size(), rewriter.getIndexAttr(1));
  SmallVector<AffineExpr> exprs;
  bool isSlice = false;
  if (isInput && op.getSteps() && !isExtentOf(steps, source, dim)) {
    sizes[dim] = steps;
    isSlice = true;
  }
  for (auto [i, expr] : llvm::enumerate(element.map.getResults())) {
    unsigned d = i + (isInput && i >= dim);
    auto place = dyn_cast<AffineConstantExpr>(expr);
    if (!place) {
      exprs.push_back(expr);
      continue;
    }
    offsets[d] = rewriter.getIndexAttr(place.getValue());
    sizes[d] = rewriter.getIndexAttr(1);
    exprs.push_back(rewriter.getAffineConstantExpr(0));
    isSlice |= type.getDimSize(d) != 1;
  }
  // Of a tensor without elements no slice is in bounds.
  if (isSlice && llvm::is_contained(type.getShape(), 0))
    source =
        tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
  else if (isSlice)
    source = tensor::ExtractSliceOp::create(rewriter, loc, source, offsets,
                                            sizes, strides);
  AffineMap fromLanes =
      AffineMap::get(element.map.getNumDims(), 0, exprs, rewriter.getContext());
  return {source, getDomainMap(fromLanes, isInput)};
}

Value PointwiseParts::createHistory(unsigned state, Value rows) {
  if (!op.getInitRows())
    return rows;
  Value init = op.getInits()[state];
  Sizes inner = tensor::getMixedSizes(rewriter, loc, rows), all(inner);
  Value window =
      arith::ConstantIndexOp::create(rewriter, loc, op.getWindow(state));
  Value count = getValueOrCreateConstantIndexOp(rewriter, loc, steps);
  all[dim] = getAsOpFoldResult(
      rewriter.createOrFold<arith::AddIOp>(loc, count, window));
  Value history = tensor::EmptyOp::create(rewriter, loc, all,
                                          getElementTypeOrSelf(init.getType()));
  RecurrenceRows parts(rewriter, loc, dim);
  OpFoldResult zero = rewriter.getIndexAttr(0);
  OpFoldResult k = rewriter.getIndexAttr(op.getWindow(state));
  history =
      parts.insertSome(rows, history, inner, op.getReverse() ? zero : k, steps);
  return parts.insertSome(init, history, inner, op.getReverse() ? steps : zero,
                          k);
}
