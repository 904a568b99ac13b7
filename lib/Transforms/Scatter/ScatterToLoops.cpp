//===- ScatterToLoops.cpp - Scatters that stay become loops ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/Extents.h"
#include "IR/RuntimeCheck.h"
#include "Scan/IR/ScanDialect.h"
#include "Scan/Transforms/Scatter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANSCATTERTOLOOPS
#include "Scan/Transforms/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

namespace {

/// Emits the loops for one scatter.
class ScatterEmitter {
public:
  ScatterEmitter(OpBuilder &builder, Operation *op)
      : builder(builder), op(op), loc(op->getLoc()) {}

  /// Loops over all points of `extents`, last dimension fastest, that carry
  /// `tensor`; `body` makes the next tensor from a point and the last one.
  Value loop(ValueRange extents, Value tensor,
             function_ref<Value(ValueRange, Value)> body) {
    Value zero = constant(0), one = constant(1);
    SmallVector<Value> zeros(extents.size(), zero), ones(extents.size(), one);
    scf::LoopNest nest = scf::buildLoopNest(
        builder, loc, zeros, extents, ones, tensor,
        [&](OpBuilder &, Location, ValueRange point, ValueRange carried) {
          return scf::ValueVector{body(point, carried.front())};
        });
    return nest.results.front();
  }

  /// `element` written at `point` unless the coordinate `index` along `dim` is
  /// outside of the tensor.
  Value insertIfInside(Value element, Value tensor, ValueRange point,
                       int64_t dim, Value index) {
    // As unsigned numbers, negative indices are too large.
    Value inBounds = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, index, getExtent(tensor, dim));
    SmallVector<Value> place(point);
    place[dim] = index;
    auto branch = scf::IfOp::create(
        builder, loc, inBounds,
        [&](OpBuilder &inner, Location) {
          Value next =
              tensor::InsertOp::create(inner, loc, element, tensor, place);
          scf::YieldOp::create(inner, loc, next);
        },
        [&](OpBuilder &inner, Location) {
          scf::YieldOp::create(inner, loc, tensor);
        });
    return branch.getResult(0);
  }

  /// Stops the program where dimension `d` of `found` is not that of `expected`
  /// (or larger than that, with `orLess`).
  void checkExtent(Value found, StringRef name, Value expected, int64_t d,
                   bool orLess) {
    if (haveSameExtent(found, d, expected, d))
      return;
    auto predicate =
        orLess ? arith::CmpIPredicate::ule : arith::CmpIPredicate::eq;
    Value fits = arith::CmpIOp::create(
        builder, loc, predicate, getExtent(found, d), getExtent(expected, d));
    cf::AssertOp::create(builder, loc, fits,
                         ("scan.scatter: expected dimension " + Twine(d) +
                          " of the " + name + " to have " +
                          (orLess ? "at most the extent of the destination"
                                  : "the extent of the index tensor"))
                             .str());
  }

  /// Stops the program where `fits` does not hold. The words are those of the
  /// reference interpreter.
  void require(Value fits, const Twine &what) {
    cf::AssertOp::create(builder, loc, fits, describeFailure(op, what));
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
  }

  /// An element of an index tensor.
  Value extractIndex(Value tensor, ValueRange point) {
    Value index = tensor::ExtractOp::create(builder, loc, tensor, point);
    return index.getType().isIndex()
               ? index
               : arith::IndexCastOp::create(builder, loc,
                                            builder.getIndexType(), index);
  }

  SmallVector<Value> getExtents(Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    return llvm::map_to_vector(llvm::seq(type.getRank()),
                               [&](int64_t d) { return getExtent(tensor, d); });
  }
  Value getExtent(Value tensor, int64_t d) {
    return getValueOrCreateConstantIndexOp(
        builder, loc, tensor::getMixedSize(builder, loc, tensor, d));
  }
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

private:
  OpBuilder &builder;
  Operation *op;
  Location loc;
};

Value lower(OpBuilder &builder, ScatterOp op) {
  ScatterEmitter emit(builder, op);
  bool isScalar = !isa<RankedTensorType>(op.getSource().getType());
  int64_t rank = op.getDest().getType().getRank(), dim = op.getScatterDim();
  for (int64_t d = 0; d < rank; ++d) {
    if (d != dim && (op.getIndex().getType().isDynamicDim(d) ||
                     op.getDest().getType().isDynamicDim(d)))
      emit.checkExtent(op.getIndex(), "index tensor", op.getDest(), d,
                       /*orLess=*/true);
    if (!isScalar)
      emit.checkExtent(op.getSource(), "source", op.getIndex(), d,
                       /*orLess=*/false);
  }
  return emit.loop(
      emit.getExtents(op.getIndex()), op.getDest(),
      [&](ValueRange point, Value tensor) {
        Value index = emit.extractIndex(op.getIndex(), point);
        Value element = isScalar
                            ? op.getSource()
                            : tensor::ExtractOp::create(builder, op.getLoc(),
                                                        op.getSource(), point)
                                  .getResult();
        return emit.insertIfInside(element, tensor, point, dim, index);
      });
}

/// One loop per dimension of `indices` but the last, which has the coordinates,
/// and one per dimension of a slice. Nothing says that the coordinates are
/// inside of the destination, or that the source has as many slices.
Value lower(OpBuilder &builder, tensor::ScatterOp op) {
  ScatterEmitter emit(builder, op);
  Location loc = op.getLoc();
  ArrayRef<int64_t> dims = op.getScatterDims();
  int64_t rank = op.getDestType().getRank();
  SmallVector<Value> extents = emit.getExtents(op.getIndices());
  extents.pop_back();
  unsigned lead = extents.size();
  bool keepsDims = op.getSourceType().getRank() == int64_t(lead) + rank;
  SmallVector<int64_t> sliceDims;
  auto checkSource = [&](int64_t sourceDim, Value other, int64_t otherDim) {
    if (!haveSameExtent(op.getSource(), sourceDim, other, otherDim))
      emit.require(emit.compare(arith::CmpIPredicate::eq,
                                emit.getExtent(op.getSource(), sourceDim),
                                emit.getExtent(other, otherDim)),
                   "source does not fit in dimension " + Twine(sourceDim));
  };
  for (unsigned d = 0; d < lead; ++d)
    checkSource(d, op.getIndices(), d);
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(dims, d)) {
      checkSource(lead + (keepsDims ? d : sliceDims.size()), op.getDest(), d);
      sliceDims.push_back(d);
      extents.push_back(emit.getExtent(op.getDest(), d));
    }
  return emit.loop(extents, op.getDest(), [&](ValueRange point, Value tensor) {
    SmallVector<Value> from(point.take_front(lead)), to(rank);
    for (auto [k, dim] : llvm::enumerate(dims)) {
      SmallVector<Value> at(point.take_front(lead));
      at.push_back(emit.constant(k));
      to[dim] = emit.extractIndex(op.getIndices(), at);
      // As unsigned numbers, negative indices are too large.
      emit.require(emit.compare(arith::CmpIPredicate::ult, to[dim],
                                emit.getExtent(op.getDest(), dim)),
                   "index is out of bounds in dimension " + Twine(dim));
    }
    for (auto [value, dim] : llvm::zip(point.drop_front(lead), sliceDims))
      to[dim] = value;
    for (int64_t d = 0; d < rank; ++d) {
      bool isSliceDim = llvm::is_contained(sliceDims, d);
      if (isSliceDim || keepsDims)
        from.push_back(isSliceDim ? to[d] : emit.constant(0));
    }
    Value element =
        tensor::ExtractOp::create(builder, loc, op.getSource(), from);
    return tensor::InsertOp::create(builder, loc, element, tensor, to)
        .getResult();
  });
}

struct ScanScatterToLoopsPass
    : scan::impl::ScanScatterToLoopsBase<ScanScatterToLoopsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    auto replace = [&](auto op) {
      rewriter.setInsertionPoint(op);
      rewriter.replaceOp(op, lower(rewriter, op));
      ++numScatters;
    };
    SmallVector<Operation *> scatters;
    getOperation()->walk([&](Operation *op) {
      if (isa<ScatterOp, tensor::ScatterOp>(op))
        scatters.push_back(op);
    });
    for (Operation *op : scatters) {
      if (auto scatter = dyn_cast<ScatterOp>(op))
        replace(scatter);
      else
        replace(cast<tensor::ScatterOp>(op));
    }
  }
};

} // namespace
