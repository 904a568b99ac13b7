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

  /// What one row carries from step to step: its leaves, those that are not
  /// carried too, and the totals of its reductions.
  struct Carried {
    SmallVector<Value> state, totals;
  };
  /// Emits the steps of a range one after the other, and returns what is
  /// carried behind them.
  using WalkSteps = function_ref<Carried(Range, const Carried &)>;
  /// Emits the walk over `range`, and returns what is carried behind it.
  Carried walk(const Point &row, Range range, const Carried &before,
               WalkSteps walkSteps);

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
  /// Emits a vector of steps from `step` on. `before` and the result are
  /// vectors: the state in all lanes, and totals that are still to be added up.
  Carried emitVector(const Point &row, Value step, const Carried &before,
                     WalkSteps walkSteps);
  /// The same once inputs are loaded and lanes are scanned.
  Carried combineAndStore(const Point &point, ValueRange inputs,
                          ValueRange local, const Carried &before);
  /// The same steps one after the other.
  Carried walkAsSteps(Value step, const Carried &before, WalkSteps walkSteps);
  /// Whether the lanes of all leaves that the left fold does not compute are
  /// finite numbers; null if there are no such leaves of floating-point
  /// numbers.
  Value emitIsFinite(ValueRange local);
  /// The carried leaves and the totals, and back with zeros for other leaves.
  SmallVector<Value> pack(const Carried &carried);
  Carried unpack(ValueRange packed);
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
  /// Vectors of the inputs that do not vary along the scan dimension.
  SmallVector<SmallVector<Value>> invariants;
  /// Whether all vectors of the range are aligned to be streamed; may be null.
  Value streams;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_VECTORROW_H
