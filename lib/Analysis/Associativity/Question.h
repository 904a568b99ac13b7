//===- Question.h - Questions about a combine region ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Is an operator f associative, commutative, ...? Each question is a script for
// an SMT solver that asks for a counterexample: where there is none, the answer
// is yes.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_ANALYSIS_ASSOCIATIVITY_QUESTION_H
#define SCAN_LIB_ANALYSIS_ASSOCIATIVITY_QUESTION_H

#include "IR/LeafInvariants.h"
#include "RegionTerms.h"
#include "SmtWriter.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace mlir::scan::associativity {

/// Which number a variable of a script stands for.
struct Unknown {
  /// 0 for a, 1 for b, 2 for c.
  unsigned state;
  unsigned leaf;
  /// Of the leaf's parts (a complex number has two per element).
  unsigned part;
};

/// The name of its variable.
std::string getUnknownName(AssociativeOp op, const Unknown &unknown);

struct Question {
  /// The script; empty if there is no translation.
  std::string script;
  /// The same question in parts: what `script` has to say in the place of its
  /// last assertion, `assertion`, once for each element of the results, or for
  /// a few of its bits. The answer is yes if it is yes for all of them.
  std::string assertion;
  SmallVector<std::string> parts;
  /// What the script has no translation of: "'scf.while' has ...".
  std::string refusal;
  /// The variables in the order of the solver's answer.
  SmallVector<Unknown> unknowns;
  /// Which values the answer is not about: "a division by 0".
  SmallVector<std::string> exclusions;
  /// Both sides are one term: the answer is yes, without a solver.
  bool isTrivial = false;
  FloatTheory theory = FloatTheory::Real;
  Encoding encoding = Encoding::Bits;
};

/// Asks about the combine region of one scan, with what is assumed of leaves.
class Questioner {
public:
  Questioner(AssociativeOp op, ArrayRef<LeafInvariant> invariants,
             Encoding encoding)
      : op(op), invariants(invariants), theory(chooseFloatTheory(op)),
        encoding(encoding) {}

  /// The same questions, with floats for something else.
  Questioner(AssociativeOp op, ArrayRef<LeafInvariant> invariants,
             FloatTheory theory)
      : op(op), invariants(invariants), theory(theory),
        encoding(Encoding::Bits) {}

  FloatTheory getTheory() const { return theory; }

  /// f(f(a, b), c) = f(a, f(b, c)). `isClosed`: the invariants are known to
  /// hold of f(a, b) if they hold of a and b. `withoutNaN`: no element is NaN.
  Question isAssociative(bool isClosed, bool withoutNaN = false) const;
  /// The invariants hold of f(a, b) if they hold of a and b.
  Question isClosed() const;
  /// f(a, b) = f(b, a).
  Question isCommutative() const;
  /// f(a, a) = a.
  Question isIdempotent() const;
  /// f(e, a) = a and f(a, e) = a for the state e whose leaves are the constants
  /// `identity` in each element.
  Question isIdentity(ArrayRef<TypedAttr> identity) const;
  /// Each leaf of f(a, b) that is NaN somewhere is so because that leaf of a or
  /// b is; only for IEEE floats.
  Question keepsNaN() const;

private:
  struct Builder;
  AssociativeOp op;
  SmallVector<LeafInvariant> invariants;
  FloatTheory theory;
  Encoding encoding;
};

} // namespace mlir::scan::associativity

#endif // SCAN_LIB_ANALYSIS_ASSOCIATIVITY_QUESTION_H
