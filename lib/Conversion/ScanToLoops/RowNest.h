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

/// Rows that are walked at a time: along the innermost dimension but that of
/// time, `lanes` of them in each vector.
struct RowGroup {
  int64_t rows = 1, lanes = 1;
};

/// Emits loops over all rows of a kernel, and calls `walk` for the rows of each
/// of `groups`, as many as the ones before have left over, and for single rows.
/// The first one has the most rows, a multiple of all others'.
class RowNest {
public:
  using Walk = function_ref<void(MutableArrayRef<Point>)>;
  RowNest(OpBuilder &builder, KernelEmitter &emitter, ArrayRef<RowGroup> groups,
          Walk walk);

  /// One loop inside of the other.
  void emit();
  /// Rows that differ in `dims`, of which there is one at least, in `parts`.
  void emitParts(ThreadParts &parts, ArrayRef<unsigned> dims);

  /// The rows that are walked at a time while there are so many, and the
  /// dimension along which they differ, if there are several.
  RowGroup getGroup() const {
    return groups.empty() ? RowGroup() : groups.front();
  }
  unsigned getRowDim() const { return outer.back(); }

private:
  /// Emits loops over the dimensions that are not among `done`, and the rows;
  /// of the innermost dimension, if it is, those from `begin` to before `end`.
  void emitRest(ArrayRef<unsigned> done, Value begin, Value end);
  /// `begin` is a multiple of the rows of the first group.
  void emitRows(Value begin, Value end);

  OpBuilder &builder;
  KernelEmitter &emitter;
  Location loc;
  SmallVector<RowGroup> groups; ///< Those that there are rows enough for.
  Walk walk;
  SmallVector<unsigned> outer; ///< The dimensions but that of time.
  int64_t staticSize = 1;      ///< Of the innermost of these.
  Point point;
};

/// The groups of rows of kernels that are walked step by step.
SmallVector<RowGroup> chooseRowGroups(MutableArrayRef<KernelEmitter> kernels,
                                      const ConvertScanToLoopsOptions &options);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_ROWNEST_H
