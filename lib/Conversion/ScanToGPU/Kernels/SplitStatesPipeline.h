//===- SplitStatesPipeline.h - Chunks ahead of a walk -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks steps of scans of which lanes share the states, chunk by chunk, and
// loads chunks ahead of the walk that needs them: through shared memory
// (SplitStatesTiles) or into registers.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SPLITSTATESPIPELINE_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SPLITSTATESPIPELINE_H

#include "SplitStatesTiles.h"
#include "SplitStatesWalk.h"

namespace mlir::scan {

/// Chunks that an iteration of the loop over tiles walks.
int64_t getUnroll(const SplitStatesIO &io, const SplitStatesTiles &tiles);

class SplitStatesPipeline {
public:
  SplitStatesPipeline(SplitStatesIO &io, SplitStatesReductions &reductions,
                      SplitStatesWalk &walk)
      : io(io), reductions(reductions), walk(walk) {}

  /// Walks the steps from `from` on and before `to`, which are those of whole
  /// iterations, by tiles, and returns the state after them. If it `isSecond`,
  /// another walk has gone through `tiles` before.
  State walkTiles(ImplicitLocOpBuilder &b, SplitStatesTiles &tiles, Value from,
                  Value to, const State &state, bool isSecond);
  /// Walks the steps from `from` on and before `end`, of which those that exist
  /// in the last chunk count, and returns the state after them. A chunk is
  /// loaded from global memory while the one before it is walked, and what
  /// parts have of its steps, too, if it `loadsPartsAhead`; else when a step
  /// needs it.
  State walkLoaded(ImplicitLocOpBuilder &b, Value from, Value end,
                   const State &state, bool loadsPartsAhead);

private:
  SplitStatesIO &io;
  SplitStatesReductions &reductions;
  SplitStatesWalk &walk;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SPLITSTATESPIPELINE_H
