//===- ColumnTile.cpp - The maps of a kernel over a tile of columns -------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnTile.h"
#include "../../GPUCommon/Emit.h"
#include "../Primitives/InitAndFinals.h"

using namespace mlir;
using namespace mlir::scan;

/// The lanes of a group have neighbouring columns, and the groups of a warp
/// different steps of the same columns.
static ReductionLanes getReductionLanes(KernelFrame &frame,
                                        const ColumnLayout &layout) {
  ReductionLanes lanes;
  if (std::optional<unsigned> inner = frame.getInnerDim())
    lanes.dims = {*inner};
  lanes.scans = layout.vector;
  lanes.items = layout.items;
  lanes.warp = {layout.warpLane, kWarpSize, /*stride=*/1};
  lanes.sameScan = {layout.groupInWarp, layout.groupsPerWarp, layout.lanes};
  lanes.sameStep = {layout.lane, layout.lanes, /*stride=*/1};
  return lanes;
}

ColumnTile::ColumnTile(ImplicitLocOpBuilder &b, KernelFrame &frame,
                       const ColumnLayout &layout, ColumnIO &io)
    : frame(frame), kernel(frame.getKernel()), layout(layout), io(io),
      reductions(b, frame, getReductionLanes(frame, layout)),
      readsTime(readsScanIndex(kernel)) {}

/// The point of an item, for regions that read it.
SmallVector<Value> ColumnTile::pointOf(ImplicitLocOpBuilder &b, int64_t column,
                                       Value base, int64_t item) {
  return readsTime ? io.getPoints().createPoint(b, column, base, item)
                   : io.getPoints().createPoint(column);
}

ColumnTile::Items ColumnTile::unpack(ImplicitLocOpBuilder &b, Value base,
                                     ValueRange loaded, Region &load) {
  Items tile;
  tile.elements = io.unpack(b, base, loaded);
  tile.leaves.resize(layout.vector);
  for (int64_t column = 0; column < layout.vector; ++column)
    for (int64_t item = 0; item < layout.items; ++item)
      tile.leaves[column].push_back(
          inlineRegion(b, load, tile.elements[item * layout.vector + column],
                       pointOf(b, column, base, item)));
  return tile;
}

SmallVector<ScannedItems> ColumnTile::scanColumns(ImplicitLocOpBuilder &b,
                                                  const Items &tile,
                                                  ArrayRef<Prefix> prefixes) {
  SmallVector<ScannedItems> scanned;
  for (int64_t column = 0; column < layout.vector; ++column)
    scanned.push_back(
        scanItems(b, kernel, prefixes[column], tile.leaves[column]));
  return scanned;
}

/// The output elements of all columns at an item.
SmallVector<Elements> ColumnTile::computeItem(ImplicitLocOpBuilder &b,
                                              Value base, const Items &tile,
                                              ArrayRef<ScannedItems> scanned,
                                              int64_t item) {
  SmallVector<Elements> results;
  for (int64_t column = 0; column < layout.vector; ++column)
    results.push_back(
        computeResults(b, kernel, scanned[column].inclusive[item],
                       scanned[column].exclusive[item],
                       tile.elements[item * layout.vector + column],
                       pointOf(b, column, base, item)));
  return results;
}

static SmallVector<SmallVector<State>>
getInclusive(ArrayRef<ScannedItems> scanned) {
  return llvm::map_to_vector(
      scanned, [](const ScannedItems &column) { return column.inclusive; });
}

void ColumnTile::store(ImplicitLocOpBuilder &b, Value base, const Items &tile,
                       ArrayRef<Prefix> prefixes) {
  SmallVector<ScannedItems> scanned = scanColumns(b, tile, prefixes);
  storeResults(b, base, tile, scanned);
  if (!frame.getFinals().empty())
    storeLast(b, base, getInclusive(scanned));
}

SmallVector<Value> ColumnTile::scan(ImplicitLocOpBuilder &b, Value base,
                                    const Items &tile,
                                    ArrayRef<Prefix> prefixes) {
  SmallVector<ScannedItems> scanned = scanColumns(b, tile, prefixes);
  SmallVector<Elements> results;
  for (int64_t item = 0; item < layout.items; ++item)
    llvm::append_range(results, computeItem(b, base, tile, scanned, item));
  SmallVector<Value> values = io.pack(b, results);
  if (!frame.getFinals().empty())
    for (const ScannedItems &column : scanned)
      for (const State &state : column.inclusive)
        llvm::append_range(values, state);
  return values;
}

void ColumnTile::storeScanned(ImplicitLocOpBuilder &b, Value base,
                              ValueRange scanned) {
  size_t numLeaves = kernel.getNumLeaves(), ofColumn = layout.items * numLeaves;
  size_t numStates = frame.getFinals().empty() ? 0 : layout.vector * ofColumn;
  io.storePacked(b, base, scanned.drop_back(numStates));
  if (numStates == 0)
    return;
  SmallVector<SmallVector<State>> inclusive(layout.vector);
  ValueRange rest = scanned.take_back(numStates);
  for (SmallVector<State> &column : inclusive)
    for (int64_t item = 0; item < layout.items; ++item) {
      column.push_back(State(rest.take_front(numLeaves)));
      rest = rest.drop_front(numLeaves);
    }
  storeLast(b, base, inclusive);
}

void ColumnTile::storeResults(ImplicitLocOpBuilder &b, Value base,
                              const Items &tile,
                              ArrayRef<ScannedItems> scanned) {
  SmallVector<Elements> results;
  for (int64_t item = 0; item < layout.items; ++item) {
    llvm::append_range(results, computeItem(b, base, tile, scanned, item));
    // As soon as they are there: values for all items would take registers.
    reductions.add(b, io.getPoints(), base, item,
                   ArrayRef(results).take_back(layout.vector));
  }
  io.store(b, base, results);
}

void ColumnTile::finishReductions(ImplicitLocOpBuilder &b) {
  reductions.finish(b, io.getPoints());
}

void ColumnTile::storeFinalsOf(ImplicitLocOpBuilder &b,
                               ArrayRef<State> states) {
  for (int64_t column = 0; column < layout.vector; ++column) {
    SmallVector<Value> point = io.getPoints().createPoint(column);
    createIf(b, io.getPoints().isActive(column),
             [&](ImplicitLocOpBuilder &inner) {
               storeFinals(inner, frame, point, states[column]);
             });
  }
}

/// In the tile that has the last step, the group that has it stores the finals.
void ColumnTile::storeLast(ImplicitLocOpBuilder &b, Value base,
                           ArrayRef<SmallVector<State>> inclusive) {
  Value last = b.createOrFold<arith::SubIOp>(
      addConstant(b, frame.getExtent(), -1), base);
  Value perGroup = indexConstant(b, layout.items);
  Value owner = b.createOrFold<arith::DivUIOp>(last, perGroup);
  // In other tiles than the last, no group has so high a number.
  Value isOwner =
      createAnd(b, compare(b, arith::CmpIPredicate::eq, layout.group, owner),
                io.getPoints().createHasLast(b));
  createIf(b, isOwner, [&](ImplicitLocOpBuilder &inner) {
    Value item = inner.createOrFold<arith::RemUIOp>(last, perGroup);
    SmallVector<State> states;
    for (ArrayRef<State> column : inclusive)
      states.push_back(selectItem(inner, column, item));
    storeFinalsOf(inner, states);
  });
}
