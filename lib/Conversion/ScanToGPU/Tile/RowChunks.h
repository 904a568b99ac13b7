//===- RowChunks.h - The rows of a tile in global memory --------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand that is contiguous along the scan dimension is accessed in chunks,
// vectors of up to 16 bytes: neighbouring threads of the block, or lanes of a
// warp, access neighbouring ones (striped).
//
// Pointers and strides are known to the launch only: in front of its rows a
// block tests once whether the vectors of an operand are aligned in all of
// them. If not, threads access single elements.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_TILE_ROWCHUNKS_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_TILE_ROWCHUNKS_H

#include "../Primitives/VectorAccess.h"
#include "RowLayout.h"

namespace mlir::scan {

class RowChunks {
public:
  /// Of the operand `view`, by vectors of up to `maxLength` elements. With
  /// `needsValidPadding` some operation of the kernel must not be executed on
  /// arbitrary values.
  RowChunks(ImplicitLocOpBuilder &b, const OperandView &view,
            const RowLayout &layout, int64_t maxLength, bool needsValidPadding);

  /// Begins with the row at `point`, or with the rows of the block.
  void startRow(ImplicitLocOpBuilder &b, ArrayRef<Value> point);

  /// Calls `body` with the length of vectors that the alignment in the current
  /// rows allows.
  SmallVector<Value>
  ifAligned(ImplicitLocOpBuilder &b,
            function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, int64_t)>
                body) const;

  /// How many chunks of `length` elements a thread accesses in a tile.
  int64_t getNumSteps(int64_t length) const { return width / length; }
  /// The parts of the chunk that the thread accesses in step `step`. With
  /// `isPartial` some elements may be out of bounds, in place of which there is
  /// some valid element, if that is needed, or zero.
  Value load(ImplicitLocOpBuilder &b, Value base, int64_t length, int64_t step,
             bool isPartial) const;
  /// Writes it, but for what is out of bounds.
  void store(ImplicitLocOpBuilder &b, Value parts, Value base, int64_t length,
             int64_t step, bool isPartial) const;

private:
  /// Consecutive elements of a row in memory.
  struct Chunk {
    /// Offset from the pointer, and number in the row.
    Value offset, number;
    /// i1: whether the row exists. Null: it does.
    Value isRow;
  };
  Value getRowElements(ImplicitLocOpBuilder &b) const;
  Value createRowOffset(ImplicitLocOpBuilder &b, ArrayRef<Value> point) const;
  Value createIsAligned(ImplicitLocOpBuilder &b) const;
  Chunk getChunk(ImplicitLocOpBuilder &b, Value base, int64_t length,
                 int64_t step, bool isPartial) const;
  Value inBounds(ImplicitLocOpBuilder &b, const Chunk &chunk,
                 int64_t element) const;
  Value areAllInBounds(ImplicitLocOpBuilder &b, const Chunk &chunk,
                       int64_t length) const;
  Value loadElement(ImplicitLocOpBuilder &b, const Chunk &chunk,
                    int64_t element) const;
  Chunk clampElement(ImplicitLocOpBuilder &b, const Chunk &chunk,
                     int64_t element) const;

  OperandView view;
  const RowLayout &layout;
  GlobalPointer pointer;
  /// The longest vectors, and whether (i1) they are aligned in the current
  /// rows; null if they have one element.
  int64_t maxLength;
  Value isAligned;
  /// Elements of a thread, and of a row, in a tile.
  int64_t width, tileElements;
  /// With one row per block, the offset of its first element.
  Value rowOffset;
  bool needsValidPadding;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_TILE_ROWCHUNKS_H
