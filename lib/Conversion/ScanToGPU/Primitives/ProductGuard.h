//===- ProductGuard.h - Products of coefficients that overflow --*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel over pairs (a, b), which stand for the maps h -> a * h + b, combines
// them to (a2 * a1, a2 * b1 + b2). The left fold multiplies states alone. What
// brackets freely multiplies coefficients, too, and their product may be
// infinite where the fold is not: it then meets a coefficient that is zero, or
// a state that is, and infinity times zero is not a number. Of combinations of
// parts such products are therefore zero, as those of the fold are:
//
//  *   a2 * a1 where it is not a number, though both factors are one;
//  *   a2 * b1 where b1 is zero and a2 is a number.
//
// Zero times a state that is infinite stays what it is: there the fold of the
// part has overflowed. And so that nothing that is not finite among the inputs
// gets lost, a coefficient that is infinite counts as not a number where a part
// begins with it. Elsewhere in the part it has made the part's b infinite or
// not a number.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_PRODUCTGUARD_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_PRODUCTGUARD_H

#include "Combine.h"

namespace mlir::scan {

/// Marks the products of `kernel`'s combine region that are to be guarded where
/// parts are combined: those of leaves that the left fold does not need, each
/// of which is its own product and otherwise a factor of states, unless the
/// load region shows that no coefficient exceeds one in magnitude, as those of
/// gates (FloatRange.h). Region arithmetic of any other form is left alone.
void markProducts(KernelOp kernel);

/// Lets steps a * h + b of such pairs be rounded once, as fused multiply-adds,
/// unless their order is sequential: a scan that may be bracketed in another
/// way keeps no roundings. Other operators may depend on theirs, as compensated
/// sums do.
void contractSteps(KernelOp kernel);

/// Whether `op` is such a product.
bool isGuardedProduct(Operation &op);

/// The product `op` of `lhs` and `rhs`; plain, or as it is where parts are
/// combined.
Value createPlainProduct(ImplicitLocOpBuilder &b, Operation &op, Value lhs,
                         Value rhs);
Value createGuardedProduct(ImplicitLocOpBuilder &b, Operation &op, Value lhs,
                           Value rhs);

/// The leaves of `kernel` that are such products of coefficients, and what a
/// part begins with in one of them that has `first` in its first element.
SmallVector<unsigned> getGuardedCoefficients(KernelOp kernel);
Value beginCoefficient(ImplicitLocOpBuilder &b, Value first);

/// What a part begins with that has `first` as its first element.
State beginPart(ImplicitLocOpBuilder &b, KernelOp kernel, ValueRange first);

/// The combination of a part from `total`, in which steps of the fold alone
/// were taken; the part began with `begin`, see beginPart.
State finishPart(ImplicitLocOpBuilder &b, KernelOp kernel, ValueRange begin,
                 ValueRange total);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_PRODUCTGUARD_H
