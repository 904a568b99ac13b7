//===- RowTotals.cpp - All steps of a row together ------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the steps of a tile have together takes fewer combines than what each of
// them has: all that is needed of the steps before a block. Neighbouring lanes
// of two vectors are combined to one vector, which is in the order of memory
// again: three combines for the four vectors of a tile. Then the lanes of that
// vector are combined in pairs until one is left.
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

/// How far ahead a companion's inputs are prefetched: they come from memory,
/// and the walk beside has its own in the second-level cache, so that it gets
/// along fast.
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

SmallVector<Value> VectorRow::aggregateTile(const Point &row, Value step) {
  Tile tile;
  Point any;
  for (const Point &point : getPoints(row, step)) {
    tile.push_back(
        emitter.applyLoad(emitter.loadInputs(point, invariants), point));
    any = point;
  }
  // Combines each even lane of `low`, then `high`, with the odd one behind it
  // in memory.
  auto combinePairs = [&](ValueRange low, ValueRange high) {
    SmallVector<int64_t> even, odd;
    for (int64_t lane = 0; lane < any.width; ++lane) {
      even.push_back(2 * lane);
      odd.push_back(2 * lane + 1);
    }
    SmallVector<Value> first = shuffle(low, high, even),
                       second = shuffle(low, high, odd);
    return isReverse ? emitter.applyCombine(second, first, any)
                     : emitter.applyCombine(first, second, any);
  };
  while (tile.size() > 1) {
    Tile pairs;
    for (size_t i = 0; i < tile.size(); i += 2)
      pairs.push_back(combinePairs(tile[i], tile[i + 1]));
    tile = std::move(pairs);
  }
  // One shuffle of each leaf for a round. Only lanes that are multiples of
  // twice the distance have what is needed of it.
  SmallVector<Value> leaves = tile.front();
  for (int64_t distance = 1; distance < lanes; distance *= 2) {
    SmallVector<int64_t> higher;
    for (int64_t lane = 0; lane < lanes; ++lane)
      higher.push_back((lane + distance) % lanes);
    SmallVector<Value> others = shuffle(leaves, leaves, higher);
    leaves = isReverse ? emitter.applyCombine(others, leaves, any)
                       : emitter.applyCombine(leaves, others, any);
  }
  return llvm::map_to_vector(leaves, [&](Value leaf) -> Value {
    return vector::ExtractOp::create(builder, loc, leaf, /*position=*/0);
  });
}

SmallVector<Value> VectorRow::addTile(const Point &row, const Total &total,
                                      Value step, ValueRange leaves,
                                      ValueRange tile) {
  SmallVector<Value> next = emitter.applyCombine(leaves, tile, row);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        step, total.begin);
  for (auto [leaf, value] : llvm::zip_equal(next, tile))
    leaf = arith::SelectOp::create(builder, loc, isFirst, value, leaf);
  return next;
}

Value VectorRow::getLastEnd(Range range) {
  Value count = arith::SubIOp::create(builder, loc, companion->range.end,
                                      companion->range.begin);
  Value end = arith::AddIOp::create(builder, loc, range.begin, count);
  return arith::MaxUIOp::create(builder, loc, range.end, end);
}

SmallVector<Value> VectorRow::addCompanion(Value step, Value begin,
                                           ValueRange leaves) {
  auto &[row, range, total] = *companion;
  Value distance = arith::SubIOp::create(builder, loc, step, begin);
  Value other = arith::AddIOp::create(builder, loc, range.begin, distance);
  Value isInBounds = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, other, range.end);
  // What is at the walk's own step can be read in each row, where it walks.
  Value safe = arith::SelectOp::create(builder, loc, isInBounds, other, step);
  prefetchLater(row, safe, kCompanionPrefetchBytes);
  std::swap(invariants, companionInvariants);
  SmallVector<Value> tile = aggregateTile(row, safe);
  std::swap(invariants, companionInvariants);
  SmallVector<Value> next = addTile(row, total, other, leaves, tile);
  for (auto [leaf, before] : llvm::zip_equal(next, leaves))
    leaf = arith::SelectOp::create(builder, loc, isInBounds, leaf, before);
  return next;
}

void VectorRow::passCompanion(ValueRange leaves) {
  VectorRow::Total &total = companion->total;
  total.leaves = llvm::to_vector(leaves);
  total.position = arith::MaxUIOp::create(builder, loc, total.position,
                                          companion->range.end);
}

void VectorRow::addTiles(const Point &row, Range range, Total &total) {
  invariants = emitter.loadInvariants(getPoints(row, range.begin).front());
  auto loop = scf::ForOp::create(builder, loc, range.begin, range.end,
                                 emitter.index(vectors * lanes), total.leaves);
  disableVectorization(loop);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value step = loop.getInductionVar();
  prefetchLater(row, step);
  SmallVector<Value> tile = saved.empty() ? aggregateTile(row, step)
                                          : saveTile(row, step, range.begin);
  scf::YieldOp::create(
      builder, loc, addTile(row, total, step, loop.getRegionIterArgs(), tile));
  builder.setInsertionPointAfter(loop);
  total.leaves = llvm::to_vector(ValueRange(loop.getResults()));
  total.position =
      arith::MaxUIOp::create(builder, loc, total.position, range.end);
}
