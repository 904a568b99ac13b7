//===- ColumnIO.h - Moving tiles of columns ---------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads side by side own columns side by side, so that a group reads what
// lies side by side in memory at each step, and no data has to change hands.
//
// Which columns a thread has depends on the width of its accesses. With wide
// ones, they are `vector` neighbours, which it reads and writes at once;
// whether addresses and extents allow it is tested when the kernel runs. With
// narrow ones, they are `lanes` apart, so that single elements of neighbouring
// threads are neighbours.
//
// No memory is accessed for columns and steps that are not there. Threads
// compute on something else there that they have read, never on made-up values:
// with those, a division could go wrong. The very first step is read by all
// threads, the nearest one that is there, to have something at all.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_TILE_COLUMNIO_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_TILE_COLUMNIO_H

#include "../Primitives/ScanLanes.h"
#include "../Primitives/WordRun.h"
#include "TileIO.h"

namespace mlir::scan {

class ColumnIO {
public:
  ColumnIO(KernelFrame &frame, const ColumnLayout &layout);

  /// Whether the schedule and what is known about the operands leave it open
  /// that wide accesses are possible and better.
  bool mayBeWide() const;
  /// i1: whether they are, the same in all threads of a launch.
  Value createIsWide(ImplicitLocOpBuilder &b);

  /// Turns to the block's columns, of which `outer` has the coordinates but
  /// along the scan dimension and the innermost one, where they begin at index
  /// `first`; reads what does not vary along the scan dimension.
  void start(ImplicitLocOpBuilder &b, ArrayRef<Value> outer, Value first,
             bool isWide);

  /// Reads the first of the thread's positions of the tile that begins at
  /// position `base`, where there is a step, or the nearest that is there. What
  /// is returned is a part of a tile, as the functions below have it, in which
  /// all items are the same.
  SmallVector<Value> loadNearest(ImplicitLocOpBuilder &b, Value base);
  /// Whether `loadNearest` reads what other threads write: it then has to be
  /// separated by a barrier from the first `store`.
  bool readsOtherThreads() const;
  /// Reads the thread's part of that tile but for its first item, which is that
  /// of `nearest`.
  SmallVector<Value> loadFirst(ImplicitLocOpBuilder &b, Value base,
                               ValueRange nearest);
  /// Reads the thread's part of the tile that begins at position `base`; where
  /// there is no step or column, it is that of `otherwise`. If `isStep`, there
  /// is a step at `base`.
  SmallVector<Value> load(ImplicitLocOpBuilder &b, Value base,
                          ValueRange otherwise, bool isStep);
  /// The input elements at the thread's positions of the tile that begins at
  /// position `base` and was loaded as `values`: item by item, and of each all
  /// columns.
  SmallVector<Elements> unpack(ImplicitLocOpBuilder &b, Value base,
                               ValueRange values);

  /// Writes the output elements, listed likewise.
  void store(ImplicitLocOpBuilder &b, Value base, ArrayRef<Elements> results);

  /// The coordinates of a column of the thread, and of a step in it; those of
  /// another one where there is none.
  SmallVector<Value> createPoint(int64_t column);
  SmallVector<Value> createPoint(ImplicitLocOpBuilder &b, int64_t column,
                                 Value base, int64_t item);

  /// i1: whether the step of the thread's item number `item` is there, in the
  /// tile that begins at position `base`; null: it is.
  Value createIsThere(ImplicitLocOpBuilder &b, Value base, int64_t item);

  /// i1: whether the thread's column number `column` is there; null: it is.
  Value isActive(int64_t column) const { return columns[column].isActive; }

private:
  /// How the elements of all columns of a thread at one step are accessed:
  /// there is one element for all columns, or one per column, or they are
  /// accessed at once.
  enum class Access { Common, Single, Run };
  struct Operand {
    OperandView view;
    bool isVarying;
    Access access;
    /// Of all columns at one step, if wide accesses are possible.
    std::optional<WordRun> run;
    GlobalPointer address;
    /// Access::Run: the address at the first column and index 0 along the scan
    /// dimension, the bytes from index to index and from step to step, and the
    /// address at the item that is accessed.
    Value pointer, indexBytes, stepBytes, item;
    /// Not varying: the elements, per column or of all columns.
    SmallVector<Elements> invariant;
  };
  struct Column {
    /// Index along the innermost dimension, and whether it is there.
    Value index, isActive;
  };
  SmallVector<Operand *> getRuns();
  Operand plan(const OperandView &view);
  bool isExactTile() const;
  Value getPosition(ImplicitLocOpBuilder &b, Value base, int64_t item);
  Value getIndex(ImplicitLocOpBuilder &b, Value position);
  SmallVector<Value> getPoint(int64_t column, Value index);
  bool isLoadedFor(const Operand &operand, int64_t column) const;
  int64_t getNumValues(int64_t column) const;
  void startItems(ImplicitLocOpBuilder &b, Value position);
  void advanceItems(ImplicitLocOpBuilder &b);
  SmallVector<Value> loadStep(ImplicitLocOpBuilder &b, int64_t column,
                              Value position);
  void storeStep(ImplicitLocOpBuilder &b, int64_t column, Value position,
                 ArrayRef<Elements> ofColumns);
  SmallVector<Value> loadItems(ImplicitLocOpBuilder &b, Value base,
                               int64_t firstItem, ValueRange otherwise,
                               bool isStep);
  Elements getInvariant(const Operand &operand, int64_t column) const;

  KernelFrame &frame;
  KernelOp kernel;
  ColumnLayout layout;
  std::optional<unsigned> innerDim;
  SmallVector<Operand, 0> inputs, outputs;
  SmallVector<Value> outer;
  SmallVector<Column> columns;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_TILE_COLUMNIO_H
