//===- ColumnIO.h - Moving tiles of columns ---------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Neighbouring threads own neighbouring columns (ColumnPoints), so that
// accesses of a group at a step coalesce, and no data is exchanged. A thread's
// accesses to an operand (ColumnOperand) are vectorized over its columns if
// addresses and extents allow it, which is tested when the kernel runs. There
// is code for both ways, but only to load and to store: between that, elements
// are packed alike. All loads of a tile are in one branch, so that they are in
// flight together.
//
// No memory is accessed out of bounds. For columns and steps there threads
// compute on something else that they have loaded, never on made-up values:
// with those, a division could go wrong. The very first step is loaded by all
// threads, the nearest one in bounds, to have something at all.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_TILE_COLUMNIO_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_TILE_COLUMNIO_H

#include "ColumnOperand.h"
#include "StepVectors.h"

namespace mlir::scan {

class ColumnIO {
public:
  /// The elements of a step, operand by operand, of each all columns.
  using Step = SmallVector<Elements>;

  ColumnIO(KernelFrame &frame, const ColumnLayout &layout);
  /// Operands refer to the points.
  ColumnIO(const ColumnIO &) = delete;

  /// Whether the schedule and what is known about the operands leave it open
  /// that vectorized accesses are possible and better.
  bool mayVectorize() const;
  /// i1: whether they are, the same in all threads of a launch.
  Value createCanVectorize(ImplicitLocOpBuilder &b);

  /// Begins with the block's columns, as ColumnPoints does; loads what does not
  /// vary along the scan dimension. `isVectorized`: i1; null: never.
  void start(ImplicitLocOpBuilder &b, ArrayRef<Value> outer, Value first,
             Value isVectorized);
  const ColumnPoints &getPoints() const { return points; }
  /// From now on loads only those inputs that vary along the scan dimension
  /// whose numbers are in `wanted`; `unpack` has zeros for the others.
  void selectInputs(const llvm::SmallBitVector &wanted);

  /// From now on all tiles that are loaded and stored have all of their steps;
  /// or, as in the beginning, the last one may not have.
  void setFullTiles(bool areFull) { points.setFullTiles(areFull); }
  /// From now on only the steps from position `first` to the one in front of
  /// `end` are loaded and stored.
  void setOwnSteps(Value first, Value end) { points.setOwnSteps(first, end); }

  /// Loads the first of the thread's positions of the tile that begins at
  /// position `base`, or the nearest in bounds. What is returned is a part of a
  /// tile, as the functions below have it, in which all items are the same.
  SmallVector<Value> loadNearest(ImplicitLocOpBuilder &b, Value base);
  /// Whether `loadNearest` loads what other threads store: it then has to be
  /// separated by a barrier from the first `store`.
  bool readsOtherThreads() const;
  /// Loads the thread's part of that tile but for its first item, which is that
  /// of `nearest`.
  SmallVector<Value> loadFirst(ImplicitLocOpBuilder &b, Value base,
                               ValueRange nearest) {
    return loadBehindFirst(b, base, nearest, Accesses::All);
  }
  /// Loads the thread's part of the tile that begins at position `base`; out of
  /// bounds it is that of `otherwise`.
  SmallVector<Value> load(ImplicitLocOpBuilder &b, Value base,
                          ValueRange otherwise);
  /// The same in two parts, around work on another tile: `prefetch` leaves out
  /// single accesses to elements that are packed in words, each of which would
  /// take a register until all of them have arrived. `finishLoad` makes these;
  /// the others are `prefetched`.
  SmallVector<Value> prefetch(ImplicitLocOpBuilder &b, Value base,
                              ValueRange otherwise);
  SmallVector<Value> finishLoad(ImplicitLocOpBuilder &b, Value base,
                                ValueRange prefetched);
  SmallVector<Value> prefetchFirst(ImplicitLocOpBuilder &b, Value base,
                                   ValueRange nearest) {
    return loadBehindFirst(b, base, nearest, getPrefetched());
  }
  /// The input elements at the thread's positions of the tile that begins at
  /// position `base` and was loaded as `values`: item by item, and of each all
  /// columns.
  SmallVector<Elements> unpack(ImplicitLocOpBuilder &b, Value base,
                               ValueRange values);

  /// Stores the output elements, listed likewise.
  void store(ImplicitLocOpBuilder &b, Value base, ArrayRef<Elements> results) {
    storePacked(b, base, pack(b, results));
  }
  /// The same in two parts: output elements as they are kept in registers, item
  /// by item, and their stores.
  SmallVector<Value> pack(ImplicitLocOpBuilder &b, ArrayRef<Elements> results);
  void storePacked(ImplicitLocOpBuilder &b, Value base, ValueRange values);

private:
  enum class Accesses { All, Vectorized, Single };
  void forEachItem(ImplicitLocOpBuilder &b,
                   MutableArrayRef<ColumnOperand> operands, Value base,
                   int64_t firstItem, function_ref<void(int64_t)> body);
  SmallVector<Value> loadVectorized(ImplicitLocOpBuilder &b, Value base,
                                    int64_t firstItem, ValueRange otherwise);
  SmallVector<Value> loadSingle(ImplicitLocOpBuilder &b, Value base,
                                int64_t firstItem, ValueRange otherwise);
  SmallVector<Value> loadItems(ImplicitLocOpBuilder &b, Value base,
                               int64_t firstItem, ValueRange otherwise,
                               Accesses wanted = Accesses::All);
  SmallVector<Value> loadTile(ImplicitLocOpBuilder &b, Value base,
                              ValueRange otherwise, Accesses wanted);
  SmallVector<Value> loadBehindFirst(ImplicitLocOpBuilder &b, Value base,
                                     ValueRange nearest, Accesses wanted);
  Accesses getPrefetched() const;
  void storeVectorized(ImplicitLocOpBuilder &b, Value base, ValueRange values);
  void storeSingle(ImplicitLocOpBuilder &b, Value base, ValueRange values);

  KernelFrame &frame;
  ColumnLayout layout;
  ColumnPoints points;
  SmallVector<ColumnOperand, 0> inputs, outputs;
  /// Inputs that are not loaded item by item. Their values come behind those of
  /// all items.
  StepInputs stepInputs;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_TILE_COLUMNIO_H
