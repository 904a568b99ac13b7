//===- LeafInvariants.h - What holds of the leaves of a scan ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `scan.assume` of scan.associative says what holds of every element of a leaf
// (#scan.invariant). Here it is read for an element type: bounds are numbers of
// that type.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_LEAFINVARIANTS_H
#define SCAN_LIB_IR_LEAFINVARIANTS_H

#include "Scan/IR/ScanDialect.h"
#include <optional>
#include <string>

namespace mlir::scan {

/// What holds of every element of one leaf; all parts hold together. A number
/// that is not a number is within no bounds.
struct LeafInvariant {
  /// Which leaf.
  unsigned leaf = 0;
  /// The bounds are those of |x|. Never set for integers, always for bounds of
  /// complex numbers.
  bool magnitude = false;
  /// Neither infinite nor NaN. Never set for integers.
  bool finite = false;
  /// Bounds, finite numbers that the element type has exactly: those of
  /// integers are integers in the range of the type (signed; 0 and 1 of i1).
  std::optional<double> lower, upper;
  /// Greater than `lower`, less than `upper`, and not equal.
  bool lowerStrict = false, upperStrict = false;
  /// Not NaN, but maybe infinite. Never set for integers.
  bool notNaN = false;

  /// Whether the invariant holds of a real number that is no integer, or of the
  /// magnitude of one.
  bool holds(double value) const;
  /// The same of a complex number.
  bool holds(double real, double imaginary) const;
  /// The same of an integer.
  bool holds(int64_t value) const;

  /// "> 0", "finite and |x| <= 1": for messages.
  std::string describe() const;
};

/// The invariants of a scan that has been verified, in the order in which they
/// stand; empty if it states none.
SmallVector<LeafInvariant> getLeafInvariants(AssociativeOp op);

namespace impl {

/// C19 to C22 of scan.associative.
LogicalResult verifyLeafInvariants(AssociativeOp op);

/// `assume`, the invariants of a scan, for a scan over the leaves in `kept`;
/// null if none is left. What is no valid list stays as it is.
Attribute keepInvariants(Attribute assume, const llvm::SmallBitVector &kept);

} // namespace impl
} // namespace mlir::scan

#endif // SCAN_LIB_IR_LEAFINVARIANTS_H
