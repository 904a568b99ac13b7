//===- Identities.cpp - States that may be an identity --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Identities.h"
#include "SimpleStates.h"
#include "States.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::prove;
using associativity::FloatTheory;
using llvm::APFloat;
using llvm::APInt;

/// The numbers that identities are made of, the most frequent ones first.
static SmallVector<APInt> getNumbers(Type part) {
  SmallVector<APInt> numbers;
  if (auto real = dyn_cast<FloatType>(part)) {
    for (double value : {0.0, 1.0, -HUGE_VAL, HUGE_VAL, -0.0, -1.0,
                         std::numeric_limits<double>::quiet_NaN()}) {
      APFloat number(value);
      bool losesInfo = false;
      number.convert(real.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                     &losesInfo);
      numbers.push_back(number.bitcastToAPInt());
    }
    return numbers;
  }
  unsigned width = part.isIndex() ? 64 : part.getIntOrFloatBitWidth();
  for (const APInt &value :
       {APInt(width, 0), APInt(width, 1), APInt::getAllOnes(width),
        APInt::getSignedMinValue(width), APInt::getSignedMaxValue(width)})
    if (!llvm::is_contained(numbers, value))
      numbers.push_back(value);
  return numbers;
}

/// The candidates of one leaf, part by part: a number in all elements (of a
/// complex one the real part), or, in a square matrix, on its diagonal and
/// another one elsewhere.
static SmallVector<SmallVector<APInt>> getCandidates(Type leaf) {
  Type element = getElementTypeOrSelf(leaf);
  SmallVector<APInt> numbers = getNumbers(getPartType(element));
  unsigned parts = associativity::getNumParts(element);
  APInt zero = numbers.front();
  int64_t elements = ::prove::countParts(leaf) / parts;
  auto tensor = dyn_cast<RankedTensorType>(leaf);
  bool isSquare = tensor && tensor.getRank() == 2 &&
                  tensor.getDimSize(0) == tensor.getDimSize(1) && elements > 1;
  SmallVector<SmallVector<APInt>> candidates;
  auto add = [&](const APInt &diagonal, const APInt &elsewhere) {
    SmallVector<APInt> state;
    for (int64_t i = 0; i < elements; ++i) {
      bool isDiagonal = !isSquare || i % (tensor.getDimSize(0) + 1) == 0;
      state.push_back(isDiagonal ? diagonal : elsewhere);
      // -0 is that of complex sums only in both parts.
      if (parts == 2)
        state.push_back(diagonal.isSignMask() ? diagonal : zero);
    }
    candidates.push_back(std::move(state));
  };
  for (const APInt &number : numbers)
    add(number, number);
  if (isSquare)
    for (const APInt &diagonal : ArrayRef(numbers).take_front(2))
      for (const APInt &elsewhere : numbers)
        if (elsewhere != diagonal)
          add(diagonal, elsewhere);
  return candidates;
}

SmallVector<LeafValues>
prove::findIdentities(AssociativeOp op, Replay &replay,
                      ArrayRef<LeafInvariant> invariants, FloatTheory theory) {
  constexpr int64_t maxCandidates = 1024, numTests = 16, maxParts = 1 << 18;
  // An identity need not fulfil what is assumed of elements.
  SmallVector<SmallVector<SmallVector<APInt>>> lists;
  int64_t count = 1, parts = 0;
  for (Type leaf : op.getLeafTypes()) {
    parts += ::prove::countParts(leaf);
    if (::prove::countParts(leaf) == 0)
      return {};
    lists.push_back(getCandidates(leaf));
    count *= lists.back().size();
    if (count > maxCandidates || count * numTests * parts > maxParts)
      return {};
  }
  std::array<LeafValues, 3> tests =
      makeSimpleTriples(op, invariants, theory, numTests);
  if (tests[0].empty() || tests[0].front().shape[0] == 0)
    return {};
  // Every candidate with every test.
  LeafValues candidates = makeStates(op, count * numTests),
             states = makeStates(op, count * numTests);
  for (int64_t i = 0; i < count * numTests; ++i) {
    int64_t choice = i / numTests;
    for (auto [leaf, list] : llvm::enumerate(lists)) {
      ArrayRef<APInt> candidate = list[choice % list.size()];
      choice /= list.size();
      int64_t width = candidate.size();
      for (auto [part, bits] : llvm::enumerate(candidate)) {
        setBits(candidates[leaf], i * width + part, bits);
        setBits(states[leaf], i * width + part,
                getBits(tests[0][leaf], (i % numTests) * width + part));
      }
    }
  }
  std::string reason;
  FailureOr<LeafValues> left = replay.combine(candidates, states, reason);
  FailureOr<LeafValues> right = replay.combine(states, candidates, reason);
  SmallVector<LeafValues> found;
  if (failed(left) || failed(right))
    return found;
  for (int64_t choice = 0; choice < count; ++choice) {
    bool isIdentity = true;
    for (int64_t i = choice * numTests; i < (choice + 1) * numTests; ++i)
      isIdentity &= !differ(*left, states, {}, i, theory) &&
                    !differ(*right, states, {}, i, theory);
    if (isIdentity)
      found.push_back(takeState(candidates, choice * numTests));
  }
  return found;
}

SmallVector<TypedAttr> prove::getConstants(AssociativeOp op,
                                           const LeafValues &state) {
  SmallVector<TypedAttr> constants;
  for (auto [array, leaf] : llvm::zip_equal(state, op.getLeafTypes())) {
    Type element = getElementTypeOrSelf(leaf);
    Type part = getPartType(element);
    SmallVector<APInt> integers;
    SmallVector<APFloat> floats;
    for (int64_t i = 0, e = ::prove::countParts(leaf); i < e; ++i) {
      integers.push_back(getBits(array, i));
      if (auto real = dyn_cast<FloatType>(part))
        floats.push_back(APFloat(real.getFloatSemantics(), integers.back()));
    }
    auto tensor = dyn_cast<RankedTensorType>(leaf);
    if (auto complex = dyn_cast<ComplexType>(element)) {
      SmallVector<std::complex<APFloat>> numbers;
      for (size_t i = 0; i < floats.size(); i += 2)
        numbers.emplace_back(floats[i], floats[i + 1]);
      if (tensor)
        constants.push_back(DenseElementsAttr::get(tensor, numbers));
      else
        constants.push_back(complex::NumberAttr::get(
            complex, floats[0].convertToDouble(), floats[1].convertToDouble()));
    } else if (tensor) {
      constants.push_back(floats.empty()
                              ? DenseElementsAttr::get(tensor, integers)
                              : DenseElementsAttr::get(tensor, floats));
    } else if (floats.empty()) {
      constants.push_back(IntegerAttr::get(element, integers.front()));
    } else {
      constants.push_back(FloatAttr::get(element, floats.front()));
    }
  }
  return constants;
}
