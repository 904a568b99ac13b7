//===- RowLoops.h - A walk along rows ---------------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_ROWLOOPS_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_ROWLOOPS_H

#include "VectorRow.h"

namespace mlir::scan {

/// All leaves of each row.
using States = SmallVector<SmallVector<Value>>;

/// What is carried from step to step: the leaves of each row, and the totals of
/// its reductions over time.
struct Walk {
  States states, totals;
};

class RowLoops {
public:
  /// A single row is walked `lanes` steps at a time; `isLarge` is as in
  /// VectorRow.
  RowLoops(OpBuilder &builder, KernelEmitter &emitter, int64_t lanes,
           Value isLarge)
      : builder(builder), kernel(emitter.getKernel()), emitter(emitter),
        loc(kernel.getLoc()), length(emitter.getSizes()[kernel.getDim()]),
        held(emitter.getHeldReductions(kernel.getDim())), lanes(lanes),
        isLarge(isLarge) {}

  /// Emits the walk over `rows`, points whose index along the scan dimension is
  /// not set yet.
  void walk(MutableArrayRef<Point> rows);

protected:
  /// The states before the first step that the time loop takes, which is the
  /// second step of the scan where there is no init.
  SmallVector<Value> start(MutableArrayRef<Point> rows);
  /// Takes the first step of a scan without init if `step` is it, which then
  /// becomes the second one, and returns what is carried to `step`.
  SmallVector<Value> startAt(Point &row, Value &step,
                             SmallVector<Value> carried);
  /// Emits a step of every row at time `i`. Empty states make it the first step
  /// of a scan without init.
  Walk step(MutableArrayRef<Point> rows, Value i, Walk walk);
  /// Emits the steps from `begin` to before `end`, one after the other, and
  /// returns what is carried behind them.
  SmallVector<Value> walkSteps(MutableArrayRef<Point> rows, Value begin,
                               Value end, ValueRange carried);
  /// Emits steps from `first` on as vectors, and returns the first step before
  /// `end` that is left; updates `carried`.
  Value walkVectors(Point &row, Value first, Value end,
                    SmallVector<Value> &carried);
  /// Emits the steps of `range`, whole tiles; updates `carried`.
  void walkTiles(VectorRow &tiles, Point &row, VectorRow::Range range,
                 SmallVector<Value> &carried);
  /// Emits all steps of a row that can be masked as vectors, but for those in
  /// front of where stores are aligned.
  SmallVector<Value> walkMasked(Point &row);
  /// Emits the steps from `begin` to before `end`.
  SmallVector<Value> walkRange(MutableArrayRef<Point> rows, Value begin,
                               Value end, SmallVector<Value> carried);

  /// The carried leaves and the totals of all rows, and back with zeros for
  /// leaves that are not carried.
  SmallVector<Value> pack(const Walk &walk);
  Walk unpack(ValueRange carried, size_t numRows);
  States zeroTotals(size_t numRows) {
    return States(numRows, emitter.zeroReductions(held, rowLanes));
  }

  OpBuilder &builder;
  KernelOp kernel;
  KernelEmitter &emitter;
  Location loc;
  Value length;
  SmallVector<bool> held;
  int64_t lanes;
  /// Of each of the points that are walked at a time, how many rows it is.
  int64_t rowLanes = 1;
  Value isLarge;
  /// What the walk along a single row does meanwhile; may be null.
  VectorRow::Companion *companion = nullptr;
  /// Where the tiles of a single row are saved, if they are.
  VectorRow::SavedTiles saved;
  /// Of each row the elements that do not vary along the scan dimension.
  SmallVector<SmallVector<SmallVector<Value>>> invariants;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_ROWLOOPS_H
