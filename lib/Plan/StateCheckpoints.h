//===- StateCheckpoints.h - States kept between walks -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bidirectional kernel whose lanes share states walks each scan twice: in its
// own direction, and then back with the leaves of the other one. What the walk
// back needs of the states of the first walk, it computes again for a chunk of
// steps from those before the chunk. These are what the first walk keeps: a
// checkpoint for each scan and chunk, in the kernel's workspace.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PLAN_STATECHECKPOINTS_H
#define SCAN_LIB_PLAN_STATECHECKPOINTS_H

#include "StateSplit.h"

namespace mlir::scan {

/// What lies where in a checkpoint.
struct StateCheckpoints {
  /// A leaf that the first walk carries: its number among those of a part, and
  /// where the elements of all parts begin, side by side, in bytes.
  struct Leaf {
    unsigned number;
    Type type;
    int64_t offset;
  };
  SmallVector<Leaf> leaves;
  /// Of a checkpoint, a multiple of the widest access.
  int64_t bytes = 0;

  static StateCheckpoints get(KernelOp kernel, const StateSplit &split);
};

} // namespace mlir::scan

#endif // SCAN_LIB_PLAN_STATECHECKPOINTS_H
