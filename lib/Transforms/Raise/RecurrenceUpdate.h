//===- RecurrenceUpdate.h - Which scan an update is -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_RAISE_RECURRENCEUPDATE_H
#define SCAN_LIB_TRANSFORMS_RAISE_RECURRENCEUPDATE_H

#include "RecurrenceLoop.h"
#include <vector>

namespace mlir::scan {

/// An operand of a scan: an expression, perhaps negated; or the number one,
/// where there is none.
struct Coefficient {
  const Expr *expr = nullptr;
  bool negated = false;
};

/// The update of one state.
struct RecurrenceUpdate {
  /// Combine: `combine` of the state and b. Linear: a * state + b.
  enum Kind { Combine, Linear };
  Kind kind = Combine;
  /// The operation that combines: its operands are the state (at
  /// `stateOperand`) and b. A sum of a negated b is an operation that adds,
  /// where the loop subtracts; so is a sum without an operation.
  Operation *combine = nullptr;
  unsigned stateOperand = 0;
  Coefficient a, b;
  /// Product and sum are rounded once in the loop.
  bool isFused = false;
  /// a and b are computed from what the loop multiplies and adds, not the same
  /// to the bit.
  bool isRounded = false;
};

/// What the leaves of a scan become, of those of what came before and after.
using LeafCombiner = std::function<SmallVector<Value>(
    OpBuilder &, Location, ValueRange before, ValueRange after)>;

/// A scan over several leaves that computes some states.
struct ScanOperator {
  struct Leaf {
    const Expr *element;
    /// What it starts from: the state's, or a constant.
    int64_t initState = -1;
    TypedAttr init;
  };
  SmallVector<Leaf> leaves;
  LeafCombiner combine;
  /// The leaf that is each state of the group; ignored if there is `finish`.
  SmallVector<unsigned> results;
  /// A state of what it started from and of all leaves.
  std::function<Value(OpBuilder &, Location, Value init, ValueRange leaves)>
      finish;
  /// Rounds otherwise than the loop does.
  bool isRounded = false;
};

/// States that are updated from each other, and the scan that they are.
struct RecurrenceGroup {
  SmallVector<unsigned> states;
  llvm::SmallBitVector members;
  /// Of a single state.
  std::optional<RecurrenceUpdate> update;
  std::optional<ScanOperator> op;

  /// Whether the expression reads no state of the group, before or after.
  bool isFree(const Expr *expr) const {
    return !expr->states.anyCommon(members);
  }
  /// Whether it is a state of the group before the step, at the point itself:
  /// its number in the group, or -1.
  int64_t getState(const Expr *expr) const {
    if (expr->kind != Expr::State || !expr->map.isIdentity() ||
        !members.test(expr->number))
      return -1;
    return std::distance(states.begin(), llvm::find(states, expr->number));
  }
};

/// All groups, those first that others read; nothing if one is no scan: the
/// loop knows the reason.
std::optional<std::vector<RecurrenceGroup>>
matchRecurrenceGroups(RecurrenceLoop &loop);

/// The update of the only state of a group by itself, or nothing.
std::optional<RecurrenceUpdate>
matchRecurrenceUpdate(const RecurrenceGroup &group, const Expr *update);

/// All members are affine functions of all: h = M h + v (AffineUpdate.cpp).
/// Fills in `update` of one state, `op` of several.
LogicalResult matchAffineUpdate(RecurrenceLoop &loop, RecurrenceGroup &group);
/// select of a value without the state and an update (ResetUpdate.cpp).
LogicalResult matchResetUpdate(RecurrenceLoop &loop, RecurrenceGroup &group);
/// Maxima and minima, of h or of h + a, however written
/// (ExtremumUpdate.cpp).
LogicalResult matchExtremumUpdate(RecurrenceLoop &loop, RecurrenceGroup &group);
/// Makes one group, with its scan, of an extremum that is selected by a
/// comparison and of states that are selected by the same comparison: where the
/// extremum is (ArgExtremumUpdate.cpp).
void joinArgExtrema(RecurrenceLoop &loop, std::vector<RecurrenceGroup> &groups);
/// log(exp(h) + exp(x)) (LogAddExpUpdate.cpp).
LogicalResult matchLogAddExpUpdate(RecurrenceLoop &loop,
                                   RecurrenceGroup &group);
/// (a h + b) / (c h + d) (FractionalUpdate.cpp).
LogicalResult matchFractionalUpdate(RecurrenceLoop &loop,
                                    RecurrenceGroup &group);

/// Any other update of states by as many elements, if it is proved associative
/// (ProvedUpdate.cpp); fails where nobody proves (RecurrenceLoop).
LogicalResult matchProvedUpdate(RecurrenceLoop &loop, RecurrenceGroup &group);

/// True if the states are the two halves of one scan of affine maps: `product`
/// is multiplied by what `offset` is multiplied by before its sum.
bool isAffinePair(const RecurrenceUpdate &product,
                  const RecurrenceUpdate &offset);

/// Operations on scalars of the types of numbers.
Value createNegation(OpBuilder &builder, Location loc, Value value);
Value createSum(OpBuilder &builder, Location loc, Value lhs, Value rhs);
Value createProduct(OpBuilder &builder, Location loc, Value lhs, Value rhs);
Value createOne(OpBuilder &builder, Location loc, Type type);
/// A constant of a type of numbers.
TypedAttr getNumber(Type type, double value);
bool isAddition(Operation *op);
bool isSubtraction(Operation *op);
bool isProduct(Operation *op);
bool isNegation(Operation *op);
/// The two operands if `expr` is one of the operations that `is` accepts.
std::optional<std::pair<const Expr *, const Expr *>>
getOperandsIf(const Expr *expr, function_ref<bool(Operation *)> is);

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_RAISE_RECURRENCEUPDATE_H
