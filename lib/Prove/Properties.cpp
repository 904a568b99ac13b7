//===- Properties.cpp - What else is known of an operator -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prover.h"
#include "SimpleStates.h"
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
  clockBudget = 4 * seconds;
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
