//===- RowNest.h - Loops over the rows of a kernel --------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_ROWNEST_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_ROWNEST_H

#include "ThreadParts.h"

namespace mlir::scan {

/// Emits loops over all rows of a kernel, and calls `walk` for `rowsAtATime` of
/// them, and for each one that is left over.
class RowNest {
public:
  using Walk = function_ref<void(MutableArrayRef<Point>)>;
  RowNest(OpBuilder &builder, KernelEmitter &emitter, unsigned rowsAtATime,
          Walk walk);

  /// One loop inside of the other.
  void emit();
  /// Rows that differ in `dims`, of which there is one at least, in `parts`.
  void emitParts(ThreadParts &parts, ArrayRef<unsigned> dims);

private:
  /// Emits loops over the dimensions that are not among `done`, and the rows;
  /// of the innermost dimension, if it is, those from `begin` to before `end`.
  void emitRest(ArrayRef<unsigned> done, Value begin, Value end);
  /// `begin` is a multiple of `rowsAtATime`.
  void emitRows(Value begin, Value end);
  bool hasGroups() const {
    return rowsAtATime > 1 &&
           (ShapedType::isDynamic(staticSize) || staticSize >= rowsAtATime);
  }

  OpBuilder &builder;
  KernelEmitter &emitter;
  Location loc;
  int64_t rowsAtATime;
  Walk walk;
  SmallVector<unsigned> outer; ///< The dimensions but that of time.
  int64_t staticSize = 1;      ///< Of the innermost of these.
  Point point;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_ROWNEST_H
