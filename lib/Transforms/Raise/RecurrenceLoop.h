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

/// Makes the scalar that an expression is of those of its operands.
using ScalarBuilder = std::function<Value(OpBuilder &, Location, ValueRange)>;

/// A scalar per point of a *space*: the shape of a state, of what is stored, or
/// the loops of a sum. Equal values of the program are one expression.
struct Expr {
  /// State: before the step. Updated: after it. Op: a copy of `op`, or what
  /// `create` makes. Sum: a result of `op`, a linalg operation that is not
  /// elementwise; its operands are what it reads, at the points of its loops,
  /// and what it starts from, at the points of its result.
  enum Kind { State, Updated, Slice, Invariant, Time, Op, Sum };
  Expr(Kind kind, Type type) : kind(kind), type(type) {}

  Kind kind;
  Type type;
  /// State, slice: its number.
  unsigned number = 0;
  /// Invariant: a tensor or a scalar. It may be defined in the loop.
  Value value;
  /// State, slice, invariant, sum: from the space to the dimensions of the
  /// state, the part, the tensor or the result.
  AffineMap map;
  Operation *op = nullptr;
  unsigned result = 0;
  ScalarBuilder create;
  SmallVector<const Expr *> operands;
  /// The states that it depends on, before a step or after it.
  llvm::SmallBitVector states;

  /// Whether it reads a state at other places than the point itself.
  bool isMoved() const {
    return (kind == State || kind == Updated) && !map.isIdentity();
  }
};

/// A value that is carried and read.
struct CarriedState {
  /// Null for a row of an output that is read in the step after it is written.
  BlockArgument argument;
  /// Null if the state starts from a row of an output.
  Value init;
  /// A scalar, or a ranked tensor.
  Type type;
  const Expr *update = nullptr;
  /// Without an argument: the output, and how many steps before the row is
  /// written.
  unsigned output = 0, distance = 0;
};

/// A tensor that is carried to be written to.
struct CarriedOutput {
  BlockArgument argument;
  Value init;
  TimeSlice part;
  /// From what is written without the time to what is written: they differ if
  /// it keeps the dimension of the time.
  AffineMap map;
  Value written;
  const Expr *stored = nullptr;
};

class RecurrenceLoop {
public:
  explicit RecurrenceLoop(scf::ForOp loop) : loop(loop) {}

  /// Fills in what follows; on failure `reason` says why, and `culprit` which
  /// operation is in the way. Both are empty for a loop that carries no state.
  LogicalResult analyze();

  /// Which row an operation of the body reads: a state's, or of a slice.
  struct RowRead {
    bool isState;
    unsigned number;
  };
  using RowReads = llvm::DenseMap<Operation *, RowRead>;
  /// Fills in what follows but for updates and what is stored, whatever a step
  /// computes: `slices` are what it reads in the direction in which it writes.
  LogicalResult analyzeRows(RowReads &reads);

  scf::ForOp loop;
  /// Whether a combine region is proved associative; null if nobody is asked.
  std::function<bool(AssociativeOp)> isAssociative;
  std::string reason;
  Operation *culprit = nullptr;
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
  /// What has the extents of `value`, a tensor in the loop: a value that is the
  /// same in every step or is carried; null if there is none.
  Value getExtentsSource(Value value);
  /// Whether the sizes of a tensor in the loop are known before the loop.
  bool hasKnownSizes(Value value) {
    return cast<RankedTensorType>(value.getType()).hasStaticShape() ||
           getExtentsSource(value);
  }
  /// Parses an index; nothing if it is not linear.
  std::optional<LinearIndex> getLinear(Value value);
  /// Whether the index is zero or more in every step; nothing is known if not.
  bool isNeverNegative(LinearIndex index);
  /// Whether the part of `tensor` is in it in every step; nothing is known if
  /// not.
  bool isInBounds(Value tensor, int64_t dim, OpFoldResult offset,
                  OpFoldResult size);
  /// An expression that the program does not have.
  const Expr *makeOp(Type type, ArrayRef<const Expr *> operands,
                     ScalarBuilder create);
  /// Remembers the first reason; fails.
  LogicalResult fail(Operation *op, const Twine &why);

private:
  /// Whether it is a loop over index without side effects that carries values.
  LogicalResult checkForm();
  LogicalResult classify();
  LogicalResult classifyReads();
  bool matchOutput(BlockArgument argument, Value yielded,
                   CarriedOutput &output);
  /// The part of `tensor` that `op` reads or writes; nothing, and a reason, if
  /// it is not at one place along the time. The part that is read or written
  /// has the dimensions that are not in `dropped`, and time may be among them:
  /// `map` (of the part without the time, or null) then leads to it.
  std::optional<TimeSlice> getSlice(Operation *op, Value tensor,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes,
                                    ArrayRef<OpFoldResult> strides,
                                    const llvm::SmallBitVector &dropped);
  std::optional<TimeSlice> getReadSlice(Operation *op);
  /// Fails, with a reason, if the part may be out of bounds in some step.
  bool isInBounds(Operation *op, const TimeSlice &slice);
  unsigned getHiddenState(unsigned output, unsigned distance);
  LogicalResult checkDirection();
  void countSteps();

  /// The expression of `value` at the points that `map` (from the space to its
  /// dimensions) says; null and a reason if there is none.
  const Expr *get(Value value, AffineMap map);
  const Expr *compute(Value value, AffineMap map);
  const Expr *getOp(Operation *op, unsigned result, AffineMap map);
  const Expr *getStructured(Operation *op, unsigned result, AffineMap map);
  const Expr *getSum(Operation *op, unsigned result, AffineMap map);
  const Expr *getSliceExpr(Operation *op, AffineMap map);
  const Expr *getOfCarried(BlockArgument argument, AffineMap map);
  const Expr *makeState(Expr::Kind kind, unsigned number, AffineMap map);
  const Expr *make(Expr expr);

  std::deque<Expr> storage;
  llvm::DenseMap<std::pair<Value, AffineMap>, const Expr *> known;
  /// What states become.
  llvm::DenseMap<Value, unsigned> updated;
};

/// The type of a tensor of these sizes without the dimensions in `dropped`.
RankedTensorType getTypeOf(ArrayRef<OpFoldResult> sizes,
                           const llvm::SmallBitVector &dropped,
                           Type elementType);

/// `value`, or what it is a cast of.
Value lookThroughCasts(Value value);

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_RAISE_RECURRENCELOOP_H
