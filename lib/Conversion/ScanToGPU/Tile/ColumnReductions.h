//===- ColumnReductions.h - Adding up over columns and steps ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sums of a block that walks columns. What leaves the scan dimension out is
// added up by each thread, over all of its columns if the innermost dimension
// is left out, too, and in the end over the groups, or all lanes, of a warp.
// What has a total for each step, of all columns, is added up over the lanes
// of a group tile by tile. Everything else goes to memory at once.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_TILE_COLUMNREDUCTIONS_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_TILE_COLUMNREDUCTIONS_H

#include "../Primitives/Reductions.h"
#include "ColumnIO.h"

namespace mlir::scan {

class ColumnSums {
public:
  ColumnSums(ImplicitLocOpBuilder &b, KernelFrame &frame,
             const ColumnLayout &layout, ColumnIO &io);

  /// Begins at the columns that the ColumnIO has turned to.
  void start(ImplicitLocOpBuilder &b);
  /// Adds the results of the store-map at item number `item` of the tile that
  /// begins at position `base`, those of each column. All threads of the block
  /// take part, item by item in order.
  void add(ImplicitLocOpBuilder &b, Value base, int64_t item,
           ArrayRef<Elements> ofColumns);
  /// Adds to memory what the threads have kept. All threads take part.
  void finish(ImplicitLocOpBuilder &b);

private:
  struct ColumnSum {
    Sum sum;
    /// Whether there is one for all columns of the block.
    bool isCommon;
    PrivateTotals totals;
    /// One for each step and for all columns: what still has to be added up
    /// over lanes, element by element from an item on.
    SmallVector<Value> pending;
    int64_t firstItem = 0;
  };
  Value getMask(ImplicitLocOpBuilder &b, Value isThere, int64_t column) const;
  Elements addUpColumns(ImplicitLocOpBuilder &b, const Sum &sum, Value isThere,
                        ArrayRef<Elements> ofColumns) const;
  void addPending(ImplicitLocOpBuilder &b, ColumnSum &sum, Value base);

  ColumnLayout layout;
  ColumnIO &io;
  SmallVector<ColumnSum, 0> sums;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_TILE_COLUMNREDUCTIONS_H
