//===- RowRanges.cpp - Which steps of a row are walked as vectors ---------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole tiles, from where stores are aligned, but for steps whose shifted
// inputs are outside of the row.
//
//===----------------------------------------------------------------------===//

#include "StreamingStores.h"
#include "VectorRow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::scan;

/// Rows of at least as many vectors are walked to where stores are aligned; of
/// fewer than the other number no stores go past the caches.
static constexpr int64_t kVectorsToAlign = 64, kVectorsToStream = 16;

SmallVector<Point> VectorRow::getPoints(const Point &row, Value step) {
  if (isReverse) {
    Value length = emitter.getSizes()[kernel.getDim()];
    Value last = arith::SubIOp::create(builder, loc, length,
                                       emitter.index(vectors * lanes));
    step = arith::SubIOp::create(builder, loc, last, step);
  }
  SmallVector<Point> points;
  for (int64_t i = 0; i < vectors; ++i) {
    Point point = row;
    point.laneDim = kernel.getDim();
    point.width = lanes;
    point.indices[kernel.getDim()] =
        i == 0 ? step
               : arith::AddIOp::create(builder, loc, step,
                                       emitter.index(i * lanes))
                     .getResult();
    points.push_back(std::move(point));
  }
  return points;
}

void VectorRow::alignStores(const Point &row, Range &range) {
  int64_t steps = emitter.getStaticSizes()[kernel.getDim()];
  if (!ShapedType::isDynamic(steps) && steps < kVectorsToStream * lanes)
    return;
  StoreAlignment alignment = emitStoreAlignment(
      builder, emitter, getPoints(row, range.begin).front(), isReverse);
  if (!alignment.points)
    return;
  Value isLong =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, range.end,
                            emitter.index(kVectorsToAlign * lanes));
  // Tiles alone are stored past the caches. Among other stores that is slower
  // than all of them through the caches, but for the first and last of many.
  Value zero = emitter.index(0);
  Value rest = arith::RemUIOp::create(
      builder, loc, arith::SubIOp::create(builder, loc, range.end, range.begin),
      emitter.index(vectors * lanes));
  Value isWhole = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq,
      arith::OrIOp::create(builder, loc, alignment.points, rest), zero);
  Value isAligned = arith::OrIOp::create(builder, loc, isLong, isWhole);
  if (kernel.getOrder() == Order::Deterministic) {
    // Where arrays are in memory must not change how a scan is bracketed.
    Value beginsAligned = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, alignment.points, zero);
    isAligned = arith::AndIOp::create(builder, loc, isAligned, beginsAligned);
  } else {
    Value aligned =
        arith::AddIOp::create(builder, loc, range.begin, alignment.points);
    range.begin =
        arith::SelectOp::create(builder, loc, isLong, aligned, range.begin);
  }
  if (!isLarge)
    return;
  streams = arith::AndIOp::create(builder, loc, isLarge, isAligned);
  streams = arith::AndIOp::create(builder, loc, streams, alignment.isShared);
}

std::pair<int64_t, int64_t> VectorRow::getUnsafeSteps() {
  int64_t before = 0, behind = 0;
  for (unsigned i = 0; i < kernel.getInputs().size(); ++i) {
    before = std::max(before, kernel.getShift(i));
    behind = std::max(behind, -kernel.getShift(i));
  }
  if (isReverse)
    std::swap(before, behind);
  return {before, behind};
}

VectorRow::Range VectorRow::chooseTiles(Range steps) {
  auto [begin, end] = steps;
  if (int64_t behind = getUnsafeSteps().second) {
    Value length = emitter.getSizes()[kernel.getDim()];
    Value safe =
        arith::SubIOp::create(builder, loc, length, emitter.index(behind));
    end = end == length
              ? safe
              : arith::MinSIOp::create(builder, loc, end, safe).getResult();
  }
  Value count = arith::SubIOp::create(builder, loc, end, begin);
  count = arith::MaxSIOp::create(builder, loc, count, emitter.index(0));
  Value rest = arith::RemUIOp::create(builder, loc, count,
                                      emitter.index(vectors * lanes));
  count = arith::SubIOp::create(builder, loc, count, rest);
  return {begin, arith::AddIOp::create(builder, loc, begin, count)};
}

VectorRow::Range VectorRow::chooseInnerTiles(Range steps) {
  if (int64_t before = getUnsafeSteps().first) {
    // A whole number of vectors, so that stores stay aligned.
    Value added = emitter.index(llvm::alignTo(before, lanes));
    Value safe = arith::AddIOp::create(builder, loc, steps.begin, added);
    Value isUnsafe =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                              steps.begin, emitter.index(before));
    steps.begin =
        arith::SelectOp::create(builder, loc, isUnsafe, safe, steps.begin);
  }
  return chooseTiles(steps);
}

VectorRow::Range VectorRow::chooseRange(const Point &row, Range steps) {
  alignStores(row, steps);
  return chooseInnerTiles(steps);
}
