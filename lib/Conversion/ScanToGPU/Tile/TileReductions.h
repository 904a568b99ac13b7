//===- TileReductions.h - Reduction outputs of tiles ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reduction outputs of a block that walks tiles. One that leaves the scan
// dimension out is reduced by each thread over its walk, and over all of its
// scans if they share it, too; in the end over those lanes of a warp that have
// the same scan, or over all. One that has a total for each step of all scans
// of the block is reduced over the lanes with that step, tile by tile.
// Everything else is added to memory at once.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_TILE_TILEREDUCTIONS_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_TILE_TILEREDUCTIONS_H

#include "../Primitives/Reductions.h"
#include "TilePoints.h"

namespace mlir::scan {

/// How the scans of a block are spread over threads: what distinguishes rows
/// from columns.
struct ReductionLanes {
  /// The domain dimensions along which scans of a block differ.
  SmallVector<unsigned> dims;
  /// Scans of a thread, and steps of each in a tile.
  int64_t scans, items;
  /// The lanes of the warp, those with the same scans, and those with the same
  /// steps, if there are several.
  LaneGroup warp, sameScan;
  std::optional<LaneGroup> sameStep;
};

class TileReductions {
public:
  /// `b` is in a block of the function that is run once.
  TileReductions(ImplicitLocOpBuilder &b, KernelFrame &frame,
                 ReductionLanes lanes);

  /// Whether there are reductions, or scattered outputs.
  bool any() const { return !outputs.empty(); }
  /// Whether steps are added to memory scan by scan, as soon as they are there.
  bool addsStepsOfScans() const;

  /// Begins a walk.
  void start(ImplicitLocOpBuilder &b);
  /// Adds the results of the store-map at item number `item` of the tile that
  /// begins at position `base`, those of each scan. All threads of the block
  /// take part, item by item in order.
  void add(ImplicitLocOpBuilder &b, const TilePoints &points, Value base,
           int64_t item, ArrayRef<Elements> ofScans);
  /// Adds to memory what the threads have kept. All threads take part.
  void finish(ImplicitLocOpBuilder &b, const TilePoints &points);

private:
  struct Output {
    ReductionOutput output;
    /// Whether all scans of the block share it.
    bool isCommon;
    PrivateTotals totals;
    /// One for each step and for all scans: what still has to be reduced over
    /// lanes, element by element from an item on.
    SmallVector<Value> pending;
    int64_t firstItem = 0;
  };
  Elements reduceScans(ImplicitLocOpBuilder &b, const TilePoints &points,
                       const ReductionOutput &output, Value inBounds,
                       ArrayRef<Elements> ofScans) const;
  void addToTotals(ImplicitLocOpBuilder &b, const TilePoints &points,
                   Output &entry, Value inBounds, ArrayRef<Elements> ofScans);
  void reducePending(ImplicitLocOpBuilder &b, const TilePoints &points,
                     Output &entry, Value base);

  ReductionLanes lanes;
  SmallVector<Output, 0> outputs;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_TILE_TILEREDUCTIONS_H
