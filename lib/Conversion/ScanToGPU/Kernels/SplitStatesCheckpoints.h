//===- SplitStatesCheckpoints.h - States before chunks ----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The states before each chunk of steps (StateCheckpoints), which a lane stores
// in the workspace of the kernel when it walks in the kernel's direction, and
// reads itself when it walks back: nobody else has to wait for them. A
// checkpoint of one chunk follows that of the scan before it.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SPLITSTATESCHECKPOINTS_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SPLITSTATESCHECKPOINTS_H

#include "Plan/StateCheckpoints.h"
#include "SplitStatesIO.h"

namespace mlir::scan {

class SplitStatesCheckpoints {
public:
  SplitStatesCheckpoints(ImplicitLocOpBuilder &b, KernelFrame &frame,
                         const StateSplit &split, const SplitStatesIO &io);

  /// Stores the carried leaves of the own parts, part by part, before the chunk
  /// from step `t` on, or loads them.
  void store(ImplicitLocOpBuilder &b, Value t, ValueRange state) const;
  SmallVector<Value> load(ImplicitLocOpBuilder &b, Value t) const;

private:
  /// Calls `body` for each access: with its address, its leaf, and its first
  /// own part and how many there are.
  void forAccesses(
      ImplicitLocOpBuilder &b, Value t,
      function_ref<void(Value, unsigned, Type, int64_t, int64_t)> body) const;

  const SplitStatesIO &io;
  StateCheckpoints layout;
  int64_t steps;
  /// The lane's first part in the checkpoint before the first chunk, and the
  /// bytes from chunk to chunk.
  Value pointer, chunkBytes;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SPLITSTATESCHECKPOINTS_H
