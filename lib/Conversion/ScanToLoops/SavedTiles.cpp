//===- SavedTiles.cpp - Tiles that wait for the state before them ---------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only the end of a tile needs the state before it. What comes first is
// computed for a whole block of tiles while that state is not known, and saved
// in memory that stays in the cache. Where combines take long, all of it is:
// then no combine and no function of `load` is computed twice, and no input is
// read again unless `store` looks at it. Elsewhere only what the lanes have is
// saved, a vector of each leaf for a tile, and the steps of each lane are
// combined again, from the inputs: that takes a quarter of the memory, and most
// combines and shuffles are those over the lanes.
//
//===----------------------------------------------------------------------===//

#include "LoopHints.h"
#include "Scratch.h"
#include "VectorRow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::scan;

SmallVector<Value> VectorRow::getSavedPositions(Value distance) {
  int64_t numVectors = countSavedVectors();
  Value position =
      arith::DivUIOp::create(builder, loc, distance, emitter.index(vectors));
  position =
      arith::MulIOp::create(builder, loc, position, emitter.index(numVectors));
  position = arith::AddIOp::create(builder, loc, saved.begin, position);
  SmallVector<Value> positions;
  for (int64_t i = 0; i < numVectors; ++i)
    positions.push_back(arith::AddIOp::create(builder, loc, position,
                                              emitter.index(i * lanes)));
  return positions;
}

SmallVector<Value> VectorRow::loadSaved(Value position) {
  SmallVector<Value> leaves;
  for (auto [type, buffer] :
       llvm::zip_equal(kernel.getLeafTypes(), saved.buffers))
    leaves.push_back(loadScratch(builder, loc, buffer,
                                 VectorType::get(lanes, type), position));
  return leaves;
}

void VectorRow::save(Value position, ValueRange leaves) {
  for (auto [leaf, buffer] : llvm::zip_equal(leaves, saved.buffers))
    storeScratch(builder, loc, buffer, leaf, position);
}

SmallVector<Value> VectorRow::forSavedSteps(
    Value savedFrom, int64_t first, ValueRange carried,
    function_ref<SmallVector<Value>(ArrayRef<Value>, ValueRange)> body) {
  auto loop = scf::ForOp::create(builder, loc, emitter.index(first * lanes),
                                 emitter.index(vectors * lanes),
                                 emitter.index(lanes), carried);
  disableVectorization(loop);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value distance = loop.getInductionVar();
  if (isReverse)
    distance = arith::SubIOp::create(
        builder, loc, emitter.index((vectors - 1) * lanes), distance);
  Value position = arith::AddIOp::create(builder, loc, savedFrom, distance);
  SmallVector<Value> leaves =
      body(loadSaved(position), loop.getRegionIterArgs());
  save(position, leaves);
  if (!carried.empty())
    scf::YieldOp::create(builder, loc, leaves);
  return llvm::to_vector(ValueRange(loop.getResults()));
}

SmallVector<Value> VectorRow::scanSavedSteps(Scanned &tile) {
  for (auto [i, leaves] : llvm::enumerate(tile.steps))
    save(arith::AddIOp::create(builder, loc, tile.savedFrom,
                               emitter.index(i * lanes)),
         leaves);
  SmallVector<Value> first = std::move(tile.steps[getVector(0)]);
  tile.steps.clear();
  return forSavedSteps(tile.savedFrom, /*first=*/1, first,
                       [&](ArrayRef<Value> leaves, ValueRange before) {
                         return emitter.applyCombine(before, leaves,
                                                     tile.points.front());
                       });
}

SmallVector<Value> VectorRow::saveTile(const Point &row, Value step,
                                       Value distance) {
  SmallVector<Value> positions = getSavedPositions(distance);
  Scanned tile = scanTile(row, step, positions.front());
  save(positions.back(), tile.lanes);
  // Others may be there already.
  for (auto [leaves, position] :
       llvm::zip(tile.steps, ArrayRef(positions).drop_back()))
    save(position, leaves);
  return llvm::map_to_vector(tile.lanes, [&](Value leaf) -> Value {
    return vector::ExtractOp::create(builder, loc, leaf, getLane(lanes - 1));
  });
}

VectorRow::Scanned VectorRow::loadTile(const Point &row, Value step,
                                       Value distance) {
  SmallVector<Value> positions = getSavedPositions(distance);
  Scanned tile;
  if (savesLanes()) {
    tile = scanSteps(row, step);
    tile.lanes = loadSaved(positions.front());
    return tile;
  }
  tile.points = getPoints(row, step);
  // Those that are not used are removed.
  for (const Point &point : tile.points)
    tile.inputs.push_back(emitter.loadInputs(point, invariants));
  tile.lanes = loadSaved(positions.pop_back_val());
  if (isRolled())
    tile.savedFrom = positions.front();
  else
    for (Value position : positions)
      tile.steps.push_back(loadSaved(position));
  return tile;
}
