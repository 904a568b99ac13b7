//===- Triples.cpp - Random counterexamples to associativity --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Triples.h"
#include "TripleCheck.h"
#include "TripleSource.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::prove;

//===----------------------------------------------------------------------===//
// Simpler triples
//===----------------------------------------------------------------------===//

/// How much there is to read of a number: 0, 1, -1, other integers, binary
/// fractions by their digits, numbers at the ends of the range.
static double getComplexity(double number) {
  if (std::isnan(number))
    return 1e6;
  if (std::isinf(number))
    return 1e5;
  double size = std::fabs(number), sign = std::signbit(number) ? 0.5 : 0;
  if (std::trunc(number) == number)
    return sign + (size < 1000 ? size : 1000 + std::log2(size));
  int exponent;
  double digits = std::frexp(size, &exponent);
  int count = 0;
  for (; digits != 0 && count < 60; ++count)
    digits = 2 * digits - std::trunc(2 * digits);
  return sign + 2000 + 10 * count + std::abs(exponent);
}

static double getComplexity(const Number &number) {
  return getComplexity(static_cast<double>(number.integer)) +
         getComplexity(number.real) + getComplexity(number.imaginary);
}

/// Numbers to try in the place of one, simplest first.
static SmallVector<Number> getSimpler(const Number &number) {
  SmallVector<Number> candidates;
  auto add = [&](const Number &candidate) {
    if (getComplexity(candidate) < getComplexity(number))
      candidates.push_back(candidate);
  };
  for (int64_t small : {0, 1, -1, 2, -2, 3})
    add({small, static_cast<double>(small), 0});
  for (int64_t shift : {16, 4, 1})
    add({number.integer >> shift, std::trunc(number.real),
         std::trunc(number.imaginary)});
  add({number.integer - 1, std::trunc(number.real * 4) / 4,
       std::trunc(number.imaginary * 4) / 4});
  add({number.integer + 1, number.real / 2, number.imaginary / 2});
  add({number.integer, number.real, 0});
  return candidates;
}

/// Replaces the numbers of a refuting triple by simpler ones for as long as it
/// still refutes. Each round evaluates all candidates at once, and takes the
/// first that refutes for each number, as long as they do so together.
static void simplify(TripleCheck &check, AssociativeOp op, Triples &triple) {
  SmallVector<LeafInvariant> invariants = getLeafInvariants(op);
  struct Change {
    unsigned state, leaf;
    int64_t element;
    Number number;
  };
  auto apply = [](const Change &change, Triples &to, int64_t index) {
    HostArray &array = to[change.state][change.leaf];
    int64_t size = array.getNumElements() / array.shape.front();
    storeNumber(array, index * size + change.element, change.number);
  };
  // A bound on the rounds, of which each makes some number simpler.
  for (unsigned round = 0; round < 32; ++round) {
    SmallVector<Change> changes;
    for (unsigned state = 0; state < 3; ++state)
      for (auto [leaf, array] : llvm::enumerate(triple[state]))
        for (int64_t i = 0, e = array.getNumElements(); i < e; ++i)
          for (Number number : getSimpler(loadNumber(array, i)))
            if (satisfies(invariants, leaf, array.elementType, number))
              changes.push_back(
                  {state, static_cast<unsigned>(leaf), i, number});
    if (changes.empty())
      return;
    SmallVector<int64_t> copies(changes.size(), 0);
    Triples candidates;
    for (auto [from, to] : llvm::zip_equal(triple, candidates))
      to = takeStates(from, copies);
    for (auto [i, change] : llvm::enumerate(changes))
      apply(change, candidates, i);
    SmallVector<Outcome> outcomes = check.check(candidates);

    // Of what refutes one by one, as much as refutes together.
    SmallVector<Change> good;
    for (auto [change, outcome] : llvm::zip_equal(changes, outcomes)) {
      bool isFirst = good.empty() || good.back().state != change.state ||
                     good.back().leaf != change.leaf ||
                     good.back().element != change.element;
      if (outcome == Outcome::Refutes && isFirst)
        good.push_back(change);
    }
    if (good.empty())
      return;
    Triples next = triple;
    apply(good.front(), next, 0);
    for (const Change &change : ArrayRef<Change>(good).drop_front()) {
      Triples further = next;
      apply(change, further, 0);
      if (check.check(further).front() == Outcome::Refutes)
        next = std::move(further);
    }
    triple = std::move(next);
  }
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

/// Takes from `outcomes` what triples say that are not within the invariants.
/// They are drawn where the source finds no number that is.
static void dropOthers(AssociativeOp op, const Triples &triples,
                       MutableArrayRef<Outcome> outcomes) {
  SmallVector<LeafInvariant> invariants = getLeafInvariants(op);
  if (invariants.empty())
    return;
  for (const LeafValues &states : triples)
    for (auto [leaf, array] : llvm::enumerate(states)) {
      int64_t size = array.getNumElements() / array.shape.front();
      for (int64_t i = 0, e = array.getNumElements(); i < e; ++i)
        if (!satisfies(invariants, leaf, array.elementType,
                       loadNumber(array, i)))
          outcomes[i / size] = Outcome::None;
    }
}

TripleReport
mlir::scan::prove::checkRandomTriples(AssociativeOp op,
                                      const TripleOptions &options) {
  RegionArithmetic arithmetic = analyzeArithmetic(op);
  TripleCheck check(op, arithmetic, options.exact);
  TripleSource source(op, arithmetic, options.seed, options.exact);
  TripleReport report;
  // Most operators that are wrong are so for most triples: few at first.
  int64_t size = 128;
  while (report.drawn < options.count) {
    int64_t count = std::min(size, options.count - report.drawn);
    size = 1024;
    Triples triples = source.draw(count);
    report.drawn += count;
    SmallVector<Outcome> outcomes = check.check(triples);
    dropOthers(op, triples, outcomes);
    report.evaluated +=
        count - std::count(outcomes.begin(), outcomes.end(), Outcome::None);
    auto found = llvm::find(outcomes, Outcome::Refutes);
    if (found == outcomes.end())
      continue;
    Triples triple;
    for (auto [from, to] : llvm::zip_equal(triples, triple))
      to = takeStates(from, {found - outcomes.begin()});
    simplify(check, op, triple);
    auto both = check.replay(triple);
    // It has just been evaluated: it can be again.
    if (failed(both))
      continue;
    report.verdict = TripleReport::Refuted;
    report.counterexample = {std::move(triple[0]), std::move(triple[1]),
                             std::move(triple[2]), std::move(both->first),
                             std::move(both->second)};
    return report;
  }
  report.verdict =
      report.evaluated ? TripleReport::Agreed : TripleReport::NotEvaluated;
  if (!report.evaluated)
    report.reason = !check.getReason().empty() ? check.getReason()
                    : arithmetic.rounds && arithmetic.hasFixedPrecision
                        ? "the region rounds, and reads the bits of numbers: "
                          "what is due to rounding cannot be told"
                        : "no result is finite, or no operand as assumed";
  return report;
}

void mlir::scan::prove::tryRandomTriples(AssociativeOp op,
                                         const TripleOptions &options,
                                         Proof &proof) {
  if (proof.verdict != Verdict::Unknown || options.count == 0)
    return;
  if (!proof.reason.empty())
    proof.reason += "; ";
  // Regions of a thousand operations are evaluated on all triples; larger ones
  // on fewer, so that it takes seconds at most.
  constexpr int64_t maxOperations = 20'000, maxWork = 10'000'000;
  int64_t operations = countOperations(op);
  if (operations > maxOperations) {
    proof.reason += "the region is too large for random triples";
    return;
  }
  TripleOptions fewer = options;
  fewer.count = std::min(options.count, maxWork / operations);
  TripleReport report = checkRandomTriples(op, fewer);
  switch (report.verdict) {
  case TripleReport::Agreed:
    proof.reason += std::to_string(report.evaluated) + " random triples agree";
    break;
  case TripleReport::NotEvaluated:
    proof.reason += "no random triple could be evaluated: " + report.reason;
    break;
  case TripleReport::Refuted:
    proof = Proof();
    proof.verdict = Verdict::Refuted;
    proof.counterexample = std::move(report.counterexample);
    break;
  }
}
