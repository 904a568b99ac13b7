//===- NewtonIterations.h - Iterations of Newton's method -------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows h_1, h_2, ... of a recurrence h_t = f(h_{t-1}, x_t) are the root of
// h_t - f(h_{t-1}, x_t). An iteration takes f by its tangent at the rows that
// it has, which are called p here,
//
//   h_t = f(p_{t-1}, x_t) + J_t (h_{t-1} - p_{t-1})    J_t = df/dh (p_{t-1},
//   x_t)
//
// and this is a linear recurrence in h. For h_0, which is known, the tangent
// touches f, so that each iteration makes one more row right at the least.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_NEWTON_NEWTONITERATIONS_H
#define SCAN_LIB_TRANSFORMS_NEWTON_NEWTONITERATIONS_H

#include "../Differentiate/AffineMaps.h"
#include "../Normalize/PointwiseParts.h"
#include "NewtonCell.h"

namespace mlir::scan {

class NewtonIterations {
public:
  /// Operations that all iterations need are created at the place of
  /// `rewriter`; `steps` is how many steps `op` has.
  NewtonIterations(RewriterBase &rewriter, RecurrenceOp op, NewtonCell &cell,
                   OpFoldResult steps);

  /// The rows of all states after the first iteration, at the row of the init
  /// for all rows.
  SmallVector<Value> createFirst();
  /// The rows after one more iteration.
  SmallVector<Value> createNext(ValueRange histories);

  struct Check {
    /// What the step makes of the previous rows: rows of the states, outputs.
    SmallVector<Value> rows;
    /// The largest difference of these from `histories`, a tensor without
    /// dimensions; not a number where one of them is not.
    Value residual;
  };
  Check createCheck(ValueRange histories);

private:
  /// A tensor, or a scalar, that all points of the domain read by a map.
  struct Operand {
    Value value;
    AffineMap map;
  };
  using Body = function_ref<SmallVector<Value>(OpBuilder &, ValueRange)>;

  /// The rows before those of `histories`.
  SmallVector<Operand> createPrevious(ValueRange histories);
  /// Loops over the domain whose body gets the elements of `previous`, then
  /// what the step reads besides.
  SmallVector<Value> createLoops(ArrayRef<Operand> previous,
                                 ArrayRef<Type> types, Body body);
  SmallVector<Value> createIteration(ArrayRef<Operand> previous);
  SmallVector<Value> solve(ArrayRef<Value> maps);
  Value createResidual(ValueRange histories, ValueRange rows);

  RewriterBase &rewriter;
  RecurrenceOp op;
  NewtonCell &cell;
  Location loc;
  unsigned dim, rank;
  AffineMap domain;
  SmallVector<OpFoldResult> sizes;
  /// The rows of the inits.
  SmallVector<Value> inits;
  /// What a step reads besides the states; without a value, an index.
  SmallVector<Operand> reads;
  /// What an iteration scans.
  differentiate::AffineMaps affine;
};

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_NEWTON_NEWTONITERATIONS_H
