//===- Properties.cpp - What else is known of an operator -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Identities.h"
#include "Prover.h"
#include "SimpleStates.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::prove;
using associativity::Answer;
using associativity::FloatTheory;
using associativity::Question;
using associativity::SolverResult;

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

bool Prover::isRefutedByNumbers(QuestionMaker make, bool isIdempotent) {
  // Operations that the states of a try are worth, and states at most.
  constexpr int64_t maxWork = 1 << 20, maxStates = 1000;
  // A result that is not defined is not finite among floats, and some number
  // among integers.
  Question question = make(questioners.front());
  bool hasOnlyFloats = llvm::all_of(op.getLeafTypes(), [](Type leaf) {
    return isa<FloatType, ComplexType>(getElementTypeOrSelf(leaf));
  });
  if (!question.exclusions.empty() && !hasOnlyFloats)
    return false;
  int64_t count = std::min(maxStates, maxWork / (1 + countOperations(op)));
  std::array<LeafValues, 3> all =
      makeSimpleTriples(op, invariants, theory, count);
  auto &[a, b, unused] = all;
  if (a.empty() || a.front().shape[0] == 0)
    return false;
  std::string reason;
  const LeafValues &second = isIdempotent ? a : b;
  FailureOr<LeafValues> left = replay.combine(a, second, reason);
  FailureOr<LeafValues> right =
      isIdempotent ? FailureOr<LeafValues>(a) : replay.combine(b, a, reason);
  if (failed(left) || failed(right))
    return false;
  for (int64_t i = 0; i < a.front().shape[0]; ++i) {
    bool isComparable = theory != FloatTheory::Real ||
                        (isFinite(*left, i) && isFinite(*right, i) &&
                         isFinite(a, i) && isFinite(b, i));
    if (isComparable && differ(*left, *right, {&a, &second}, i, theory))
      return true;
  }
  return false;
}

bool Prover::isExact(StringRef name, QuestionMaker make) {
  // Of partial results which are not as assumed nothing is known.
  if (!invariants.empty() && !areInvariantsClosed)
    return false;
  Question question;
  if (theory == FloatTheory::IEEE || !associativity::hasFloats(op))
    return ask(name, make, question).answer == Answer::Unsatisfiable &&
           question.exclusions.empty();
  question =
      make(associativity::Questioner(op, invariants, FloatTheory::Exact));
  if (!question.refusal.empty() || !question.exclusions.empty())
    return false;
  if (question.isTrivial)
    return true;
  emit((name + "-exact").str(), question.script);
  return askOnce(question, question.script, seconds).answer ==
         Answer::Unsatisfiable;
}

/// The constant that an init is, for each element of its leaf.
static TypedAttr getConstantInit(Value init, Type leaf) {
  Attribute attr;
  if (!matchPattern(init, m_Constant(&attr)))
    return {};
  auto tensor = dyn_cast<RankedTensorType>(leaf);
  Type element = getElementTypeOrSelf(leaf);
  if (auto parts = dyn_cast<ArrayAttr>(attr)) {
    // complex.constant.
    auto complex = dyn_cast<ComplexType>(element);
    if (!complex || tensor || parts.size() != 2)
      return {};
    return complex::NumberAttr::get(
        complex, cast<FloatAttr>(parts[0]).getValueAsDouble(),
        cast<FloatAttr>(parts[1]).getValueAsDouble());
  }
  auto splat = dyn_cast<SplatElementsAttr>(attr);
  if (tensor) {
    if (splat && splat.getElementType() == element)
      return splat.resizeSplat(tensor);
    auto dense = dyn_cast<DenseElementsAttr>(attr);
    return dense && dense.getType() == tensor ? dense : DenseElementsAttr();
  }
  if (isa<ComplexType>(element))
    return {};
  if (splat)
    attr = splat.getSplatValue<Attribute>();
  auto typed = dyn_cast<TypedAttr>(attr);
  return typed && typed.getType() == element && !isa<ElementsAttr>(typed)
             ? typed
             : TypedAttr();
}

void Prover::findIdentity(Properties &properties) {
  auto makeQuestion = [](ArrayRef<TypedAttr> identity) {
    return [identity](const associativity::Questioner &questioner) {
      return questioner.isIdentity(identity);
    };
  };
  auto use = [&](StringRef name, ArrayRef<TypedAttr> identity) {
    if (!isExact(name, makeQuestion(identity)))
      return false;
    properties.identity.assign(identity.begin(), identity.end());
    properties.facts.identity.assign(identity.begin(), identity.end());
    return true;
  };
  SmallVector<TypedAttr> init;
  for (auto [value, leaf] : llvm::zip(op.getInits(), op.getLeafTypes()))
    if (TypedAttr constant = getConstantInit(value, leaf))
      init.push_back(constant);
  if (!init.empty() && init.size() == op.getNumLeaves()) {
    properties.isInitIdentity = decide("init-identity", makeQuestion(init));
    if (properties.isInitIdentity == true) {
      properties.identity = init;
      if (use("init-identity", init))
        return;
    }
  }
  // Of the candidates that interpretation leaves, the first one that holds to
  // the bit, or else the first one.
  for (const LeafValues &state :
       findIdentities(op, replay, invariants, theory)) {
    SmallVector<TypedAttr> candidate = getConstants(op, state);
    if (properties.identity.empty()) {
      if (decide("identity", makeQuestion(candidate)) != true)
        continue;
      properties.identity = candidate;
    }
    if (use("identity", candidate))
      return;
  }
}

Properties Prover::findProperties() {
  using associativity::Questioner;
  Properties properties;
  reserved = 0;
  auto isCommutative = [](const Questioner &questioner) {
    return questioner.isCommutative();
  };
  auto isIdempotent = [](const Questioner &questioner) {
    return questioner.isIdempotent();
  };
  properties.isCommutative = decide("commutative", isCommutative);
  properties.isIdempotent = decide("idempotent", isIdempotent);
  // Where the solver's numbers need not be those of any exponential.
  if (!properties.isCommutative && isRefutedByNumbers(isCommutative, false))
    properties.isCommutative = false;
  if (!properties.isIdempotent && isRefutedByNumbers(isIdempotent, true))
    properties.isIdempotent = false;
  properties.facts.isCommutative =
      properties.isCommutative == true && isExact("commutative", isCommutative);
  properties.facts.isIdempotent =
      properties.isIdempotent == true && isExact("idempotent", isIdempotent);
  if (theory == FloatTheory::IEEE && associativity::hasFloats(op))
    properties.keepsNaN = decide("keeps-nan", [](const Questioner &questioner) {
      return questioner.keepsNaN();
    });
  findIdentity(properties);
  return properties;
}
