//===- ScatterToLinalg.cpp - Scatters as what a kernel can do -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads that write where an index says would race for an element that several
// of them write, and the last write has to win. So each element of the result
// looks for its writers, in their order.
//
//===----------------------------------------------------------------------===//

#include "IR/Extents.h"
#include "Scan/Conversion/LinalgToGPU/Passes.h"
#include "Scan/IR/ScanDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANSCATTERTOLINALG
#include "Scan/Conversion/LinalgToGPU/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

/// The loops over all elements of `dest` and, innermost, over the indices of
/// the line that an element is in.
static Value createLoops(OpBuilder &builder, ScatterOp op, Value dest) {
  Location loc = op.getLoc();
  int64_t dim = op.getScatterDim();
  unsigned rank = op.getDest().getType().getRank();
  SmallVector<AffineExpr> place, point;
  for (unsigned d = 0; d < rank; ++d)
    place.push_back(builder.getAffineDimExpr(d));
  point = place;
  point[dim] = builder.getAffineDimExpr(rank);
  auto getMap = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(rank + 1, 0, exprs, builder.getContext());
  };
  bool isScalar = !isa<RankedTensorType>(op.getSource().getType());
  SmallVector<AffineMap> maps = {
      getMap(point), isScalar ? getMap({}) : getMap(point), getMap(place)};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  auto generic = linalg::GenericOp::create(
      builder, loc, dest.getType(), ValueRange{op.getIndex(), op.getSource()},
      dest, maps, iterators, [&](OpBuilder &b, Location, ValueRange args) {
        Value index = args[0];
        if (!index.getType().isIndex())
          index = arith::IndexCastOp::create(b, loc, b.getIndexType(), index);
        Value here = linalg::IndexOp::create(b, loc, dim);
        Value isHere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                             here, index);
        Value element =
            arith::SelectOp::create(b, loc, isHere, args[1], args[2]);
        linalg::YieldOp::create(b, loc, element);
      });
  return generic.getResult(0);
}

static Value lower(OpBuilder &builder, ScatterOp op) {
  Value dest = op.getDest();
  int64_t rank = op.getDest().getType().getRank();
  bool isCovered = llvm::all_of(llvm::seq(rank), [&](int64_t d) {
    return d == op.getScatterDim() || haveSameExtent(op.getIndex(), d, dest, d);
  });
  if (isCovered)
    return createLoops(builder, op, dest);
  // Only the lines that have indices.
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, op.getIndex());
  sizes[op.getScatterDim()] =
      tensor::getMixedSize(builder, loc, dest, op.getScatterDim());
  SmallVector<OpFoldResult> offsets(rank, builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(rank, builder.getIndexAttr(1));
  Value slice = tensor::ExtractSliceOp::create(builder, loc, dest, offsets,
                                               sizes, strides);
  return tensor::InsertSliceOp::create(builder, loc,
                                       createLoops(builder, op, slice), dest,
                                       offsets, sizes, strides);
}

namespace {

struct ScanScatterToLinalg
    : scan::impl::ScanScatterToLinalgBase<ScanScatterToLinalg> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<ScatterOp> scatters;
    WalkResult walk = getOperation()->walk([&](Operation *op) {
      if (auto scatter = dyn_cast<ScatterOp>(op))
        scatters.push_back(scatter);
      if (!isa<tensor::ScatterOp>(op))
        return WalkResult::advance();
      op->emitOpError(
          "cannot become a GPU kernel: its coordinates may be along "
          "several dimensions, and which of several writes to one "
          "element is the last one is not said; expected "
          "scan.scatter, whose indices are along one dimension, or "
          "a scatter of a scalar into a constant tensor (see "
          "--scan-scatter-to-select); or compute it outside and "
          "pass it in");
      return WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    for (ScatterOp op : scatters) {
      rewriter.setInsertionPoint(op);
      rewriter.replaceOp(op, lower(rewriter, op));
      ++numScatters;
    }
  }
};

} // namespace
