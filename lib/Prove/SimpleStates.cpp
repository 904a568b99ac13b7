//===- SimpleStates.cpp - Small numbers to try first ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimpleStates.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::prove;
using associativity::FloatTheory;
using llvm::APFloat;
using llvm::APInt;

/// The bits of numbers of type `part`, the simplest first. `bounds`: numbers
/// that invariants name.
static SmallVector<APInt> getSimpleNumbers(Type part, FloatTheory theory,
                                           ArrayRef<double> bounds) {
  SmallVector<APInt> numbers;
  auto addBits = [&](const APInt &bits) {
    if (!llvm::is_contained(numbers, bits))
      numbers.push_back(bits);
  };
  if (auto real = dyn_cast<FloatType>(part)) {
    const llvm::fltSemantics &semantics = real.getFloatSemantics();
    SmallVector<double> values{1, 2, 0, 3, -1, 0.5, -2, 4, -0.5, 5};
    llvm::append_range(values, bounds);
    if (theory == FloatTheory::IEEE)
      llvm::append_range(values,
                         ArrayRef<double>{NAN, INFINITY, -INFINITY, -0.0});
    for (double value : values) {
      APFloat number(value);
      bool losesInfo = false;
      number.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
      addBits(number.bitcastToAPInt());
    }
    return numbers;
  }
  unsigned width = part.isIndex() ? 64 : part.getIntOrFloatBitWidth();
  auto addInteger = [&](int64_t value) {
    APInt bits(width, value, /*isSigned=*/true, /*implicitTrunc=*/true);
    if (width >= 4 || bits.getSExtValue() == value || width == 1)
      addBits(bits);
  };
  for (int64_t value : {1, 2, 0, 3, -1, 5, -2, 4, 7, 8})
    addInteger(value);
  for (double bound : bounds)
    addInteger(static_cast<int64_t>(bound));
  addBits(APInt::getSignedMaxValue(width));
  addBits(APInt::getSignedMinValue(width));
  return numbers;
}

namespace {
/// The elements that one leaf may have: a part after the other.
struct Choices {
  SmallVector<SmallVector<APInt, 2>> elements;
};
} // namespace

static Choices getChoices(AssociativeOp op, ArrayRef<LeafInvariant> invariants,
                          FloatTheory theory, unsigned leaf) {
  Type element = getElementTypeOrSelf(op.getLeafTypes()[leaf]);
  SmallVector<double> bounds;
  SmallVector<LeafInvariant> own;
  for (LeafInvariant invariant : invariants) {
    if (invariant.leaf != leaf)
      continue;
    invariant.leaf = leaf;
    own.push_back(invariant);
    for (std::optional<double> bound : {invariant.lower, invariant.upper})
      if (bound)
        llvm::append_range(bounds, ArrayRef<double>{*bound, *bound + 1,
                                                    *bound - 1, *bound / 2});
    if (invariant.lower && invariant.upper) {
      double width = *invariant.upper - *invariant.lower;
      for (double fraction : {0.25, 0.5, 0.75})
        bounds.push_back(*invariant.lower + fraction * width);
    }
  }
  SmallVector<APInt> numbers =
      getSimpleNumbers(getPartType(element), theory, bounds);
  Choices choices;
  // Each number by the invariants, as an element of an otherwise equal state.
  LeafValues state = makeStates(op, 1);
  bool isComplex = isa<ComplexType>(element);
  int64_t parts = ::prove::countParts(op.getLeafTypes()[leaf]);
  if (parts == 0)
    return choices;
  for (const APInt &re : numbers)
    for (const APInt &im : isComplex ? ArrayRef(numbers) : ArrayRef(re)) {
      for (int64_t part = 0; part < parts; ++part)
        setBits(state[leaf], part, isComplex && part % 2 ? im : re);
      if (!fulfils(op, own, state, 0))
        continue;
      choices.elements.push_back({re});
      if (isComplex)
        choices.elements.back().push_back(im);
    }
  return choices;
}

std::array<LeafValues, 3>
prove::makeSimpleTriples(AssociativeOp op, ArrayRef<LeafInvariant> invariants,
                         FloatTheory theory, int64_t count) {
  SmallVector<Choices> choices;
  for (unsigned leaf = 0, e = op.getNumLeaves(); leaf < e; ++leaf) {
    choices.push_back(getChoices(op, invariants, theory, leaf));
    if (choices.back().elements.empty())
      count = 0;
  }
  std::array<LeafValues, 3> triples;
  for (LeafValues &states : triples)
    states = makeStates(op, count);
  // A sequence that is the same everywhere (Knuth's MMIX), the upper bits of
  // it.
  uint64_t random = 1;
  auto draw = [&](uint64_t limit) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    return (random >> 33) % limit;
  };
  for (int64_t i = 0; i < count; ++i)
    for (LeafValues &states : triples)
      for (auto [leaf, choice] : llvm::enumerate(choices)) {
        // More numbers to choose from as time goes on, all of them at last.
        uint64_t known = choice.elements.size();
        uint64_t limit = std::min<uint64_t>(
            known, 2 + known * static_cast<uint64_t>(i) * 2 / count);
        int64_t parts = ::prove::countParts(op.getLeafTypes()[leaf]);
        for (int64_t part = 0; part < parts;) {
          const SmallVector<APInt, 2> &element = choice.elements[draw(limit)];
          for (const APInt &bits : element)
            setBits(states[leaf], i * parts + part++, bits);
        }
      }
  return triples;
}
