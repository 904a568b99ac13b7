//===- RecurrenceRows.h - Rows of a tensor along time -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows that the operands and results of a scan.recurrence consist of, as
// slices: scalars where a row has no dimension. Where a dimension is known to
// be empty, no offset is in bounds, and there is nothing to be read or written.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_RECURRENCEROWS_H
#define SCAN_LIB_IR_RECURRENCEROWS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::scan {

class RecurrenceRows {
public:
  /// `dim` is the dimension of time.
  RecurrenceRows(OpBuilder &builder, Location loc, int64_t dim)
      : builder(builder), loc(loc), dim(dim) {}

  /// Row `index` of a tensor whose other sizes are those of `sizes`.
  Value extract(Value tensor, ArrayRef<OpFoldResult> sizes, OpFoldResult index);
  Value insert(Value row, Value tensor, ArrayRef<OpFoldResult> sizes,
               OpFoldResult index);
  /// Rows `first` to `first + count` as a tensor with the dimension of time.
  Value extractSome(Value tensor, ArrayRef<OpFoldResult> sizes,
                    OpFoldResult first, OpFoldResult count);
  Value insertSome(Value rows, Value tensor, ArrayRef<OpFoldResult> sizes,
                   OpFoldResult first, OpFoldResult count);

private:
  struct Slice {
    SmallVector<OpFoldResult> offsets, sizes, strides;
    bool hasElements;
  };
  Slice getSlice(ArrayRef<OpFoldResult> sizes, OpFoldResult first,
                 OpFoldResult count);

  OpBuilder &builder;
  Location loc;
  int64_t dim;
};

} // namespace mlir::scan

#endif // SCAN_LIB_IR_RECURRENCEROWS_H
