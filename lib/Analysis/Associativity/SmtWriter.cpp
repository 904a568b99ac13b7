//===- SmtWriter.cpp - Terms as a script of SMT-LIB -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SmtWriter.h"
#include "Fractions.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan::associativity;

namespace {
/// exp(factor * x) to the base `base` of some term x.
struct Exponential {
  StringRef base;
  Rational factor;
  bool operator==(const Exponential &other) const {
    return base == other.base && factor == other.factor;
  }
};

/// Integer exponents up to here are powers, others a variable of their own.
constexpr int64_t kMaxPower = 8;
/// Between so many exponentials facts about their order are given: they grow as
/// the square of it.
constexpr size_t kMaxOrdered = 12;

class SmtWriter {
public:
  SmtWriter(TermPool &pool, const Query &query)
      : pool(pool), query(query), os(text), fractions(os, lets) {}
  std::string run(std::string &assertion, SmallVectorImpl<std::string> &parts);

private:
  // First what is needed of each term, from the last to the first.
  void need(Term term) { isNeeded[term.id] = true; }
  void needExp(Term term, Exponential exponential);
  void markArguments(Term term);
  void markExponential(Term term, const Exponential &exponential);

  // Then the definitions, from the first to the last.
  void declare(Term variable);
  void define(Term term);
  void defineReal(Term term, StringRef comment);
  void defineExponential(Term term, const Exponential &exponential);
  Fraction makeAtom(Term term, Exponential exponential);
  Fraction makeConstantExp(StringRef base, const Rational &exponent);
  Fraction declareReal(StringRef prefix);
  void writeSections(unsigned id);

  /// The base of the logarithm in one of the two, or empty.
  StringRef getLogBase(Term x, Term y) const {
    StringRef base = pool.get(x).logBase;
    return base.empty() ? pool.get(y).logBase : base;
  }
  /// Both sides of a comparison, as fractions.
  std::pair<Fraction, Fraction> getSides(Term x, Term y) const;
  Fraction getExp(Term term, const Exponential &exponential) const;

  TermPool &pool;
  const Query &query;
  std::string text;
  llvm::raw_string_ostream os;
  LetNames lets;
  FractionWriter fractions;

  std::vector<char> isNeeded;
  llvm::DenseMap<unsigned, SmallVector<Exponential, 1>> neededExps;
  /// The names of terms that are not real.
  std::vector<StringRef> names;
  std::vector<Fraction> reals;
  llvm::DenseMap<unsigned, SmallVector<Fraction, 1>> exps;
  /// Exponentials that are variables.
  struct Atom {
    Term term;
    Exponential exponential;
    Fraction value;
  };
  SmallVector<Atom> atoms;
  llvm::StringMap<Fraction> constants;
  llvm::StringSet<> functions, declared;
  unsigned numReals = 0;
  size_t nextSection = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is needed
//===----------------------------------------------------------------------===//

void SmtWriter::needExp(Term term, Exponential exponential) {
  SmallVector<Exponential, 1> &list = neededExps[term.id];
  if (!llvm::is_contained(list, exponential))
    list.push_back(exponential);
}

void SmtWriter::markArguments(Term term) {
  const TermInfo &info = pool.get(term);
  ArrayRef<Term> args = pool.getArguments(term);
  switch (info.kind) {
  case TermKind::Equal:
  case TermKind::LessThan:
  case TermKind::LessEqual:
    if (StringRef base = getLogBase(args[0], args[1]); !base.empty()) {
      for (Term arg : args)
        needExp(arg, {base, Rational(1, 1)});
      return;
    }
    break;
  case TermKind::Exp:
    needExp(args[0], {info.text, Rational(1, 1)});
    return;
  case TermKind::Log:
    // A variable of its own, of which nothing is known.
    return;
  default:
    break;
  }
  for (Term arg : args)
    need(arg);
}

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

//===----------------------------------------------------------------------===//
// Definitions
//===----------------------------------------------------------------------===//

void SmtWriter::declare(Term variable) {
  const TermInfo &info = pool.get(variable);
  if (!declared.insert(info.text).second)
    return;
  os << "(declare-const " << info.text << " " << info.sort.getText() << ")\n";
  // What terms were simplified by.
  if (info.isNonNegative)
    os << "(assert (" << (info.isPositive ? ">" : ">=") << " " << info.text
       << " 0.0))\n";
}

Fraction SmtWriter::declareReal(StringRef prefix) {
  StringRef name = lets.save(prefix + Twine(numReals++));
  os << "(declare-const " << name << " Real)\n";
  return {name, "", true};
}

Fraction SmtWriter::getExp(Term term, const Exponential &exponential) const {
  const auto &needed = neededExps.find(term.id)->second;
  size_t at = llvm::find(needed, exponential) - needed.begin();
  return exps.find(term.id)->second[at];
}

std::pair<Fraction, Fraction> SmtWriter::getSides(Term x, Term y) const {
  StringRef base = getLogBase(x, y);
  if (base.empty())
    return {reals[x.id], reals[y.id]};
  Exponential exponential{base, Rational(1, 1)};
  return {getExp(x, exponential), getExp(y, exponential)};
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

void SmtWriter::defineReal(Term term, StringRef comment) {
  const TermInfo &info = pool.get(term);
  ArrayRef<Term> args = pool.getArguments(term);
  Fraction &result = reals[term.id];
  switch (info.kind) {
  case TermKind::Variable:
    declare(term);
    [[fallthrough]];
  case TermKind::Constant:
    result = {info.text, "", true};
    return;
  case TermKind::IfThenElse:
    result = fractions.choose(names[args[0].id], reals[args[1].id],
                              reals[args[2].id]);
    return;
  case TermKind::Add:
    result = fractions.add(reals[args[0].id], reals[args[1].id]);
    return;
  case TermKind::Negate:
    result = fractions.negate(reals[args[0].id]);
    return;
  case TermKind::Multiply:
    result = fractions.multiply(reals[args[0].id], reals[args[1].id]);
    return;
  case TermKind::Divide:
    result = fractions.divide(reals[args[0].id], reals[args[1].id],
                              pool.get(args[1]).isPositive);
    return;
  case TermKind::Exp:
    result = getExp(args[0], {info.text, Rational(1, 1)});
    return;
  case TermKind::Log:
    result = declareReal("log_");
    return;
  case TermKind::SquareRoot:
  case TermKind::CubeRoot: {
    result = declareReal("root_");
    Fraction x = reals[args[0].id];
    bool isSquare = info.kind == TermKind::SquareRoot;
    std::string equation =
        fractions.compare("=", fractions.power(result, isSquare ? 2 : 3), x);
    std::string domain = fractions.compare("<=", Fraction{"0.0", "", true}, x);
    if (!isSquare)
      os << "(assert " << equation << ")\n";
    else
      os << "(assert (=> " << domain << " (and (>= " << result.num << " 0.0) "
         << equation << ")))\n";
    return;
  }
  case TermKind::Floor:
    result = {fractions.let("(to_real (to_int " +
                            fractions.print(reals[args[0].id]) + "))"),
              "", true};
    return;
  default: {
    // A function of SMT-LIB or an uninterpreted one.
    std::string call = ("(" + info.text).str();
    for (Term arg : args) {
      call += " ";
      call += pool.get(arg).sort.isReal() ? fractions.print(reals[arg.id])
                                          : names[arg.id].str();
    }
    result = {fractions.let(call + ")"), "", true};
  }
  }
}

void SmtWriter::writeSections(unsigned id) {
  for (; nextSection < query.sections.size() &&
         query.sections[nextSection].first <= id;
       ++nextSection)
    os << "; --- " << query.sections[nextSection].second << "\n";
}

void SmtWriter::define(Term term) {
  const TermInfo &info = pool.get(term);
  ArrayRef<Term> args = pool.getArguments(term);
  lets.setComment(info.origin);
  if (info.kind == TermKind::Uninterpreted &&
      functions.insert(info.text).second) {
    os << "(declare-fun " << info.text << " (";
    llvm::interleave(
        args, os, [&](Term arg) { os << pool.get(arg).sort.getText(); }, " ");
    os << ") " << info.sort.getText() << ")\n";
  }
  if (info.sort.isReal())
    return defineReal(term, info.origin);
  auto name = [&](Term arg) {
    return pool.get(arg).sort.isReal() ? fractions.print(reals[arg.id])
                                       : names[arg.id].str();
  };
  std::string body;
  switch (info.kind) {
  case TermKind::Variable:
    declare(term);
    [[fallthrough]];
  case TermKind::Constant:
    names[term.id] = info.text;
    return;
  case TermKind::Not:
    body = "(not " + name(args[0]) + ")";
    break;
  case TermKind::And:
    body = "(and " + name(args[0]) + " " + name(args[1]) + ")";
    break;
  case TermKind::Equal:
  case TermKind::LessThan:
  case TermKind::LessEqual: {
    StringRef relation = info.kind == TermKind::Equal      ? "="
                         : info.kind == TermKind::LessThan ? "<"
                                                           : "<=";
    if (pool.get(args[0]).sort.isReal()) {
      auto [x, y] = getSides(args[0], args[1]);
      body = fractions.compare(relation, x, y);
    } else {
      body = "(= " + name(args[0]) + " " + name(args[1]) + ")";
    }
    break;
  }
  case TermKind::IfThenElse:
    body = "(ite " + name(args[0]) + " " + name(args[1]) + " " + name(args[2]) +
           ")";
    break;
  default:
    body = ("(" + info.text).str();
    for (Term arg : args)
      body += " " + name(arg);
    body += ")";
  }
  names[term.id] = fractions.let(body, info.sort.getText());
}

std::string SmtWriter::run(std::string &assertion,
                           SmallVectorImpl<std::string> &parts) {
  unsigned count = pool.size();
  isNeeded.assign(count, false);
  names.resize(count);
  reals.resize(count);
  for (auto &[term, comment] : query.assertions)
    need(term);
  for (Term goal : query.goals)
    need(goal);
  for (unsigned id = count; id-- > 0;) {
    Term term{id};
    if (auto it = neededExps.find(id); it != neededExps.end()) {
      // The list of this term is complete; those of others may grow.
      SmallVector<Exponential, 1> list = it->second;
      for (const Exponential &exponential : list)
        markExponential(term, exponential);
    }
    if (isNeeded[id])
      markArguments(term);
  }

  for (StringRef line : llvm::split(query.title, '\n'))
    os << "; " << line << "\n";
  for (Term variable : query.variables)
    declare(variable);
  for (unsigned id = 0; id < count; ++id) {
    writeSections(id);
    if (isNeeded[id])
      define(Term{id});
    if (auto it = neededExps.find(id); it != neededExps.end())
      for (const Exponential &exponential : it->second)
        defineExponential(Term{id}, exponential);
  }
  for (auto &[term, comment] : query.assertions) {
    assertion = ("(assert " + names[term.id] + ")\n").str();
    os << "; " << comment << "\n" << assertion;
  }
  for (Term goal : query.goals)
    parts.push_back(("(assert (not " + names[goal.id] + "))\n").str());
  os << "(check-sat)\n";
  if (!query.variables.empty()) {
    os << "(get-value (";
    llvm::interleave(
        query.variables, os,
        [&](Term variable) { os << pool.get(variable).text; }, " ");
    os << "))\n";
  }
  return std::move(text);
}

std::string
scan::associativity::writeQuery(TermPool &pool, const Query &query,
                                std::string &assertion,
                                SmallVectorImpl<std::string> &parts) {
  return SmtWriter(pool, query).run(assertion, parts);
}
