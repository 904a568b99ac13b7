//===- TripleCheck.cpp - Which triples refute an operator -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TripleCheck.h"
#include "Reference/Values.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::prove;

/// How many triples beside one in question are evaluated, how many of them must
/// differ, and how far away they are.
static constexpr int64_t kPerturbed = 8, kMustDiffer = 7;
static constexpr double kPerturbation = 0x1p-6;

/// What is less than this part of the largest operand may be what a sum has
/// lost of a small term.
static constexpr double kAbsorbed = 0x1p-36;

TripleCheck::TripleCheck(AssociativeOp op, const RegionArithmetic &arithmetic,
                         bool exact)
    : op(op), arithmetic(arithmetic), invariants(getLeafInvariants(op)),
      exact(exact), native(createEvaluator(nullptr)) {
  if (!arithmetic.rounds || arithmetic.hasFixedPrecision || exact)
    return;
  wide = createEvaluator(Float64Type::get(op.getContext()));
  narrow = createEvaluator(Float32Type::get(op.getContext()));
}

/// The program's own types for the precision null.
TripleCheck::Evaluator TripleCheck::createEvaluator(FloatType precision) {
  Evaluator evaluator;
  AssociativeOp scan = op;
  if (precision)
    evaluator.module = cloneInPrecision(op, precision, scan);
  evaluator.elementTypes =
      llvm::map_to_vector(scan.getLeafTypes(),
                          [](Type type) { return getElementTypeOrSelf(type); });
  evaluator.replay.emplace(scan);
  return evaluator;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

/// Evaluates `count` triples from `first` on. The interpreter fails for all if
/// it does for one of them: then halves are tried.
void TripleCheck::evaluateRange(Evaluator &evaluator, const Triples &triples,
                                int64_t first, int64_t count,
                                Results &results) {
  if (count == 0)
    return;
  SmallVector<int64_t> indices(count);
  std::iota(indices.begin(), indices.end(), first);
  Triples some;
  bool isAll = count == countStates(triples[0]);
  if (!isAll)
    for (auto [from, to] : llvm::zip_equal(triples, some))
      to = takeStates(from, indices);
  const Triples &operands = isAll ? triples : some;
  std::string message;
  auto both = evaluator.replay->evaluateTriples(operands[0], operands[1],
                                                operands[2], message);
  if (succeeded(both)) {
    auto copy = [&](const LeafValues &from, LeafValues &to) {
      for (auto [source, target] : llvm::zip_equal(from, to)) {
        size_t size = source.data.size() / count;
        llvm::copy(source.data, target.data.begin() + first * size);
      }
    };
    copy(both->first, results.left);
    copy(both->second, results.right);
    std::fill_n(results.isDefined.begin() + first, count, true);
    return;
  }
  if (reason.empty())
    reason = message;
  if (count == 1 || --failuresLeft < 0)
    return;
  evaluateRange(evaluator, triples, first, count / 2, results);
  evaluateRange(evaluator, triples, first + count / 2, count - count / 2,
                results);
}

TripleCheck::Results TripleCheck::evaluate(Evaluator &evaluator,
                                           const Triples &triples) {
  int64_t count = countStates(triples[0]);
  Triples operands;
  for (auto [from, to] : llvm::zip_equal(triples, operands))
    to = convertStates(from, evaluator.elementTypes);
  Results results;
  for (const HostArray &array : operands[0]) {
    results.left.push_back(HostArray::zeros(array.elementType, array.shape));
    results.right.push_back(results.left.back());
  }
  results.isDefined.assign(count, false);
  evaluateRange(evaluator, operands, 0, count, results);
  return results;
}

FailureOr<std::pair<LeafValues, LeafValues>>
TripleCheck::replay(const Triples &triple) {
  std::string message;
  return native.replay->evaluateTriples(triple[0], triple[1], triple[2],
                                        message);
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// Calls `visit` with the numbers of state `state` in two arrays of states.
template <typename Visit>
static void forEachNumber(const LeafValues &left, const LeafValues &right,
                          int64_t state, Visit visit) {
  for (auto [leaf, l, r] : llvm::enumerate(left, right)) {
    int64_t size = l.getNumElements() / l.shape.front();
    for (int64_t i = state * size; i < (state + 1) * size; ++i)
      visit(leaf, i, loadNumber(l, i), loadNumber(r, i));
  }
}

/// The same number; zeros of either sign are, and two NaN.
static bool isSame(double x, double y) {
  return x == y || (std::isnan(x) && std::isnan(y));
}
static bool isSame(const Number &x, const Number &y) {
  return x.integer == y.integer && isSame(x.real, y.real) &&
         isSame(x.imaginary, y.imaginary);
}
static bool hasFiniteParts(const Number &x) {
  return std::isfinite(x.real) && std::isfinite(x.imaginary);
}
static double getMagnitude(const Number &x) {
  return std::hypot(x.real, x.imaginary);
}
static double getDistance(const Number &x, const Number &y) {
  return std::hypot(x.real - y.real, x.imaginary - y.imaginary);
}

SmallVector<Outcome> TripleCheck::compareExactly(const Triples &triples) {
  Results results = evaluate(native, triples);
  SmallVector<Outcome> outcomes;
  for (auto [state, isDefined] : llvm::enumerate(results.isDefined)) {
    Outcome outcome = isDefined ? Outcome::Agrees : Outcome::None;
    if (isDefined)
      forEachNumber(results.left, results.right, state,
                    [&](size_t, int64_t, const Number &l, const Number &r) {
                      if (!isSame(l, r))
                        outcome = Outcome::Refutes;
                    });
    outcomes.push_back(outcome);
  }
  return outcomes;
}

/// Whether results in the program's own types are further apart than eight
/// units in the last place of some number.
bool TripleCheck::differsNatively(const Results &results, int64_t state) {
  bool differs = false;
  forEachNumber(
      results.left, results.right, state,
      [&](size_t leaf, int64_t, const Number &l, const Number &r) {
        Type type = native.elementTypes[leaf];
        if (isa<IntegerType>(type)) {
          differs |= l.integer != r.integer;
          return;
        }
        auto complex = dyn_cast<ComplexType>(type);
        auto real = cast<FloatType>(complex ? complex.getElementType() : type);
        double unit = std::ldexp(1.0, 1 - int(real.getFPMantissaWidth()));
        double magnitude = std::max(getMagnitude(l), getMagnitude(r));
        differs |= hasFiniteParts(l) && hasFiniteParts(r) &&
                   getDistance(l, r) > 8 * unit * magnitude;
      });
  return differs;
}

/// The largest magnitude of a real number among the operands of triple `state`.
static double getScale(const Triples &triples, int64_t state) {
  double scale = 0;
  for (const LeafValues &states : triples)
    forEachNumber(states, states, state,
                  [&](size_t, int64_t, const Number &x, const Number &) {
                    scale = std::max(scale, getMagnitude(x));
                  });
  return scale;
}

/// Compares up to rounding, without what a choice may make of it.
SmallVector<Outcome> TripleCheck::compareRoundedOnce(const Triples &triples) {
  Results exact = evaluate(wide, triples);
  SmallVector<Outcome> outcomes;
  SmallVector<int64_t> inQuestion;
  for (auto [state, isDefined] : llvm::enumerate(exact.isDefined)) {
    bool finite = true, differs = false;
    forEachNumber(exact.left, exact.right, state,
                  [&](size_t, int64_t, const Number &l, const Number &r) {
                    finite &= hasFiniteParts(l) && hasFiniteParts(r);
                    double size = std::max(getMagnitude(l), getMagnitude(r));
                    differs |= l.integer != r.integer ||
                               getDistance(l, r) > 0x1p-12 * size;
                  });
    if (isDefined && finite && differs)
      inQuestion.push_back(state);
    outcomes.push_back(isDefined && finite ? Outcome::Agrees : Outcome::None);
  }
  if (inQuestion.empty())
    return outcomes;

  Triples some;
  for (auto [from, to] : llvm::zip_equal(triples, some))
    to = takeStates(from, inQuestion);
  Results rounded = evaluate(narrow, some), replayed = evaluate(native, some);
  for (auto [k, state] : llvm::enumerate(inQuestion)) {
    // Numbers of f64 beside those of f32, which are in order.
    SmallVector<std::pair<Number, Number>> numbers;
    forEachNumber(exact.left, exact.right, state,
                  [&](size_t, int64_t, const Number &l, const Number &r) {
                    numbers.emplace_back(l, r);
                  });
    bool finite = true, refutes = false;
    double absorbed = kAbsorbed * getScale(triples, state);
    size_t next = 0;
    forEachNumber(
        rounded.left, rounded.right, k,
        [&](size_t, int64_t, const Number &l, const Number &r) {
          auto &[left, right] = numbers[next++];
          finite &= hasFiniteParts(l) && hasFiniteParts(r);
          if (left.integer != right.integer)
            // Rounding that decides on an integer shows in f32, too.
            refutes |= left.integer == l.integer && right.integer == r.integer;
          double size = std::max(getMagnitude(left), getMagnitude(right));
          double distance = getDistance(left, right);
          double error = getDistance(left, l) + getDistance(right, r);
          refutes |= distance > 0x1p-12 * size && distance > 16 * error &&
                     distance > absorbed;
        });
    if (!rounded.isDefined[k] || !replayed.isDefined[k] || !finite)
      outcomes[state] = Outcome::None;
    else if (refutes && differsNatively(replayed, k))
      outcomes[state] = Outcome::Refutes;
  }
  return outcomes;
}

/// `kPerturbed` triples for each of those with `indices`, whose real numbers
/// are moved a little, within the invariants.
Triples TripleCheck::perturb(const Triples &triples,
                             ArrayRef<int64_t> indices) {
  SmallVector<int64_t> repeated;
  for (int64_t index : indices)
    repeated.append(kPerturbed, index);
  auto move = [&](double &number) {
    double part = static_cast<double>(generator() >> 11) * 0x1p-52 - 1;
    number *= 1 + kPerturbation * part;
  };
  Triples moved;
  for (auto [from, to] : llvm::zip_equal(triples, moved)) {
    to = takeStates(from, repeated);
    for (auto [leaf, array] : llvm::enumerate(to)) {
      if (isa<IntegerType>(array.elementType))
        continue;
      for (int64_t i = 0, e = array.getNumElements(); i < e; ++i) {
        Number old = loadNumber(array, i), number = old;
        move(number.real);
        move(number.imaginary);
        storeNumber(array, i, number);
        if (!satisfies(invariants, leaf, array.elementType,
                       loadNumber(array, i)))
          storeNumber(array, i, old);
      }
    }
  }
  return moved;
}

SmallVector<Outcome> TripleCheck::compareRounded(const Triples &triples) {
  SmallVector<Outcome> outcomes = compareRoundedOnce(triples);
  if (!arithmetic.choosesByRounded)
    return outcomes;
  SmallVector<int64_t> refuting;
  for (auto [i, outcome] : llvm::enumerate(outcomes))
    if (outcome == Outcome::Refutes)
      refuting.push_back(i);
  if (refuting.empty())
    return outcomes;
  SmallVector<Outcome> beside = compareRoundedOnce(perturb(triples, refuting));
  for (auto [k, state] : llvm::enumerate(refuting)) {
    auto first = beside.begin() + k * kPerturbed;
    if (std::count(first, first + kPerturbed, Outcome::Refutes) < kMustDiffer)
      outcomes[state] = Outcome::None;
  }
  return outcomes;
}

SmallVector<Outcome> TripleCheck::check(const Triples &triples) {
  if (!arithmetic.rounds || exact)
    return compareExactly(triples);
  if (!arithmetic.hasFixedPrecision)
    return compareRounded(triples);
  // What rounding does to such a region cannot be told: only that it agrees.
  SmallVector<Outcome> outcomes = compareExactly(triples);
  llvm::replace(outcomes, Outcome::Refutes, Outcome::None);
  return outcomes;
}
