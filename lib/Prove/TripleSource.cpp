//===- TripleSource.cpp - Random states of a scan -------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TripleSource.h"
#include "States.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::prove;

TripleSource::TripleSource(AssociativeOp op, const RegionArithmetic &arithmetic,
                           uint64_t seed, bool withNaN)
    : op(op), arithmetic(arithmetic), invariants(getLeafInvariants(op)),
      withNaN(withNaN), generator(seed) {}

/// Where operations must not overflow, three numbers of an eighth of the digits
/// are all that sums and some products of them leave room for.
int64_t TripleSource::drawInteger(unsigned width) {
  if (width == 1)
    return below(2);
  int64_t greatest = static_cast<int64_t>(~uint64_t(0) >> (65 - width));
  uint64_t kind = below(10);
  if (kind < 5)
    return static_cast<int64_t>(below(9)) - 4;
  if (arithmetic.hasPoison)
    return static_cast<int64_t>(
               below((uint64_t(2) << std::max(2u, width / 8)))) -
           (int64_t(1) << std::max(2u, width / 8));
  if (kind < 7) {
    const int64_t extremes[] = {
        greatest,     -greatest - 1, greatest - 1, -greatest,
        greatest / 2, width,         (width - 1),  -1};
    return extremes[below(std::size(extremes))];
  }
  // As many bits as chance has it: numbers of all magnitudes.
  unsigned bits = 1 + below(width);
  uint64_t number = generator() >> (64 - bits);
  return static_cast<int64_t>(number << (64 - width)) >> (64 - width);
}

double TripleSource::drawReal(FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  uint64_t kind = below(20);
  bool special = !arithmetic.hasPoison && (!arithmetic.rounds || withNaN);
  if (kind < 5 && special) {
    const llvm::APFloat numbers[] = {
        llvm::APFloat::getInf(semantics),
        llvm::APFloat::getInf(semantics, /*Negative=*/true),
        llvm::APFloat::getLargest(semantics),
        llvm::APFloat::getLargest(semantics, /*Negative=*/true),
        llvm::APFloat::getSmallest(semantics),
        llvm::APFloat::getSmallest(semantics, /*Negative=*/true),
        llvm::APFloat::getSmallestNormalized(semantics),
        llvm::APFloat::getZero(semantics),
        llvm::APFloat::getZero(semantics, /*Negative=*/true),
        llvm::APFloat::getNaN(semantics)};
    llvm::APFloat number = numbers[below(std::size(numbers) - !withNaN)];
    bool losesInfo;
    number.convert(llvm::APFloat::IEEEdouble(),
                   llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return number.convertToDouble();
  }
  // Small integers and quarters: sums and products of a few are exact.
  if (kind < 11)
    return static_cast<double>(below(9)) - 4;
  if (kind < 16)
    return (static_cast<double>(below(65)) - 32) / 4;
  double number = 8 * uniform() - 4;
  return kind < 19 ? number
                   : std::ldexp(number, static_cast<int>(below(9)) - 4);
}

Number TripleSource::drawAny(Type type) {
  Number number;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    number.integer = drawInteger(integer.getWidth());
    return number;
  }
  auto complex = dyn_cast<ComplexType>(type);
  auto real = cast<FloatType>(complex ? complex.getElementType() : type);
  number.real = drawReal(real);
  if (complex)
    number.imaginary = drawReal(real);
  return number;
}

/// A number between the bounds of leaf `leaf`, as far as they leave room at
/// all: near zero, or else near the bound that is nearest to it.
Number TripleSource::drawBetween(unsigned leaf, Type type) {
  bool isInteger = isa<IntegerType>(type);
  double from = -8, to = 8;
  for (const LeafInvariant &invariant : invariants) {
    if (invariant.leaf != leaf)
      continue;
    if (invariant.lower) {
      from = std::max(from, *invariant.lower);
      if (to <= from)
        to = from + std::max(1.0, std::fabs(from));
    }
    if (invariant.upper) {
      to = std::min(to, *invariant.upper);
      if (invariant.magnitude)
        from = std::max(from, -to);
      if (from >= to)
        from = to - std::max(1.0, std::fabs(to));
    }
  }
  // Each draw may overrule the bound of the other side.
  for (const LeafInvariant &invariant : invariants)
    if (invariant.leaf == leaf && invariant.lower)
      from = std::max(from, *invariant.lower);
  Number number;
  if (isInteger) {
    double steps = std::min(to - from, 0x1p+40);
    number.integer = static_cast<int64_t>(from) +
                     static_cast<int64_t>(uniform() * (steps + 1));
    return number;
  }
  // Binary fractions for half of them.
  double part = below(2) ? uniform() : static_cast<double>(below(17)) / 16;
  number.real = from + part * (to - from);
  if (isa<ComplexType>(type)) {
    double radius = number.real, turn = 2 * M_PI * uniform();
    number.real = radius * std::cos(turn);
    number.imaginary = radius * std::sin(turn);
  }
  return number;
}

/// Most draws are within usual invariants. If all are not, what is returned is
/// not either: there may be no such number that is easily found.
Number TripleSource::drawNumber(unsigned leaf, Type type) {
  if (llvm::none_of(invariants, [&](const LeafInvariant &invariant) {
        return invariant.leaf == leaf;
      }))
    return drawAny(type);
  // Numbers that the type cannot hold are rounded before they are looked at.
  HostArray slot = HostArray::zeros(type, {1});
  Number number;
  for (unsigned i = 0; i < 64; ++i) {
    storeNumber(slot, 0, i < 4 ? drawAny(type) : drawBetween(leaf, type));
    number = loadNumber(slot, 0);
    if (satisfies(invariants, leaf, type, number))
      break;
  }
  return number;
}

Triples TripleSource::draw(int64_t count) {
  Triples triples;
  for (LeafValues &states : triples)
    states = makeStates(op, count);
  for (unsigned leaf = 0; leaf < op.getNumLeaves(); ++leaf) {
    Type type = getElementTypeOrSelf(op.getLeafTypes()[leaf]);
    int64_t size = count ? triples[0][leaf].getNumElements() / count : 0;
    for (int64_t i = 0; i < count; ++i) {
      // Ties: a leaf of two states is the same, whatever the others are.
      uint64_t tie = below(12);
      for (unsigned state = 0; state < 3; ++state) {
        bool copies = state > 0 && (tie == state || tie == 3);
        for (int64_t k = i * size; k < (i + 1) * size; ++k)
          storeNumber(triples[state][leaf], k,
                      copies ? loadNumber(triples[state - 1][leaf], k)
                             : drawNumber(leaf, type));
      }
    }
  }
  return triples;
}
