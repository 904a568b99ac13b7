//===- Segments.cpp - Backward pass of scans over segments ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a step owes to later ones ends where its segment does: the scan of the
// backward pass has the same segments. Offsets say the same in both directions;
// flags, which mark where the walk starts, move by one step.
//
// The gradient of what a walk starts from is the state of the backward scan
// after its last step, which is that of the start. Offsets make these
// final states; with flags, which walks there are is known by their steps only,
// so that the gradient is computed at each step and counts where a walk starts.
// And only the last walk has a final state: in the backward pass it is an init
// with one state per step.
//
//===----------------------------------------------------------------------===//

#include "../Segments/Segments.h"
#include "../Utils/ScalarCast.h"
#include "GraphAdjoint.h"
#include "Loops.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

SegmentsAdjoint::SegmentsAdjoint(GraphAdjoint &graph, Location loc,
                                 Value segments, ValueRange inits, Value leaf,
                                 unsigned rank, int64_t dim, bool reverse)
    : graph(graph), loc(loc), leaf(leaf), rank(rank), dim(dim),
      isReverse(reverse) {
  if (!segments)
    return;
  OpBuilder &builder = graph.builder;
  auto type = cast<RankedTensorType>(segments.getType());
  areOffsets = !type.getElementType().isInteger(1);
  if (areOffsets) {
    bool wantsNumbers = llvm::any_of(inits, [&](Value init) {
      return isa<RankedTensorType>(init.getType());
    });
    OpFoldResult extent = graph.getSizes(leaf)[dim];
    headFlags = createStepFlags(builder, loc, segments, extent, reverse);
    // What is read at other steps is not selected.
    if (wantsNumbers)
      numbers = createHeadNumbers(builder, loc, segments, extent, reverse);
    backward = segments;
    return;
  }
  headFlags = segments;
  Value none = createScalarConstant(builder, loc, builder.getI1Type(), 0);
  backward = ShiftOp::create(
      builder, loc, type, segments, none,
      builder.getI64IntegerAttr(type.getRank() == rank ? dim : 0),
      builder.getI64IntegerAttr(reverse ? 1 : -1));
}

AffineMap SegmentsAdjoint::getHeadFlagsMap(unsigned toRank) {
  OpBuilder &builder = graph.builder;
  auto type = cast<RankedTensorType>(headFlags.getType());
  SmallVector<AffineExpr> exprs;
  for (unsigned i = 0, e = type.getRank(); i < e; ++i) {
    unsigned d = e == rank ? i : dim;
    exprs.push_back(d != dim && type.getDimSize(i) == 1
                        ? builder.getAffineConstantExpr(0)
                        : builder.getAffineDimExpr(d));
  }
  return AffineMap::get(toRank, 0, exprs, builder.getContext());
}

Value SegmentsAdjoint::getBoundary(Value init, Value like) {
  if (init && !areOffsets && !hasScanDim(init, like))
    return init;
  return createScalarConstant(graph.builder, loc,
                              getElementTypeOrSelf(like.getType()), 0);
}

Value SegmentsAdjoint::selectPrevious(Value init, Value shifted) {
  if (!headFlags)
    return shifted;
  OpBuilder &builder = graph.builder;
  auto type = cast<RankedTensorType>(shifted.getType());
  Value where = headFlags;
  if (!init) {
    init = createScalarConstant(builder, loc, type.getElementType(), 0);
  } else if (hasScanDim(init, shifted)) {
    if (areOffsets)
      init = gatherPerStep(builder, loc, init, numbers, shifted, dim);
    else
      where = getAllHeadFlags();
  }
  return selectAtHeads(builder, loc, where, getHeadFlagsMap(type.getRank()),
                       init, shifted, dim);
}

Value SegmentsAdjoint::sumForInit(Value init, Value gradients,
                                  unsigned trailing) {
  // A scalar takes the total of all there are.
  auto type = dyn_cast<RankedTensorType>(init.getType());
  if (!areOffsets || !type || type.getRank() == rank + trailing)
    return gradients;
  return graph.createSum(loc, gradients, dim);
}

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

Value SegmentsAdjoint::createExtent() {
  OpBuilder &builder = graph.builder;
  Value extent =
      getValueOrCreateConstantIndexOp(builder, loc, graph.getSizes(leaf)[dim]);
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), extent);
}

/// Whether the loops are at the first step along `dim` or, with `extent`, at
/// the last one.
static Value createIsEnd(OpBuilder &b, Location loc, int64_t dim,
                         Value extent) {
  Type i64 = b.getI64Type();
  Value index = linalg::IndexOp::create(b, loc, dim);
  Value step = arith::IndexCastOp::create(b, loc, i64, index);
  Value end = createScalarConstant(b, loc, i64, 0);
  if (extent)
    end = arith::SubIOp::create(b, loc, extent,
                                createScalarConstant(b, loc, i64, 1));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, step, end);
}

Value SegmentsAdjoint::getAllHeadFlags() {
  if (allHeadFlags)
    return allHeadFlags;
  OpBuilder &builder = graph.builder;
  unsigned flagsRank = cast<RankedTensorType>(headFlags.getType()).getRank();
  AffineMap identity = builder.getMultiDimIdentityMap(flagsRank);
  SmallVector<LoopOperand> reads = {{headFlags, identity}};
  if (isReverse)
    reads.push_back(
        {createExtent(), AffineMap::get(flagsRank, 0, builder.getContext())});
  allHeadFlags =
      createLoops(graph, loc, flagsRank, reads,
                  {{builder.getI1Type(), graph.getSizes(headFlags), identity}},
                  [&](OpBuilder &b, ValueRange args) {
                    Value isFirst =
                        createIsEnd(b, loc, flagsRank == rank ? dim : 0,
                                    isReverse ? args[1] : Value());
                    return SmallVector<Value>{
                        arith::OrIOp::create(b, loc, args[0], isFirst)};
                  })
          ->front();
  return allHeadFlags;
}

Value SegmentsAdjoint::spreadLast(Value last, ArrayRef<OpFoldResult> sizes,
                                  Type type) {
  OpBuilder &builder = graph.builder;
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  SmallVector<LoopOperand> reads = {{last, identity.dropResult(dim)}};
  if (!isReverse)
    reads.push_back(
        {createExtent(), AffineMap::get(rank, 0, builder.getContext())});
  return createLoops(
             graph, loc, rank, reads,
             {{type, llvm::to_vector(sizes), identity}},
             [&](OpBuilder &b, ValueRange args) {
               Value isLast =
                   createIsEnd(b, loc, dim, isReverse ? Value() : args[1]);
               Value none = createScalarConstant(b, loc, args[0].getType(), 0);
               return SmallVector<Value>{
                   arith::SelectOp::create(b, loc, isLast, args[0], none)};
             })
      ->front();
}

Value SegmentsAdjoint::sumOverHeads(Value perStep, Value last) {
  Value sum = graph.createSum(loc, perStep, dim);
  std::optional<int64_t> extent =
      getConstantIntValue(graph.getSizes(leaf)[dim]);
  if (!last || (extent && *extent > 0))
    return sum;
  OpBuilder &builder = graph.builder;
  auto type = cast<RankedTensorType>(sum.getType());
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  AffineMap nowhere = AffineMap::get(type.getRank(), 0, builder.getContext());
  return createLoops(
             graph, loc, type.getRank(),
             {{sum, identity}, {last, identity}, {createExtent(), nowhere}},
             {{type.getElementType(), graph.getSizes(sum), identity}},
             [&](OpBuilder &b, ValueRange args) {
               Value zero = createScalarConstant(b, loc, b.getI64Type(), 0);
               Value isEmpty = arith::CmpIOp::create(
                   b, loc, arith::CmpIPredicate::eq, args[2], zero);
               Value state = castScalar(b, loc, args[1], args[0].getType());
               return SmallVector<Value>{
                   arith::SelectOp::create(b, loc, isEmpty, state, args[0])};
             })
      ->front();
}
