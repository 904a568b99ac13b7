//===- RegionArithmetic.h - How a combine region rounds ---------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PROVE_REGIONARITHMETIC_H
#define SCAN_LIB_PROVE_REGIONARITHMETIC_H

#include "Scan/IR/ScanDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::scan::prove {

/// What of a combine region decides how two of its results are compared.
struct RegionArithmetic {
  /// Some operation rounds: results are compared up to rounding. Otherwise all
  /// floating-point numbers are only compared, chosen, negated or converted
  /// exactly, or there are none.
  bool rounds = false;
  /// A choice (comparison, conversion to an integer) may depend on what an
  /// operation has rounded whatever its operands are (a quotient, a root).
  /// Where a choice depends on sums and products only, operands of few digits
  /// make it exact.
  bool choosesByRounded = false;
  /// The region reads the bits of floating-point numbers, or has types or
  /// operations of which no other precision is known: it cannot be evaluated in
  /// another one.
  bool hasFixedPrecision = false;
  /// Integer operations that must not overflow (`nsw`, `nuw`, `exact`), or
  /// floating-point ones that must not see infinities or NaN.
  bool hasPoison = false;
};

RegionArithmetic analyzeArithmetic(AssociativeOp op);

/// A module with one scan, of which `scan` is set: the leaves and the region of
/// `op` with `precision` (f32 or f64) in place of every real floating-point
/// type. Conversions between such types vanish. Null if `op` has a fixed
/// precision.
OwningOpRef<ModuleOp> cloneInPrecision(AssociativeOp op, FloatType precision,
                                       AssociativeOp &scan);

} // namespace mlir::scan::prove

#endif // SCAN_LIB_PROVE_REGIONARITHMETIC_H
