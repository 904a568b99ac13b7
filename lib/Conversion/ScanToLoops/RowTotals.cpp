//===- RowTotals.cpp - All steps of a row together ------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the steps of a tile have together takes fewer combines than what each of
// them has: all that is needed of the steps before a block. There are two
// ways (getSavedPart):
//
//  *   Operators that commute need no order: whole vectors are combined as they
//      are loaded, one with the other and with those of earlier tiles, and
//      their lanes behind the last tile.
//  *   Otherwise tiles are scanned, and what the last lane has is the total. The
//      scan of the lanes is saved for the walk, or all of it (SavedTiles.cpp).
//      Tiles are combined as scalars: as vectors, other lanes would have
//      products of some of the steps, which may stay denormal numbers for many
//      tiles, where an Intel processor takes 100 cycles for each operation.
//
// Along a row a processor's own prefetchers stop at the end of each page, and
// leave a Xeon with 0.7 of what a core can copy: loops over tiles prefetch what
// they read later, over pages and rows that follow each other.
//
//===----------------------------------------------------------------------===//

#include "LoopHints.h"
#include "VectorRow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::scan;

/// How far ahead a companion's inputs are prefetched, all of them together:
/// they come from memory, and the walk beside has its own in the second-level
/// cache, so that it gets along fast. Four inputs with as much each would fill
/// a first-level cache.
static constexpr int64_t kCompanionPrefetchBytes = 8192;

void VectorRow::prefetchLater(const Point &row, Value step, int64_t bytes) {
  int64_t bits = 0;
  for (Value input : kernel.getInputs())
    bits = std::max(bits, getStorageBits(input.getType()));
  if (bits == 0)
    return;
  Value later = arith::AddIOp::create(builder, loc, step,
                                      emitter.index(bytes * 8 / bits));
  Point tile = getPoints(row, later).front();
  tile.width = vectors * lanes;
  emitter.prefetchInputs(tile);
}

SmallVector<Value> VectorRow::addVectors(const Point &row, Value step) {
  Tile tile;
  SmallVector<Point> points = getPoints(row, step);
  for (const Point &point : points)
    tile.push_back(
        emitter.applyLoad(emitter.loadInputs(point, invariants), point));
  for (ArrayRef<Value> leaves : ArrayRef(tile).drop_front())
    tile.front() = emitter.applyCombine(tile.front(), leaves, points.front());
  return tile.front();
}

SmallVector<Value> VectorRow::addLanes(SmallVector<Value> leaves,
                                       const Point &point) {
  for (int64_t distance = lanes / 2; distance > 0; distance /= 2) {
    SmallVector<int64_t> higher;
    for (int64_t lane = 0; lane < lanes; ++lane)
      higher.push_back((lane + distance) % lanes);
    leaves =
        emitter.applyCombine(leaves, shuffle(leaves, leaves, higher), point);
  }
  return llvm::map_to_vector(leaves, [&](Value leaf) -> Value {
    return vector::ExtractOp::create(builder, loc, leaf, /*position=*/0);
  });
}

Value VectorRow::getLastEnd(Range range) {
  Value count = arith::SubIOp::create(builder, loc, companion->range.end,
                                      companion->range.begin);
  Value end = arith::AddIOp::create(builder, loc, range.begin, count);
  return arith::MaxUIOp::create(builder, loc, range.end, end);
}

SmallVector<Value> VectorRow::beginCompanion() {
  return addsLanes() ? emitter.zeroState(lanes) : companion->total.leaves;
}

SmallVector<Value> VectorRow::addCompanion(Value step, Value begin,
                                           ValueRange leaves) {
  auto &[row, range, total, companionSaved] = *companion;
  Value distance = arith::SubIOp::create(builder, loc, step, begin);
  Value other = arith::AddIOp::create(builder, loc, range.begin, distance);
  Value isInBounds = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, other, range.end);
  // What is at the walk's own step can be read in each row, where it walks.
  Value safe = arith::SelectOp::create(builder, loc, isInBounds, other, step);
  prefetchLater(row, safe,
                kCompanionPrefetchBytes /
                    std::max<int64_t>(kernel.getInputs().size(), 1));
  std::swap(invariants, companionInvariants);
  std::swap(saved, companionSaved);
  SmallVector<Value> tile =
      saved.exist() ? saveTile(row, safe, distance) : addVectors(row, safe);
  std::swap(saved, companionSaved);
  std::swap(invariants, companionInvariants);
  Point point = addsLanes() ? getPoints(row, safe).front() : row;
  SmallVector<Value> next = emitter.applyCombine(leaves, tile, point);
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, other,
                            addsLanes() ? range.begin : total.begin);
  for (auto [leaf, first, before] : llvm::zip_equal(next, tile, leaves)) {
    leaf = arith::SelectOp::create(builder, loc, isFirst, first, leaf);
    leaf = arith::SelectOp::create(builder, loc, isInBounds, leaf, before);
  }
  return next;
}

void VectorRow::endCompanion(ValueRange leaves) {
  auto &[row, range, total, companionSaved] = *companion;
  SmallVector<Value> next = llvm::to_vector(leaves);
  if (addsLanes()) {
    SmallVector<Value> tiles =
        addLanes(next, getPoints(row, range.begin).front());
    next = emitter.applyCombine(total.leaves, tiles, row);
    Value isFirst = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, range.begin, total.begin);
    Value hasTiles = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, range.begin, range.end);
    for (auto [leaf, alone, before] :
         llvm::zip_equal(next, tiles, total.leaves)) {
      leaf = arith::SelectOp::create(builder, loc, isFirst, alone, leaf);
      leaf = arith::SelectOp::create(builder, loc, hasTiles, leaf, before);
    }
  }
  total.leaves = next;
  total.position =
      arith::MaxUIOp::create(builder, loc, total.position, range.end);
}

void VectorRow::addTiles() {
  auto [begin, end] = companion->range;
  auto loop =
      scf::ForOp::create(builder, loc, begin, end,
                         emitter.index(vectors * lanes), beginCompanion());
  disableVectorization(loop);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(
        builder, loc,
        addCompanion(loop.getInductionVar(), begin, loop.getRegionIterArgs()));
  }
  endCompanion(loop.getResults());
}
