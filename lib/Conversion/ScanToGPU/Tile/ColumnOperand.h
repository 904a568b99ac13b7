//===- ColumnOperand.h - One operand in tiles of columns --------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_TILE_COLUMNOPERAND_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_TILE_COLUMNOPERAND_H

#include "../Primitives/PackedAccess.h"
#include "ColumnPoints.h"
#include "StepPointer.h"

namespace mlir::scan {

class ColumnOperand {
public:
  ColumnOperand(const ColumnPoints &points, const OperandView &view);

  const OperandView &getView() const { return view; }
  /// Whether it varies along the scan dimension, and is accessed step by step.
  bool isVarying() const { return varies; }
  /// Whether it is from now on, for want of a reader, as if it had no elements
  /// in registers and in memory: zeros stand for these.
  void setSkipped(bool skip) { isSkipped = skip; }

  /// Whether what is known leaves it open that vectorized accesses are
  /// possible.
  bool mayVectorize() const { return packed.has_value(); }
  /// Whether several elements are packed in one word.
  bool packsElements() const {
    return packed && packed->numWords < packed->numElements;
  }
  /// i1: whether `condition` holds and vectorized accesses are possible.
  Value createCanVectorize(ImplicitLocOpBuilder &b, Value condition);

  /// Begins with the block's columns; loads what does not vary.
  void start(ImplicitLocOpBuilder &b);
  /// Not varying: the elements in a column.
  Elements getInvariant(int64_t column) const;

  /// The next access is at `position`; and then at the position after. From
  /// column to column addresses grow by constants.
  void startItems(ImplicitLocOpBuilder &b, Value position);
  void advanceItems(ImplicitLocOpBuilder &b);

  /// The elements of one step in registers, of all columns: packed in words if
  /// they may be accessed so.
  int64_t getNumValues() const;
  SmallVector<Value> pack(ImplicitLocOpBuilder &b,
                          ArrayRef<Value> elements) const;
  SmallVector<Value> unpack(ImplicitLocOpBuilder &b, ValueRange values) const;

  /// Loads or stores these where the next access is, in columns that exist, by
  /// vectorized accesses.
  SmallVector<Value> load(ImplicitLocOpBuilder &b) const;
  void store(ImplicitLocOpBuilder &b, ValueRange values) const;
  /// Whether single accesses are made for the thread's column number `column`:
  /// one for all columns counts as one for the first.
  bool isAccessedFor(int64_t column) const {
    return varies && !isSkipped && (column == 0 || !isCommon);
  }
  /// Loads or stores the elements of a column that exists by single accesses.
  SmallVector<Value> loadColumn(ImplicitLocOpBuilder &b, int64_t column) const;
  void storeColumn(ImplicitLocOpBuilder &b, int64_t column,
                   ValueRange elements) const;
  /// Loads the elements of one step at `position`, of columns that do not exist
  /// those of others.
  SmallVector<Value> loadNearest(ImplicitLocOpBuilder &b, Value position,
                                 bool isVectorized) const;

  /// The elements in a column of those of all columns at one step.
  Elements getElements(ArrayRef<Value> ofStep, int64_t column) const;

private:
  Value getItemAddress(ImplicitLocOpBuilder &b, int64_t column,
                       bool isVectorized) const;

  const ColumnPoints &points;
  OperandView view;
  /// Whether its elements vary along the scan dimension, and whether they are
  /// the same in all columns.
  bool varies, isCommon;
  bool isSkipped = false;
  /// Of all columns at one step, if vectorized accesses are possible.
  std::optional<PackedAccess> packed;
  /// Varying: in the first column.
  StepPointer steps;
  /// Not varying: the elements, per column or of all columns.
  SmallVector<Elements> invariant;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_TILE_COLUMNOPERAND_H
