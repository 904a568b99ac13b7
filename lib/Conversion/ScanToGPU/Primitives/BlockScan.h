//===- BlockScan.h - Scanning across the threads of a block -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scans with one state per thread and scan, by the threads of a block that
// share them as ScanLanes says, in rows or in columns: groups of one warp meet
// in shuffles over multiples of `lanes`, the totals of the warps go through
// shared memory, with one barrier (WarpTotals).
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_BLOCKSCAN_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_BLOCKSCAN_H

#include "WarpTotals.h"

namespace mlir::scan {

class BlockScan {
public:
  /// Allocates the shared memory of the scan in `frame`'s function. Of the
  /// states that `emit` returns only those leaves mean something that a walk
  /// carries from step to step, unless `keepsAllLeaves`.
  BlockScan(KernelFrame &frame, const ScanLanes &lanes,
            bool keepsAllLeaves = true)
      : BlockScan(frame, frame.getKernel(), lanes,
                  keepsAllLeaves ? SmallVector<bool>()
                                 : frame.getKernel().getCarriedLeaves()) {}
  /// The same for the leaves and the `combine` of `kernel`, of which those are
  /// kept that `kept` says.
  BlockScan(KernelFrame &frame, KernelOp kernel, const ScanLanes &lanes,
            ArrayRef<bool> kept)
      : kernel(kernel), lanes(lanes), warpTotals(frame, kernel, lanes, kept) {}

  /// Of one scan of the thread.
  struct Result {
    /// The state before the thread's own.
    Prefix prefix;
    /// The state after the last thread, the same in all that share the scan.
    State total;
  };

  /// Emits the scans of one state per scan of each thread, in the order of the
  /// groups, after `carries`. To be called by all threads of the block. `phase`
  /// is an index, 0 and 1 in alternation from call to call.
  SmallVector<Result> emit(ImplicitLocOpBuilder &b, ArrayRef<State> totals,
                           ArrayRef<Prefix> carries, Value phase);
  /// The totals of `emit` alone, of one scan per thread and an operator that is
  /// known to be commutative.
  State emitTotal(ImplicitLocOpBuilder &b, const State &total,
                  const Prefix &carry, Value phase);
  /// The same after nothing.
  SmallVector<Result> emit(ImplicitLocOpBuilder &b, ArrayRef<State> totals,
                           Value phase) {
    SmallVector<Prefix> none(totals.size(), createAbsent(b, kernel));
    return emit(b, totals, none, phase);
  }

  /// Whether `emit` contains a barrier.
  bool hasBarrier() const { return lanes.warps > 1; }

  /// The two parts of `emit`, before and behind the barrier: `begin` returns
  /// the states after the thread's own within its warp, `inclusive`.
  SmallVector<State> begin(ImplicitLocOpBuilder &b, ArrayRef<State> totals,
                           Value phase);
  SmallVector<Result> finish(ImplicitLocOpBuilder &b, ArrayRef<State> inclusive,
                             ArrayRef<Prefix> carries, Value phase);
  /// Whether some threads have to walk the totals for all between two barriers
  /// (`walkForAll`), before `finish`.
  bool isWalkedForAll() const { return warpTotals.areWalkedForAll(); }
  void walkForAll(ImplicitLocOpBuilder &b, ArrayRef<Prefix> carries,
                  Value phase) {
    warpTotals.walkForAll(b, carries, phase);
  }

  /// The state before this thread, from the one before its warp and that after
  /// its own within its warp (`begin`).
  Prefix createThreadPrefix(ImplicitLocOpBuilder &b, const Prefix &warpPrefix,
                            ValueRange inclusive);
  /// Where `begin` leaves the totals of warps.
  WarpTotals &getWarpTotals() { return warpTotals; }

private:
  KernelOp kernel;
  ScanLanes lanes;
  WarpTotals warpTotals;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_BLOCKSCAN_H
