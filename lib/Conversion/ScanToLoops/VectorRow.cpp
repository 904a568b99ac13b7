//===- VectorRow.cpp - Neighbouring steps of one row as vectors -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector of neighbouring steps is loaded as it lies in memory and scanned by
// doubling (Hillis and Steele, Data parallel algorithms, CACM 29(12), 1986): in
// round k each lane combines what the lane 2^k steps before it has with its own
// value. The state before the vector is combined in front of all lanes. The
// operator needs no identity, and operands keep their order; a scan in reverse
// walks the lanes downwards, so that no vector is ever turned around.
//
//   state = ...                                       the same in all lanes
//   for each vector of steps
//     local = scan of the lanes of load(inputs)       log2(lanes) combines
//     if what the left fold does not compute is finite in all lanes
//       store(combine(state, local), ...)
//       state = combine(state, last lane of local)
//     else
//       these steps one after the other
//
// The left fold computes no products of the coefficients of a recurrence, which
// may overflow where its states do not, and then make numbers of them that are
// none: infinity times a state of zero.
//
// From one vector to the next only the last combine has to wait: the processor
// computes the scans of later vectors meanwhile. One step costs
// (log2(lanes) + 2) / lanes combines, of which it waits for 1 / lanes, rather
// than one that it waits for.
//
//===----------------------------------------------------------------------===//

#include "VectorRow.h"
#include "IR/Divisions.h"
#include "StreamingStores.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::scan;

/// With fewer lanes there are more combines than steps.
static constexpr int64_t kMinLanes = 4;
/// How many vectors a row has to have for them to be worth what comes before
/// and behind them.
static constexpr int64_t kMinVectors = 2;
/// Rows of at least as many vectors are walked to where stores are aligned.
static constexpr int64_t kVectorsToAlign = 16;
/// The most operations that all the combines of a vector may have, for the sake
/// of the time to compile.
static constexpr int64_t kMaxCombineOps = 1024;

int64_t mlir::scan::chooseRowLanes(KernelEmitter &emitter,
                                   const ConvertScanToLoopsOptions &options) {
  KernelOp kernel = emitter.getKernel();
  int64_t lanes = emitter.getLanes(options.vectorBits);
  // Lanes without an earlier one combine values that no scan would.
  if (kernel.getOrder() == Order::Sequential || lanes < kMinLanes ||
      !emitter.isVectorizable(kernel.getDim()) ||
      hasUnsafeOperation(kernel.getCombine()))
    return 1;
  int64_t steps = emitter.getStaticSizes()[kernel.getDim()];
  if (!ShapedType::isDynamic(steps) && steps < kMinVectors * lanes)
    return 1;
  int64_t combineOps = llvm::range_size(kernel.getCombine().front());
  if (combineOps * (llvm::Log2_64(lanes) + 2) > kMaxCombineOps)
    return 1;
  return lanes;
}

VectorRow::VectorRow(OpBuilder &builder, KernelEmitter &emitter, int64_t lanes,
                     Value isLarge, ArrayRef<bool> held)
    : builder(builder), emitter(emitter), kernel(emitter.getKernel()),
      loc(kernel.getLoc()), lanes(lanes), isLarge(isLarge), held(held) {}

Point VectorRow::getPoint(const Point &row, Value step) {
  Point point = row;
  point.laneDim = kernel.getDim();
  point.width = lanes;
  if (kernel.getReverse()) {
    Value length = emitter.getSizes()[kernel.getDim()];
    Value last =
        arith::SubIOp::create(builder, loc, length, emitter.index(lanes));
    step = arith::SubIOp::create(builder, loc, last, step);
  }
  point.indices[kernel.getDim()] = step;
  return point;
}

void VectorRow::alignStores(const Point &row, Range &range) {
  int64_t steps = emitter.getStaticSizes()[kernel.getDim()];
  if (!ShapedType::isDynamic(steps) && steps < kVectorsToAlign * lanes)
    return;
  StoreAlignment alignment = emitStoreAlignment(
      builder, emitter, getPoint(row, range.begin), kernel.getReverse());
  if (!alignment.points)
    return;
  Value isAligned;
  if (kernel.getOrder() == Order::Deterministic) {
    // Where arrays are in memory must not change how a scan is bracketed.
    isAligned = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      alignment.points, emitter.index(0));
  } else {
    isAligned = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                      range.end,
                                      emitter.index(kVectorsToAlign * lanes));
    Value aligned =
        arith::AddIOp::create(builder, loc, range.begin, alignment.points);
    range.begin =
        arith::SelectOp::create(builder, loc, isAligned, aligned, range.begin);
  }
  if (!isLarge)
    return;
  streams = arith::AndIOp::create(builder, loc, isLarge, isAligned);
  streams = arith::AndIOp::create(builder, loc, streams, alignment.isShared);
}

VectorRow::Range VectorRow::chooseRange(const Point &row, Value first) {
  Value length = emitter.getSizes()[kernel.getDim()];
  Range range{first, length};
  alignStores(row, range);

  // Near the ends of the row a shifted input may be outside of it.
  int64_t before = 0, behind = 0;
  for (unsigned i = 0; i < kernel.getInputs().size(); ++i) {
    before = std::max(before, kernel.getShift(i));
    behind = std::max(behind, -kernel.getShift(i));
  }
  if (kernel.getReverse())
    std::swap(before, behind);
  if (before != 0) {
    // A whole number of vectors, so that stores stay aligned.
    Value added = emitter.index(llvm::alignTo(before, lanes));
    range.begin = arith::AddIOp::create(builder, loc, range.begin, added);
  }
  if (behind != 0)
    range.end =
        arith::SubIOp::create(builder, loc, range.end, emitter.index(behind));
  Value count = arith::SubIOp::create(builder, loc, range.end, range.begin);
  count = arith::MaxSIOp::create(builder, loc, count, emitter.index(0));
  Value rest =
      arith::RemUIOp::create(builder, loc, count, emitter.index(lanes));
  count = arith::SubIOp::create(builder, loc, count, rest);
  range.end = arith::AddIOp::create(builder, loc, range.begin, count);
  return range;
}

Value VectorRow::shuffle(Value a, Value b, ArrayRef<int64_t> lanesOfBoth) {
  return vector::ShuffleOp::create(builder, loc, a, b, lanesOfBoth);
}

SmallVector<Value> VectorRow::moveLater(ValueRange leaves, int64_t distance) {
  SmallVector<int64_t> sources(lanes);
  for (int64_t step = 0; step < lanes; ++step)
    sources[getLane(step)] = getLane((step - distance + lanes) % lanes);
  return llvm::map_to_vector(
      leaves, [&](Value leaf) { return shuffle(leaf, leaf, sources); });
}

SmallVector<Value> VectorRow::scanLanes(SmallVector<Value> leaves,
                                        const Point &point) {
  auto maskType = VectorType::get(lanes, builder.getI1Type());
  for (int64_t distance = 1; distance < lanes; distance *= 2) {
    SmallVector<bool> hasEarlier(lanes);
    for (int64_t step = 0; step < lanes; ++step)
      hasEarlier[getLane(step)] = step >= distance;
    Value mask = arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(maskType, hasEarlier));
    SmallVector<Value> earlier = moveLater(leaves, distance);
    SmallVector<Value> combined = emitter.applyCombine(earlier, leaves, point);
    for (auto [leaf, value] : llvm::zip_equal(leaves, combined))
      leaf = arith::SelectOp::create(builder, loc, mask, value, leaf);
  }
  return leaves;
}

SmallVector<Value> VectorRow::getExclusive(ValueRange inclusive,
                                           ValueRange before) {
  SmallVector<int64_t> sources(lanes);
  sources[getLane(0)] = lanes;
  for (int64_t step = 1; step < lanes; ++step)
    sources[getLane(step)] = getLane(step - 1);
  return llvm::map_to_vector(
      llvm::zip_equal(inclusive, before), [&](auto pair) {
        return shuffle(std::get<0>(pair), std::get<1>(pair), sources);
      });
}

SmallVector<Value> VectorRow::broadcastLast(ValueRange leaves) {
  SmallVector<int64_t> sources(lanes, getLane(lanes - 1));
  return llvm::map_to_vector(
      leaves, [&](Value leaf) { return shuffle(leaf, leaf, sources); });
}

SmallVector<Value> VectorRow::pack(const Carried &carried) {
  SmallVector<Value> packed;
  for (auto [leaf, isCarried] :
       llvm::zip_equal(carried.state, emitter.getCarried()))
    if (isCarried)
      packed.push_back(leaf);
  llvm::append_range(packed, carried.totals);
  return packed;
}

VectorRow::Carried VectorRow::unpack(ValueRange packed) {
  Carried carried{emitter.zeroState(lanes), {}};
  for (auto [leaf, isCarried] :
       llvm::zip_equal(carried.state, emitter.getCarried()))
    if (isCarried) {
      leaf = packed.front();
      packed = packed.drop_front();
    }
  carried.totals = llvm::to_vector(packed);
  return carried;
}

Value VectorRow::emitIsFinite(ValueRange local) {
  Value lanesAreFinite;
  for (auto [leaf, isCarried] : llvm::zip_equal(local, emitter.getCarried())) {
    auto type = cast<VectorType>(leaf.getType());
    auto floatType = dyn_cast<FloatType>(type.getElementType());
    if (isCarried || !floatType)
      continue;
    Value infinity = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type,
                               APFloat::getInf(floatType.getFloatSemantics())));
    Value isFinite = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OLT,
        math::AbsFOp::create(builder, loc, leaf), infinity);
    lanesAreFinite =
        lanesAreFinite
            ? arith::AndIOp::create(builder, loc, lanesAreFinite, isFinite)
                  .getResult()
            : isFinite;
  }
  if (!lanesAreFinite)
    return Value();
  return vector::ReductionOp::create(builder, loc, vector::CombiningKind::AND,
                                     lanesAreFinite);
}

VectorRow::Carried VectorRow::combineAndStore(const Point &point,
                                              ValueRange inputs,
                                              ValueRange local,
                                              const Carried &before) {
  SmallVector<Value> inclusive =
      emitter.applyCombine(before.state, local, point);
  SmallVector<Value> outputs = emitter.applyStore(
      inclusive, getExclusive(inclusive, before.state), inputs, point);
  emitter.storeOutputs(point, outputs, held, streams);
  Carried next;
  next.totals = before.totals;
  emitter.addToReductions(held, outputs, next.totals);
  next.state = emitter.applyCombine(before.state, broadcastLast(local), point);
  return next;
}

VectorRow::Carried VectorRow::walkAsSteps(Value step, const Carried &before,
                                          WalkSteps walkSteps) {
  auto getLaneZero = [&](Value value) -> Value {
    return vector::ExtractOp::create(builder, loc, value, /*position=*/0);
  };
  Value end = arith::AddIOp::create(builder, loc, step, emitter.index(lanes));
  Carried scalars{llvm::map_to_vector(before.state, getLaneZero),
                  llvm::map_to_vector(before.totals, getLaneZero)};
  scalars = walkSteps({step, end}, scalars);
  Carried next = before;
  for (auto [leaf, value] : llvm::zip_equal(next.state, scalars.state))
    leaf = emitter.splat(value, lanes);
  for (auto [total, value] : llvm::zip_equal(next.totals, scalars.totals))
    total = vector::InsertOp::create(builder, loc, value, total,
                                     /*position=*/0);
  return next;
}

VectorRow::Carried VectorRow::emitVector(const Point &row, Value step,
                                         const Carried &before,
                                         WalkSteps walkSteps) {
  Point point = getPoint(row, step);
  SmallVector<Value> inputs = emitter.loadInputs(point, invariants);
  SmallVector<Value> local = scanLanes(emitter.applyLoad(inputs, point), point);
  Value isFinite = emitIsFinite(local);
  if (!isFinite)
    return combineAndStore(point, inputs, local, before);
  auto branch =
      scf::IfOp::create(builder, loc, ValueRange(pack(before)).getTypes(),
                        isFinite, /*addThenBlock=*/true, /*addElseBlock=*/true);
  {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, loc,
                       pack(combineAndStore(point, inputs, local, before)));
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc,
                       pack(walkAsSteps(step, before, walkSteps)));
  }
  return unpack(branch.getResults());
}

VectorRow::Carried VectorRow::walk(const Point &row, Range range,
                                   const Carried &before, WalkSteps walkSteps) {
  invariants = emitter.loadInvariants(getPoint(row, range.begin));
  Carried start{{}, emitter.zeroReductions(held, lanes)};
  for (Value leaf : before.state)
    start.state.push_back(emitter.splat(leaf, lanes));
  auto loop = scf::ForOp::create(builder, loc, range.begin, range.end,
                                 emitter.index(lanes), pack(start));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Carried next = emitVector(row, loop.getInductionVar(),
                              unpack(loop.getRegionIterArgs()), walkSteps);
    if (loop.getNumResults() != 0)
      scf::YieldOp::create(builder, loc, pack(next));
  }

  Carried last = unpack(loop.getResults()), result = before;
  for (auto [leaf, value, isCarried] :
       llvm::zip_equal(result.state, last.state, emitter.getCarried()))
    if (isCarried)
      leaf = vector::ExtractOp::create(builder, loc, value, /*position=*/0);
  for (auto [total, sum] :
       llvm::zip_equal(result.totals, emitter.reduceLanes(last.totals)))
    total = emitter.add(total, sum);
  return result;
}
