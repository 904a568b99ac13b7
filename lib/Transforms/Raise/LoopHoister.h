//===- LoopHoister.h - What all steps of a loop read and write --*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_RAISE_LOOPHOISTER_H
#define SCAN_LIB_TRANSFORMS_RAISE_LOOPHOISTER_H

#include "RecurrenceLoop.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::scan {

/// Computes before a loop what is the same in every step, and the part of a
/// tensor that all steps together read or write.
class LoopHoister {
public:
  /// Sets the insertion point of `rewriter` before the loop and creates the
  /// number of steps there.
  LoopHoister(RewriterBase &rewriter, RecurrenceLoop &loop);

  RewriterBase &rewriter;
  RecurrenceLoop &loop;
  const Location loc;

  /// The number of steps, never negative.
  OpFoldResult getSteps() const { return steps; }

  /// `value`, which is the same in every step, before the loop.
  Value hoist(Value value);
  SmallVector<OpFoldResult> hoist(ArrayRef<OpFoldResult> values);
  /// The sizes of `value`, which may be carried, before the loop; they have to
  /// be known there (RecurrenceLoop::hasKnownSizes).
  SmallVector<OpFoldResult> hoistSizesOf(Value value);
  /// What has become of `value`, if it had to be hoisted.
  Value getHoisted(Value value) const { return hoisted.lookupOrDefault(value); }

  /// Whether all steps together read or write all of the tensor.
  bool isWhole(const TimeSlice &slice);
  /// The offsets and sizes of what all steps read or write of a tensor.
  std::pair<SmallVector<OpFoldResult>, SmallVector<OpFoldResult>>
  getRange(const TimeSlice &slice);
  /// The row of what an output is before the loop that was written `distance`
  /// steps before the first one. Any number where there is no such row, which
  /// no step reads then.
  Value emitRowBefore(const CarriedOutput &output, unsigned distance);
  /// What all steps read of a tensor.
  Value emitPart(const TimeSlice &slice);

  /// What the loop makes of an output, given the rows of all steps.
  Value emitWritten(const CarriedOutput &output, Value rows);

private:
  Value emitIndex(const LinearIndex &index);
  OpFoldResult emitSteps();
  LinearIndex getStart(const TimeSlice &slice);

  IRMapping hoisted;
  LinearIndex lower, upper;
  OpFoldResult steps;
};

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_RAISE_LOOPHOISTER_H
