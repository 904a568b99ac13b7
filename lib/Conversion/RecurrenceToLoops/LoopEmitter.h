//===- LoopEmitter.h - A recurrence as a loop on tensors --------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_RECURRENCETOLOOPS_LOOPEMITTER_H
#define SCAN_LIB_CONVERSION_RECURRENCETOLOOPS_LOOPEMITTER_H

#include "IR/RecurrenceRows.h"
#include "Scan/Conversion/RecurrenceToLoops/Passes.h"
#include "Scan/IR/ScanRecurrence.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {

using Sizes = SmallVector<OpFoldResult>;

class LoopEmitter {
public:
  LoopEmitter(RewriterBase &builder, RecurrenceOp op, LoopUse use)
      : builder(builder), op(op), loc(op.getLoc()), dim(op.getDim()),
        reverse(op.getReverse()),
        initRows(op.getInitRows() || use == LoopUse::Launches),
        isForLaunches(use == LoopUse::Launches),
        rows(builder, loc, dim, /*dropsUnitExtents=*/true) {}

  /// The values that stand for the results.
  SmallVector<Value> emit();
  /// The loop over time, unless there are no steps.
  scf::ForOp getTimeLoop() const { return timeLoop; }

private:
  SmallVector<Value> emitStarts();
  SmallVector<Value> emitStep(Value step, ValueRange carried);
  Value emitPreviousRow(unsigned state, int64_t back, Value step, Value t,
                        Value history);
  Value emitFinalState(unsigned state, Value history);
  Value emitRing(unsigned state);
  Value emitFinalRing(unsigned state, Value ring);
  /// True if the rows of all steps of a state are kept. If nobody reads its
  /// history there is a ring of its last rows only: row number n of the walk,
  /// those of the init in front, is at n modulo the rows of the ring.
  bool keepsHistory(unsigned state) {
    return !op.getHistories()[state].use_empty();
  }
  /// Those that a step reads, whose oldest one the new row replaces; launches
  /// write no row that others of the same step read.
  int64_t getRingRows(unsigned state) {
    return op.getWindow(state) + isForLaunches;
  }
  /// Where the row that comes `after` rows behind the one of `step` is in a
  /// ring.
  Value getRingIndex(unsigned state, Value step, int64_t after);
  SmallVector<OpFoldResult> getHistorySizes(unsigned state, bool withInit);
  void checkRow(unsigned state, Value row);
  void checkOutputRow(unsigned output, Value row);

  Value constant(int64_t number) {
    return arith::ConstantIndexOp::create(builder, loc, number);
  }
  Value get(OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(builder, loc, number);
  }
  Value add(Value lhs, Value rhs) {
    return builder.createOrFold<arith::AddIOp>(loc, lhs, rhs);
  }
  Value subtract(Value lhs, Value rhs) {
    return builder.createOrFold<arith::SubIOp>(loc, lhs, rhs);
  }
  Value minimum(Value lhs, Value rhs) {
    return builder.createOrFold<arith::MinSIOp>(loc, lhs, rhs);
  }
  Value maximum(Value lhs, Value rhs) {
    return builder.createOrFold<arith::MaxSIOp>(loc, lhs, rhs);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, lhs, rhs);
  }

  RewriterBase &builder;
  RecurrenceOp op;
  Location loc;
  int64_t dim;
  bool reverse;
  /// Whether the loop carries histories with the rows of the init.
  bool initRows;
  bool isForLaunches;
  RecurrenceRows rows;
  scf::ForOp timeLoop;
  /// How many steps there are.
  Value steps;
  /// The sizes of inits, inputs and outputs.
  SmallVector<Sizes> initSizes, inputSizes, outputSizes;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_RECURRENCETOLOOPS_LOOPEMITTER_H
