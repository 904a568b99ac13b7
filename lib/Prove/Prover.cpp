//===- Prover.cpp - Is the combine region associative? --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prover.h"
#include "Analysis/Associativity/Model.h"
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

/// Triples of simple numbers that are tried for a counterexample, and how many
/// of those that the interpreter finds the solver is asked about.
static constexpr int64_t kSimpleTriples = 1024;
static constexpr unsigned kMaxConfirmations = 4;
/// States of more numbers than this are not tried: the solver's are enough.
static constexpr int64_t kMaxSimpleParts = 256;
/// Operations that are evaluated for these triples, at most, and those of a
/// region of which a table is made.
static constexpr int64_t kMaxSimpleWork = 8'000'000;
static constexpr int64_t kMaxTableOperations = 1000;

/// The encodings to try, the most promising one first.
static SmallVector<Encoding, 2> chooseEncodings(AssociativeOp op,
                                                FloatTheory theory) {
  bool hasIntegers = false, hasOrdered = false;
  auto look = [&](Type type) {
    Type element = getPartType(getElementTypeOrSelf(type));
    if (isa<FloatType>(element))
      hasOrdered |= theory == FloatTheory::IEEE;
    else
      hasIntegers |= !element.isInteger(1);
  };
  llvm::for_each(op.getLeafTypes(), look);
  op.getCombine().walk(
      [&](Operation *inner) { llvm::for_each(inner->getResultTypes(), look); });
  if (hasOrdered)
    return {Encoding::Integers, Encoding::Bits};
  if (hasIntegers)
    return {Encoding::Bits, Encoding::Integers};
  return {Encoding::Bits};
}

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
      seconds(seconds), budget(seconds), clockBudget(2 * seconds) {
  for (Encoding encoding : chooseEncodings(op, theory))
    questioners.emplace_back(op, invariants, encoding);
}

SolverResult Prover::askOnce(const Question &question, std::string script,
                             double limit) {
  // On a machine that does other things processor time says more than the
  // clock, which is looked at, too.
  auto begin = std::chrono::steady_clock::now();
  SolverResult result = solver.ask(
      script, std::max(0.05, std::min({limit, budget, clockBudget})));
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - begin;
  budget -= result.processorSeconds;
  clockBudget -= elapsed.count();
  return result;
}

/// The question part by part: unsatisfiable if all parts are.
SolverResult Prover::askParts(const Question &question, double limit) {
  SolverResult result;
  double end = budget - limit;
  size_t at = question.script.rfind(question.assertion);
  for (const std::string &part : question.parts) {
    std::string script = question.script;
    script.replace(at, question.assertion.size(), part);
    result = askOnce(question, std::move(script), budget - end);
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
  double whole = budget;
  constexpr double kMinimum = 0.1;
  for (const Attempt &attempt : attempts) {
    Question &question = questions[attempt.question];
    if (std::min(budget, clockBudget) < kMinimum ||
        (attempt.inParts && question.parts.size() < 2))
      continue;
    double limit = std::min(budget, attempt.share * whole);
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
// Counterexamples
//===----------------------------------------------------------------------===//

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
  return askOnce(question, std::move(script), budget).answer ==
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
  budget = std::max(budget, 1.0);
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
  budget = seconds;
  clockBudget = 2 * seconds;
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

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

std::optional<bool> Prover::decide(StringRef name, QuestionMaker make) {
  Question question;
  SolverResult result = ask(name, make, question);
  if (result.answer == Answer::Unknown)
    return std::nullopt;
  if (result.answer == Answer::Unsatisfiable)
    return true;
  // Variables that stand for exponentials need not be those of any number.
  StringRef script = question.script;
  for (StringRef prefix : {"exp_", "log_", "(declare-fun"})
    if (script.contains(prefix))
      return std::nullopt;
  return false;
}

/// The constant that an init is, one for all elements.
static TypedAttr getConstantInit(Value init, Type element) {
  Attribute attr;
  if (!matchPattern(init, m_Constant(&attr)))
    return {};
  if (auto dense = dyn_cast<SplatElementsAttr>(attr))
    attr = dense.getSplatValue<Attribute>();
  auto typed = dyn_cast<TypedAttr>(attr);
  return typed && typed.getType() == element && !isa<ElementsAttr>(typed)
             ? typed
             : TypedAttr();
}

void Prover::findIdentity(Properties &properties) {
  SmallVector<Type> elements;
  for (Type leaf : op.getLeafTypes()) {
    Type element = getElementTypeOrSelf(leaf);
    // Of matrices the identity is not the same number in all elements.
    if (isa<RankedTensorType>(leaf) || isa<ComplexType>(element))
      return;
    elements.push_back(element);
  }
  SmallVector<TypedAttr> init;
  for (auto [value, element] : llvm::zip(op.getInits(), elements))
    if (TypedAttr constant = getConstantInit(value, element))
      init.push_back(constant);
  if (!init.empty() && init.size() == elements.size()) {
    properties.isInitIdentity = decide(
        "init-identity", [&](const associativity::Questioner &questioner) {
          return questioner.isIdentity(init);
        });
    if (properties.isInitIdentity == true) {
      properties.identity = init;
      return;
    }
  }
  // The candidates of each leaf that interpretation leaves.
  SmallVector<LeafValues> found =
      findIdentities(op, replay, invariants, theory);
  for (const LeafValues &state : found) {
    SmallVector<TypedAttr> candidate;
    for (auto [leaf, element] : llvm::zip_equal(state, elements)) {
      llvm::APInt bits = getBits(leaf, 0);
      if (auto real = dyn_cast<FloatType>(element))
        candidate.push_back(FloatAttr::get(
            element, llvm::APFloat(real.getFloatSemantics(), bits)));
      else
        candidate.push_back(IntegerAttr::get(element, bits));
    }
    if (decide("identity", [&](const associativity::Questioner &questioner) {
          return questioner.isIdentity(candidate);
        }) == true) {
      properties.identity = std::move(candidate);
      return;
    }
  }
}

Properties Prover::findProperties() {
  using associativity::Questioner;
  Properties properties;
  budget = seconds;
  clockBudget = 2 * seconds;
  properties.isCommutative =
      decide("commutative", [](const Questioner &questioner) {
        return questioner.isCommutative();
      });
  properties.isIdempotent =
      decide("idempotent", [](const Questioner &questioner) {
        return questioner.isIdempotent();
      });
  if (theory == FloatTheory::IEEE && associativity::hasFloats(op))
    properties.keepsNaN = decide("keeps-nan", [](const Questioner &questioner) {
      return questioner.keepsNaN();
    });
  findIdentity(properties);
  return properties;
}
