//===- VectorRow.h - Neighbouring steps of one row as vectors ---*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_VECTORROW_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_VECTORROW_H

#include "KernelEmitter.h"

namespace mlir::scan {

/// How many neighbouring steps of a row to scan at a time; 1 where the order or
/// the regions do not allow it or it does not pay.
int64_t chooseRowLanes(KernelEmitter &emitter,
                       const ConvertScanToLoopsOptions &options);

/// Emits the walk along a part of one row, `lanes` steps at a time.
class VectorRow {
public:
  /// `isLarge`, which may be null, is whether outputs exceed the caches. `held`
  /// says which elements are reduced over time.
  VectorRow(OpBuilder &builder, KernelEmitter &emitter, int64_t lanes,
            Value isLarge, ArrayRef<bool> held);

  /// Of steps, counted from 0 in the order of the scan.
  struct Range {
    Value begin, end;
  };
  /// Whole vectors of steps that can be walked so in the row of `row`, whose
  /// index along the scan dimension need not be set, from step `first` on. What
  /// is before and behind it is walked one step after the other. The range may
  /// be empty, and then lie behind the last step.
  Range chooseRange(const Point &row, Value first);

  /// Emits the walk over `range` from the leaves `state` of one step and the
  /// totals of reductions; updates these.
  void walk(const Point &row, Range range, SmallVectorImpl<Value> &state,
            SmallVectorImpl<Value> &totals);

private:
  /// Moves the beginning of a long row's range to where stores are aligned, and
  /// finds out whether they can be streamed there.
  void alignStores(const Point &row, Range &range);
  /// The point of the steps from `step` on: lanes are in the order of memory.
  Point getPoint(const Point &row, Value step);
  /// The leaves of lanes that are `distance` steps earlier; those that have no
  /// such lane get others'.
  SmallVector<Value> moveLater(ValueRange leaves, int64_t distance);
  /// The scan of the leaves of one vector.
  SmallVector<Value> scanLanes(SmallVector<Value> leaves, const Point &point);
  /// `before`, the same in all lanes, in the first lane, and in each other one
  /// what the one before it has of `inclusive`.
  SmallVector<Value> getExclusive(ValueRange inclusive, ValueRange before);
  /// The last step's leaves in all lanes.
  SmallVector<Value> broadcastLast(ValueRange leaves);
  Value shuffle(Value a, Value b, ArrayRef<int64_t> lanesOfBoth);
  /// The lane of a step of a vector.
  int64_t getLane(int64_t step) const {
    return kernel.getReverse() ? lanes - 1 - step : step;
  }

  OpBuilder &builder;
  KernelEmitter &emitter;
  mutable KernelOp kernel;
  Location loc;
  int64_t lanes;
  Value isLarge;
  ArrayRef<bool> held;
  /// Whether all vectors of the range are aligned to be streamed; may be null.
  Value streams;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_VECTORROW_H
