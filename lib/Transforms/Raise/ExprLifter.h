//===- ExprLifter.h - What a step computes, for all steps -------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_RAISE_EXPRLIFTER_H
#define SCAN_LIB_TRANSFORMS_RAISE_EXPRLIFTER_H

#include "LoopHoister.h"
#include "RecurrenceUpdate.h"

namespace mlir::scan {

/// A space and all steps: the shape of a tensor with an element per point and
/// step, of which dimension `time` is the step.
struct Box {
  int64_t time = 0;
  SmallVector<OpFoldResult> sizes;
};

/// The results of the scans of one state.
struct ScannedState {
  Box box;
  Value inclusive, exclusive, last;
};

/// Makes elementwise operations on whole tensors of what a loop computes on
/// scalars step by step.
class ExprLifter {
public:
  /// `scanned` has one entry per state of the loop, which may be filled in
  /// later: before an expression is lifted that reads it.
  ExprLifter(LoopHoister &hoister, ArrayRef<ScannedState> scanned)
      : hoister(hoister), rewriter(hoister.rewriter), loop(hoister.loop),
        loc(hoister.loc), scanned(scanned) {}

  /// A tensor of the values of an expression in all steps.
  Value lift(Coefficient value, const Box &box, Type type);

private:
  void collectLeaves(const Expr *expr, SetVector<const Expr *> &leaves);
  std::pair<Value, AffineMap> getLeaf(const Expr *expr, const Box &box);
  Value liftSum(const Expr *sum, const Box &box, int64_t position);
  /// What code that computes the expressions reads: tensors and the points of
  /// them; the leaves that they are of.
  SetVector<const Expr *> getInputs(ArrayRef<const Expr *> exprs,
                                    const Box &box,
                                    SmallVectorImpl<Value> &inputs,
                                    SmallVectorImpl<AffineMap> &maps);
  void addLoopExtents(linalg::LinalgOp op, SmallVectorImpl<Value> &inputs,
                      SmallVectorImpl<AffineMap> &maps, Type elementType);
  Value emitBody(OpBuilder &builder, const Expr *expr, int64_t time,
                 llvm::DenseMap<const Expr *, Value> &values);

  LoopHoister &hoister;
  RewriterBase &rewriter;
  RecurrenceLoop &loop;
  Location loc;
  ArrayRef<ScannedState> scanned;
};

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_RAISE_EXPRLIFTER_H
