//===- BlockScan.h - Scanning across the threads of a block -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scans with one state per thread of a block, or of those of its threads that
// share a row: a shuffle scan in every warp, or part of one, the totals of the
// warps through shared memory, one barrier. The shared memory is
// used by turns in two halves, so that no second barrier is needed between one
// tile's reads and the next tile's writes: a thread writes the same half again
// two tiles later, after the barrier of the tile between, which every thread
// reaches only after its reads.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_BLOCKSCAN_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_BLOCKSCAN_H

#include "SharedStates.h"

namespace mlir::scan {

class BlockScan {
public:
  /// Allocates the shared memory of the scan in `frame`'s function, for blocks
  /// of `ids.threads` threads.
  BlockScan(ImplicitLocOpBuilder &b, KernelFrame &frame, const ThreadIds &ids);

  struct Result {
    /// The state before the thread's own.
    Prefix prefix;
    /// The state after the last thread, the same in all threads of the row.
    State total;
  };

  /// Emits the scan of one state per thread, in the order of the threads,
  /// after `carry`. To be called by all threads of the block. `parity` is an
  /// index, 0 and 1 by turns from call to call.
  Result emit(ImplicitLocOpBuilder &b, ValueRange threadTotal,
              const Prefix &carry, Value parity);

  /// Whether `emit` contains a barrier.
  bool hasBarrier() const { return !warpTotals.empty(); }

  /// The two parts of `emit`, before and behind the barrier: `begin` returns
  /// the state after the thread's own within its warp, `inclusive`.
  State begin(ImplicitLocOpBuilder &b, ValueRange threadTotal, Value parity);
  Result finish(ImplicitLocOpBuilder &b, ValueRange inclusive,
                const Prefix &carry, Value parity);

private:
  Value getHalf(ImplicitLocOpBuilder &b, Value parity);
  Result emitOneWarp(ImplicitLocOpBuilder &b, ValueRange inclusive,
                     const Prefix &carry);
  Prefix threadPrefix(ImplicitLocOpBuilder &b, const Prefix &warpPrefix,
                      ValueRange inclusive);

  KernelOp kernel;
  ThreadIds ids;
  /// Warps of a row, 1 if it has but part of one, and the lanes of each.
  int64_t numWarps, numLanes;
  /// Of all warps of the block, in two halves; empty if a row has but one.
  SharedStates warpTotals;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_BLOCKSCAN_H
