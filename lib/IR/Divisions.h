//===- Divisions.h - Which integer divisions may have no result -*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_DIVISIONS_H
#define SCAN_LIB_IR_DIVISIONS_H

#include "mlir/IR/Operation.h"

namespace mlir::scan {

/// For which operands a division has no result, as far as constants do not
/// exclude them.
struct DivisionFaults {
  /// A divisor of 0.
  bool zero = false;
  /// The smallest integer over -1.
  bool overflow = false;

  explicit operator bool() const { return zero || overflow; }
};

/// None if `op` is no division or remainder of integers.
DivisionFaults getDivisionFaults(Operation *op);

/// Whether an operation below `op` must not run where the program does not, on
/// garbage: one that is not speculatable, or a division; upstream counts
/// remainders, and quotients that are rounded down, as speculatable.
bool hasUnsafeOperation(Operation *op);
bool hasUnsafeOperation(Region &region);

/// What messages say of them, which is what the reference interpreter says.
inline constexpr llvm::StringLiteral kDivisionByZero = "division by zero";
inline constexpr llvm::StringLiteral kDivisionOverflow =
    "signed division overflows: the smallest integer over -1";

} // namespace mlir::scan

#endif // SCAN_LIB_IR_DIVISIONS_H
