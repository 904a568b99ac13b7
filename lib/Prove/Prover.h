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
#include "IR/OperatorFacts.h"
#include "States.h"
#include <chrono>

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
  /// What of it holds to the bit, so that it may be used.
  OperatorFacts facts;
};

class Prover {
public:
  /// Scripts are handed to `emit` with a name ("associative") before they are
  /// answered. `seconds`, from now on, are for all of the questions.
  Prover(AssociativeOp op, associativity::Solver &solver, unsigned seconds,
         llvm::function_ref<void(StringRef name, StringRef script)> emit);

  Proof prove();
  Properties findProperties();

  ArrayRef<LeafInvariant> getInvariants() const { return invariants; }
  associativity::FloatTheory getTheory() const { return theory; }

private:
  using QuestionMaker = llvm::function_ref<associativity::Question(
      const associativity::Questioner &)>;
  /// Asks one question in each encoding, whole and in parts, until there is an
  /// answer or `budget` is spent. `asked` receives the question that was
  /// answered, or the first one.
  associativity::SolverResult ask(StringRef name, QuestionMaker make,
                                  associativity::Question &asked);
  /// Asks `question` for at most `seconds`; `change` makes another script of
  /// it.
  associativity::SolverResult askOnce(const associativity::Question &question,
                                      std::string script, double seconds);
  associativity::SolverResult askParts(const associativity::Question &question,
                                       double seconds);
  /// Seconds left, by the clock and of processor time.
  double getTimeLeft() const;
  std::optional<bool> decide(StringRef name, QuestionMaker make);
  /// Whether numbers, evaluated by the interpreter, show that f(a, b) and f(b,
  /// a) differ or, for `isIdempotent`, f(a, a) and a: by more than rounding.
  bool isRefutedByNumbers(QuestionMaker make, bool isIdempotent);
  /// `decide`, and whether it holds to the bit for all states.
  bool isExact(StringRef name, QuestionMaker make);
  /// The states that the solver found; fails with a reason if they are none.
  FailureOr<std::array<LeafValues, 3>>
  readStates(const associativity::Question &question,
             const associativity::SolverResult &result, std::string &reason);
  std::optional<Counterexample> evaluate(std::array<LeafValues, 3> states,
                                         std::string &reason,
                                         bool *isEvaluated = nullptr);
  std::optional<Counterexample>
  findSimple(const associativity::Question &question);
  bool isWithinQuestion(const associativity::Question &question,
                        const Counterexample &example);
  bool isVacuous(const associativity::Question &question);
  void proveClosed(Proof &proof, bool &isClosed);
  /// Decides operators with few states by all triples; nothing for others.
  std::optional<Proof> proveByTable(const associativity::Question &question);
  void findIdentity(Properties &properties);

  AssociativeOp op;
  associativity::Solver &solver;
  llvm::function_ref<void(StringRef, StringRef)> emit;
  SmallVector<LeafInvariant> invariants;
  associativity::FloatTheory theory;
  /// In the order in which they are tried.
  SmallVector<associativity::Questioner, 2> questioners;
  Replay replay;
  /// Whether what is assumed of leaves holds of all combinations of such.
  bool areInvariantsClosed = false;
  /// Seconds for all questions about the operator: of processor time, of which
  /// `budget` are left, and by the clock, from when the first one was asked.
  double seconds, budget;
  /// Kept for the last question of a proof, whether it speaks of any states.
  double reserved;
  std::chrono::steady_clock::time_point begin;
};

/// The operations of its combine region.
int64_t countOperations(AssociativeOp op);

} // namespace mlir::scan::prove

#endif // SCAN_LIB_PROVE_PROVER_H
