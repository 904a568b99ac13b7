//===- SmtWriterImpl.h - Terms as a script of SMT-LIB -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_ANALYSIS_ASSOCIATIVITY_SMTWRITERIMPL_H
#define SCAN_LIB_ANALYSIS_ASSOCIATIVITY_SMTWRITERIMPL_H

#include "Fractions.h"
#include "SmtWriter.h"

namespace mlir::scan::associativity {

/// exp(factor * x) to the base `base` of some term x.
struct Exponential {
  StringRef base;
  Rational factor;
  bool operator==(const Exponential &other) const {
    return base == other.base && factor == other.factor;
  }
};

/// Integer exponents up to here are powers, others a variable of their own.
inline constexpr int64_t kMaxPower = 8;
/// Between so many exponentials facts about their order are given: they grow as
/// the square of it.
inline constexpr size_t kMaxOrdered = 12;

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

} // namespace mlir::scan::associativity

#endif // SCAN_LIB_ANALYSIS_ASSOCIATIVITY_SMTWRITERIMPL_H
