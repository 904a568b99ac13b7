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
//===----------------------------------------------------------------------===//

#include "VectorRow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::scan;

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
  SmallVector<Value> leaves = tile.front();
  while (any.width > 2) {
    any.width /= 2;
    leaves = combinePairs(leaves, leaves);
  }
  any.width = 1;
  auto getLane = [&](int64_t lane) {
    return llvm::map_to_vector(leaves, [&](Value leaf) -> Value {
      return vector::ExtractOp::create(builder, loc, leaf, lane);
    });
  };
  return emitter.applyCombine(getLane(isReverse ? 1 : 0),
                              getLane(isReverse ? 0 : 1), any);
}

void VectorRow::addTiles(const Point &row, Range range, Total &total) {
  invariants = emitter.loadInvariants(getPoints(row, range.begin).front());
  auto loop = scf::ForOp::create(builder, loc, range.begin, range.end,
                                 emitter.index(vectors * lanes), total.leaves);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value step = loop.getInductionVar();
  SmallVector<Value> tile = saved.empty() ? aggregateTile(row, step)
                                          : saveTile(row, step, range.begin);
  SmallVector<Value> next =
      emitter.applyCombine(loop.getRegionIterArgs(), tile, row);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        step, total.begin);
  for (auto [leaf, value] : llvm::zip_equal(next, tile))
    leaf = arith::SelectOp::create(builder, loc, isFirst, value, leaf);
  scf::YieldOp::create(builder, loc, next);
  builder.setInsertionPointAfter(loop);
  total.leaves = llvm::to_vector(ValueRange(loop.getResults()));
  total.position =
      arith::MaxUIOp::create(builder, loc, total.position, range.end);
}
