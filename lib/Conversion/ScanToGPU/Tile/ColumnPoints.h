//===- ColumnPoints.h - The columns and steps of a thread -------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which columns a thread has depends on its accesses. With vectorized ones,
// they are `vector` neighbours, which it loads and stores at once. Otherwise
// they are `lanes` apart, so that single elements of neighbouring threads are
// neighbours. Which of both it is is known when the kernel runs, and the same
// for all threads: only accesses have code for each (`ifVectorized`).
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_TILE_COLUMNPOINTS_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_TILE_COLUMNPOINTS_H

#include "../Primitives/ScanLanes.h"
#include "TilePoints.h"

namespace mlir::scan {

class ColumnPoints final : public TilePoints {
public:
  ColumnPoints(KernelFrame &frame, const ColumnLayout &layout)
      : frame(frame), layout(layout) {}

  /// Begins with the block's columns, of which `outer` has the coordinates but
  /// along the scan dimension and the innermost one, where they begin at index
  /// `first`. `isVectorized`: i1; null: never.
  void start(ImplicitLocOpBuilder &b, ArrayRef<Value> outer, Value first,
             Value isVectorized);
  Value getVectorized() const { return isVectorized; }
  bool mayVectorize() const { return bool(isVectorized); }
  /// Whether it is known, here, that accesses are not.
  bool isNeverVectorized() const;
  bool isAlwaysVectorized() const;
  /// What `body` returns, whose argument says whether accesses are vectorized.
  SmallVector<Value>
  ifVectorized(ImplicitLocOpBuilder &b,
               function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, bool)>
                   body) const;

  /// Whether all tiles are full, as far as is known: of the extent, or since
  /// setFullTiles.
  bool hasExactExtent() const;
  bool isExactTile() const { return hasFullTiles || hasExactExtent(); }
  /// From now on all tiles are, or that is known of the extent alone.
  void setFullTiles(bool areFull) { hasFullTiles = areFull; }
  /// Whether all columns of all threads exist.
  bool areAllActive() const;
  /// The position of the thread's item number `item`.
  Value getPosition(ImplicitLocOpBuilder &b, Value base, int64_t item) const;
  /// The coordinates of a column at index `index` along the scan dimension.
  SmallVector<Value> getPoint(int64_t column, Value index) const;
  /// The first column's, also where there is none; and how many columns away
  /// from it column number `column` is.
  SmallVector<Value> getFirstPoint(Value index) const;
  int64_t getDistance(int64_t column, bool isVectorized) const {
    return isVectorized ? column : column * layout.lanes;
  }
  /// From now on only the steps from position `first` to the one in front of
  /// `end` are in bounds: other blocks read and write all others.
  void setOwnSteps(Value first, Value end) {
    firstOwn = first;
    endOwn = end;
  }
  /// i1: whether the last step of all is in bounds; null: it is.
  Value createHasLast(ImplicitLocOpBuilder &b) const;
  /// `position`, or the nearest one that is in bounds.
  Value clampPosition(ImplicitLocOpBuilder &b, Value position) const;

  /// i1: whether the thread's item number `item` of the tile that begins at
  /// position `base` has a step in bounds, and the column exists.
  Value createMask(ImplicitLocOpBuilder &b, int64_t column, Value base,
                   int64_t item) const;

  Value createInBounds(ImplicitLocOpBuilder &b, Value base,
                       int64_t item) const override;
  /// i1: whether all items of the thread in the tile that begins at position
  /// `base` have a step in bounds; null: they have. It is asked per thread
  /// and not per tile, so that only the warp at the end of a scan tests each
  /// item: a tile may be several times as long as the scan.
  Value createAllInBounds(ImplicitLocOpBuilder &b, Value base) const;
  Value isActive(int64_t column) const override {
    return columns[column].isActive;
  }
  SmallVector<Value> createPoint(int64_t column) const override {
    return getPoint(column, Value());
  }
  SmallVector<Value> createPoint(ImplicitLocOpBuilder &b, int64_t column,
                                 Value base, int64_t item) const override;

  KernelFrame &frame;
  const ColumnLayout layout;

private:
  struct Column {
    /// Index along the innermost dimension; whether it exists, null: it does.
    Value index, isActive;
  };
  Value countColumns(ImplicitLocOpBuilder &b, Value extent) const;
  Value choose(ImplicitLocOpBuilder &b, Value vectorized, Value single) const;
  SmallVector<Value> getPointAt(Value innerIndex, Value index) const;

  SmallVector<Value> outer;
  SmallVector<Column> columns;
  Value isVectorized;
  /// Index of the first column along the innermost dimension, also where that
  /// is out of bounds.
  Value firstIndex;
  bool hasFullTiles = false;
  /// Positions of the first step in bounds and of the one behind the last;
  /// null: all are.
  Value firstOwn, endOwn;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_TILE_COLUMNPOINTS_H
