//===- RecurrenceUpdate.h - Which scan an update is -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_RAISE_RECURRENCEUPDATE_H
#define SCAN_LIB_TRANSFORMS_RAISE_RECURRENCEUPDATE_H

#include "RecurrenceLoop.h"

namespace mlir::scan {

/// An operand of a scan: an expression without states, perhaps negated; or the
/// number one, where there is none.
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
  /// where the loop subtracts.
  Operation *combine = nullptr;
  unsigned stateOperand = 0;
  Coefficient a, b;
  /// Product and sum are rounded once in the loop.
  bool isFused = false;
};

/// The update of state `number`, or nothing and the reason.
std::optional<RecurrenceUpdate>
matchRecurrenceUpdate(const RecurrenceLoop &loop, unsigned number,
                      std::string &reason);

/// True if the states are the two halves of one scan of affine maps: `product`
/// is multiplied by what `offset` is multiplied by before its sum.
bool isAffinePair(const RecurrenceUpdate &product,
                  const RecurrenceUpdate &offset);

/// Operations on scalars of the types of numbers.
Value createNegation(OpBuilder &builder, Location loc, Value value);
Value createSum(OpBuilder &builder, Location loc, Value lhs, Value rhs);
Value createProduct(OpBuilder &builder, Location loc, Value lhs, Value rhs);
Value createOne(OpBuilder &builder, Location loc, Type type);

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_RAISE_RECURRENCEUPDATE_H
