//===- Exponentials.cpp - Exponentials of sums as products ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SmtWriterImpl.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan::associativity;

/// A natural number if `factor` is one that is small enough for a power.
static std::optional<int64_t> getPower(const Rational &factor) {
  if (factor.den != 1 || presburger::abs(factor) > Rational(kMaxPower, 1))
    return std::nullopt;
  return int64_t(factor.num);
}

void SmtWriter::markExponential(Term term, const Exponential &exponential) {
  const TermInfo &info = pool.get(term);
  ArrayRef<Term> args = pool.getArguments(term);
  Exponential other = exponential;
  switch (info.kind) {
  case TermKind::Constant:
    return;
  case TermKind::Negate:
    other.factor = -other.factor;
    needExp(args[0], other);
    return;
  case TermKind::IfThenElse:
    need(args[0]);
    needExp(args[1], exponential);
    needExp(args[2], exponential);
    return;
  case TermKind::Add:
    needExp(args[0], exponential);
    needExp(args[1], exponential);
    return;
  case TermKind::Multiply:
    for (unsigned i : {0, 1})
      if (const Rational *value = pool.getValue(args[i])) {
        other.factor = other.factor * *value;
        needExp(args[1 - i], other);
        return;
      }
    break;
  case TermKind::Log:
    if (info.text == exponential.base && getPower(exponential.factor)) {
      need(args[0]);
      return;
    }
    break;
  default:
    break;
  }
  need(term);
  markArguments(term);
}

/// exp(exponent) of a constant: exact where it is rational, else a variable
/// between two numbers near to it.
Fraction SmtWriter::makeConstantExp(StringRef base, const Rational &exponent) {
  Rational magnitude = presburger::abs(exponent);
  bool isNegative = exponent < Rational(0, 1);
  if (magnitude == Rational(0, 1))
    return {"1.0", "", true};
  std::string key = (base + " " + printReal(magnitude)).str();
  auto [it, isNew] = constants.try_emplace(key);
  if (isNew) {
    if (base != "e" && magnitude.den == 1 && magnitude <= Rational(64, 1)) {
      Rational power(1, 1), factor(base == "2" ? 2 : 10, 1);
      for (int64_t i = 0, e = int64_t(magnitude.num); i < e; ++i)
        power = power * factor;
      it->second = {lets.save(printReal(power)), "", true};
    } else {
      it->second = declareReal("exp_");
      os << "; " << base << "^" << printReal(magnitude) << "\n(assert (> "
         << it->second.num << " 1.0))\n";
      double x =
          toFloat(magnitude, llvm::APFloat::IEEEdouble()).convertToDouble();
      double value = base == "2"    ? std::exp2(x)
                     : base == "10" ? std::pow(10.0, x)
                                    : std::exp(x);
      if (value > 1.0 && value < 1e15)
        for (auto [relation, bound] :
             {std::pair(">", value * (1 - 1e-9)), {"<", value * (1 + 1e-9)}})
          os << "(assert (" << relation << " " << it->second.num << " "
             << printReal(getRational(llvm::APFloat(bound))) << "))\n";
    }
  }
  return isNegative ? fractions.invert(it->second, true) : it->second;
}

/// exp(factor * term) as a variable.
Fraction SmtWriter::makeAtom(Term term, Exponential exponential) {
  std::optional<int64_t> power = getPower(exponential.factor);
  bool isNegative = exponential.factor < Rational(0, 1);
  exponential.factor =
      power ? Rational(1, 1) : presburger::abs(exponential.factor);
  Fraction value;
  for (const Atom &atom : atoms)
    if (atom.term == term && atom.exponential == exponential)
      value = atom.value;
  if (value.num.empty()) {
    value = declareReal("exp_");
    Fraction argument = reals[term.id], one{"1.0", "", true},
             zero{"0.0", "", true};
    os << "; " << exponential.base << "^(" << fractions.print(argument);
    if (exponential.factor != Rational(1, 1))
      os << " * " << printReal(exponential.factor);
    os << "): positive, and ordered as the exponents are\n";
    os << "(assert (> " << value.num << " 0.0))\n";
    auto writeOrder = [&](Fraction x, Fraction y, Fraction expX,
                          Fraction expY) {
      // What these define comes first.
      std::string left = fractions.compare("<=", x, y);
      std::string right = fractions.compare("<=", expX, expY);
      os << "(assert (= " << left << " " << right << "))\n";
    };
    writeOrder(argument, zero, value, one);
    writeOrder(zero, argument, one, value);
    if (atoms.size() < kMaxOrdered)
      for (const Atom &atom : atoms) {
        if (!(atom.exponential == exponential))
          continue;
        Fraction other = reals[atom.term.id];
        writeOrder(other, argument, atom.value, value);
        writeOrder(argument, other, value, atom.value);
      }
    atoms.push_back({term, exponential, value});
  }
  if (power)
    value = fractions.power(value, std::abs(*power));
  return isNegative ? fractions.invert(value, true) : value;
}

void SmtWriter::defineExponential(Term term, const Exponential &exponential) {
  const TermInfo &info = pool.get(term);
  ArrayRef<Term> args = pool.getArguments(term);
  Exponential other = exponential;
  Fraction result;
  switch (info.kind) {
  case TermKind::Constant:
    result = makeConstantExp(exponential.base,
                             *pool.getValue(term) * exponential.factor);
    break;
  case TermKind::Negate:
    other.factor = -other.factor;
    result = getExp(args[0], other);
    break;
  case TermKind::IfThenElse:
    result = fractions.choose(names[args[0].id], getExp(args[1], exponential),
                              getExp(args[2], exponential));
    break;
  case TermKind::Add:
    result = fractions.multiply(getExp(args[0], exponential),
                                getExp(args[1], exponential));
    break;
  case TermKind::Multiply:
    for (unsigned i : {0, 1})
      if (const Rational *value = pool.getValue(args[i])) {
        other.factor = other.factor * *value;
        result = getExp(args[1 - i], other);
        break;
      }
    break;
  case TermKind::Log:
    if (std::optional<int64_t> power = getPower(exponential.factor);
        power && info.text == exponential.base) {
      result = fractions.power(reals[args[0].id], std::abs(*power));
      // Where a logarithm is defined its argument is positive.
      if (*power < 0)
        result = fractions.invert(result, true);
    }
    break;
  default:
    break;
  }
  exps[term.id].push_back(result.num.empty() ? makeAtom(term, exponential)
                                             : result);
}
