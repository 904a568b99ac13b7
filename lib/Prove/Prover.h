//===- Prover.h - Is the combine region associative? ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks the solver, and evaluates by the interpreter what it answers: an
// operator is said not to be associative only with states for which the results
// differ.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PROVE_PROVER_H
#define SCAN_LIB_PROVE_PROVER_H

#include "Analysis/Associativity/Question.h"
#include "Analysis/Associativity/Solver.h"
#include "States.h"

namespace mlir::scan::prove {

enum class Verdict { Proved, ProvedUpToRounding, Refuted, Unknown };

/// What is known of one operator.
struct Proof {
  Verdict verdict = Verdict::Unknown;
  /// Why it is unknown.
  std::string reason;
  /// What a proof does not speak of: "a division by 0".
  SmallVector<std::string> exclusions;
  /// Refuted: the states and both results.
  std::optional<Counterexample> counterexample;
  /// Refuted, but proved where no element is NaN.
  bool isProvedWithoutNaN = false;
  /// What is assumed of leaves is not closed: a and b fulfil it, and f(a, b),
  /// which is `left` of this, does not. Nothing else is known then.
  std::optional<Counterexample> violation;
};

/// What else is known of an operator; nothing where it is not.
struct Properties {
  std::optional<bool> isCommutative, isIdempotent, keepsNaN;
  /// The identity, one constant per leaf, if one was found, and whether the
  /// init of the scan (if constant) is one.
  SmallVector<TypedAttr> identity;
  std::optional<bool> isInitIdentity;
};

class Prover {
public:
  /// Scripts are handed to `emit` with a name ("associative") before they are
  /// answered. `seconds` is for all questions that a verdict takes.
  Prover(AssociativeOp op, associativity::Solver &solver, unsigned seconds,
         llvm::function_ref<void(StringRef name, StringRef script)> emit);

  Proof prove();
  Properties findProperties();

  ArrayRef<associativity::Invariant> getInvariants() const {
    return invariants;
  }
  associativity::FloatTheory getTheory() const {
    return questioner.getTheory();
  }

private:
  associativity::SolverResult ask(StringRef name,
                                  const associativity::Question &question,
                                  StringRef constraint = "");
  std::optional<bool> decide(StringRef name,
                             const associativity::Question &question);
  /// The states that the solver found; fails with a reason if they are none.
  FailureOr<std::array<LeafValues, 3>>
  readStates(const associativity::Question &question,
             const associativity::SolverResult &result, std::string &reason);
  std::optional<Counterexample> evaluate(std::array<LeafValues, 3> states,
                                         std::string &reason);
  std::optional<Counterexample>
  findSimple(const associativity::Question &question);
  bool isWithinQuestion(const associativity::Question &question,
                        const Counterexample &example);
  void proveClosed(Proof &proof, bool &isClosed);
  void findIdentity(Properties &properties);

  AssociativeOp op;
  associativity::Solver &solver;
  llvm::function_ref<void(StringRef, StringRef)> emit;
  SmallVector<associativity::Invariant> invariants;
  associativity::Questioner questioner;
  Replay replay;
  /// Seconds that are left.
  double budget;
};

/// What the user states of the leaves of `op`.
SmallVector<associativity::Invariant> readInvariants(AssociativeOp op);

} // namespace mlir::scan::prove

#endif // SCAN_LIB_PROVE_PROVER_H
