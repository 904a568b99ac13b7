//===- TileLanes.cpp - The lanes of a tile of steps -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopHints.h"
#include "VectorRow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::scan;

int64_t VectorRow::getLane(int64_t place) const {
  if (isReverse)
    place = lanes - 1 - place;
  if (vectors == 1)
    return place;
  // Of the blocks of as many steps in memory as there are vectors, vector i has
  // those from i * blocks on, and its block c becomes column i of the
  // transposed block c.
  int64_t blocks = lanes / vectors;
  return place % blocks * vectors + place / blocks;
}

SmallVector<Value> VectorRow::shuffle(ValueRange a, ValueRange b,
                                      ArrayRef<int64_t> lanesOfBoth) {
  return llvm::map_to_vector(llvm::zip_equal(a, b), [&](auto pair) -> Value {
    return vector::ShuffleOp::create(builder, loc, std::get<0>(pair),
                                     std::get<1>(pair), lanesOfBoth);
  });
}

void VectorRow::transpose(Tile &tile) {
  if (vectors == 1)
    return;
  // Rows i and i + distance exchange what is off the diagonal of their blocks
  // of 2 by 2, of elements and then of pairs, in blocks of 4 by 4.
  constexpr int64_t four = kTileVectors;
  auto interleave = [&](ArrayRef<int64_t> block) {
    SmallVector<int64_t> sources;
    for (int64_t c = 0; c < lanes; c += four)
      for (int64_t lane : block)
        sources.push_back(c + lane % four + (lane < four ? 0 : lanes));
    return sources;
  };
  SmallVector<int64_t> low = interleave({0, 4, 1, 5});
  SmallVector<int64_t> high = interleave({2, 6, 3, 7});
  SmallVector<int64_t> lowPairs = interleave({0, 1, 4, 5});
  SmallVector<int64_t> highPairs = interleave({2, 3, 6, 7});
  for (int64_t i = 0; i < vectors; i += four) {
    auto rows = MutableArrayRef(tile).slice(i, four);
    Tile pairs = {
        shuffle(rows[0], rows[1], low), shuffle(rows[0], rows[1], high),
        shuffle(rows[2], rows[3], low), shuffle(rows[2], rows[3], high)};
    rows[0] = shuffle(pairs[0], pairs[2], lowPairs);
    rows[1] = shuffle(pairs[0], pairs[2], highPairs);
    rows[2] = shuffle(pairs[1], pairs[3], lowPairs);
    rows[3] = shuffle(pairs[1], pairs[3], highPairs);
  }
  // Then of these.
  for (int64_t distance = four; distance < vectors; distance *= 2) {
    SmallVector<int64_t> first, second;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      bool isUpper = lane & distance;
      first.push_back(isUpper ? lanes + lane - distance : lane);
      second.push_back(isUpper ? lanes + lane : lane + distance);
    }
    for (int64_t i = 0; i < vectors; ++i) {
      if (i & distance)
        continue;
      SmallVector<Value> above = tile[i], below = tile[i + distance];
      tile[i] = shuffle(above, below, first);
      tile[i + distance] = shuffle(above, below, second);
    }
  }
}

SmallVector<Value> VectorRow::moveLater(ValueRange leaves, int64_t distance) {
  SmallVector<int64_t> sources(lanes);
  for (int64_t place = 0; place < lanes; ++place)
    sources[getLane(place)] = getLane((place - distance + lanes) % lanes);
  return shuffle(leaves, leaves, sources);
}

Value VectorRow::getHasEarlier(int64_t distance) {
  SmallVector<bool> hasEarlier(lanes);
  for (int64_t place = 0; place < lanes; ++place)
    hasEarlier[getLane(place)] = place >= distance;
  auto type = VectorType::get(lanes, builder.getI1Type());
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, hasEarlier));
}

SmallVector<Value> VectorRow::scanLanes(SmallVector<Value> leaves,
                                        const Point &point) {
  // In tiles a loop would take 1.04 times as long to run; of vectors by
  // themselves there are few.
  if (vectors == 1 && takesLongCombines(kernel))
    return scanLanesInLoop(leaves, point);
  for (int64_t distance = 1; distance < lanes; distance *= 2)
    leaves = combineEarlier(leaves, moveLater(leaves, distance),
                            getHasEarlier(distance), point);
  return leaves;
}

SmallVector<Value> VectorRow::combineEarlier(ValueRange leaves,
                                             ValueRange earlier, Value mask,
                                             const Point &point) {
  SmallVector<Value> combined = emitter.applyCombine(earlier, leaves, point);
  for (auto [leaf, value] : llvm::zip_equal(leaves, combined))
    value = arith::SelectOp::create(builder, loc, mask, value, leaf);
  return combined;
}

SmallVector<Value> VectorRow::scanLanesInLoop(ValueRange leaves,
                                              const Point &point) {
  // Each round but the first rotates the bits of places by one, so that the
  // place that is 2^k earlier is the one before in each. There is none where
  // the bits from k on, which come last in round k, are all zero.
  int64_t numRounds = llvm::Log2_64(lanes);
  auto rotate = [&](int64_t place) {
    return place * 2 % lanes + place * 2 / lanes;
  };
  SmallVector<int64_t> back(lanes), rotated(lanes), earlier(lanes);
  SmallVector<int32_t> places(lanes);
  for (int64_t place = 0; place < lanes; ++place) {
    int64_t lane = getLane(place);
    back[getLane(rotate(place))] = lane;
    rotated[lane] = getLane(rotate(place));
    earlier[lane] = getLane(rotate((place - 1 + lanes) % lanes));
    places[lane] = place;
  }
  Type word = builder.getI32Type();
  auto wordsType = VectorType::get(lanes, word);
  Value place = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(wordsType, ArrayRef(places)));
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(wordsType));
  Value one = emitter.splat(
      arith::ConstantIntOp::create(builder, loc, 1, /*width=*/32), lanes);
  SmallVector<Value> inits = shuffle(leaves, leaves, back);
  inits.push_back(emitter.splat(
      arith::ConstantIntOp::create(builder, loc, lanes - 1, /*width=*/32),
      lanes));
  // What is carried is rotated at the beginning of a round: combines wait for
  // one permutation then, and not for two.
  auto loop =
      scf::ForOp::create(builder, loc, emitter.index(0),
                         emitter.index(numRounds), emitter.index(1), inits);
  disableVectorization(loop);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    ValueRange carried = loop.getRegionIterArgs().drop_back();
    Value bits = loop.getRegionIterArgs().back();
    Value rest = arith::AndIOp::create(builder, loc, place, bits);
    Value mask = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                       rest, zero);
    SmallVector<Value> next =
        combineEarlier(shuffle(carried, carried, rotated),
                       shuffle(carried, carried, earlier), mask, point);
    next.push_back(arith::ShRUIOp::create(builder, loc, bits, one));
    scf::YieldOp::create(builder, loc, next);
  }
  ValueRange last = loop.getResults().drop_back();
  return shuffle(last, last, rotated);
}

SmallVector<Value> VectorRow::broadcastLast(ValueRange leaves) {
  SmallVector<int64_t> sources(lanes, getLane(lanes - 1));
  return shuffle(leaves, leaves, sources);
}

Value VectorRow::getMask(Value count) {
  // With as narrow a comparison as there is for all lanes.
  Type word = builder.getI32Type();
  SmallVector<int32_t> places;
  for (int64_t lane = 0; lane < lanes; ++lane)
    places.push_back(isReverse ? lanes - 1 - lane : lane);
  Value place = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(VectorType::get(lanes, word), ArrayRef(places)));
  Value limit = emitter.splat(
      arith::IndexCastOp::create(builder, loc, word, count), lanes);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, place,
                               limit);
}

SmallVector<Value> VectorRow::broadcastStep(ValueRange leaves, Value count) {
  Value lane =
      isReverse
          ? arith::SubIOp::create(builder, loc, emitter.index(lanes), count)
          : arith::SubIOp::create(builder, loc, count, emitter.index(1));
  return llvm::map_to_vector(leaves, [&](Value leaf) {
    return emitter.splat(vector::ExtractOp::create(builder, loc, leaf, lane),
                         lanes);
  });
}

VectorRow::Tile VectorRow::getExclusive(const Tile &inclusive,
                                        ValueRange before) {
  // One step later in memory, upwards or downwards.
  SmallVector<int64_t> sources;
  for (int64_t lane = 0; lane < lanes; ++lane)
    sources.push_back(isReverse ? lane + 1 : lanes + lane - 1);
  Tile exclusive(vectors);
  for (int64_t place = 0; place < vectors; ++place) {
    ValueRange here = inclusive[getVector(place)];
    ValueRange earlier =
        place == 0 ? before : ValueRange(inclusive[getVector(place - 1)]);
    exclusive[getVector(place)] = isReverse ? shuffle(here, earlier, sources)
                                            : shuffle(earlier, here, sources);
  }
  return exclusive;
}
