//===- RecurrenceEmitter.h - Scans instead of a loop ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_RAISE_RECURRENCEEMITTER_H
#define SCAN_LIB_TRANSFORMS_RAISE_RECURRENCEEMITTER_H

#include "ExprLifter.h"

namespace mlir::scan {

/// Makes scans of a loop whose updates are known, before the loop, and
/// elementwise operations on whole tensors for what is around them.
class RecurrenceEmitter {
public:
  /// `groups` are in the order in which they read each other. All states start
  /// anew with each of `segments`, which may be null.
  RecurrenceEmitter(RewriterBase &rewriter, RecurrenceLoop &loop,
                    ArrayRef<RecurrenceGroup> groups, Order order,
                    Value segments);

  /// The values of the results of the loop.
  SmallVector<Value> emit();

private:
  Box getBox(unsigned state);
  /// Marks the states before (exclusive) or after (inclusive) a step that the
  /// expression reads.
  void findUses(const Expr *expr);
  void findUses(const RecurrenceGroup &group);
  bool isResultUsed(unsigned state);
  bool isNeeded(const RecurrenceGroup &group);
  void emitOperator(const RecurrenceGroup &group);
  Value applyFinish(const ScanOperator &op, Value init, ValueRange leaves,
                    std::optional<int64_t> time);
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

  RewriterBase &rewriter;
  RecurrenceLoop &loop;
  ArrayRef<RecurrenceGroup> groups;
  /// Of states that are scans by themselves.
  SmallVector<std::optional<RecurrenceUpdate>> updates;
  /// What states start from.
  SmallVector<Value> inits;
  Order order;
  Value segments;
  Location loc;
  SmallVector<ScannedState> scanned;
  LoopHoister hoister;
  ExprLifter lifter;
  llvm::SmallBitVector needsInclusive, needsExclusive;
};

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_RAISE_RECURRENCEEMITTER_H
