//===- NewtonCell.h - A step of a recurrence and its slopes -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_NEWTON_NEWTONCELL_H
#define SCAN_LIB_TRANSFORMS_NEWTON_NEWTONCELL_H

#include "../Differentiate/Jacobian.h"
#include "../Normalize/PointwiseBody.h"

namespace mlir::scan {

/// The step of a recurrence for one lane, as scalar code, and its Jacobian
/// matrix by the previous rows.
class NewtonCell {
public:
  explicit NewtonCell(RecurrenceOp op)
      : op(op), numStates(op.getNumStates()), body(op, obstacle) {}

  /// Emits an error on the recurrence where its step cannot be solved by
  /// Newton's method.
  LogicalResult init();

  unsigned getNumStates() const { return numStates; }
  /// The type of the states.
  Type getType() const { return body.getRowTypes().front(); }
  PointwiseBody &getBody() { return body; }
  /// Row i, column j: how state i depends on the previous state j.
  const differentiate::Sparsity &getPattern() const { return pattern; }

  /// Emits the step: the states, then the outputs. `values` are the previous
  /// states, then what the body reads besides.
  SmallVector<Value> emit(OpBuilder &builder, ValueRange values);

  struct Slopes {
    /// The states.
    SmallVector<Value> states;
    /// Row by row; null where the pattern says zero.
    SmallVector<Value> matrix;
  };
  Slopes emitSlopes(OpBuilder &builder, ValueRange values);

private:
  LogicalResult checkRecurrence();
  FailureOr<Slopes> emitSlopes(OpBuilder &builder, ValueRange values,
                               differentiate::Refuse refuse);
  IRMapping clone(OpBuilder &builder, ValueRange values);

  RecurrenceOp op;
  unsigned numStates;
  NormalizeObstacle obstacle;
  PointwiseBody body;
  /// The code with a terminator, and the arguments that `emit` takes.
  Block code;
  differentiate::Sparsity pattern;
};

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_NEWTON_NEWTONCELL_H
