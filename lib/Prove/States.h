//===- States.h - States of a scan as numbers -------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PROVE_STATES_H
#define SCAN_LIB_PROVE_STATES_H

#include "Analysis/Associativity/Question.h"
#include "Replay.h"
#include "llvm/ADT/APInt.h"

namespace mlir::scan::prove {

/// Three states, by which an operator is said not to be associative, and both
/// results; c and the second result are empty where the question is about f(a,
/// b).
struct Counterexample {
  LeafValues a, b, c;
  /// f(f(a, b), c) and f(a, f(b, c)).
  LeafValues left, right;
};

/// `count` states of zeros.
LeafValues makeStates(AssociativeOp op, int64_t count);

/// The bits of part `part` (of the elements of all states, one after the other;
/// a complex number has two) of one leaf.
llvm::APInt getBits(const HostArray &array, int64_t part);
void setBits(HostArray &array, int64_t part, const llvm::APInt &bits);
/// The type of a part of an element: integer, index or float.
Type getPartType(Type element);
/// How many parts one state of a leaf has.
int64_t countParts(Type leaf);

/// State `index` alone.
LeafValues takeState(const LeafValues &states, int64_t index);

/// The state `index` as text: "3", "(1.5, [[1, 0], [0, 1]])".
std::string printState(AssociativeOp op, const LeafValues &states,
                       int64_t index = 0);

/// Whether all floats of state `index` are finite.
bool isFinite(const LeafValues &states, int64_t index);
/// Whether state `index` fulfils what is assumed.
bool fulfils(AssociativeOp op, ArrayRef<LeafInvariant> invariants,
             const LeafValues &states, int64_t index);

/// Whether the states `index` of two results differ. Integers differ if they
/// are not equal, and so do floats in the IEEE theory, where NaN is equal to
/// NaN. As reals, floats differ if they do by more than half of the digits of
/// their type, measured by the largest of them and of `operands`: rounding in a
/// few operations leaves more digits than that.
bool differ(const LeafValues &left, const LeafValues &right,
            ArrayRef<const LeafValues *> operands, int64_t index,
            associativity::FloatTheory theory);

} // namespace mlir::scan::prove

#endif // SCAN_LIB_PROVE_STATES_H
