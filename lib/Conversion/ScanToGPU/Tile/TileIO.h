//===- TileIO.h - Moving tiles between memory and registers -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile is `rowThreads * items` consecutive steps of the scan dimension,
// counted in scan order, of each row of the block: with `reverse`, position p
// lies at index extent - 1 - p, and no data is ever flipped. Each thread
// computes on `items` consecutive positions (blocked), but memory is fast when
// neighbouring threads access neighbouring elements, 16 bytes each (striped).
// Operands that are contiguous along the scan dimension are therefore
// transposed through shared memory, where they lie in the order of memory, row
// after row. With one row to a block each warp moves the items of its own
// threads, and need not wait for the other warps of the block. Other operands
// are accessed in blocked order directly.
//
// Pointers and strides are known to the launch only: in front of its rows a
// block looks once whether the vectors of an operand are aligned in all of
// them. If not, threads move single elements.
//
// TileIO.cpp is the life of a tile, from the load to the store; TileChunks.cpp
// is its side in global memory, TileTranspose.cpp that in shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_TILE_TILEIO_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_TILE_TILEIO_H

#include "../Primitives/VectorAccess.h"
#include "TransposeLayout.h"

namespace mlir::scan {

/// The elements of all inputs (or outputs) at one step, operand by operand.
using Elements = SmallVector<Value>;

class TileIO {
public:
  /// Accesses each operand as the plan says, and allocates the shared memory
  /// for it.
  TileIO(ImplicitLocOpBuilder &b, KernelFrame &frame, const ThreadIds &ids);

  /// Turns to the inputs in place number `place`, an index.
  void usePlace(ImplicitLocOpBuilder &b, Value place);

  /// Turns to the row at `point` outside the scan dimension, and reads what
  /// does not vary along the scan dimension.
  void startRow(ImplicitLocOpBuilder &b, ArrayRef<Value> point);

  /// The same for a block of several rows: the points number `first` and
  /// following, of which those from number `count` on do not exist. `point` is
  /// that of this thread, or of the last row if its own does not exist.
  void startRows(ImplicitLocOpBuilder &b, ArrayRef<Value> point, Value first,
                 Value count);

  /// Reads the input elements at the thread's positions of the tile that
  /// begins at position `base`. With `isPartial` the tile reaches beyond the
  /// end of the scan, or the rows of the block beyond the last one: what is
  /// read there is some valid element if any operation of the kernel minds what
  /// it computes with (a division, say), and anything else. Elements of lists
  /// of starts are left out.
  SmallVector<Elements> load(ImplicitLocOpBuilder &b, Value base,
                             bool isPartial) {
    return arrange(b, fetch(b, base, isPartial), base, isPartial);
  }

  /// The first half of `load`: what this thread reads from global memory, as
  /// values that may be carried over a tile; and the second half, which needs
  /// all threads. Nothing is written to shared memory before.
  SmallVector<Value> fetch(ImplicitLocOpBuilder &b, Value base, bool isPartial);
  SmallVector<Elements> arrange(ImplicitLocOpBuilder &b, ValueRange fetched,
                                Value base, bool isPartial);

  /// The two halves of `arrange`, with `sync` between them where
  /// `loadsThroughShared`: `put` writes to shared memory and returns what does
  /// not lie there; `collect` may be called again as long as the place is kept.
  SmallVector<Value> put(ImplicitLocOpBuilder &b, ValueRange fetched);
  SmallVector<Elements> collect(ImplicitLocOpBuilder &b, ValueRange direct,
                                Value base, bool isPartial);

  /// The types of what `put` returns.
  SmallVector<Type> getDirectTypes() const;

  /// Writes the output elements at the thread's positions; with `isPartial`
  /// only those before the end of the scan, in rows that exist.
  void store(ImplicitLocOpBuilder &b, Value base, bool isPartial,
             ArrayRef<Elements> items);

  /// The index along the scan dimension of the thread's item number `item`; at
  /// positions beyond the end that of the last element.
  Value createIndex(ImplicitLocOpBuilder &b, Value base, int64_t item,
                    bool isPartial);

  /// Waits for the threads that move what this one computes on: those of its
  /// warp, or of the block.
  void sync(ImplicitLocOpBuilder &b);

  /// Whether `load` and `store` contain a `sync`, between writing and reading
  /// their own part of shared memory.
  bool loadsThroughShared() const { return anyShared(inputs); }
  bool storesThroughShared() const { return anyShared(outputs); }

private:
  using Access = OperandPlan::Access;
  struct Operand {
    OperandView view;
    Access access;
    /// Access::Invariant: the elements at the current row.
    Elements invariant;
    // Access::Transposed:
    Value buffer;
    /// Where the place in use begins, an index; null: at 0.
    Value firstSlot;
    TransposeLayout layout;
    GlobalPointer pointer;
    /// The longest vectors in global memory, and whether (i1) they are aligned
    /// in the current rows; null if they have one element.
    int64_t length = 1;
    Value isAligned;
    /// With one row per block, the offset of its first element.
    Value rowOffset;
  };
  /// Consecutive elements of a row in memory.
  struct Chunk {
    /// Offset from the pointer, and number in the row.
    Value offset, number;
    /// i1: whether the row exists. Null: it does.
    Value isRow;
  };

  static bool anyShared(ArrayRef<Operand> operands) {
    return llvm::any_of(operands, [](const Operand &operand) {
      return operand.access == Access::Transposed;
    });
  }
  Operand create(ImplicitLocOpBuilder &b, const OperandView &view,
                 const OperandPlan &plan, int64_t places);
  Value inPlace(ImplicitLocOpBuilder &b, const Operand &operand, Value slot);
  int64_t getWidth(const Operand &operand) const {
    return items * operand.view.numElements;
  }
  /// Elements of one row in a tile, and (an index) in the whole scan.
  int64_t getTileElements(const Operand &operand) const {
    return ids.rowThreads * getWidth(operand);
  }
  Value getRowElements(ImplicitLocOpBuilder &b, const Operand &operand);
  Value createRowOffset(ImplicitLocOpBuilder &b, const Operand &operand,
                        ArrayRef<Value> rowPoint);
  Value createIsAligned(ImplicitLocOpBuilder &b, const Operand &operand);

  Value getMemoryWarp(ImplicitLocOpBuilder &b);
  Value getStripedSlot(ImplicitLocOpBuilder &b, const Operand &operand,
                       int64_t length, int64_t step);
  Chunk getChunk(ImplicitLocOpBuilder &b, const Operand &operand, Value base,
                 int64_t length, int64_t step, bool isPartial);
  Value isInside(ImplicitLocOpBuilder &b, const Operand &operand,
                 const Chunk &chunk, int64_t element);
  Value areAllInside(ImplicitLocOpBuilder &b, const Operand &operand,
                     const Chunk &chunk, int64_t length);
  Value loadChunk(ImplicitLocOpBuilder &b, const Operand &operand, Chunk chunk,
                  int64_t length, bool isPartial);
  Chunk clampElement(ImplicitLocOpBuilder &b, const Operand &operand,
                     const Chunk &chunk, int64_t element);
  Value loadElement(ImplicitLocOpBuilder &b, const Operand &operand,
                    const Chunk &chunk, int64_t element);
  void storeChunk(ImplicitLocOpBuilder &b, const Operand &operand,
                  const Chunk &chunk, Value parts, int64_t length,
                  bool isPartial);
  /// Calls `body` with the length of vectors that the operand's alignment
  /// allows.
  SmallVector<Value> ifAligned(
      ImplicitLocOpBuilder &b, const Operand &operand,
      function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, int64_t)> body);

  SmallVector<Value> fetchStriped(ImplicitLocOpBuilder &b,
                                  const Operand &operand, Value base,
                                  bool isPartial);
  void putStriped(ImplicitLocOpBuilder &b, const Operand &operand,
                  ValueRange vectors);
  void storeStriped(ImplicitLocOpBuilder &b, const Operand &operand, Value base,
                    bool isPartial);
  Value getMemoryThread(ImplicitLocOpBuilder &b);
  SmallVector<Elements> getBlocked(ImplicitLocOpBuilder &b,
                                   const Operand &operand);
  void putBlocked(ImplicitLocOpBuilder &b, const Operand &operand,
                  ArrayRef<ValueRange> elements);
  Elements getLast(ImplicitLocOpBuilder &b, const Operand &operand, Value base);

  Value getFirstPosition(ImplicitLocOpBuilder &b, Value base);
  Value getIndex(ImplicitLocOpBuilder &b, Value base, int64_t offset,
                 bool isClamped);
  Value getReadIndex(ImplicitLocOpBuilder &b, const Operand &operand,
                     Value index);

  KernelFrame &frame;
  KernelOp kernel;
  ThreadIds ids;
  int64_t items;
  SmallVector<Operand, 0> inputs, outputs;
  SmallVector<Value> point;
  /// Several rows per block: the number of the first, and how many rows there
  /// are in all blocks.
  Value firstRow, rowCount;
  /// Whether some operation may not be executed on garbage.
  bool needsValidPadding;
  /// Whether each warp moves what its own threads compute on, and the others
  /// need not be waited for: where the block has one row.
  bool isWarpLocal;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_TILE_TILEIO_H
