//===- OperatorFacts.h - What is known of a combine region ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The discardable attribute `scan.operator` of scan.associative and scan.kernel
// says what has been proved of the combine region f, bit for bit, for all
// states:
//
//   scan.operator = {commutative, idempotent, identity = [-1 : i32], leaves =
//   1}
//
// f(a, b) = f(b, a); f(a, a) = a; f(e, a) = f(a, e) = a. What holds up to
// rounding only is not there, so that using an answer changes no result.
// Rewrites that change leaves keep the attribute in line with them
// (keepLeafFacts, mergeFacts) or remove it; one for another number of leaves is
// not read.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_OPERATORFACTS_H
#define SCAN_LIB_IR_OPERATORFACTS_H

#include "Scan/IR/ScanDialect.h"
#include "llvm/ADT/BitVector.h"

namespace mlir::scan {

constexpr llvm::StringLiteral kOperatorFactsAttrName = "scan.operator";

struct OperatorFacts {
  bool isCommutative = false, isIdempotent = false;
  /// One constant per leaf; empty if no identity is known: a number of its
  /// type (#complex.number if complex) or, of a leaf of small tensors
  /// (scan.associative only), elements of its type.
  SmallVector<Attribute> identity;

  bool any() const {
    return isCommutative || isIdempotent || !identity.empty();
  }
};

/// What the attribute of `op`, a scan.associative or a scan.kernel, says;
/// nothing is known where there is none, or one that does not fit the leaves.
OperatorFacts getOperatorFacts(Operation *op);

/// Writes the attribute, or removes it if nothing is known.
void setOperatorFacts(Operation *op, const OperatorFacts &facts);

/// The facts without those of the leaves in `dead`, on which no other leaf
/// depends.
OperatorFacts dropLeafFacts(OperatorFacts facts, const llvm::BitVector &dead);

/// The facts of an operator on the leaves of two others, each on its own.
OperatorFacts joinFacts(const OperatorFacts &first,
                        const OperatorFacts &second);

/// The same where each element of a small tensor is a leaf; the identity is
/// unknown if it is not one number per element.
OperatorFacts splitIntoScalars(const OperatorFacts &facts);

/// The state of `leaf` that the combine region of `kernel` leaves every later
/// state as it is behind, to the bit: what the attribute says, or what the one
/// operation on this leaf has. Null if neither is known.
TypedAttr getLeafIdentity(KernelOp kernel, unsigned leaf);

/// Whether `value`, a scalar or a tensor, is known to be the constant
/// `identity` in every element.
bool isConstantOf(Value value, Attribute identity);

namespace impl {

/// The attribute stands on scans and kernels only, and is a dictionary as
/// above.
LogicalResult verifyOperatorFacts(Operation *op, Attribute attribute);

} // namespace impl
} // namespace mlir::scan

#endif // SCAN_LIB_IR_OPERATORFACTS_H
