//===- TransposeBuffer.h - A tile of rows in shared memory ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both sides of the transposition of an operand: striped, which are the chunks
// that a thread accesses in global memory (RowChunks), and blocked, which are
// the consecutive items that it computes on. Elements lie in the order of
// memory, row after row. With one row to a block each warp moves the items of
// its own threads, and need not wait for the other warps of the block.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_TILE_TRANSPOSEBUFFER_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_TILE_TRANSPOSEBUFFER_H

#include "RowLayout.h"
#include "TilePoints.h"

namespace mlir::scan {

class TransposeBuffer {
public:
  /// Allocates shared memory for `stages` tiles of the operand `view`.
  TransposeBuffer(const OperandView &view, const RowLayout &layout,
                  const TransposeLayout &transpose, int64_t stages);

  /// From here on the tile in buffer slot number `slot`, an index, is meant.
  void useSlot(ImplicitLocOpBuilder &b, Value slot);

  /// For bulk copies, which fill the buffer slot in use: a pointer to it and
  /// the bytes of a tile, between whose elements there are no unused ones.
  Value getPointer(ImplicitLocOpBuilder &b) const;
  int64_t getTileBytes() const {
    return transpose.slots * transpose.elementBytes;
  }

  /// Elements of a chunk, and chunks of a thread.
  int64_t getLength() const { return transpose.length; }
  int64_t getNumChunks() const { return transpose.perThread; }

  /// Stores or loads the chunk of `length` elements that the thread accesses in
  /// step `step`.
  void storeStriped(ImplicitLocOpBuilder &b, Value parts, int64_t length,
                    int64_t step) const;
  Value loadStriped(ImplicitLocOpBuilder &b, int64_t length,
                    int64_t step) const;

  /// Stores or loads the elements of the thread's items.
  void storeBlocked(ImplicitLocOpBuilder &b,
                    ArrayRef<ValueRange> elements) const;
  SmallVector<Elements> loadBlocked(ImplicitLocOpBuilder &b) const;

  /// The elements at the last step of the thread's row that is in the tile at
  /// position `base`.
  Elements loadLast(ImplicitLocOpBuilder &b, Value base) const;

private:
  Value offsetSlot(ImplicitLocOpBuilder &b, Value element) const;
  Value getStriped(ImplicitLocOpBuilder &b, int64_t length, int64_t step) const;

  const RowLayout &layout;
  TransposeLayout transpose;
  Type elementType;
  int64_t numElements;
  Value buffer;
  /// Where the buffer slot in use begins, an index; null: at 0.
  Value firstElement;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_TILE_TRANSPOSEBUFFER_H
