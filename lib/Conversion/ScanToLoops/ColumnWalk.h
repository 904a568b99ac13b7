//===- ColumnWalk.h - A block of columns, step by step ----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for v in block: fixed[v] = what is expensive and the same at all steps
//   for v in block: state[v] = initialize
//   for t, or for a few steps of it at a time
//     for v in block: load, combine with state[v], store
//     add reductions over the columns to what is in memory
//   for v in block: finalize
//
// Each loop over v is a vector loop and a scalar loop for what is left over.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_COLUMNWALK_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_COLUMNWALK_H

#include "KernelEmitter.h"

namespace mlir::scan {

class ColumnWalk {
public:
  ColumnWalk(OpBuilder &builder, KernelEmitter &emitter, unsigned laneDim,
             const ConvertScanToLoopsOptions &options);

  /// Columns in a vector.
  int64_t getWidth() const { return width; }
  /// Columns in a block at most, a multiple of the width unless they are all.
  int64_t getBlockSize() const { return blockSize; }
  void setBlockSize(int64_t columns) { blockSize = columns; }

  /// Lets passes prefetch what the next one reads if `condition`, an i1, is
  /// true and outputs exceed the caches: processors follow neither short runs
  /// of several arrays nor steps that lie apart.
  void prefetchNextPass(Value condition);

  /// Makes the buffers: of the leaves that are carried, and of what is the same
  /// at every step.
  void allocateBuffers();
  /// Finds out whether vectors of all outputs are aligned, so that large
  /// outputs can be streamed, at every step of the outer indices in `point`.
  void chooseStreams(Point point);
  /// Emits the walk over the columns [begin, begin + count) of `point`.
  void emitBlock(Point point, Value begin, Value count);

private:
  /// Emits `body` for the columns of the block, each `point` with its position
  /// in the block.
  void forColumns(const Point &point, Value begin, Value count,
                  function_ref<void(const Point &, Value)> body);
  /// The same with reductions over all columns, scalars, which `body` adds to.
  SmallVector<Value> reduceColumns(
      const Point &point, Value begin, Value count,
      function_ref<void(const Point &, Value, SmallVectorImpl<Value> &)> body);
  /// Emits `steps` steps, from `first` on, of all columns of the block.
  void emitSteps(const Point &point, Value begin, Value count, Value first,
                 int64_t steps, bool isFirst);

  /// Emits the prefetches of a vector of columns at `times`.
  void emitPrefetches(Point point, ArrayRef<Value> times);

  SmallVector<Value> loadState(Value position, int64_t width);
  void storeState(Value position, ValueRange state);

  OpBuilder &builder;
  KernelOp kernel;
  KernelEmitter &emitter;
  Location loc;
  unsigned laneDim;
  int64_t width = 1, blockSize = 0;
  SmallVector<Value> buffers;      ///< One per leaf; null if it is not carried.
  SmallVector<Type> fixedTypes;    ///< Of what is the same at every step.
  SmallVector<Value> fixedBuffers; ///< One for each of these.
  SmallVector<bool> held;          ///< Which elements are reduced over columns.
  int64_t stepsPerPass = 1;        ///< Steps that a loop over columns makes.
  Value prefetches; ///< Whether the next pass is prefetched; may be null.
  Value isLarge;    ///< Whether outputs exceed the caches; may be null.
  Value streams;    ///< Whether they are stored past them; may be null.
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_COLUMNWALK_H
