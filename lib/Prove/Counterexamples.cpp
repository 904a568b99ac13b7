//===- Counterexamples.cpp - Numbers for which results differ -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/Associativity/Model.h"
#include "Prover.h"
#include "SimpleStates.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::prove;
using associativity::Answer;
using associativity::Encoding;
using associativity::FloatTheory;
using associativity::Question;
using associativity::SolverResult;

/// Triples of simple numbers that are tried for a counterexample, and how many
/// of those that the interpreter finds the solver is asked about.
static constexpr int64_t kSimpleTriples = 1024;
static constexpr unsigned kMaxConfirmations = 4;
/// States of more numbers than this are not tried: the solver's are enough.
static constexpr int64_t kMaxSimpleParts = 256;
/// Operations that are evaluated for these triples, at most, and those of a
/// region of which a table is made.
static constexpr int64_t kMaxSimpleWork = 8'000'000;

FailureOr<std::array<LeafValues, 3>>
Prover::readStates(const Question &question, const SolverResult &result,
                   std::string &reason) {
  reason = "z3 found a counterexample with numbers that cannot be read";
  if (result.values.size() != question.unknowns.size())
    return failure();
  std::array<LeafValues, 3> states;
  for (LeafValues &state : states)
    state = makeStates(op, 1);
  for (auto [unknown, text] :
       llvm::zip_equal(question.unknowns, result.values)) {
    HostArray &array = states[unknown.state][unknown.leaf];
    FailureOr<llvm::APInt> bits =
        associativity::parseValue(text, getPartType(array.elementType),
                                  question.theory, question.encoding);
    if (failed(bits))
      return failure();
    setBits(array, unknown.part, *bits);
  }
  return states;
}

/// Both results for the states, unless they are equal or undefined.
std::optional<Counterexample> Prover::evaluate(std::array<LeafValues, 3> states,
                                               std::string &reason,
                                               bool *isEvaluated) {
  auto &[a, b, c] = states;
  FailureOr<LeafValues> ab = replay.combine(a, b, reason), bc = failure(),
                        left = failure(), right = failure();
  if (succeeded(ab))
    bc = replay.combine(b, c, reason);
  if (succeeded(bc))
    left = replay.combine(*ab, c, reason);
  if (succeeded(left))
    right = replay.combine(a, *bc, reason);
  if (failed(right)) {
    reason = "z3's counterexample cannot be evaluated: " + reason;
    return std::nullopt;
  }
  if (isEvaluated)
    *isEvaluated = true;
  int64_t count = a.front().shape.front();
  for (int64_t i = 0; i < count; ++i) {
    if (theory == FloatTheory::Real &&
        !llvm::all_of(
            ArrayRef<const LeafValues *>{&a, &b, &c, &*ab, &*bc, &*left,
                                         &*right},
            [&](const LeafValues *states) { return isFinite(*states, i); })) {
      reason = "z3's counterexample has results that are not finite when it is "
               "evaluated";
      continue;
    }
    if (differ(*left, *right, {&a, &b, &c, &*ab, &*bc}, i, theory))
      return Counterexample{takeState(a, i), takeState(b, i), takeState(c, i),
                            takeState(*left, i), takeState(*right, i)};
    reason =
        "z3's counterexample is none when it is evaluated: both results are "
        "equal up to rounding";
  }
  return std::nullopt;
}

/// A number as a constant of SMT-LIB, as questions have it.
static std::string printConstant(Type part, const llvm::APInt &bits,
                                 const Question &question) {
  associativity::TermPool pool;
  auto print = [&](associativity::Term term) {
    return pool.get(term).text.str();
  };
  bool isInteger = question.encoding == Encoding::Integers;
  if (auto real = dyn_cast<FloatType>(part)) {
    llvm::APFloat value(real.getFloatSemantics(), bits);
    if (question.theory == FloatTheory::Real)
      return print(pool.real(associativity::getRational(value)));
    return print(isInteger ? pool.integer(associativity::getOrderKey(value))
                           : pool.ieee(value));
  }
  if (part.isInteger(1))
    return bits.isOne() ? "true" : "false";
  associativity::Term number = pool.bits(bits);
  return print(isInteger ? pool.integer(*pool.getValue(number)) : number);
}

/// Whether the solver agrees that `example` is one: that no exclusion applies.
bool Prover::isWithinQuestion(const Question &question,
                              const Counterexample &example) {
  // Where nothing is excluded and nothing rounds, evaluation says it all.
  bool isExact =
      question.theory == FloatTheory::IEEE || !associativity::hasFloats(op);
  if (isExact && question.exclusions.empty())
    return true;
  std::string constraint;
  const LeafValues *states[] = {&example.a, &example.b, &example.c};
  for (const associativity::Unknown &unknown : question.unknowns) {
    const HostArray &array = (*states[unknown.state])[unknown.leaf];
    constraint += "(assert (= " + associativity::getUnknownName(op, unknown) +
                  " " +
                  printConstant(getPartType(array.elementType),
                                getBits(array, unknown.part), question) +
                  "))\n";
  }
  std::string script = question.script;
  script.insert(script.rfind("(check-sat)"), constraint);
  return askOnce(question, std::move(script), seconds).answer ==
         Answer::Satisfiable;
}

/// A counterexample of simple numbers, if there is one.
std::optional<Counterexample> Prover::findSimple(const Question &question) {
  int64_t parts = 0;
  for (Type leaf : op.getLeafTypes())
    parts += prove::countParts(leaf);
  int64_t triples =
      std::min(kSimpleTriples, kMaxSimpleWork / (4 * countOperations(op)));
  if (parts > kMaxSimpleParts || triples == 0)
    return std::nullopt;
  std::array<LeafValues, 3> all =
      makeSimpleTriples(op, invariants, theory, triples);
  std::string reason;
  bool isEvaluated = false;
  std::optional<Counterexample> example = evaluate(all, reason, &isEvaluated);
  if (example && isWithinQuestion(question, *example))
    return example;
  if (isEvaluated && !example)
    return std::nullopt;
  // One by one: some of them may not be evaluated, or be excluded.
  constexpr int64_t every = 8;
  unsigned confirmations = 0;
  for (int64_t i = 0, e = all[0].front().shape.front();
       i < e && confirmations < kMaxConfirmations; i += every) {
    example = evaluate(
        {takeState(all[0], i), takeState(all[1], i), takeState(all[2], i)},
        reason);
    if (!example)
      continue;
    ++confirmations;
    if (isWithinQuestion(question, *example))
      return example;
  }
  return std::nullopt;
}
