//===- Prover.cpp - Is the combine region associative? --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prover.h"
#include "Analysis/Associativity/Model.h"
#include "Analysis/Associativity/Proof.h"
#include "OperatorTable.h"
#include "SimpleStates.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/Format.h"
#include <chrono>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::prove;
using associativity::Answer;
using associativity::Encoding;
using associativity::FloatTheory;
using associativity::Question;
using associativity::SolverResult;

/// The most operations of a region of which a table is made.
static constexpr int64_t kMaxTableOperations = 1000;

int64_t prove::countOperations(AssociativeOp op) {
  int64_t count = 0;
  op.getCombine().walk([&](Operation *) { ++count; });
  return count;
}

Prover::Prover(AssociativeOp op, associativity::Solver &solver,
               unsigned seconds,
               llvm::function_ref<void(StringRef, StringRef)> emit)
    : op(op), solver(solver), emit(emit), invariants(getLeafInvariants(op)),
      theory(associativity::chooseFloatTheory(op)), replay(op),
      seconds(seconds), budget(seconds), reserved(0.05 * seconds),
      begin(std::chrono::steady_clock::now()) {
  for (Encoding encoding : associativity::chooseEncodings(op, theory))
    questioners.emplace_back(op, invariants, encoding);
}

double Prover::getTimeLeft() const {
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - begin;
  return std::min(budget, seconds - elapsed.count()) - reserved;
}

SolverResult Prover::askOnce(const Question &question, std::string script,
                             double limit) {
  SolverResult result;
  limit = std::min(limit, getTimeLeft());
  if (limit <= 0) {
    result.isTimeout = true;
    return result;
  }
  result = solver.ask(script, limit);
  budget -= result.processorSeconds;
  return result;
}

/// The question part by part: unsatisfiable if all parts are.
SolverResult Prover::askParts(const Question &question, double limit) {
  SolverResult result;
  double end = getTimeLeft() - limit;
  size_t at = question.script.rfind(question.assertion);
  for (const std::string &part : question.parts) {
    std::string script = question.script;
    script.replace(at, question.assertion.size(), part);
    result = askOnce(question, std::move(script), getTimeLeft() - end);
    if (result.answer != Answer::Unsatisfiable)
      return result;
  }
  return result;
}

SolverResult Prover::ask(StringRef name, QuestionMaker make, Question &asked) {
  SolverResult result;
  SmallVector<Question, 2> questions;
  for (const associativity::Questioner &questioner : questioners) {
    Question question = make(questioner);
    if (!question.refusal.empty()) {
      if (result.reason.empty())
        result.reason = question.refusal;
      asked.theory = question.theory;
      continue;
    }
    bool isSecond = !questions.empty();
    emit(isSecond ? (name + "-again").str() : name.str(), question.script);
    questions.push_back(std::move(question));
  }
  if (questions.empty())
    return result;
  asked = questions.front();
  if (llvm::any_of(questions, [](const Question &question) {
        return question.isTrivial;
      })) {
    result.answer = Answer::Unsatisfiable;
    return result;
  }
  // Most questions take a tenth of a second: what takes longer than a part of
  // the time is asked in another way.
  struct Attempt {
    size_t question;
    bool inParts;
    double share;
  };
  SmallVector<Attempt> attempts{{0, false, 0.2}, {0, true, 0.6}, {0, false, 1}};
  if (questions.size() == 2)
    attempts = {{0, false, 0.2},
                {1, false, 0.3},
                {0, true, 0.25},
                {1, true, 0.15},
                {1, false, 1}};
  double whole = getTimeLeft();
  constexpr double kMinimum = 0.1;
  result.isTimeout = true;
  for (const Attempt &attempt : attempts) {
    Question &question = questions[attempt.question];
    if (getTimeLeft() < kMinimum ||
        (attempt.inParts && question.parts.size() < 2))
      continue;
    double limit = attempt.share * whole;
    result = attempt.inParts ? askParts(question, limit)
                             : askOnce(question, question.script, limit);
    if (result.answer == Answer::Unknown && !result.isTimeout)
      return result;
    if (result.answer != Answer::Unknown) {
      asked = std::move(question);
      return result;
    }
  }
  if (result.answer == Answer::Unknown && result.isTimeout)
    llvm::raw_string_ostream(result.reason = "")
        << "z3 did not come to an answer within "
        << llvm::format("%g s", seconds);
  return result;
}

//===----------------------------------------------------------------------===//
// Verdicts
//===----------------------------------------------------------------------===//

void Prover::proveClosed(Proof &proof, bool &isClosed) {
  Question question;
  SolverResult result = ask(
      "closed",
      [](const associativity::Questioner &questioner) {
        return questioner.isClosed();
      },
      question);
  isClosed = result.answer == Answer::Unsatisfiable;
  if (result.answer != Answer::Satisfiable)
    return;
  std::string reason;
  FailureOr<std::array<LeafValues, 3>> states =
      readStates(question, result, reason);
  if (failed(states))
    return;
  auto &[a, b, c] = *states;
  // Rounding of the solver's numbers may be what violates the invariant.
  if (!fulfils(op, invariants, a, 0) || !fulfils(op, invariants, b, 0))
    return;
  FailureOr<LeafValues> ab = replay.combine(a, b, reason);
  if (succeeded(ab) && !fulfils(op, invariants, *ab, 0))
    proof.violation = Counterexample{a, b, {}, *ab, {}};
}

/// Whether the question is about no states at all.
bool Prover::isVacuous(const Question &question) {
  if (question.exclusions.empty() && invariants.empty())
    return false;
  // Much less is to be decided than before; without an answer the proof stands.
  reserved = 0;
  std::string script = question.script;
  script.erase(script.rfind(question.assertion), question.assertion.size());
  return askOnce(question, std::move(script), 1.0).answer ==
         Answer::Unsatisfiable;
}

/// The integers that leaves may be, by their types and what is assumed.
static std::optional<SmallVector<LeafRange>>
getRanges(AssociativeOp op, ArrayRef<LeafInvariant> invariants) {
  std::optional<SmallVector<LeafRange>> ranges = getFullRanges(op);
  if (!ranges)
    return ranges;
  for (const LeafInvariant &invariant : invariants) {
    LeafRange &range = (*ranges)[invariant.leaf];
    if (invariant.lower)
      range.lower =
          std::max(range.lower, static_cast<int64_t>(*invariant.lower) +
                                    invariant.lowerStrict);
    if (invariant.upper)
      range.upper =
          std::min(range.upper, static_cast<int64_t>(*invariant.upper) -
                                    invariant.upperStrict);
  }
  return ranges;
}

std::optional<Proof> Prover::proveByTable(const Question &question) {
  std::optional<SmallVector<LeafRange>> ranges = getRanges(op, invariants);
  std::string reason;
  if (!ranges || countOperations(op) > kMaxTableOperations)
    return std::nullopt;
  FailureOr<OperatorTable> table = OperatorTable::create(op, *ranges, reason);
  if (failed(table))
    return std::nullopt;
  Proof proof;
  std::optional<std::array<unsigned, 3>> triple = table->findCounterexample();
  if (!triple) {
    proof.verdict = Verdict::Proved;
    return proof;
  }
  // The interpreter evaluates what may be poison.
  if (!question.exclusions.empty() || !question.refusal.empty())
    return std::nullopt;
  proof.counterexample =
      evaluate({table->getState((*triple)[0]), table->getState((*triple)[1]),
                table->getState((*triple)[2])},
               reason);
  if (!proof.counterexample)
    return std::nullopt;
  proof.verdict = Verdict::Refuted;
  return proof;
}

Proof Prover::prove() {
  Proof proof;
  // Small numbers first: they make better examples than a solver's, and some of
  // what is wrong takes a solver long to find.
  Question question = questioners.front().isAssociative(/*isClosed=*/false);
  // Whoever asks for the scripts gets this one, whatever decides the question.
  if (question.refusal.empty())
    emit("associative", question.script);
  if (std::optional<Proof> known = proveByTable(question))
    return *known;
  bool isClosed = false;
  if (!invariants.empty())
    proveClosed(proof, isClosed);
  areInvariantsClosed = isClosed;
  if (proof.violation) {
    proof.verdict = Verdict::Refuted;
    return proof;
  }
  if (question.refusal.empty() && !question.isTrivial)
    proof.counterexample = findSimple(question);
  SolverResult result;
  if (!proof.counterexample)
    result = ask(
        "associative",
        [&](const associativity::Questioner &questioner) {
          return questioner.isAssociative(isClosed);
        },
        question);
  proof.exclusions = question.exclusions;
  proof.reason = result.reason;
  if (result.answer == Answer::Unsatisfiable && isVacuous(question)) {
    proof.reason =
        "for no states that fulfil what is assumed are results defined";
    return proof;
  }
  if (result.answer == Answer::Unsatisfiable) {
    if (!invariants.empty() && !isClosed)
      proof.exclusions.push_back(
          "partial results of which what is assumed does not hold");
    bool isExact = theory == FloatTheory::IEEE || !associativity::hasFloats(op);
    proof.verdict = isExact ? Verdict::Proved : Verdict::ProvedUpToRounding;
  }
  if (result.answer == Answer::Satisfiable) {
    FailureOr<std::array<LeafValues, 3>> states =
        readStates(question, result, proof.reason);
    if (succeeded(states))
      proof.counterexample = evaluate(*states, proof.reason);
  }
  if (!proof.counterexample)
    return proof;
  proof.verdict = Verdict::Refuted;
  if (theory == FloatTheory::IEEE && associativity::hasFloats(op))
    proof.isProvedWithoutNaN =
        ask(
            "associative-without-nan",
            [&](const associativity::Questioner &questioner) {
              return questioner.isAssociative(isClosed, /*withoutNaN=*/true);
            },
            question)
            .answer == Answer::Unsatisfiable;
  return proof;
}
