//===- StepVectors.h - Inputs that lie step by step -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a column kernel, an input that varies along the scan dimension alone, such
// as head flags: its steps are neighbours in memory, so that a thread loads
// those of all its items by few vectorized accesses, in place of one for each.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_TILE_STEPVECTORS_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_TILE_STEPVECTORS_H

#include "../Primitives/PackedAccess.h"
#include "ColumnPoints.h"

namespace mlir::scan {

class StepVectors {
public:
  /// Those of input `view`; nothing where it varies along another dimension as
  /// well, or where its elements are loaded as well one by one.
  static std::optional<StepVectors> get(const ColumnPoints &points,
                                        const OperandView &view);

  /// As if the input had no elements in registers and in memory, for want of a
  /// reader: zeros stand for these.
  void setSkipped(bool skip) { isSkipped = skip; }
  /// Looks the input up. Once, where a block's columns begin.
  void start(ImplicitLocOpBuilder &b);

  /// How many values a thread's items take in registers.
  int64_t getNumValues() const { return isSkipped ? 0 : access.numWords; }
  /// These, with the element at `position` for all items.
  SmallVector<Value> loadNearest(ImplicitLocOpBuilder &b, Value position) const;
  /// Those of the tile that begins at position `base`; out of bounds they are
  /// those of `otherwise`.
  SmallVector<Value> load(ImplicitLocOpBuilder &b, Value base,
                          ValueRange otherwise) const;
  /// The elements in them, item by item.
  SmallVector<Value> unpack(ImplicitLocOpBuilder &b, ValueRange values) const;

private:
  StepVectors(const ColumnPoints &points, const OperandView &view,
              const PackedAccess &access)
      : points(&points), view(view), access(access) {}
  Value loadAt(ImplicitLocOpBuilder &b, Value position) const;
  SmallVector<Value> inMemoryOrder(SmallVector<Value> elements) const;

  const ColumnPoints *points;
  OperandView view;
  PackedAccess access;
  bool isSkipped = false;
  GlobalPointer global;
  /// i1: whether vectorized accesses are possible, the same in all threads.
  Value canVectorize;
};

/// All inputs of a kernel that are loaded so. Their values are in a row, in the
/// order of the inputs.
class StepInputs {
public:
  /// Appends the next input, which may be another one; returns whether it is
  /// not.
  bool append(const ColumnPoints &points, const OperandView &view) {
    inputs.push_back(StepVectors::get(points, view));
    return inputs.back().has_value();
  }
  /// Whether input number `number` is one of them, to be skipped or not.
  bool setSkipped(unsigned number, bool skip);

  void start(ImplicitLocOpBuilder &b);
  int64_t countValues() const;
  SmallVector<Value> loadNearest(ImplicitLocOpBuilder &b, Value position) const;
  SmallVector<Value> load(ImplicitLocOpBuilder &b, Value base,
                          ValueRange otherwise) const;
  /// Of each input its elements, item by item; none of another input.
  SmallVector<SmallVector<Value>> unpack(ImplicitLocOpBuilder &b,
                                         ValueRange values) const;

private:
  SmallVector<std::optional<StepVectors>, 0> inputs;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_TILE_STEPVECTORS_H
