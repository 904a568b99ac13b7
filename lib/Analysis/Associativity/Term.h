//===- Term.h - Values of a combine region as terms -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a combine region computes of unknown arguments, as terms that are
// shared: equal terms are one. Terms of integers, truth values and IEEE floats
// are those of SMT-LIB; terms of real numbers are kept as the program wrote
// them, since quotients, exponentials and logarithms are written in another way
// for the solver (SmtWriter.h).
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_ANALYSIS_ASSOCIATIVITY_TERM_H
#define SCAN_LIB_ANALYSIS_ASSOCIATIVITY_TERM_H

#include "mlir/Analysis/Presburger/Fraction.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/StringSaver.h"
#include <string>
#include <unordered_map>
#include <vector>

namespace mlir::scan::associativity {

/// An exact rational number.
using Rational = presburger::Fraction;

/// The kind of values that a term stands for.
struct Sort {
  enum Kind : uint8_t { Bool, Bits, Int, Real, Float };
  Kind kind = Bool;
  /// Bits: how many. Float: bits of the exponent.
  unsigned width = 0;
  /// Float: bits of the significand, with the hidden one.
  unsigned precision = 0;

  static Sort boolean() { return {}; }
  static Sort bits(unsigned width) { return {Bits, width, 0}; }
  static Sort integer() { return {Int, 0, 0}; }
  static Sort real() { return {Real, 0, 0}; }
  static Sort ieee(const llvm::fltSemantics &semantics);
  bool isReal() const { return kind == Real; }
  bool operator==(const Sort &other) const {
    return kind == other.kind && width == other.width &&
           precision == other.precision;
  }
  /// As SMT-LIB writes it.
  std::string getText() const;
};

/// A term of a pool: its number, by which terms are ordered as they were made.
struct Term {
  unsigned id = ~0u;
  bool operator==(Term other) const { return id == other.id; }
  bool operator!=(Term other) const { return id != other.id; }
};

enum class TermKind : uint8_t {
  /// A variable; `text` is its name.
  Variable,
  /// A constant of SMT-LIB, as `text` says; reals also have a value.
  Constant,
  /// +inf or -inf among real numbers (`text`): folded by comparisons.
  Infinity,
  /// The operator or function `text` of SMT-LIB.
  Apply,
  Not,
  And,
  Equal,
  IfThenElse,
  // Real numbers from here on.
  LessThan,
  LessEqual,
  Add,
  Negate,
  Multiply,
  Divide,
  /// The exponential function to the base `text` (e, 2 or 10), and its inverse.
  Exp,
  Log,
  SquareRoot,
  CubeRoot,
  /// The greatest integer that is not above.
  Floor,
  /// A function of which nothing is known but its name, `text`.
  Uninterpreted,
};

/// What is known of a term, for folding and for the solver.
struct TermInfo {
  TermKind kind;
  Sort sort;
  /// Into the pool's arguments.
  unsigned firstArgument = 0, numArguments = 0;
  llvm::StringRef text = {};
  /// Real, Int and Bits (unsigned): its value if it is constant, an index into
  /// the pool's values.
  int value = -1;
  /// Real: > 0, >= 0 whatever the variables are.
  bool isPositive = false, isNonNegative = false;
  /// Real: may be an infinity.
  bool isInfinite = false;
  /// Real: the base of a logarithm that this is a sum, a choice or a multiple
  /// of; empty if of none.
  llvm::StringRef logBase = {};
  /// The operation that made it, for comments.
  llvm::StringRef origin = {};
};

/// Makes terms, simplified by what needs no look further than their arguments.
class TermPool {
public:
  TermPool();

  Term variable(Sort sort, StringRef name, bool isPositive = false,
                bool isNonNegative = false);
  Term boolean(bool value) { return value ? trueTerm : falseTerm; }
  Term bits(const llvm::APInt &value);
  /// An integer, of any size.
  Term integer(const Rational &value);
  Term ieee(const llvm::APFloat &value);
  Term real(const Rational &value);
  Term real(int64_t value) { return real(Rational(value, 1)); }
  Term infinity(bool isNegative);

  /// `name` applied to `arguments`; `name` outlives the pool or is interned.
  Term apply(Sort sort, StringRef name, ArrayRef<Term> arguments);

  Term notOf(Term x);
  Term andOf(Term x, Term y);
  Term orOf(Term x, Term y) { return notOf(andOf(notOf(x), notOf(y))); }
  Term equal(Term x, Term y);
  Term ifThenElse(Term condition, Term x, Term y);

  Term lessThan(Term x, Term y);
  Term lessEqual(Term x, Term y);
  Term add(Term x, Term y);
  Term negate(Term x);
  Term subtract(Term x, Term y) { return add(x, negate(y)); }
  Term multiply(Term x, Term y);
  /// Has no meaning where y is 0; the caller sees to that.
  Term divide(Term x, Term y);
  Term exp(StringRef base, Term x);
  Term log(StringRef base, Term x);
  Term squareRoot(Term x);
  Term cubeRoot(Term x);
  Term floor(Term x);
  Term uninterpreted(StringRef function, Sort sort, ArrayRef<Term> arguments);
  /// x^n for a natural number n.
  Term power(Term x, unsigned n);

  const TermInfo &get(Term term) const { return terms[term.id]; }
  ArrayRef<Term> getArguments(Term term) const {
    const TermInfo &info = get(term);
    return ArrayRef(arguments).slice(info.firstArgument, info.numArguments);
  }
  /// The value of a constant real number or (unsigned) integer, or null.
  const Rational *getValue(Term term) const {
    int value = get(term).value;
    return value < 0 ? nullptr : &values[value];
  }
  bool isTrue(Term term) const { return term == trueTerm; }
  bool isFalse(Term term) const { return term == falseTerm; }
  unsigned size() const { return terms.size(); }

  /// What terms are made for from now on: the name of an operation.
  void setOrigin(StringRef name) { origin = name; }
  StringRef intern(const Twine &text);

private:
  Term make(TermInfo info, ArrayRef<Term> args);
  Term makeConstant(TermInfo info, const Rational &value);
  Term distributeExp(StringRef base, Term x, unsigned depth);

  std::vector<TermInfo> terms;
  std::vector<Term> arguments;
  std::vector<Rational> values;
  std::unordered_multimap<size_t, unsigned> index;
  llvm::BumpPtrAllocator allocator;
  llvm::UniqueStringSaver strings;
  StringRef origin;
  Term trueTerm, falseTerm;
};

/// `value` as SMT-LIB writes it: "2.0", "(- (/ 1.0 3.0))".
std::string printReal(const Rational &value);
/// The exact value of a finite number.
Rational getRational(const llvm::APFloat &value);
/// `value`, rounded to the nearest number.
llvm::APFloat toFloat(const Rational &value,
                      const llvm::fltSemantics &semantics);

} // namespace mlir::scan::associativity

#endif // SCAN_LIB_ANALYSIS_ASSOCIATIVITY_TERM_H
