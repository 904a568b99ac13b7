//===- ColumnTile.h - A kernel's maps over a tile of columns ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the column kernels have in common, with either carry: from elements to
// leaves, from states to results, and the finals of the tile with the last
// step.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_TILE_COLUMNTILE_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_TILE_COLUMNTILE_H

#include "../Primitives/Combine.h"
#include "../Primitives/ThreadScan.h"
#include "ColumnIO.h"
#include "TileReductions.h"

namespace mlir::scan {

class ColumnTile {
public:
  /// `b` is in a block of the function that is run once.
  ColumnTile(ImplicitLocOpBuilder &b, KernelFrame &frame,
             const ColumnLayout &layout, ColumnIO &io);

  /// The thread's part of a tile.
  struct Items {
    /// Item by item, and of each all columns.
    SmallVector<Elements> elements;
    /// Column by column, and of each all items.
    SmallVector<SmallVector<State>> leaves;
  };
  /// Of the tile that begins at position `base` and was loaded as `loaded`.
  Items unpack(ImplicitLocOpBuilder &b, Value base, ValueRange loaded) {
    return unpack(b, base, loaded, kernel.getLoad());
  }
  /// The same with the leaves that `load` yields, another one.
  Items unpack(ImplicitLocOpBuilder &b, Value base, ValueRange loaded,
               Region &load);

  /// Scans the items of each column after its prefix, and stores the results;
  /// of the tile that has the last step also the finals. What is reduced
  /// is kept between the two functions below. All threads of the block take
  /// part.
  void store(ImplicitLocOpBuilder &b, Value base, const Items &items,
             ArrayRef<Prefix> prefixes);

  /// The same in two parts, unless `hasReductions`: the first one, which
  /// touches no memory and may be in a branch, returns what the second one
  /// stores.
  SmallVector<Value> scan(ImplicitLocOpBuilder &b, Value base,
                          const Items &items, ArrayRef<Prefix> prefixes);
  void storeScanned(ImplicitLocOpBuilder &b, Value base, ValueRange scanned);

  /// The same from the states around the items of each column, without finals.
  void storeResults(ImplicitLocOpBuilder &b, Value base, const Items &items,
                    ArrayRef<ScannedItems> scanned);

  /// Whether there are outputs besides those that lie in memory step by step:
  /// reductions, or scattered ones.
  bool hasReductions() const { return reductions.any(); }
  /// Whether steps are added to memory column by column.
  bool addsStepsOfColumns() const { return reductions.addsStepsOfScans(); }
  /// To be called by all threads: before the first tile of the columns that
  /// the ColumnIO has turned to, and after the last one.
  void startReductions(ImplicitLocOpBuilder &b) { reductions.start(b); }
  void finishReductions(ImplicitLocOpBuilder &b);

  /// Stores the states of the columns after the last step, in threads that have
  /// them.
  void storeFinalsOf(ImplicitLocOpBuilder &b, ArrayRef<State> states);

private:
  SmallVector<Value> pointOf(ImplicitLocOpBuilder &b, int64_t column,
                             Value base, int64_t item);
  SmallVector<ScannedItems> scanColumns(ImplicitLocOpBuilder &b,
                                        const Items &items,
                                        ArrayRef<Prefix> prefixes);
  SmallVector<Elements> computeItem(ImplicitLocOpBuilder &b, Value base,
                                    const Items &items,
                                    ArrayRef<ScannedItems> scanned,
                                    int64_t item);
  void storeLast(ImplicitLocOpBuilder &b, Value base,
                 ArrayRef<SmallVector<State>> inclusive);

  KernelFrame &frame;
  KernelOp kernel;
  ColumnLayout layout;
  ColumnIO &io;
  TileReductions reductions;
  /// Whether a region reads the index along the scan dimension.
  bool readsTime;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_TILE_COLUMNTILE_H
