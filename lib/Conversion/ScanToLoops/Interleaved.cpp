//===- Interleaved.cpp - Vectors of elements with trailing parts ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An even number of parts is halved: first those with even numbers are taken
// apart from those with odd ones. An odd number is collected vector by vector.
//
//===----------------------------------------------------------------------===//

#include "Interleaved.h"

using namespace mlir;
using namespace mlir::scan;

/// Of `source` those lanes that `getPlace` says, the number of the vector and
/// of its lane.
static Value
collect(OpBuilder &builder, Location loc, ArrayRef<Value> source,
        function_ref<std::pair<int64_t, int64_t>(int64_t)> getPlace) {
  int64_t lanes = cast<VectorType>(source.front().getType()).getNumElements();
  Value result = source.front();
  for (int64_t i = 1; i < static_cast<int64_t>(source.size()); ++i) {
    SmallVector<int64_t> mask;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      auto [vector, from] = getPlace(lane);
      // What is collected already is in place, but in the first vector.
      int64_t kept = i > 1 ? lane : vector == 0 ? from : 0;
      mask.push_back(vector == i ? lanes + from : kept);
    }
    result = vector::ShuffleOp::create(builder, loc, result, source[i], mask);
  }
  return result;
}

/// Every second lane of `a` and `b` together, from `first` on.
static Value takeEvery(OpBuilder &builder, Location loc, Value a, Value b,
                       int64_t first) {
  int64_t lanes = cast<VectorType>(a.getType()).getNumElements();
  SmallVector<int64_t> mask;
  for (int64_t lane = 0; lane < lanes; ++lane)
    mask.push_back(first + 2 * lane);
  return vector::ShuffleOp::create(builder, loc, a, b, mask);
}

SmallVector<Value> mlir::scan::splitBlocks(OpBuilder &builder, Location loc,
                                           ArrayRef<Value> vectors) {
  int64_t count = vectors.size();
  if (count == 1)
    return {vectors.front()};
  int64_t lanes = cast<VectorType>(vectors.front().getType()).getNumElements();
  SmallVector<Value> parts(count);
  if (count % 2 == 1) {
    for (int64_t part = 0; part < count; ++part)
      parts[part] = collect(builder, loc, vectors, [&](int64_t lane) {
        int64_t place = lane * count + part;
        return std::pair(place / lanes, place % lanes);
      });
    return parts;
  }
  for (int64_t parity : {0, 1}) {
    SmallVector<Value> half;
    for (int64_t i = 0; i < count; i += 2)
      half.push_back(
          takeEvery(builder, loc, vectors[i], vectors[i + 1], parity));
    for (auto [i, part] : llvm::enumerate(splitBlocks(builder, loc, half)))
      parts[2 * i + parity] = part;
  }
  return parts;
}

SmallVector<Value> mlir::scan::joinBlocks(OpBuilder &builder, Location loc,
                                          ArrayRef<Value> parts) {
  int64_t count = parts.size();
  if (count == 1)
    return {parts.front()};
  int64_t lanes = cast<VectorType>(parts.front().getType()).getNumElements();
  SmallVector<Value> vectors;
  if (count % 2 == 1) {
    for (int64_t vector = 0; vector < count; ++vector)
      vectors.push_back(collect(builder, loc, parts, [&](int64_t lane) {
        int64_t place = vector * lanes + lane;
        return std::pair(place % count, place / count);
      }));
    return vectors;
  }
  SmallVector<Value> halves[2];
  for (auto [i, part] : llvm::enumerate(parts))
    halves[i % 2].push_back(part);
  SmallVector<Value> even = joinBlocks(builder, loc, halves[0]);
  SmallVector<Value> odd = joinBlocks(builder, loc, halves[1]);
  for (auto [a, b] : llvm::zip_equal(even, odd))
    for (int64_t first : {int64_t{0}, lanes / 2}) {
      SmallVector<int64_t> mask;
      for (int64_t lane = 0; lane < lanes; ++lane)
        mask.push_back(first + lane / 2 + (lane % 2) * lanes);
      vectors.push_back(vector::ShuffleOp::create(builder, loc, a, b, mask));
    }
  return vectors;
}
