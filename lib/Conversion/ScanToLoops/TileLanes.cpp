//===- TileLanes.cpp - The lanes of a tile of steps -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorRow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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
  for (int64_t distance = 1; distance < lanes; distance *= 2) {
    Value mask = getHasEarlier(distance);
    SmallVector<Value> earlier = moveLater(leaves, distance);
    SmallVector<Value> combined = emitter.applyCombine(earlier, leaves, point);
    for (auto [leaf, value] : llvm::zip_equal(leaves, combined))
      leaf = arith::SelectOp::create(builder, loc, mask, value, leaf);
  }
  return leaves;
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
