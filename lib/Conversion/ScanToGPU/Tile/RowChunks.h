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

  /// For bulk copies: i1, whether vectors are aligned in the current row; and
  /// the address of the first element in memory of the full tile at `base`.
  Value getIsAligned() const { return isAligned; }
  Value getTileAddress(ImplicitLocOpBuilder &b, Value base) const {
    return begin(b, base, maxLength, /*isPartial=*/false).origin;
  }
  /// The same in the row at `point`, with one row per block.
  Value getTileAddress(ImplicitLocOpBuilder &b, ArrayRef<Value> point,
                       Value base) const {
    RowChunks other(*this);
    other.rowOffset = createRowOffset(b, point);
    return other.getTileAddress(b, base);
  }

  /// Calls `body` with the length of vectors that the alignment in the current
  /// rows allows.
  SmallVector<Value>
  ifAligned(ImplicitLocOpBuilder &b,
            function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, int64_t)>
                body) const;

  /// How many chunks of `length` elements a thread accesses in a tile.
  int64_t getNumSteps(int64_t length) const { return width / length; }

  /// Walks the chunks of a thread in a tile: from step to step addresses grow
  /// by constants, and from row to row by what one register holds.
  struct Cursor {
    int64_t length;
    /// The step that is next.
    int64_t step = 0;
    /// With `isPartial` some elements may be out of bounds.
    bool isPartial;
    /// The address and the number in its row of the first element of the tile
    /// in memory, in the first row of the block.
    Value origin, start;
    /// Partial: the elements of a row that this tile has, and the rows of the
    /// block that exist; i32.
    Value elements, rows;
    /// The thread's first chunk: where it begins in its row's part of the tile,
    /// its row in the block; the address, in the row of the step.
    Value first, row, address;
  };
  /// Begins with the tile at position `base`.
  Cursor begin(ImplicitLocOpBuilder &b, Value base, int64_t length,
               bool isPartial) const;
  /// The parts of the next chunk. In place of what is out of bounds there is
  /// some valid element, if that is needed, or zero.
  Value load(ImplicitLocOpBuilder &b, Cursor &cursor) const;
  /// Writes it, but for what is out of bounds.
  void store(ImplicitLocOpBuilder &b, Value parts, Cursor &cursor) const;

private:
  /// Consecutive elements of a row in memory.
  struct Chunk {
    /// The address, without `offset` elements that are added to it, and the
    /// number in the row likewise.
    Value address, number;
    int64_t offset;
    /// Partial: i32, the numbers of elements from there on that are in bounds
    /// are below it, or in reverse not below it. And i1: whether the row
    /// exists; null: it does.
    Value bound, isRow;
  };
  Value getRowElements(ImplicitLocOpBuilder &b) const;
  Value createRowOffset(ImplicitLocOpBuilder &b, ArrayRef<Value> point) const;
  Value createRowStride(ImplicitLocOpBuilder &b) const;
  Value createIsAligned(ImplicitLocOpBuilder &b) const;
  Value moveToRow(ImplicitLocOpBuilder &b, const Cursor &cursor,
                  Value row) const;
  Chunk takeChunk(ImplicitLocOpBuilder &b, Cursor &cursor) const;
  /// Whether every chunk of `length` elements is in bounds or none of it: rows
  /// of blocks with several of them are aligned at both ends.
  bool areWhole(int64_t length) const {
    return length == 1 || layout.ids.rows > 1;
  }
  Value inBounds(ImplicitLocOpBuilder &b, const Chunk &chunk,
                 int64_t element) const;
  Value areAllInBounds(ImplicitLocOpBuilder &b, const Chunk &chunk,
                       int64_t length) const;
  Value getAddress(ImplicitLocOpBuilder &b, const Chunk &chunk,
                   int64_t element) const;
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
  /// With one row per block, the offset of its first element; with several,
  /// the elements from each to the next one, null if that varies.
  Value rowOffset, rowStride;
  bool needsValidPadding;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_TILE_ROWCHUNKS_H
