//===- OneTileScan.h - Forward or reverse scan of a tile --------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scans of one tile of a block, from the first position to the last or from the
// last to the first: a row, or columns side by side, by the threads that share
// each of them as ScanLanes says. Each thread has consecutive
// positions: it combines its own, groups of a warp scan their totals by
// shuffles, and every thread walks the totals of the warps (WarpTotals).
//
// Positions beyond the end of the tile hold garbage. From the first position on
// they come last, and the garbage reaches no position that counts. From the
// last one on they come first: there, a flag that says whether the state is
// present is part of every step. Of whole warps it is known where the extent is
// static; else it is compared with how many warps have positions that count.
//
// Most scans are one tile. One of several tiles is scanned after the state that
// the others leave, and says what comes after it.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_ONETILESCAN_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_ONETILESCAN_H

#include "ThreadScan.h"
#include "WarpTotals.h"

namespace mlir::scan {

class OneTileScan {
public:
  /// Scans of the leaves of `kernel`, by its `combine`, by threads with `items`
  /// positions each, of which as many count as a scan has. Allocates shared
  /// memory in `frame`'s function.
  OneTileScan(KernelFrame &frame, KernelOp kernel, const ScanLanes &lanes,
              int64_t items, bool isReverse);
  /// The same in reverse for tiles of scans that have several. Of the states
  /// that come after a tile only those leaves mean something that are `kept`.
  OneTileScan(KernelFrame &frame, KernelOp kernel, const ScanLanes &lanes,
              int64_t items, ArrayRef<bool> kept);

  /// Emits the scans of `leaves`: for each scan of the thread those of its
  /// positions in ascending order. They come after `inits`, one for each scan
  /// or, where there is none, an empty list. All threads of the block get there
  /// once.
  SmallVector<ScannedItems> emit(ImplicitLocOpBuilder &b,
                                 ArrayRef<SmallVector<State>> leaves,
                                 ArrayRef<State> inits);

  /// Of one tile of several, in two parts with a barrier in between.
  struct Begun {
    /// Of each scan of the thread: its leaves, and the totals up to the thread
    /// in its warp.
    SmallVector<SmallVector<State>> leaves;
    SmallVector<State> inclusive;
  };
  /// Of the positions `length`, an index, count, or with a null value all;
  /// `phase` is an index, 0 and 1 in alternation from tile to tile.
  Begun begin(ImplicitLocOpBuilder &b, ArrayRef<SmallVector<State>> leaves,
              Value length, Value phase);
  struct Result {
    ScannedItems items;
    /// The state after the tile, the same in all that share the scan.
    State total;
  };
  SmallVector<Result> finish(ImplicitLocOpBuilder &b, const Begun &begun,
                             ArrayRef<State> carries, Value phase);
  /// Whether, of the tile that has begun, some threads have to walk the totals
  /// for all between two barriers (`walkForAll`), before `finish`.
  bool isWalkedForAll() const;
  void walkForAll(ImplicitLocOpBuilder &b, ArrayRef<State> carries,
                  Value phase);

private:
  /// Whether a scan may end before or at `position`.
  bool mayBeBehind(int64_t position) const {
    return !isFull && (ShapedType::isDynamic(extent) || position >= extent);
  }
  /// Whether warps may have no totals: those that come first in reverse.
  bool needsPresence() const {
    return isReverse && !isPadded && !isFull && ShapedType::isDynamic(extent);
  }
  /// The first position of the last thread that shares a scan.
  int64_t getLastFirst() const {
    return (lanes.blockWarps * lanes.groupsPerWarp - 1) * items;
  }
  /// Whether the position `offset` positions behind the thread's first one
  /// counts; null if it surely does, or holds the identity.
  Value createInBounds(ImplicitLocOpBuilder &b, int64_t offset);
  State reduce(ImplicitLocOpBuilder &b, ArrayRef<State> leaves);
  State scanGroups(ImplicitLocOpBuilder &b, const State &total);
  /// What the thread one or more groups earlier in the warp holds, and whether
  /// there is one with positions that count.
  Prefix getEarlier(ImplicitLocOpBuilder &b, ValueRange state, int64_t delta);
  Begun begin(ImplicitLocOpBuilder &b, ArrayRef<SmallVector<State>> leaves);
  void storeTotals(ImplicitLocOpBuilder &b, ArrayRef<State> totals,
                   Value phase);
  SmallVector<WarpTotals::Result>
  walkWarps(ImplicitLocOpBuilder &b, ArrayRef<Prefix> carries, Value phase);
  ScannedItems finishScan(ImplicitLocOpBuilder &b, const Prefix &before,
                          ValueRange inclusive, ArrayRef<State> leaves);
  ScannedItems scanReverse(ImplicitLocOpBuilder &b, Prefix before,
                           ArrayRef<State> leaves);

  KernelOp kernel;
  /// Those warps share a scan that may have positions which count.
  ScanLanes lanes;
  int64_t items, extent;
  /// The extent, or how many positions of the tile count; an index.
  Value length;
  bool isReverse;
  /// All positions count of the tile that is scanned.
  bool isFull = false;
  /// Positions beyond the end hold the identity; only where they come first.
  bool isPadded = false;
  WarpTotals warpTotals;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_ONETILESCAN_H
