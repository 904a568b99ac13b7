//===- SmtWriter.cpp - Terms as a script of SMT-LIB -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SmtWriterImpl.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan::associativity;

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
