//===- ColumnCheckpoints.h - States before tiles of columns -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bidirectional kernel over columns walks their tiles twice: in its own
// direction, and then back with the leaves of the other one. What the walk back
// needs of the states of the first walk, it computes again tile by tile, from
// those before the tile. These are what the first walk keeps: a checkpoint for
// each column and tile, in the kernel's workspace. So the states of a forward
// pass are never in memory, but the inputs of its `load` are read twice.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PLAN_COLUMNCHECKPOINTS_H
#define SCAN_LIB_PLAN_COLUMNCHECKPOINTS_H

#include "Scan/IR/ScanDialect.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::scan {

/// What lies where in a checkpoint.
struct ColumnCheckpoints {
  /// A leaf that the first walk carries: its number in the kernel, and where it
  /// begins in a checkpoint, in bytes. Of all columns of a block, the values of
  /// a leaf lie side by side.
  struct Leaf {
    unsigned number;
    Type type;
    int64_t offset;
  };
  SmallVector<Leaf> leaves;
  /// Of a checkpoint; a multiple of 8.
  int64_t bytes = 0;
  /// The inputs that the first walk reads.
  llvm::SmallBitVector inputs;

  /// Those of a bidirectional kernel; nothing where it cannot walk so.
  static std::optional<ColumnCheckpoints> get(KernelOp kernel);
};

/// The inputs whose elements the first `numLeaves` leaves of `kernel` are
/// computed from.
llvm::SmallBitVector getInputsOfLeaves(KernelOp kernel, unsigned numLeaves);

/// Whether `kernel` walks columns there and back under `schedule`.
bool keepsCheckpoints(KernelOp kernel, ScheduleAttr schedule);

} // namespace mlir::scan

#endif // SCAN_LIB_PLAN_COLUMNCHECKPOINTS_H
