//===- SplitStatesReductions.h - Sums over scans of shared states -*- C++ -*-=//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reduction outputs of a warp whose lanes share the states of scans. One
// that leaves the scan dimension out is reduced by each lane over its walk, of
// the parts, or of the steps, that it owns. Of one that has a total for each
// step, where the scans of the warp lie side by side, lanes add up what these
// have. The rest is atomic.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SPLITSTATESREDUCTIONS_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SPLITSTATESREDUCTIONS_H

#include "SplitStatesIO.h"

namespace mlir::scan {

class SplitStatesReductions {
public:
  /// `b` is in a block of the function that is run once.
  SplitStatesReductions(ImplicitLocOpBuilder &b, KernelFrame &frame,
                        const StateSplit &split, const SplitStatesIO &io);

  /// Begins with chunks in which the scans of the warp lie side by side along
  /// the innermost dimension, and all steps are there, or with any others.
  void startChunks(bool areWhole) { areChunksWhole = areWhole; }
  /// Adds `results`, of outputs with an element per part those of the own
  /// parts, nothing of others, at step `step` of the chunk from step `t` on.
  /// The steps of a chunk follow each other.
  void addParts(ImplicitLocOpBuilder &b, Value t, int64_t step, Value inBounds,
                ArrayRef<SmallVector<Value>> results);
  /// Adds `results`, per own step of the chunk an element of each output, or
  /// null, the same at each step. Of the chunk `rest` steps are there,
  /// all if it is null.
  void addOwned(ImplicitLocOpBuilder &b, Value t, Value rest,
                ArrayRef<SmallVector<Value>> results);
  /// Adds to memory what the lanes have kept. All of them take part.
  void finish(ImplicitLocOpBuilder &b);

private:
  struct Output {
    ReductionOutput output;
    /// Its number among the outputs.
    unsigned number;
    bool hasParts;
    /// Whether scans along the innermost dimension share it, and all scans.
    bool isShared, isCommon;
    PrivateTotals totals;
    /// One for each step: what has still to be reduced over scans, from a step
    /// of the chunk on.
    SmallVector<Value> pending;
    int64_t firstStep = 0;
  };
  /// The coordinates of this lane's scan at position `position`.
  SmallVector<Value> createPoint(ImplicitLocOpBuilder &b, Value position);
  void reducePending(ImplicitLocOpBuilder &b, Value t, Output &entry);
  LaneGroup getScans() const {
    return {io.getScanLane(), io.getLanes().stride, /*stride=*/1};
  }

  KernelFrame &frame;
  const SplitStatesIO &io;
  SmallVector<Output, 0> outputs;
  bool areChunksWhole = false;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SPLITSTATESREDUCTIONS_H
