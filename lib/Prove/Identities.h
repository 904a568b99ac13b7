//===- Identities.h - States that may be an identity ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Candidates for the identity of an operator: the numbers that identities are
// made of, 0, 1, the least and the greatest, in all elements of a leaf, and the
// identities of products of square matrices, also of tropical ones.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PROVE_IDENTITIES_H
#define SCAN_LIB_PROVE_IDENTITIES_H

#include "Analysis/Associativity/RegionTerms.h"
#include "IR/LeafInvariants.h"
#include "Replay.h"

namespace mlir::scan::prove {

/// Those states e for which the interpreter computes f(e, a) = a = f(a, e) for
/// some states a; simple ones first. Empty if there are too many candidates.
SmallVector<LeafValues> findIdentities(AssociativeOp op, Replay &replay,
                                       ArrayRef<LeafInvariant> invariants,
                                       associativity::FloatTheory theory);

/// One state as constants, one per leaf: a number, or the elements of a leaf of
/// small tensors.
SmallVector<TypedAttr> getConstants(AssociativeOp op, const LeafValues &state);

} // namespace mlir::scan::prove

#endif // SCAN_LIB_PROVE_IDENTITIES_H
