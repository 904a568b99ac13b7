//===- OneTileScan.h - Forward or reverse scan of a tile --------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scan of a row that is one tile of a block, from the first position to the
// last or from the last to the first. Each thread has consecutive positions:
// it combines its own, a warp scans its threads' totals by shuffles, and every
// thread walks the totals of the warps (WarpTotals).
//
// Positions beyond the end of the row hold garbage. From the first position on
// they come last, and the garbage reaches no position that counts. From the
// last one on they come first: there, a flag that says whether the state is
// present is part of every step. Of whole warps it is known where the extent is
// static; else it is compared with how many warps have positions that count.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_ONETILESCAN_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_ONETILESCAN_H

#include "ThreadScan.h"
#include "WarpTotals.h"

namespace mlir::scan {

class OneTileScan {
public:
  /// A scan of the leaves of `kernel`, by its `combine`, in blocks of
  /// `ids.threads` threads with `items` positions each, of which as many count
  /// as the row has. Allocates shared memory in `frame`'s function.
  OneTileScan(ImplicitLocOpBuilder &b, KernelFrame &frame, KernelOp kernel,
              const ThreadIds &ids, int64_t items, bool isReverse);

  /// Emits the scan of `leaves`, those of the thread's positions in ascending
  /// order, after `init`, which may be absent as a whole: then it is empty. To
  /// be called once, by all threads of the block.
  ScannedItems emit(ImplicitLocOpBuilder &b, ArrayRef<State> leaves,
                    ValueRange init);

private:
  /// Whether a row may end before or at `position`.
  bool mayBeBehind(int64_t position) const {
    return ShapedType::isDynamic(extent) || position >= extent;
  }
  /// Whether the position `offset` positions behind the thread's first one
  /// counts; null if it surely does, or holds the identity.
  Value createInBounds(ImplicitLocOpBuilder &b, int64_t offset);
  State reduce(ImplicitLocOpBuilder &b, ArrayRef<State> leaves);
  /// What the thread one or more steps earlier in the warp holds, and whether
  /// there is one with positions that count.
  Prefix getEarlier(ImplicitLocOpBuilder &b, ValueRange state, int64_t delta);
  Prefix scanWarps(ImplicitLocOpBuilder &b, ValueRange total, ValueRange init);
  ScannedItems scanReverse(ImplicitLocOpBuilder &b, Prefix before,
                           ArrayRef<State> leaves);

  KernelOp kernel;
  ThreadIds ids;
  int64_t items, extent;
  /// The extent, an index.
  Value length;
  bool isReverse;
  /// Positions beyond the end hold the identity; only where they come first.
  bool isPadded = false;
  /// Those warps share the scan that may have positions which count.
  ScanLanes lanes;
  WarpTotals warpTotals;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_ONETILESCAN_H
