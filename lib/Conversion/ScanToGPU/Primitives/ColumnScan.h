//===- ColumnScan.h - Scanning columns across a block -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What BlockScan is for one scan: here every lane of a group has scans of its
// own, one for each of its columns. Groups of one warp meet in shuffles over
// multiples of `lanes`, the totals of the warps go through shared memory, with
// one barrier. As there, the shared memory has two halves that calls use by
// turns: a thread writes the same half again two tiles later, after the barrier
// of the tile between, which every thread reaches only after its reads.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_COLUMNSCAN_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_COLUMNSCAN_H

#include "ColumnLayout.h"
#include "SharedStates.h"

namespace mlir::scan {

class ColumnScan {
public:
  /// Allocates the shared memory of the scan in `frame`'s function. Of the
  /// states that `emit` returns only those leaves mean something that a walk
  /// carries from step to step, unless `keepsAllLeaves`.
  ColumnScan(KernelFrame &frame, const ColumnLayout &layout,
             bool keepsAllLeaves = false);

  /// Of one column of the thread.
  struct Result {
    /// The state before the thread's own.
    Prefix prefix;
    /// The state after the last group, the same in all groups.
    State total;
  };

  /// Emits the scans of one state per column of each thread, in the order of
  /// the groups, after `carries`. To be called by all threads of the block.
  /// `parity` is an index, 0 and 1 by turns from call to call.
  SmallVector<Result> emit(ImplicitLocOpBuilder &b, ArrayRef<State> totals,
                           ArrayRef<Prefix> carries, Value parity);

  /// Whether `emit` contains a barrier.
  bool hasBarrier() const { return layout.warps > 1; }

private:
  SmallVector<Value> pack(ValueRange state) const;
  State unpack(ImplicitLocOpBuilder &b, ValueRange packed) const;
  State scanGroups(ImplicitLocOpBuilder &b, ValueRange state);
  SmallVector<Result> scanWarps(ImplicitLocOpBuilder &b,
                                ArrayRef<State> inclusive,
                                ArrayRef<Prefix> carries, Value parity);
  Prefix createThreadPrefix(ImplicitLocOpBuilder &b, const Prefix &warpPrefix,
                            ValueRange inclusive);

  KernelOp kernel;
  ColumnLayout layout;
  bool keepsAllLeaves;
  /// Empty if the block is one warp: two halves, in each the totals of warp 0,
  /// of warp 1, and so on, for all columns.
  SharedStates warpTotals;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_COLUMNSCAN_H
