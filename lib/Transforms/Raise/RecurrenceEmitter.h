//===- RecurrenceEmitter.h - Scans instead of a loop ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_RAISE_RECURRENCEEMITTER_H
#define SCAN_LIB_TRANSFORMS_RAISE_RECURRENCEEMITTER_H

#include "RecurrenceUpdate.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::scan {

/// Makes scans of a loop whose updates are known, before the loop, and
/// elementwise operations on whole tensors for what is around them.
class RecurrenceEmitter {
public:
  /// `updates` has one entry per state.
  RecurrenceEmitter(RewriterBase &rewriter, RecurrenceLoop &loop,
                    ArrayRef<RecurrenceUpdate> updates, Order order);

  /// The values of the results of the loop.
  SmallVector<Value> emit();

private:
  /// A space and all steps: the shape of a tensor with an element per point and
  /// step, of which dimension `time` is the step.
  struct Box {
    int64_t time = 0;
    SmallVector<OpFoldResult> sizes;
  };
  /// The results of the scans of one state.
  struct Scanned {
    Box box;
    Value inclusive, exclusive, last;
  };

  Value hoist(Value value);
  SmallVector<OpFoldResult> hoist(ArrayRef<OpFoldResult> values);
  Value emitIndex(const LinearIndex &index);
  OpFoldResult emitSteps();
  LinearIndex getStart(const TimeSlice &slice);
  bool isWhole(const TimeSlice &slice);
  /// The offsets and sizes of what all steps read or write of a tensor.
  std::pair<SmallVector<OpFoldResult>, SmallVector<OpFoldResult>>
  getRange(const TimeSlice &slice);
  Value emitPart(const TimeSlice &slice);

  Box getBox(unsigned state);
  void findUses(const Expr *expr);
  bool isResultUsed(unsigned state);
  void emitScans(unsigned state);
  void emitAffinePair(unsigned product, unsigned offset);
  /// The results of one scan of the state, and its last state if wanted.
  std::pair<Value, Value> createScan(unsigned state, Value a, Value b,
                                     const Box &box, bool isExclusive,
                                     bool wantsLast);
  AssociativeOp createAffineScan(Value a, Value b, ValueRange inits,
                                 const Box &box, bool isExclusive,
                                 bool wantsLast);
  void setNumerics(Operation *scan, Type elementType, unsigned leaves);

  /// A tensor of the values of an expression in all steps.
  Value lift(Coefficient value, const Box &box, Type type);
  Value liftExpr(const Expr *expr, bool negated, const Box &box, Type type);
  void collectLeaves(const Expr *expr, SetVector<const Expr *> &leaves);
  /// The state that the expression is the update of, or -1.
  int64_t getUpdatedState(const Expr *expr) const;
  std::pair<Value, AffineMap> getLeaf(const Expr *expr, const Box &box);
  Value emitBody(OpBuilder &builder, const Expr *expr, int64_t time,
                 llvm::DenseMap<const Expr *, Value> &values);

  RewriterBase &rewriter;
  RecurrenceLoop &loop;
  ArrayRef<RecurrenceUpdate> updates;
  Order order;
  Location loc;
  IRMapping hoisted;
  LinearIndex lower, upper;
  OpFoldResult steps;
  SmallVector<Scanned> scanned;
  llvm::SmallBitVector needsInclusive, needsExclusive;
  /// Updates are results of scans; not while the scans are made.
  bool scansExist = false;
};

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_RAISE_RECURRENCEEMITTER_H
