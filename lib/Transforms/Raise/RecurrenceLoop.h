//===- RecurrenceLoop.h - What a loop computes per step ---------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An scf.for that walks a dimension of tensors, seen as scalar expressions: of
// one element of each carried state, of elements of the slices that a step
// reads, and of values that are the same in every step. How the body is written
// (arith on scalars or tensors, linalg) is left behind here.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_RAISE_RECURRENCELOOP_H
#define SCAN_LIB_TRANSFORMS_RAISE_RECURRENCELOOP_H

#include "Scan/IR/ScanDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include <deque>

namespace mlir::scan {

/// ivFactor * induction variable + the sum of factor * value + constant, where
/// the values are the same in every step.
struct LinearIndex {
  int64_t ivFactor = 0, constant = 0;
  SmallVector<std::pair<Value, int64_t>> terms;

  void add(const LinearIndex &other, int64_t factor);
  /// True if it surely is the constant.
  bool isConstant(int64_t value) const;
  /// The only value, if that is all there is.
  Value getSingleValue() const;
};

/// The part of a tensor that a step reads or writes: at one place along
/// `timeDim`, which is not a dimension of the part.
struct TimeSlice {
  Value tensor;
  int64_t timeDim = 0;
  LinearIndex time;
  SmallVector<OpFoldResult> offsets, sizes, strides;
  /// The dimensions of `tensor` that the part does not have; with `timeDim`.
  llvm::SmallBitVector dropped;

  /// How many dimensions of the part come before the time.
  int64_t getTimePosition() const;
};

/// A scalar per point of the shape of a state, or of what is stored: the
/// *space*. Equal values of the program are one expression.
struct Expr {
  enum Kind { State, Slice, Invariant, Time, Op };
  Expr(Kind kind, Type type) : kind(kind), type(type) {}

  Kind kind;
  Type type;
  /// State, slice: its number.
  unsigned number = 0;
  /// Invariant: a tensor or a scalar. It may be defined in the loop.
  Value value;
  /// Slice, invariant: from the space to the dimensions of the part, or of the
  /// tensor.
  AffineMap map;
  Operation *op = nullptr;
  unsigned result = 0;
  SmallVector<const Expr *> operands;
  /// The states that it depends on.
  llvm::SmallBitVector states;
};

/// A value that is carried and read.
struct CarriedState {
  BlockArgument argument;
  Value init;
  const Expr *update = nullptr;
};

/// A tensor that is carried to be written to.
struct CarriedOutput {
  BlockArgument argument;
  Value init;
  TimeSlice part;
  const Expr *stored = nullptr;
};

class RecurrenceLoop {
public:
  explicit RecurrenceLoop(scf::ForOp loop) : loop(loop) {}

  /// Fills in what follows; on failure `reason` says why.
  LogicalResult analyze();

  scf::ForOp loop;
  std::string reason;
  SmallVector<CarriedState, 4> states;
  SmallVector<CarriedOutput, 2> outputs;
  std::deque<TimeSlice> slices;
  /// Whether slices are walked from the last to the first.
  bool reverse = false;
  /// The number of steps; negative counts as zero.
  LinearIndex steps;

  /// True if the value is the same in every step and can be had before the
  /// loop.
  bool isInvariant(Value value);
  /// Parses an index; nothing if it is not linear.
  std::optional<LinearIndex> getLinear(Value value);
  /// The state that the expression is the update of, or -1.
  int64_t getUpdatedState(const Expr *expr) const;

private:
  LogicalResult fail(const Twine &why);
  LogicalResult classify();
  bool matchOutput(BlockArgument argument, Value yielded,
                   CarriedOutput &output);
  std::optional<TimeSlice> getSlice(Value tensor,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes,
                                    ArrayRef<OpFoldResult> strides,
                                    const llvm::SmallBitVector &dropped);
  LogicalResult checkDirection();

  /// The expression of `value` at the points that `map` (from the space to its
  /// dimensions) says; null and a reason if there is none.
  const Expr *get(Value value, AffineMap map);
  const Expr *getOp(Operation *op, unsigned result, AffineMap map);
  const Expr *getStructured(Operation *op, unsigned result, AffineMap map);
  const Expr *getSliceExpr(std::optional<TimeSlice> slice, Value key,
                           AffineMap map);
  const Expr *make(Expr expr);

  std::deque<Expr> storage;
  llvm::DenseMap<std::pair<Value, AffineMap>, const Expr *> known;
};

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_RAISE_RECURRENCELOOP_H
