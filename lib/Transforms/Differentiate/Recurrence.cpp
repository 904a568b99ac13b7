//===- Recurrence.cpp - Backward pass of recurrences and shifts -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The backward pass of h_t = a_t h_{t-1} + b_t is a recurrence in the other
// direction (Martin and Cundy, Parallelizing Linear Recurrent Neural Nets Over
// Sequence Length, 2018, section 2.4). With g_t the whole cotangent of h_t,
//
//   g_t = dh_t + u_t,  u_t = a_{t+1} g_{t+1},  db_t = g_t,  da_t = g_t h_{t-1}.
//
// The shift of `a` that this needs is none for the states s_t = a_t g_t =
// a_t s_{t+1} + a_t dh_t: u is s before each step, an exclusive recurrence.
//
//===----------------------------------------------------------------------===//

#include "../Segments/Segments.h"
#include "../Utils/ScalarCast.h"
#include "GraphAdjoint.h"
#include "Loops.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

namespace {

/// Gives to one recurrence's operands.
class RecurrenceAdjoint {
public:
  RecurrenceAdjoint(GraphAdjoint &graph, LinearRecurrenceOp op)
      : graph(graph), builder(graph.builder), op(op), loc(op.getLoc()),
        type(cast<RankedTensorType>(op.getB().getType())),
        element(type.getElementType()), wide(op.getAccumulatorType()),
        dim(op.getDim()), sizes(graph.getSizes(op.getB())),
        segments(graph, loc, op.getSegments(),
                 op.getInit() ? ValueRange(op.getInit()) : ValueRange(),
                 op.getB(), type.getRank(), dim, op.getReverse()) {}
  void visit();

private:
  AffineMap getIdentity() {
    return builder.getMultiDimIdentityMap(type.getRank());
  }
  /// `a` as the loops over `b` read it.
  AffineMap getCoefficientMap();
  /// The states before each step.
  Value createPrevious();
  /// u, and the final state if the init is asked for.
  void createBackwardScan();
  void accumulateInit();
  /// The same for flags.
  void accumulateInitAtHeads();

  GraphAdjoint &graph;
  OpBuilder &builder;
  LinearRecurrenceOp op;
  Location loc;
  RankedTensorType type;
  Type element, wide;
  int64_t dim;
  SmallVector<OpFoldResult> sizes;
  SegmentsAdjoint segments;
  Value u, first;
};

AffineMap RecurrenceAdjoint::getCoefficientMap() {
  auto aType = cast<RankedTensorType>(op.getA().getType());
  SmallVector<AffineExpr> exprs;
  for (int64_t i = 0; i < aType.getRank(); ++i)
    exprs.push_back(i != dim && aType.getDimSize(i) == 1 &&
                            type.getDimSize(i) != 1
                        ? builder.getAffineConstantExpr(0)
                        : builder.getAffineDimExpr(i));
  return AffineMap::get(type.getRank(), 0, exprs, builder.getContext());
}

Value RecurrenceAdjoint::createPrevious() {
  if (op.getExclusive())
    return op.getResult();
  // Nothing comes before the first step without an init: its coefficient has
  // no part in the result.
  Value shifted =
      ShiftOp::create(builder, loc, type, op.getResult(),
                      segments.getBoundary(op.getInit(), op.getResult()),
                      builder.getI64IntegerAttr(dim),
                      builder.getI64IntegerAttr(op.getReverse() ? -1 : 1));
  return segments.selectPrevious(op.getInit(), shifted);
}

void RecurrenceAdjoint::createBackwardScan() {
  unsigned rank = type.getRank();
  Value dh = graph.getCotangent(op.getResult());
  Value dlast = op.getLast() ? graph.getCotangent(op.getLast()) : Value();
  SmallVector<LoopOperand> reads = {{op.getA(), getCoefficientMap()}};
  if (dh)
    reads.push_back({dh, getIdentity()});
  SmallVector<OpFoldResult> aSizes = graph.getSizes(op.getA());
  AffineMap aIdentity = getIdentity();
  Value a =
      createLoops(graph, loc, rank, {{op.getA(), aIdentity}},
                  {{wide, aSizes, aIdentity}},
                  [&](OpBuilder &b, ValueRange args) {
                    Value value = castScalar(b, loc, args[0], wide);
                    return SmallVector<Value>{ScalarMath{b, loc}.conj(value)};
                  })
          ->front();
  // Of an exclusive recurrence dh is the cotangent of the state before the
  // step, which the step does not change any more.
  Value offsets =
      createLoops(graph, loc, rank, reads, {{wide, sizes, getIdentity()}},
                  [&](OpBuilder &b, ValueRange args) {
                    ScalarMath math{b, loc};
                    if (!dh)
                      return SmallVector<Value>{math.constant(wide, 0.0)};
                    Value value = castScalar(b, loc, args[1], wide);
                    if (!op.getExclusive()) {
                      Value factor = castScalar(b, loc, args[0], wide);
                      value = math.mul(math.conj(factor), value);
                    }
                    return SmallVector<Value>{value};
                  })
          ->front();
  Value init = dlast ? graph.castElements(loc, dlast, wide)
                     : ScalarMath{builder, loc}.constant(wide, 0.0);
  if (dlast && segments.areFlags())
    init = segments.spreadLast(init, sizes, wide);
  bool needsFirst =
      op.getInit() && graph.isActive(op.getInit()) && !segments.areFlags();
  auto scan = LinearRecurrenceOp::create(builder, loc, a, offsets, init, dim,
                                         !op.getReverse(), /*exclusive=*/true,
                                         needsFirst, segments.backward);
  scan.setOrderAttr(op.getOrderAttr());
  u = scan.getResult();
  first = scan.getLast();
}

void RecurrenceAdjoint::accumulateInit() {
  if (!first)
    return;
  first = segments.sumForInit(op.getInit(), first);
  if (isa<RankedTensorType>(op.getInit().getType())) {
    graph.accumulate(op.getInit(), graph.castElements(loc, first, element));
    return;
  }
  Value total = graph.createTotal(loc, first);
  graph.accumulate(op.getInit(), castScalar(builder, loc, total, element));
}

/// At each start the gradient of the state before it: a_t g_t.
void RecurrenceAdjoint::accumulateInitAtHeads() {
  if (!op.getInit() || !graph.isActive(op.getInit()))
    return;
  bool isPerStep = hasScanDim(op.getInit(), op.getB());
  Value dh = graph.getCotangent(op.getResult());
  SmallVector<LoopOperand> reads = {
      {u, getIdentity()},
      {op.getA(), getCoefficientMap()},
      {segments.getAllHeadFlags(), segments.getHeadFlagsMap(type.getRank())}};
  if (dh)
    reads.push_back({dh, getIdentity()});
  Value gradients =
      createLoops(graph, loc, type.getRank(), reads,
                  {{isPerStep ? element : wide, sizes, getIdentity()}},
                  [&](OpBuilder &b, ValueRange args) {
                    ScalarMath math{b, loc};
                    Value later = args[0];
                    Value a = math.conj(castScalar(b, loc, args[1], wide));
                    Value own =
                        dh ? castScalar(b, loc, args[3], wide) : Value();
                    if (own && !op.getExclusive())
                      later = math.add(own, later);
                    Value state = math.mul(a, later);
                    if (own && op.getExclusive())
                      state = math.add(own, state);
                    return SmallVector<Value>{
                        math.select(args[2], state, math.constant(wide, 0.0))};
                  })
          ->front();
  if (isPerStep) {
    graph.accumulate(op.getInit(), gradients);
    return;
  }
  first = segments.sumOverHeads(
      gradients, op.getLast() ? graph.getCotangent(op.getLast()) : Value());
  accumulateInit();
}

void RecurrenceAdjoint::visit() {
  bool wantsA = graph.isActive(op.getA()), wantsB = graph.isActive(op.getB());
  // Before the scan, so that what reads it can be fused into the scan: a shift
  // with dynamic extents is not moved.
  Value previous = wantsA ? createPrevious() : Value();
  createBackwardScan();
  if (segments.areFlags())
    accumulateInitAtHeads();
  else
    accumulateInit();
  if (!wantsA && !wantsB)
    return;
  Value dh = op.getExclusive() ? Value() : graph.getCotangent(op.getResult());
  SmallVector<LoopOperand> reads = {{u, getIdentity()}};
  if (dh)
    reads.push_back({dh, getIdentity()});
  AffineMap aMap = getCoefficientMap();
  SmallVector<int64_t> broadcast;
  for (auto [i, expr] : llvm::enumerate(aMap.getResults()))
    if (isa<AffineConstantExpr>(expr))
      broadcast.push_back(i);
  Type daType = broadcast.empty() ? element : getSumType(element);
  auto getWhole = [&](OpBuilder &b, ValueRange args) {
    Value g = args[0];
    return dh ? ScalarMath{b, loc}.add(castScalar(b, loc, args[1], wide), g)
              : g;
  };
  // By itself: what only needs db does not wait for the states.
  Value db;
  if (wantsB || element == wide)
    db = createLoops(graph, loc, type.getRank(), reads,
                     {{element, sizes, getIdentity()}},
                     [&](OpBuilder &b, ValueRange args) {
                       return SmallVector<Value>{getWhole(b, args)};
                     })
             ->front();
  if (wantsB)
    graph.accumulate(op.getB(), db);
  if (!wantsA)
    return;
  // Not rounded, it is what da is made of.
  bool isExact = element == wide;
  if (isExact)
    reads = {{db, getIdentity()}};
  reads.push_back({previous, getIdentity()});
  Value da = createLoops(graph, loc, type.getRank(), reads,
                         {{daType, sizes, getIdentity()}},
                         [&](OpBuilder &b, ValueRange args) {
                           ScalarMath math{b, loc};
                           Value g = isExact ? args[0] : getWhole(b, args);
                           Value state = castScalar(b, loc, args.back(), wide);
                           Value product = math.mul(math.conj(state), g);
                           if (graph.isMasked())
                             product = keepZero(math, g, product);
                           return SmallVector<Value>{product};
                         })
                 ->front();
  da = graph.createSum(loc, da, broadcast);
  graph.accumulate(
      op.getA(),
      graph.createUnitDims(loc, graph.castElements(loc, da, element), broadcast,
                           cast<RankedTensorType>(op.getA().getType())));
}

} // namespace

void differentiate::visitRecurrence(GraphAdjoint &graph,
                                    LinearRecurrenceOp op) {
  RecurrenceAdjoint(graph, op).visit();
}

/// p_t = x_{t-by}, or the boundary: dx_t = dp_{t+by}, and the boundary gets
/// what is left over at the end that the elements were moved away from.
void differentiate::visitShift(GraphAdjoint &graph, ShiftOp op) {
  OpBuilder &builder = graph.builder;
  Location loc = op.getLoc();
  Value cotangent = graph.getCotangent(op.getResult());
  auto type = cast<RankedTensorType>(op.getSource().getType());
  Type element = type.getElementType();
  int64_t dim = op.getDim(), by = op.getDistance();
  Value zero = ScalarMath{builder, loc}.constant(element, 0.0);
  if (graph.isActive(op.getSource()))
    graph.accumulate(op.getSource(),
                     ShiftOp::create(builder, loc, type, cotangent, zero,
                                     builder.getI64IntegerAttr(dim),
                                     builder.getI64IntegerAttr(-by)));
  if (!graph.isActive(op.getBoundary()) || by == 0)
    return;
  // The first `by` elements, or the last: as many as there are.
  SmallVector<OpFoldResult> sizes = graph.getSizes(op.getSource());
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  uint64_t distance = by < 0 ? -static_cast<uint64_t>(by) : by;
  if (std::optional<int64_t> extent = getConstantIntValue(sizes[dim])) {
    int64_t count =
        std::min<uint64_t>(distance, static_cast<uint64_t>(*extent));
    offsets[dim] = builder.getIndexAttr(by > 0 ? 0 : *extent - count);
    sizes[dim] = builder.getIndexAttr(count);
  } else {
    Value extentValue = cast<Value>(sizes[dim]);
    Value wanted = arith::ConstantIndexOp::create(
        builder, loc, std::min<uint64_t>(distance, INT64_MAX));
    Value count = arith::MinSIOp::create(builder, loc, extentValue, wanted);
    if (by < 0)
      offsets[dim] =
          arith::SubIOp::create(builder, loc, extentValue, count).getResult();
    sizes[dim] = count;
  }
  Value edge = tensor::ExtractSliceOp::create(builder, loc, cotangent, offsets,
                                              sizes, strides);
  edge = graph.castElements(loc, edge, getSumType(element));
  if (isa<RankedTensorType>(op.getBoundary().getType())) {
    Value sum = graph.createSum(loc, edge, dim);
    graph.accumulate(op.getBoundary(), graph.castElements(loc, sum, element));
    return;
  }
  graph.accumulate(
      op.getBoundary(),
      castScalar(builder, loc, graph.createTotal(loc, edge), element));
}
