//===- WarpTotals.h - Scanning across the warps of a block ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The totals of the warps that share a scan, through shared memory: each warp
// stores its own, and one barrier later every thread walks the totals of all.
// It thereby computes the state before its own warp and the state after the
// block. Where that takes many loads, one thread walks them for all that share
// the scan, and a second barrier follows.
//
// The buffers have two phases that calls use in alternation, so that no second
// barrier is needed between one tile's loads and the next tile's stores: a
// thread writes the same phase again two tiles later, after the barrier of the
// tile between, which every thread reaches only after its loads.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_WARPTOTALS_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_WARPTOTALS_H

#include "ScanLanes.h"
#include "SharedStates.h"
#include "VectorAccess.h"

namespace mlir::scan {

class WarpTotals {
public:
  /// Allocates the shared memory that the plan has for warp totals, in
  /// `frame`'s function, for the leaves of `kernel`. Of what is computed only
  /// those leaves mean something that are `kept`; all if that is empty.
  WarpTotals(KernelFrame &frame, KernelOp kernel, const ScanLanes &lanes,
             ArrayRef<bool> kept);

  /// In threads that hold the totals of their warp's scans: stores them.
  /// `phase` is an index, 0 and 1 in alternation from tile to tile.
  void store(ImplicitLocOpBuilder &b, ArrayRef<State> totals, Value phase);

  /// Of one scan: the state before the thread's warp, and the one after the
  /// last warp.
  struct Result {
    Prefix before;
    State total;
  };
  /// A barrier later: walks the totals after `carries`, one for each scan of
  /// the thread, from the first warp to the last or, in reverse, from the last
  /// to the first.
  SmallVector<Result> walk(ImplicitLocOpBuilder &b, ArrayRef<Prefix> carries,
                           Value phase, bool isReverse = false);
  /// Whether some threads should walk the totals for all, as walks of each by
  /// itself take too many instructions.
  bool areWalkedForAll() const;
  /// As `walk`, by threads of the warps that are walked first: each walks one
  /// of the block's scans and leaves the states before the warps in place of
  /// their totals. All threads find them there (`loadWalked`) a barrier later.
  void walkForAll(ImplicitLocOpBuilder &b, ArrayRef<Prefix> carries,
                  Value phase, bool isReverse = false);
  SmallVector<Result> loadWalked(ImplicitLocOpBuilder &b,
                                 ArrayRef<Prefix> carries, Value phase,
                                 bool isReverse = false);
  /// As `walk` in reverse, where only the first `present` warps, an index, have
  /// totals; one at least.
  SmallVector<Result> walkBack(ImplicitLocOpBuilder &b,
                               ArrayRef<Prefix> carries, Value phase,
                               Value present);
  /// As `walk` where a thread has one scan, in fewer steps if there are many
  /// warps: every warp scans the totals of all, one in a lane.
  Result scan(ImplicitLocOpBuilder &b, const Prefix &carry, Value phase);

  /// For kernels in which a warp of its own does so for the others: scans the
  /// totals of all warps, of one scan, one in a lane, and leaves the results in
  /// their place; returns the state after the last warp.
  State scanInPlace(ImplicitLocOpBuilder &b, Value phase);
  /// Of what it has left: the state before the thread's warp.
  Prefix loadBefore(ImplicitLocOpBuilder &b, Value phase);

private:
  State scanTotals(ImplicitLocOpBuilder &b, Value phase);
  Value getPreviousWarp(ImplicitLocOpBuilder &b);
  using Step = function_ref<SmallVector<Value>(ImplicitLocOpBuilder &b,
                                               Value warp, ValueRange values)>;
  SmallVector<Value> walkOthers(ImplicitLocOpBuilder &b,
                                SmallVector<Value> values, bool isReverse,
                                bool isUnrolled, Step step);
  SmallVector<Value> pack(ValueRange state) const;
  State unpack(ImplicitLocOpBuilder &b, ValueRange packed) const;
  Value getSlot(ImplicitLocOpBuilder &b, Value phase, Value warp, Value scan);
  Value getFirstLeaf(ImplicitLocOpBuilder &b, Value phase, Value warp);
  SmallVector<State> load(ImplicitLocOpBuilder &b, Value phase, Value warp);
  Value getLeafOfScan(ImplicitLocOpBuilder &b, Value phase, Value warp,
                      Value scan);
  State loadScan(ImplicitLocOpBuilder &b, Value phase, Value warp, Value scan);
  void storeWalked(ImplicitLocOpBuilder &b, ValueRange state, Value phase,
                   Value warp, Value scan);
  void walkScan(ImplicitLocOpBuilder &b, const Prefix &carry, Value phase,
                Value scan, bool isReverse);
  /// Whether the state before the thread's warp is present, where that before
  /// warp number `first` is if `carry` is.
  Value createIsPresent(ImplicitLocOpBuilder &b, const Prefix &carry,
                        int64_t first);

  KernelOp kernel;
  ScanLanes lanes;
  SmallVector<bool> kept;
  int64_t accessed;
  /// For each phase the totals of warp 0, of warp 1, and so on, of all scans:
  /// either leaf by leaf, or in one buffer, lane by lane, with all leaves of a
  /// thread's scans together, so that it reads them `accessed` at a time.
  SharedStates totals;
  Value together;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_WARPTOTALS_H
