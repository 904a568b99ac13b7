//===- ScatterToLinalg.cpp - Scatters as what a kernel can do -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads that write where an index says would race for an element that several
// of them write, and the last write has to win. So each element of the result
// looks for its writers, in their order. That is what it means, and what other
// passes read; LastWriters.cpp makes kernels of it that look for none.
//
//===----------------------------------------------------------------------===//

#include "Analysis/CompactionIndices.h"
#include "ElementwiseKernel.h"
#include "IR/Extents.h"
#include "IR/StepsRange.h"
#include "Scan/Conversion/LinalgToGPU/Passes.h"
#include "Scan/IR/ScanDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANSCATTERTOLINALG
#include "Scan/Conversion/LinalgToGPU/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

namespace {

/// What scan.scatter and tensor.scatter have in common: loops over all elements
/// of `dest`, and in these one over the indices along dimension `dim`, which
/// is the last one in the maps of indices and sources.
struct Scatter {
  Location loc;
  Value dest, index, source;
  int64_t dim;
  AffineMap indexMap, sourceMap;
  /// No two indices of a line are the same place.
  bool isUnique = false;
};

} // namespace

static Value createLoops(OpBuilder &builder, const Scatter &scatter,
                         Value dest) {
  Location loc = scatter.loc;
  unsigned rank = cast<RankedTensorType>(dest.getType()).getRank();
  AffineMap place =
      AffineMap::getMultiDimIdentityMap(rank + 1, builder.getContext())
          .dropResult(rank);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  auto generic = linalg::GenericOp::create(
      builder, loc, dest.getType(), ValueRange{scatter.index, scatter.source},
      dest, ArrayRef{scatter.indexMap, scatter.sourceMap, place}, iterators,
      [&](OpBuilder &b, Location, ValueRange args) {
        Value index = args[0];
        if (!index.getType().isIndex())
          index = arith::IndexCastOp::create(b, loc, b.getIndexType(), index);
        Value here = linalg::IndexOp::create(b, loc, scatter.dim);
        Value isHere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                             here, index);
        Value element =
            arith::SelectOp::create(b, loc, isHere, args[1], args[2]);
        linalg::YieldOp::create(b, loc, element);
      });
  if (scatter.isUnique)
    generic->setAttr(kUniqueKeysAttrName, builder.getUnitAttr());
  return generic.getResult(0);
}

static Scatter describe(ScatterOp op) {
  MLIRContext *context = op.getContext();
  unsigned rank = op.getDest().getType().getRank();
  SmallVector<AffineExpr> point;
  for (unsigned d = 0; d < rank; ++d)
    point.push_back(
        getAffineDimExpr(d == op.getScatterDim() ? rank : d, context));
  AffineMap map = AffineMap::get(rank + 1, 0, point, context);
  bool isScalar = !isa<RankedTensorType>(op.getSource().getType());
  return {op.getLoc(),
          op.getDest(),
          op.getIndex(),
          op.getSource(),
          op.getScatterDim(),
          map,
          isScalar ? AffineMap::get(rank + 1, 0, context) : map};
}

/// One with a list of coordinates along one dimension. The source has the
/// dimension of the list first, and then those of the destination, of which
/// that of the coordinates is 1 or is not there.
static std::optional<Scatter> describe(tensor::ScatterOp op) {
  MLIRContext *context = op.getContext();
  if (op.getScatterDims().size() != 1 || op.getIndicesType().getRank() != 2)
    return std::nullopt;
  unsigned rank = op.getDestType().getRank();
  int64_t dim = op.getScatterDims().front();
  AffineExpr list = getAffineDimExpr(rank, context);
  AffineExpr zero = getAffineConstantExpr(0, context);
  bool hasDim = op.getSourceType().getRank() == rank + 1;
  SmallVector<AffineExpr> point = {list};
  for (unsigned d = 0; d < rank; ++d)
    if (d != dim)
      point.push_back(getAffineDimExpr(d, context));
    else if (hasDim)
      point.push_back(zero);
  return Scatter{op.getLoc(),
                 op.getDest(),
                 op.getIndices(),
                 op.getSource(),
                 dim,
                 AffineMap::get(rank + 1, 0, {list, zero}, context),
                 AffineMap::get(rank + 1, 0, point, context)};
}

/// Whether all lines have indices.
static bool isCovered(ScatterOp op) {
  Value dest = op.getDest();
  int64_t rank = op.getDest().getType().getRank();
  return llvm::all_of(llvm::seq(rank), [&](int64_t d) {
    return d == op.getScatterDim() || haveSameExtent(op.getIndex(), d, dest, d);
  });
}

static Value lowerAs(OpBuilder &builder, ScatterOp op, bool isUnique) {
  Value dest = op.getDest();
  int64_t rank = op.getDest().getType().getRank();
  Scatter scatter = describe(op);
  scatter.isUnique = isUnique;
  if (isCovered(op))
    return createLoops(builder, scatter, dest);
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
                                       createLoops(builder, scatter, slice),
                                       dest, offsets, sizes, strides);
}

/// Where the indices count flags in few bits, they are unique up to some number
/// of steps only. The host chooses if both ways write to the same memory, which
/// is made in front of the choice.
static Value lower(OpBuilder &builder, ScatterOp op) {
  int64_t dim = op.getScatterDim();
  std::optional<CompactionPlaces> places = findCompaction(op.getIndex(), dim);
  if (!places)
    return lowerAs(builder, op, /*isUnique=*/false);
  int64_t steps = op.getIndex().getType().getDimSize(dim),
          most = places->mostSteps;
  if (!ShapedType::isDynamic(steps))
    return lowerAs(builder, op, steps <= most);
  StepsRange range = getStepsRange(places->kernel);
  if (range.most <= most)
    return lowerAs(builder, op, /*isUnique=*/true);
  // What is run with so many steps only (--scan-fuse-scatter) is one way.
  if (range.least > 0)
    return lowerAs(builder, op, /*isUnique=*/false);
  auto source = op.getDest().getDefiningOp<DestinationStyleOpInterface>();
  if (!source || !op.getDest().hasOneUse() || !isCovered(op))
    return lowerAs(builder, op, /*isUnique=*/false);
  Location loc = op.getLoc();
  Value areFew = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ule,
      tensor::DimOp::create(builder, loc, op.getIndex(), dim),
      arith::ConstantIndexOp::create(builder, loc, most));
  auto lowerIn = [&](bool isUnique) {
    return [&, isUnique](OpBuilder &b, Location) {
      scf::YieldOp::create(b, loc, lowerAs(b, op, isUnique));
    };
  };
  return scf::IfOp::create(builder, loc, areFew, lowerIn(true), lowerIn(false))
      .getResult(0);
}

namespace {

struct ScanScatterToLinalg
    : scan::impl::ScanScatterToLinalgBase<ScanScatterToLinalg> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<ScatterOp> scatters;
    SmallVector<tensor::ScatterOp> lists;
    WalkResult walk = getOperation()->walk([&](Operation *op) {
      if (auto scatter = dyn_cast<ScatterOp>(op))
        scatters.push_back(scatter);
      auto list = dyn_cast<tensor::ScatterOp>(op);
      if (!list)
        return WalkResult::advance();
      lists.push_back(list);
      if (describe(list))
        return WalkResult::advance();
      op->emitOpError("cannot become a GPU kernel: expected one list of "
                      "coordinates along one dimension, found scatter_dims(")
          << list.getScatterDims() << ") and coordinates of type "
          << list.getIndicesType()
          << "; collapse the dimensions into one and compute an index in it, "
             "or compute it outside and pass it in";
      return WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    for (tensor::ScatterOp op : lists) {
      rewriter.setInsertionPoint(op);
      rewriter.replaceOp(op,
                         createLoops(rewriter, *describe(op), op.getDest()));
      ++numScatters;
    }
    for (ScatterOp op : scatters) {
      rewriter.setInsertionPoint(op);
      rewriter.replaceOp(op, lower(rewriter, op));
      ++numScatters;
    }
  }
};

} // namespace
