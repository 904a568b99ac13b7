//===- RowIO.h - Moving tiles of rows ---------------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The life of a tile of rows, from the load to the store. Each thread computes
// on consecutive positions (blocked), but memory is fast when neighbouring
// threads access neighbouring elements (striped). Operands that are contiguous
// along the scan dimension are therefore transposed: RowChunks is their side in
// global memory, TransposeBuffer that in shared memory. Other operands are
// accessed in blocked order directly.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_TILE_ROWIO_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_TILE_ROWIO_H

#include "RowChunks.h"
#include "StepPointer.h"
#include "TransposeBuffer.h"

namespace mlir::scan {

class RowIO {
public:
  /// Accesses each operand as the plan says, and allocates the shared memory
  /// for it.
  RowIO(ImplicitLocOpBuilder &b, KernelFrame &frame, const ThreadIds &ids);
  /// Operands refer to the layout.
  RowIO(const RowIO &) = delete;

  const RowLayout &getLayout() const { return layout; }

  /// From here on inputs are in buffer slot number `slot`, an index.
  void useBufferSlot(ImplicitLocOpBuilder &b, Value slot);

  /// Begins with the row at `point` outside the scan dimension, and loads what
  /// does not vary along the scan dimension.
  void startRow(ImplicitLocOpBuilder &b, ArrayRef<Value> point);

  /// The same for a block of several rows: those number `first` and following,
  /// of which those from number `count` on do not exist. `point` is that of
  /// this thread, or of the last row if its own does not exist.
  void startRows(ImplicitLocOpBuilder &b, ArrayRef<Value> point, Value first,
                 Value count);

  /// Loads the input elements at the thread's positions of the tile that
  /// begins at position `base`. With `isPartial` the tile reaches beyond the
  /// end of the scan, or the rows of the block beyond the last one: what is
  /// returned there is some valid element if any operation of the kernel needs
  /// one (a division, say), and anything else. Head flags of segment offsets
  /// are left out.
  SmallVector<Elements> load(ImplicitLocOpBuilder &b, Value base,
                             bool isPartial) {
    return exchange(b, prefetch(b, base, isPartial), base, isPartial);
  }

  /// The first part of `load`: what this thread loads from global memory, as
  /// values that may be carried over a tile; and the second part, which needs
  /// all threads. Nothing is stored to shared memory before.
  SmallVector<Value> prefetch(ImplicitLocOpBuilder &b, Value base,
                              bool isPartial);
  SmallVector<Elements> exchange(ImplicitLocOpBuilder &b, ValueRange prefetched,
                                 Value base, bool isPartial);

  /// The two parts of `exchange`, with `sync` between them where
  /// `loadsThroughShared`: the first returns what does not lie in shared
  /// memory; the second may be called again as long as the buffer slot is kept.
  SmallVector<Value> storeToShared(ImplicitLocOpBuilder &b,
                                   ValueRange prefetched);
  SmallVector<Elements> loadFromShared(ImplicitLocOpBuilder &b,
                                       ValueRange direct, Value base,
                                       bool isPartial);

  /// In place of `prefetch` and `storeToShared`, where the plan has bulk copies
  /// for all inputs that are not invariant: i1, whether they may load full
  /// tiles of the current row; the bytes of a tile; and in one thread, begins
  /// to copy the full tile at `base` to the buffer slot in use, to arrive at
  /// the mbarrier at `barrier`.
  Value createIsAligned(ImplicitLocOpBuilder &b) const;
  int64_t getTileBytes() const;
  void copyTile(ImplicitLocOpBuilder &b, Value base, Value barrier) const;

  /// With one row per block, in all threads: has the second-level cache fetch
  /// what the full tile at `base` of the row at `point` reads. Nothing waits
  /// for that.
  void fetchTile(ImplicitLocOpBuilder &b, ArrayRef<Value> point,
                 Value base) const;

  /// The types of what `prefetch`, and of what `storeToShared` returns.
  SmallVector<Type> getPrefetchTypes() const;
  SmallVector<Type> getDirectTypes() const;

  /// Stores the output elements at the thread's positions; with `isPartial`
  /// only those before the end of the scan, in rows that exist.
  void store(ImplicitLocOpBuilder &b, Value base, bool isPartial,
             ArrayRef<Elements> items);

  /// The index along the scan dimension of the thread's item number `item`; at
  /// positions beyond the end that of the last element.
  Value createIndex(ImplicitLocOpBuilder &b, Value base, int64_t item,
                    bool isPartial) const {
    return layout.createIndex(b, layout.getFirstPosition(b, base), item,
                              isPartial);
  }

  /// Waits for the threads that move what this one computes on: those of its
  /// warp, or of the block.
  void sync(ImplicitLocOpBuilder &b);

  /// Whether `load` and `store` contain a `sync`, between writing and reading
  /// their own part of shared memory.
  bool loadsThroughShared() const { return anyTransposed(inputs); }
  bool storesThroughShared() const { return anyTransposed(outputs); }

private:
  using Access = OperandPlan::Access;
  struct Operand {
    OperandView view;
    Access access;
    /// Access::Invariant: the elements at the current row.
    Elements invariant;
    /// Access::Transposed. An output may share the buffer slots of an input.
    bool sharesSlot = false;
    std::optional<TransposeBuffer> buffer;
    std::optional<RowChunks> chunks;
    /// Access::Direct.
    std::optional<StepPointer> steps;

    void storeToShared(ImplicitLocOpBuilder &b, ValueRange vectors) const;
    SmallVector<Value> prefetch(ImplicitLocOpBuilder &b, Value base,
                                bool isPartial) const;
    void storeToGlobal(ImplicitLocOpBuilder &b, Value base,
                       bool isPartial) const;
  };
  static bool anyTransposed(ArrayRef<Operand> operands) {
    return llvm::any_of(operands, [](const Operand &operand) {
      return operand.access == Access::Transposed;
    });
  }
  Operand create(ImplicitLocOpBuilder &b, const OperandView &view,
                 const OperandPlan &plan, int64_t stages);
  /// Elements of a thread in a tile.
  int64_t getWidth(const Operand &operand) const {
    return layout.items * operand.view.numElements;
  }
  void loadDirect(ImplicitLocOpBuilder &b, Operand &input, Value first,
                  bool isPartial, SmallVectorImpl<Value> &loaded);
  void storeDirect(ImplicitLocOpBuilder &b, Operand &output, Value first,
                   bool isPartial, Value isRow, ArrayRef<ValueRange> elements);

  KernelFrame &frame;
  RowLayout layout;
  SmallVector<Operand, 0> inputs, outputs;
  /// Of this thread's row, or another if it has none.
  SmallVector<Value> rowPoint;
  /// Whether some operation may not be executed on garbage.
  bool needsValidPadding;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_TILE_ROWIO_H
