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
//     local     = scan of the lanes of load(inputs)   log2(lanes) combines
//     inclusive = combine(state, local)
//     state     = combine(state, last lane of local)
//     store(inclusive, ...)
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

void VectorRow::walk(const Point &row, Range range,
                     SmallVectorImpl<Value> &state,
                     SmallVectorImpl<Value> &totals) {
  Point wide = getPoint(row, range.begin);
  SmallVector<SmallVector<Value>> invariants = emitter.loadInvariants(wide);
  SmallVector<Value> carried;
  for (auto [leaf, isCarried] : llvm::zip_equal(state, emitter.getCarried()))
    if (isCarried)
      carried.push_back(emitter.splat(leaf, lanes));
  unsigned numCarried = carried.size();
  llvm::append_range(carried, emitter.zeroReductions(held, lanes));

  auto loop = scf::ForOp::create(builder, loc, range.begin, range.end,
                                 emitter.index(lanes), carried);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    ValueRange arguments = loop.getRegionIterArgs();
    SmallVector<Value> before = emitter.zeroState(lanes);
    ValueRange left = arguments.take_front(numCarried);
    for (auto [leaf, isCarried] : llvm::zip_equal(before, emitter.getCarried()))
      if (isCarried) {
        leaf = left.front();
        left = left.drop_front();
      }
    SmallVector<Value> sums(arguments.drop_front(numCarried));

    Point point = getPoint(row, loop.getInductionVar());
    SmallVector<Value> inputs = emitter.loadInputs(point, invariants);
    SmallVector<Value> local =
        scanLanes(emitter.applyLoad(inputs, point), point);
    SmallVector<Value> inclusive = emitter.applyCombine(before, local, point);
    SmallVector<Value> outputs = emitter.applyStore(
        inclusive, getExclusive(inclusive, before), inputs, point);
    emitter.storeOutputs(point, outputs, held, streams);
    emitter.addToReductions(held, outputs, sums);
    SmallVector<Value> next =
        emitter.applyCombine(before, broadcastLast(local), point);
    SmallVector<Value> yielded;
    for (auto [leaf, isCarried] : llvm::zip_equal(next, emitter.getCarried()))
      if (isCarried)
        yielded.push_back(leaf);
    llvm::append_range(yielded, sums);
    if (!yielded.empty())
      scf::YieldOp::create(builder, loc, yielded);
  }

  ValueRange results = loop.getResults();
  for (auto [leaf, isCarried] : llvm::zip_equal(state, emitter.getCarried()))
    if (isCarried) {
      leaf = vector::ExtractOp::create(builder, loc, results.front(),
                                       /*position=*/0);
      results = results.drop_front();
    }
  for (auto [total, sum] :
       llvm::zip_equal(totals, emitter.reduceLanes(results)))
    total = emitter.add(total, sum);
}
