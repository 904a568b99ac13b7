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

  /// Whether what is known leaves it open that vectorized accesses are
  /// possible.
  bool mayVectorize() const { return packed.has_value(); }
  /// i1: whether `condition` holds and vectorized accesses are possible.
  Value createCanVectorize(ImplicitLocOpBuilder &b, Value condition);

  /// Begins with the block's columns; loads what does not vary.
  void start(ImplicitLocOpBuilder &b, bool isVectorized);
  /// Not varying: the elements in a column.
  Elements getInvariant(int64_t column) const;

  /// Whether it is accessed for the thread's column number `column`: one access
  /// for all columns counts as one for the first.
  bool isAccessedFor(int64_t column) const {
    return varies && (column == 0 || access == Access::Single);
  }
  /// How many values such an access loads.
  int64_t getNumValues() const {
    return access == Access::Packed ? packed->numWords : view.numElements;
  }

  /// The next access is at `position`; and then at the position after. From
  /// column to column addresses grow by constants.
  void startItems(ImplicitLocOpBuilder &b, Value position);
  void advanceItems(ImplicitLocOpBuilder &b);
  /// Loads or stores there, in a column that exists; `ofColumns` has the
  /// elements of all columns and all outputs, of which those from number
  /// `first` on are meant.
  SmallVector<Value> load(ImplicitLocOpBuilder &b, int64_t column) const;
  void store(ImplicitLocOpBuilder &b, int64_t column,
             ArrayRef<Elements> ofColumns, size_t first) const;
  /// Loads at `position` in the column or, where it does not exist, in the last
  /// one.
  SmallVector<Value> loadNearest(ImplicitLocOpBuilder &b, int64_t column,
                                 Value position) const;

  /// The elements that an access has loaded as `values`.
  SmallVector<Value> unpack(ImplicitLocOpBuilder &b, ValueRange values) const;
  /// The elements in a column of those loaded at one step, of all columns.
  Elements getElements(ArrayRef<Value> ofStep, int64_t column) const;

private:
  Value getItemAddress(ImplicitLocOpBuilder &b, int64_t column) const;
  SmallVector<Value> loadAt(ImplicitLocOpBuilder &b, Value address) const;

  /// How the elements of all columns of a thread at one step are accessed:
  /// there is one for all columns, or one per column, or they are accessed at
  /// once.
  enum class Access { Common, Single, Packed };

  const ColumnPoints &points;
  OperandView view;
  bool varies;
  Access access;
  /// Of all columns at one step, if vectorized accesses are possible.
  std::optional<PackedAccess> packed;
  /// Varying: in the first column.
  StepPointer steps;
  /// Not varying: the elements, per column or of all columns.
  SmallVector<Elements> invariant;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_TILE_COLUMNOPERAND_H
