//===- Segments.cpp - Segments of scans backwards -------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a step owes to later ones ends where its segment does: the scan on the
// way back has the same segments. Offsets say the same in both directions;
// flags, which mark where the walk starts, move by one step.
//
//===----------------------------------------------------------------------===//

#include "../Segments/Segments.h"
#include "../ScalarCast.h"
#include "GraphAdjoint.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

SegmentsAdjoint::SegmentsAdjoint(GraphAdjoint &graph, Location loc,
                                 Value segments, ValueRange inits, Value leaf,
                                 unsigned rank, int64_t dim, bool reverse)
    : graph(graph), loc(loc), rank(rank), dim(dim) {
  if (!segments)
    return;
  OpBuilder &builder = graph.builder;
  auto type = cast<RankedTensorType>(segments.getType());
  areOffsets = !type.getElementType().isInteger(1);
  if (areOffsets) {
    bool wantsNumbers = llvm::any_of(inits, [&](Value init) {
      return isa<RankedTensorType>(init.getType());
    });
    StepSegments steps =
        createStepSegments(builder, loc, segments, graph.getSizes(leaf)[dim],
                           reverse, wantsNumbers);
    starts = steps.starts;
    numbers = steps.numbers;
    backward = segments;
    return;
  }
  starts = segments;
  Value none = createScalarConstant(builder, loc, builder.getI1Type(), 0);
  backward = ShiftOp::create(
      builder, loc, type, segments, none,
      builder.getI64IntegerAttr(type.getRank() == rank ? dim : 0),
      builder.getI64IntegerAttr(reverse ? 1 : -1));
}

AffineMap SegmentsAdjoint::getStartsMap(unsigned toRank) {
  OpBuilder &builder = graph.builder;
  auto type = cast<RankedTensorType>(starts.getType());
  SmallVector<AffineExpr> exprs;
  for (unsigned i = 0, e = type.getRank(); i < e; ++i) {
    unsigned d = e == rank ? i : dim;
    exprs.push_back(d != dim && type.getDimSize(i) == 1
                        ? builder.getAffineConstantExpr(0)
                        : builder.getAffineDimExpr(d));
  }
  return AffineMap::get(toRank, 0, exprs, builder.getContext());
}

Value SegmentsAdjoint::selectPrevious(Value init, Value shifted) {
  if (!starts)
    return shifted;
  OpBuilder &builder = graph.builder;
  auto type = cast<RankedTensorType>(shifted.getType());
  if (!init)
    init = createScalarConstant(builder, loc, type.getElementType(), 0);
  else if (hasScanDim(init, shifted))
    init = gatherPerStep(builder, loc, init, numbers, shifted, dim);
  return selectAtStarts(builder, loc, starts, getStartsMap(type.getRank()),
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

LogicalResult differentiate::checkSegments(GraphAdjoint &graph, Operation *op,
                                           Value segments, Value leaf,
                                           ValueRange inits, ValueRange finals,
                                           Obstacle &obstacle) {
  if (!segments || !getElementTypeOrSelf(segments.getType()).isInteger(1))
    return success();
  for (Value init : inits) {
    if (hasScanDim(init, leaf))
      obstacle = {op, "has flags and one init per step, which is not "
                      "differentiated; with offsets as segments, one init per "
                      "segment is"};
    else if (graph.isActive(init))
      obstacle = {op, "has flags and an init to be differentiated, which is "
                      "possible only with offsets as segments"};
  }
  for (Value final : finals)
    if (graph.getCotangent(final))
      obstacle = {op, "has flags and final states to be differentiated, which "
                      "is possible only with offsets as segments"};
  return success(obstacle.op == nullptr);
}
