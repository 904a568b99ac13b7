//===- RowTile.h - The maps of a kernel over a tile of a row ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a row kernel computes whichever way a tile learns of the state before
// it: from elements to leaves, from states to results, and the finals of the
// tile with the last element. For blocks of one row.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_ROWTILE_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_ROWTILE_H

#include "ThreadScan.h"
#include "TileIO.h"

namespace mlir::scan {

class RowTile {
public:
  RowTile(KernelFrame &frame, const ThreadIds &ids, TileIO &io);

  /// Turns to the row at `point` outside the scan dimension.
  void startRow(ImplicitLocOpBuilder &b, ArrayRef<Value> point);
  ArrayRef<Value> getPoint() const { return point; }

  /// The leaves of each of the thread's items; the tile begins at position
  /// `base`, and with `isPartial` it may reach beyond the end of the scan.
  SmallVector<State> computeLeaves(ImplicitLocOpBuilder &b,
                                   ArrayRef<Elements> elements, Value base,
                                   bool isPartial);

  /// The output elements of each item.
  SmallVector<Elements> computeResults(ImplicitLocOpBuilder &b,
                                       const ScannedItems &states,
                                       ArrayRef<Elements> elements, Value base,
                                       bool isPartial);

  /// In the thread that holds the last element of the scan, which has to be in
  /// this tile, stores the finals: the state after it is among `inclusive`.
  void storeLastFinals(ImplicitLocOpBuilder &b, Value base,
                       ArrayRef<State> inclusive);

  /// Stores the finals of `state` in the first thread.
  void storeFinalsOf(ImplicitLocOpBuilder &b, ValueRange state);

private:
  /// The point of the thread's item number `item`, for regions that read it.
  SmallVector<Value> pointOf(ImplicitLocOpBuilder &b, Value base, int64_t item,
                             bool isPartial);

  KernelFrame &frame;
  KernelOp kernel;
  ThreadIds ids;
  TileIO &io;
  SmallVector<Value> point;
  /// Whether a region reads the index along the scan dimension.
  bool readsTime = false;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_ROWTILE_H
