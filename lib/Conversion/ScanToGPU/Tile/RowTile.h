//===- RowTile.h - The maps of a kernel over a tile of a row ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a row kernel computes with either carry: from elements to leaves, from
// states to results, reduction outputs, and the finals in the tile with the
// last element.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_TILE_ROWTILE_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_TILE_ROWTILE_H

#include "../Primitives/ThreadScan.h"
#include "RowIO.h"
#include "TileReductions.h"

namespace mlir::scan {

class RowTile {
public:
  /// Each thread has `items` items. `b` is in a block of the function that is
  /// run once.
  RowTile(ImplicitLocOpBuilder &b, KernelFrame &frame, const ThreadIds &ids,
          int64_t items, RowIO &io);

  /// Begins with the row at `point` outside the scan dimension.
  void startRow(ImplicitLocOpBuilder &b, ArrayRef<Value> point);
  /// The same for a block of several rows, as of RowIO::startRows; `isRow` is
  /// an i1, whether the thread's own exists.
  void startRows(ImplicitLocOpBuilder &b, ArrayRef<Value> point, Value first,
                 Value count, Value isRow);
  ArrayRef<Value> getPoint() const { return point; }

  /// Steps of a tile.
  int64_t getSteps() const { return ids.rowThreads * items; }
  /// i1: whether all positions of the tile at `base` lie before the end. Null:
  /// in every tile they do.
  Value createIsFull(ImplicitLocOpBuilder &b, Value base);
  /// What `body` returns where `isFull`, which may be null, holds, and where
  /// not; its argument says whether the tile may be partial.
  SmallVector<Value>
  ifFull(ImplicitLocOpBuilder &b, Value isFull,
         function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, bool)> body);
  SmallVector<Elements> elementsIfFull(
      ImplicitLocOpBuilder &b, Value isFull,
      function_ref<SmallVector<Elements>(ImplicitLocOpBuilder &, bool)> body);

  /// The leaves of each of the thread's items; the tile begins at position
  /// `base`, and with `isPartial` it may reach beyond the end of the scan.
  SmallVector<State> computeLeaves(ImplicitLocOpBuilder &b,
                                   ArrayRef<Elements> elements, Value base,
                                   bool isPartial);

  /// The output elements of item number `item`, of which `elements` are the
  /// input elements.
  Elements computeResult(ImplicitLocOpBuilder &b, const ScannedItems &states,
                         ValueRange elements, Value base, int64_t item,
                         bool isPartial);

  /// Reduction outputs are kept from the first of these functions to the last,
  /// to be called by all threads; the second adds what `computeResult` has
  /// returned.
  void startReductions(ImplicitLocOpBuilder &b) { reductions.start(b); }
  void addToReductions(ImplicitLocOpBuilder &b, Value base, int64_t item,
                       bool isPartial, const Elements &result);
  void finishReductions(ImplicitLocOpBuilder &b);

  /// In the thread that holds the last element of the scan, which has to be in
  /// this tile, stores the finals: the state after it is among `inclusive`.
  void storeLastFinals(ImplicitLocOpBuilder &b, Value base,
                       ArrayRef<State> inclusive);

  /// Stores the finals of `state` in the first thread of the row.
  void storeFinalsOf(ImplicitLocOpBuilder &b, ValueRange state);

private:
  SmallVector<Value> pointOf(ImplicitLocOpBuilder &b, Value base, int64_t item,
                             bool isPartial);
  Value isMine(ImplicitLocOpBuilder &b, Value thread);

  KernelFrame &frame;
  KernelOp kernel;
  ThreadIds ids;
  int64_t items;
  RowIO &io;
  TileReductions reductions;
  SmallVector<Value> point;
  /// i1: whether the thread's row exists. Null: it does.
  Value isRow;
  /// Whether a region reads the index along the scan dimension.
  bool readsTime;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_TILE_ROWTILE_H
