//===- StateTiles.h - Steps of scans that lanes share -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a warp whose lanes share the states of scans (KernelKind::SplitStates)
// keeps its inputs in shared memory. Its scans lie side by side along the
// innermost dimension. Of a step, an input has one row in memory: an element
// for each of these scans, or the elements of all parts, which the scans share.
// Rows are loaded in pieces of 16 bytes, each of them by one lane. Elements of
// all parts, which every scan reads, are extended to f32 when they get there,
// if that is all that is done with them. What each
// scan has of its own for each part, such as the states that a backward pass
// reads, is for one lane only: it loads that itself.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PLAN_STATETILES_H
#define SCAN_LIB_PLAN_STATETILES_H

#include "SharedMemory.h"

namespace mlir::scan {

struct StateTiles {
  /// Chunks that are in shared memory at a time: one is walked, of the next one
  /// what its lanes share is computed, and the one after it is stored. A power
  /// of two.
  static constexpr int64_t kSlots = 4;
  static constexpr int64_t kPieceBytes = kMaxVectorBytes;

  struct Input {
    /// Its number among the kernel's inputs.
    unsigned number;
    int64_t rowPieces, rowElements;
    /// What is in shared memory: the input's elements, or these in f32.
    Type stored;
    /// The number of its first piece among those of a chunk in global memory,
    /// and in shared memory, where a row of wider elements takes more of them.
    int64_t firstPiece = 0, firstSlotPiece = 0;

    /// Whether all scans have one number at each step, which has no rows: each
    /// lane loads those of its steps, two chunks ahead.
    bool isOfStep() const { return rowPieces == 0; }
  };
  /// Those that vary along the scan dimension, but for those that lanes load
  /// themselves.
  SmallVector<Input> inputs;
  /// Pieces of a chunk, in global and in shared memory; bytes of one warp, and
  /// of a thread block.
  int64_t pieces = 0, slotPieces = 0, warpBytes = 0, bytes = 0;

  /// Pieces of consecutive inputs that are stored alike: as they are, or with
  /// elements of type `extended` in f32, `scale` pieces for each. There is room
  /// behind the latter for what all lanes of the last one's warp have loaded:
  /// that they store it, too, needs no branch.
  struct Run {
    Type extended;
    int64_t firstPiece, firstSlotPiece, pieces, scale;
  };
  SmallVector<Run> runs;

  /// Whether an operand with several elements at each point, which is accessed
  /// with `map`, has those of each scan side by side along the innermost
  /// dimension.
  static bool isOfScan(KernelOp kernel, AffineMap map);

  /// None if an input has no such rows, or is shifted and has elements of
  /// parts, or if there is no room.
  static std::optional<StateTiles> get(KernelOp kernel, ScheduleAttr schedule,
                                       int64_t sharedLimit);
};

} // namespace mlir::scan

#endif // SCAN_LIB_PLAN_STATETILES_H
