//===- Prover.cpp - Is the combine region associative? --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prover.h"
#include "Analysis/Associativity/Model.h"
#include "IR/LeafInvariants.h"
#include "SimpleStates.h"
#include "mlir/IR/TypeUtilities.h"
#include <chrono>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::prove;
using associativity::Answer;
using associativity::FloatTheory;
using associativity::Invariant;
using associativity::Question;
using associativity::SolverResult;

/// Triples of simple numbers that are tried for a counterexample, and how many
/// of those that the interpreter finds the solver is asked about.
static constexpr int64_t kSimpleTriples = 1024;
static constexpr unsigned kMaxConfirmations = 4;
/// States of more numbers than this are not tried: the solver's are enough.
static constexpr int64_t kMaxSimpleParts = 256;

SmallVector<Invariant> prove::readInvariants(AssociativeOp op) {
  return llvm::map_to_vector(getLeafInvariants(op),
                             [](const LeafInvariant &stated) {
                               Invariant invariant;
                               invariant.leaf = stated.leaf;
                               invariant.magnitude = stated.magnitude;
                               invariant.finite = stated.finite;
                               invariant.notNaN = stated.notNaN;
                               invariant.lower = stated.lower;
                               invariant.upper = stated.upper;
                               invariant.lowerStrict = stated.lowerStrict;
                               invariant.upperStrict = stated.upperStrict;
                               return invariant;
                             });
}

Prover::Prover(AssociativeOp op, associativity::Solver &solver,
               unsigned seconds,
               llvm::function_ref<void(StringRef, StringRef)> emit)
    : op(op), solver(solver), emit(emit), invariants(readInvariants(op)),
      questioner(op, invariants), replay(op), budget(seconds) {}

SolverResult Prover::ask(StringRef name, const Question &question,
                         StringRef constraint) {
  SolverResult result;
  if (!question.refusal.empty()) {
    result.reason = question.refusal;
    return result;
  }
  std::string script = question.script;
  if (constraint.empty())
    emit(name, script);
  else
    script.insert(script.rfind("(check-sat)"), constraint);
  if (question.isTrivial) {
    result.answer = Answer::Unsatisfiable;
    return result;
  }
  auto begin = std::chrono::steady_clock::now();
  result = solver.ask(script, std::max(0.1, budget));
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - begin;
  budget -= elapsed.count();
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
        associativity::parseValue(text, getPartType(array.elementType));
    if (failed(bits))
      return failure();
    setBits(array, unknown.part, *bits);
  }
  return states;
}

/// Both results for the states, unless they are equal or undefined.
std::optional<Counterexample> Prover::evaluate(std::array<LeafValues, 3> states,
                                               std::string &reason) {
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
  FloatTheory theory = questioner.getTheory();
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

/// A real number of a float, as a constant of SMT-LIB.
static std::string printConstant(Type part, const llvm::APInt &bits,
                                 FloatTheory theory) {
  associativity::TermPool pool;
  if (auto real = dyn_cast<FloatType>(part)) {
    llvm::APFloat value(real.getFloatSemantics(), bits);
    if (theory == FloatTheory::Real)
      return associativity::printReal(associativity::getRational(value));
    return pool.get(pool.ieee(value)).text.str();
  }
  if (part.isInteger(1))
    return bits.isOne() ? "true" : "false";
  return pool.get(pool.bits(bits)).text.str();
}

/// Whether the solver agrees that `example` is one: that no exclusion applies.
bool Prover::isWithinQuestion(const Question &question,
                              const Counterexample &example) {
  // Without exclusions and floats that are reals, evaluation says it all.
  if (question.exclusions.empty())
    return true;
  std::string constraint;
  const LeafValues *states[] = {&example.a, &example.b, &example.c};
  for (const associativity::Unknown &unknown : question.unknowns) {
    const HostArray &array = (*states[unknown.state])[unknown.leaf];
    constraint += "(assert (= " + associativity::getUnknownName(op, unknown) +
                  " " +
                  printConstant(getPartType(array.elementType),
                                getBits(array, unknown.part), question.theory) +
                  "))\n";
  }
  return ask("", question, constraint).answer == Answer::Satisfiable;
}

/// A counterexample of simple numbers, if there is one.
std::optional<Counterexample> Prover::findSimple(const Question &question) {
  int64_t parts = 0;
  for (Type leaf : op.getLeafTypes())
    parts += prove::countParts(leaf);
  if (parts > kMaxSimpleParts)
    return std::nullopt;
  std::array<LeafValues, 3> all =
      makeSimpleTriples(op, invariants, questioner.getTheory(), kSimpleTriples);
  std::string reason;
  std::optional<Counterexample> example = evaluate(all, reason);
  if (example && isWithinQuestion(question, *example))
    return example;
  // One by one: some of them may not be evaluated, or be excluded.
  unsigned confirmations = 0;
  for (int64_t i = 0, e = std::min<int64_t>(kSimpleTriples / 4,
                                            all[0].front().shape.front());
       i < e && confirmations < kMaxConfirmations; ++i) {
    example = evaluate({takeState(all[0], i * 4), takeState(all[1], i * 4),
                        takeState(all[2], i * 4)},
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
  Question question = questioner.isClosed();
  SolverResult result = ask("closed", question);
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

Proof Prover::prove() {
  Proof proof;
  bool isClosed = false;
  if (!invariants.empty())
    proveClosed(proof, isClosed);
  if (proof.violation) {
    proof.verdict = Verdict::Refuted;
    return proof;
  }
  Question question = questioner.isAssociative(isClosed);
  SolverResult result = ask("associative", question);
  proof.exclusions = question.exclusions;
  proof.reason = result.reason;
  if (result.answer == Answer::Unsatisfiable) {
    if (!invariants.empty() && !isClosed)
      proof.exclusions.push_back(
          "partial results of which what is assumed does not hold");
    bool isExact =
        question.theory == FloatTheory::IEEE || !associativity::hasFloats(op);
    proof.verdict = isExact ? Verdict::Proved : Verdict::ProvedUpToRounding;
  }
  if (result.answer != Answer::Satisfiable)
    return proof;

  proof.counterexample = findSimple(question);
  if (!proof.counterexample) {
    FailureOr<std::array<LeafValues, 3>> states =
        readStates(question, result, proof.reason);
    if (succeeded(states))
      proof.counterexample = evaluate(*states, proof.reason);
  }
  if (!proof.counterexample)
    return proof;
  proof.verdict = Verdict::Refuted;
  if (question.theory == FloatTheory::IEEE && associativity::hasFloats(op))
    proof.isProvedWithoutNaN =
        ask("associative-without-nan",
            questioner.isAssociative(isClosed, /*withoutNaN=*/true))
            .answer == Answer::Unsatisfiable;
  return proof;
}

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

std::optional<bool> Prover::decide(StringRef name, const Question &question) {
  SolverResult result = ask(name, question);
  if (result.answer == Answer::Unknown)
    return std::nullopt;
  if (result.answer == Answer::Unsatisfiable)
    return true;
  // Variables that stand for exponentials need not be those of any number.
  bool isExact = question.theory == FloatTheory::IEEE ||
                 StringRef(question.script).find("exp_") == StringRef::npos;
  return isExact ? std::optional<bool>(false) : std::nullopt;
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
    properties.isInitIdentity =
        decide("init-identity", questioner.isIdentity(init));
    if (properties.isInitIdentity == true) {
      properties.identity = init;
      return;
    }
  }
  // The candidates of each leaf that interpretation leaves.
  SmallVector<LeafValues> found =
      findIdentities(op, replay, invariants, questioner.getTheory());
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
    if (decide("identity", questioner.isIdentity(candidate)) == true) {
      properties.identity = std::move(candidate);
      return;
    }
  }
}

Properties Prover::findProperties() {
  Properties properties;
  properties.isCommutative = decide("commutative", questioner.isCommutative());
  properties.isIdempotent = decide("idempotent", questioner.isIdempotent());
  if (questioner.getTheory() == FloatTheory::IEEE &&
      associativity::hasFloats(op))
    properties.keepsNaN = decide("keeps-nan", questioner.keepsNaN());
  findIdentity(properties);
  return properties;
}
