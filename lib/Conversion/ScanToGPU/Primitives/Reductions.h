//===- Reductions.h - Reduction outputs -------------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reduction outputs are never stored, and scattered ones not in the order of
// steps. Those that leave the scan dimension out
// are reduced by each thread over its whole walk, in private memory that LLVM
// makes registers of; what is left is to reduce over threads. Lanes of a warp
// do so by shuffles, and the lane that holds a total adds it to memory by one
// atomic addition, which orders nothing and is the same in any order but for
// rounding.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_REDUCTIONS_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_REDUCTIONS_H

#include "VectorAccess.h"

namespace mlir::scan {

/// An output that is a reduction, or a scattered one, which is stored where
/// its steps say.
struct ReductionOutput {
  OperandView view;
  /// Where its elements begin among the results of the store-map.
  unsigned first;
  /// Whether there is one for each step: a thread cannot keep those.
  bool isPerStep;
  GlobalPointer pointer;
  /// The scan dimension, and its extent.
  unsigned dim;
  Value extent;

  /// Its elements among `results`, those of the store-map at one point.
  ValueRange getElements(ValueRange results) const {
    return results.slice(first, view.numElements);
  }
  /// Adds `value` to element number `element`, an index, at `point`.
  void addElement(ImplicitLocOpBuilder &b, ArrayRef<Value> point, Value element,
                  Value value) const;
  /// Adds all elements there.
  void addElements(ImplicitLocOpBuilder &b, ArrayRef<Value> point,
                   ValueRange elements) const;
  /// Adds its elements among `results`, or stores them at the place that is
  /// there, too.
  void addToMemory(ImplicitLocOpBuilder &b, ArrayRef<Value> point,
                   ValueRange results) const;
};

/// These outputs of the kernel, ready to be added to at the insertion
/// point and in what it dominates.
SmallVector<ReductionOutput, 0> getReductionOutputs(ImplicitLocOpBuilder &b,
                                                    KernelFrame &frame);

/// lhs + rhs, of any type that a reduction may have.
Value createSum(ImplicitLocOpBuilder &b, Value lhs, Value rhs);

/// `value`, or zero where `condition`, an i1 that may be null, does not hold.
Value createValueOrZero(ImplicitLocOpBuilder &b, Value condition, Value value);

/// The running totals that one thread keeps.
class PrivateTotals {
public:
  PrivateTotals() = default;
  /// Makes room for `count` totals of type `type`, in the first block of the
  /// function.
  PrivateTotals(KernelFrame &frame, Type type, int64_t count);

  void clear(ImplicitLocOpBuilder &b);
  /// Adds `value` to total number `number`, and returns their sum.
  Value add(ImplicitLocOpBuilder &b, int64_t number, Value value);
  SmallVector<Value> load(ImplicitLocOpBuilder &b, int64_t first,
                          int64_t count);

private:
  Value memory;
  int64_t size = 0;
};

/// Which lanes of a warp reduce together: `count` of them, a power of two, each
/// `stride` away from the next. `index` is the lane's own among them.
struct LaneGroup {
  Value index;
  int64_t count, stride;
};

/// Reduces each of `values` over the lanes of a group, and calls `body` in the
/// lane that has ended up with a total, with the number of the value (an index)
/// and the total. All lanes of the warp have to take part. With as many values
/// as lanes, each step exchanges half of them: 31 shuffles for 32 values.
void reduceOverLanes(
    ImplicitLocOpBuilder &b, ArrayRef<Value> values, const LaneGroup &lanes,
    function_ref<void(ImplicitLocOpBuilder &, Value, Value)> body);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_REDUCTIONS_H
