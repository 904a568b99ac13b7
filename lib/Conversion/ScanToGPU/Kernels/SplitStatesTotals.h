//===- SplitStatesTotals.h - What warps of a block add up to ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the warps of a block have a tile of the same scans each, they leave
// what its steps add up to in shared memory, and each combines what lies before
// its tile: neither a workspace nor tickets are needed.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SPLITSTATESTOTALS_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SPLITSTATESTOTALS_H

#include "PartStates.h"

namespace mlir::scan {

class SplitStatesTotals {
public:
  /// Allocates shared memory in `frame`'s function.
  SplitStatesTotals(KernelFrame &frame, const StateSplit &split,
                    const SplitStatesIO &io);

  /// Leaves `totals` of this warp's tile, of each own part, for the others, and
  /// returns the states before the tile; all threads of the block are here.
  SmallVector<State> exchange(ImplicitLocOpBuilder &b,
                              ArrayRef<State> totals) const;

private:
  Value getSlot(ImplicitLocOpBuilder &b, Value warp, int64_t part) const;

  const SplitStatesIO &io;
  PartStates states;
  SmallVector<Type> types;
  /// One for each leaf of a part.
  SmallVector<Value> buffers;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SPLITSTATESTOTALS_H
