//===- RowReductions.h - Adding up over the points of rows ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sums of a block that holds tiles of rows. What leaves the scan dimension
// out is added up by each thread over its walk, and in the end over those lanes
// of a warp that share the row, or over all where all rows share the sum. What
// has a total for each step goes to memory at once.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_TILE_ROWREDUCTIONS_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_TILE_ROWREDUCTIONS_H

#include "../Primitives/Reductions.h"
#include "TileIO.h"

namespace mlir::scan {

class RowSums {
public:
  RowSums(ImplicitLocOpBuilder &b, KernelFrame &frame, const ThreadIds &ids,
          int64_t items, TileIO &io);

  /// Begins at the row at `point` outside the scan dimension, which is there if
  /// `isRow` (an i1, null if it always is) holds.
  void start(ImplicitLocOpBuilder &b, ArrayRef<Value> point, Value isRow);
  /// Adds the results of the store-map at item number `item` of the tile that
  /// begins at position `base`; with `isPartial` that position need not be
  /// there.
  void add(ImplicitLocOpBuilder &b, Value base, int64_t item, bool isPartial,
           ValueRange results);
  /// Adds to memory what the threads have kept. All threads take part.
  void finish(ImplicitLocOpBuilder &b);

private:
  struct RowSum {
    Sum sum;
    PrivateTotals totals;
    /// Whether all rows share it.
    bool isCommon;
  };

  KernelFrame &frame;
  ThreadIds ids;
  int64_t items;
  TileIO &io;
  SmallVector<RowSum, 0> sums;
  SmallVector<Value> point;
  Value isRow;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_TILE_ROWREDUCTIONS_H
