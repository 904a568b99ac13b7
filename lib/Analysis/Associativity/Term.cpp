//===- Term.cpp - Values of a combine region as terms ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Term.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"

using namespace mlir;
using namespace mlir::scan::associativity;
using llvm::APFloat;
using llvm::APInt;
using llvm::DynamicAPInt;

//===----------------------------------------------------------------------===//
// Sorts and numbers
//===----------------------------------------------------------------------===//

Sort Sort::ieee(const llvm::fltSemantics &semantics) {
  unsigned precision = APFloat::semanticsPrecision(semantics);
  return {Float, APFloat::semanticsSizeInBits(semantics) - precision,
          precision};
}

std::string Sort::getText() const {
  switch (kind) {
  case Bool:
    return "Bool";
  case Bits:
    return "(_ BitVec " + std::to_string(width) + ")";
  case Int:
    return "Int";
  case Real:
    return "Real";
  case Float:
    return "(_ FloatingPoint " + std::to_string(width) + " " +
           std::to_string(precision) + ")";
  }
  llvm_unreachable("all kinds are covered");
}

std::string scan::associativity::printReal(const Rational &value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Rational magnitude = presburger::abs(value);
  if (magnitude.den == 1)
    os << magnitude.num << ".0";
  else
    os << "(/ " << magnitude.num << ".0 " << magnitude.den << ".0)";
  return value < Rational(0, 1) ? "(- " + text + ")" : text;
}

Rational scan::associativity::getRational(const APFloat &value) {
  if (value.isZero())
    return Rational(0, 1);
  // The significand as an integer, and what it is to be multiplied by.
  int exponent = llvm::ilogb(value);
  int precision = APFloat::semanticsPrecision(value.getSemantics());
  APFloat scaled =
      llvm::scalbn(value, precision - 1 - exponent, APFloat::rmTowardZero);
  llvm::APSInt significand(precision + 2, /*isUnsigned=*/false);
  bool isExact = true;
  scaled.convertToInteger(significand, APFloat::rmTowardZero, &isExact);
  int shift = exponent - (precision - 1);
  APInt factor = APInt::getOneBitSet(std::abs(shift) + 2, std::abs(shift));
  DynamicAPInt number{APInt(significand)}, scale{factor};
  return shift >= 0 ? Rational(number * scale)
                    : presburger::reduce(Rational(number, scale));
}

APFloat scan::associativity::toFloat(const Rational &value,
                                     const llvm::fltSemantics &semantics) {
  auto convert = [](const DynamicAPInt &number) {
    std::string digits;
    llvm::raw_string_ostream(digits) << number;
    return APFloat(APFloat::IEEEquad(), digits);
  };
  APFloat result = convert(value.num);
  result.divide(convert(value.den), APFloat::rmNearestTiesToEven);
  bool losesInfo = false;
  result.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return result;
}

//===----------------------------------------------------------------------===//
// The pool
//===----------------------------------------------------------------------===//

TermPool::TermPool() : strings(allocator) {
  TermInfo constant{};
  constant.kind = TermKind::Constant;
  constant.text = "true";
  trueTerm = make(constant, {});
  constant.text = "false";
  falseTerm = make(constant, {});
}

StringRef TermPool::intern(const Twine &text) { return strings.save(text); }

Term TermPool::make(TermInfo info, ArrayRef<Term> args) {
  size_t hash = llvm::hash_combine(
      static_cast<unsigned>(info.kind), static_cast<unsigned>(info.sort.kind),
      info.sort.width, info.sort.precision, info.text);
  for (Term arg : args)
    hash = llvm::hash_combine(hash, arg.id);
  auto [begin, end] = index.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    Term term{it->second};
    const TermInfo &other = get(term);
    if (other.kind == info.kind && other.sort == info.sort &&
        other.text == info.text && getArguments(term) == args)
      return term;
  }
  Term term{static_cast<unsigned>(terms.size())};
  // `args` may be a part of `arguments`.
  SmallVector<Term, 4> copied(args);
  info.firstArgument = arguments.size();
  info.numArguments = copied.size();
  info.origin = origin;
  llvm::append_range(arguments, copied);
  terms.push_back(info);
  index.emplace(hash, term.id);
  return term;
}

Term TermPool::variable(Sort sort, StringRef name, bool isPositive,
                        bool isNonNegative) {
  TermInfo info{TermKind::Variable, sort};
  info.text = intern(name);
  info.isPositive = isPositive;
  info.isNonNegative = isPositive || isNonNegative;
  return make(info, {});
}

Term TermPool::bits(const APInt &value) {
  TermInfo info{TermKind::Constant, Sort::bits(value.getBitWidth())};
  SmallString<32> digits;
  value.toStringUnsigned(digits);
  info.text =
      intern("(_ bv" + Twine(digits) + " " + Twine(value.getBitWidth()) + ")");
  return makeConstant(
      info, Rational(DynamicAPInt(value.zext(value.getBitWidth() + 1))));
}

Term TermPool::integer(const Rational &value) {
  TermInfo info{TermKind::Constant, Sort::integer()};
  std::string digits;
  llvm::raw_string_ostream(digits) << presburger::abs(value).num;
  info.text = intern(value < Rational(0, 1) ? "(- " + digits + ")" : digits);
  return makeConstant(info, value);
}

Term TermPool::ieee(const APFloat &value) {
  Sort sort = Sort::ieee(value.getSemantics());
  TermInfo info{TermKind::Constant, sort};
  std::string tail =
      " " + std::to_string(sort.width) + " " + std::to_string(sort.precision);
  if (value.isNaN()) {
    info.text = intern("(_ NaN" + tail + ")");
  } else {
    APInt pattern = value.bitcastToAPInt();
    unsigned fraction = sort.precision - 1;
    auto digits = [](APInt bits) {
      SmallString<64> text;
      bits.toString(text, 2, /*Signed=*/false);
      return std::string(bits.getBitWidth() - text.size(), '0') +
             text.str().str();
    };
    info.text = intern(
        "(fp #b" + digits(pattern.extractBits(1, fraction + sort.width)) +
        " #b" + digits(pattern.extractBits(sort.width, fraction)) + " #b" +
        digits(pattern.extractBits(fraction, 0)) + ")");
  }
  return make(info, {});
}

Term TermPool::real(const Rational &value) {
  TermInfo info{TermKind::Constant, Sort::real()};
  info.text = intern(printReal(value));
  info.isPositive = value > Rational(0, 1);
  info.isNonNegative = value >= Rational(0, 1);
  return makeConstant(info, value);
}

Term TermPool::makeConstant(TermInfo info, const Rational &value) {
  info.value = values.size();
  Term term = make(info, {});
  if (get(term).value == static_cast<int>(values.size()))
    values.push_back(value);
  return term;
}

Term TermPool::infinity(bool isNegative) {
  TermInfo info{TermKind::Infinity, Sort::real()};
  info.text = isNegative ? "-" : "+";
  info.isInfinite = true;
  return make(info, {});
}

Term TermPool::apply(Sort sort, StringRef name, ArrayRef<Term> args) {
  TermInfo info{TermKind::Apply, sort};
  info.text = name;
  return make(info, args);
}

//===----------------------------------------------------------------------===//
// Truth values and choices
//===----------------------------------------------------------------------===//

Term TermPool::notOf(Term x) {
  if (isTrue(x) || isFalse(x))
    return boolean(isFalse(x));
  if (get(x).kind == TermKind::Not)
    return getArguments(x)[0];
  return make({TermKind::Not, Sort::boolean()}, x);
}

Term TermPool::andOf(Term x, Term y) {
  if (isFalse(x) || isFalse(y))
    return falseTerm;
  if (isTrue(x) || x == y)
    return y;
  if (isTrue(y))
    return x;
  if (x == notOf(y))
    return falseTerm;
  if (y.id < x.id)
    std::swap(x, y);
  return make({TermKind::And, Sort::boolean()}, {x, y});
}

Term TermPool::equal(Term x, Term y) {
  if (x == y)
    return trueTerm;
  if (get(x).sort == Sort::boolean()) {
    if (isTrue(x))
      return y;
    if (isTrue(y))
      return x;
    if (isFalse(x))
      return notOf(y);
    if (isFalse(y))
      return notOf(x);
  }
  // Two constants of integers or reals that are not one term differ. (The
  // floats are equal as bits, as SMT-LIB has it.)
  if (get(x).kind == TermKind::Constant && get(y).kind == TermKind::Constant)
    return falseTerm;
  if (get(x).sort.isReal()) {
    // Of finite numbers none is infinite.
    if (get(x).kind == TermKind::Infinity || get(y).kind == TermKind::Infinity)
      return falseTerm;
    const Rational *zero = getValue(y);
    if (zero && *zero == Rational(0, 1) && get(x).isPositive)
      return falseTerm;
  }
  if (y.id < x.id)
    std::swap(x, y);
  return make({TermKind::Equal, Sort::boolean()}, {x, y});
}

Term TermPool::ifThenElse(Term condition, Term x, Term y) {
  if (isTrue(condition) || x == y)
    return x;
  if (isFalse(condition))
    return y;
  if (get(condition).kind == TermKind::Not)
    return ifThenElse(getArguments(condition)[0], y, x);
  if (get(x).sort == Sort::boolean()) {
    if (isTrue(x))
      return orOf(condition, y);
    if (isFalse(x))
      return andOf(notOf(condition), y);
    if (isTrue(y))
      return orOf(notOf(condition), x);
    if (isFalse(y))
      return andOf(condition, x);
  }
  TermInfo info{TermKind::IfThenElse, get(x).sort};
  const TermInfo &left = get(x), &right = get(y);
  info.isPositive = left.isPositive && right.isPositive;
  info.isNonNegative = left.isNonNegative && right.isNonNegative;
  info.isInfinite = left.isInfinite || right.isInfinite;
  if (info.sort.isReal())
    info.logBase = left.logBase.empty() ? right.logBase : left.logBase;
  return make(info, {condition, x, y});
}

//===----------------------------------------------------------------------===//
// Real numbers
//===----------------------------------------------------------------------===//

static bool isValue(const Rational *value, int64_t expected) {
  return value && *value == Rational(expected, 1);
}

Term TermPool::lessThan(Term x, Term y) {
  if (x == y)
    return falseTerm;
  const TermInfo &left = get(x), &right = get(y);
  if (left.kind == TermKind::Infinity)
    return boolean(left.text == "-" && x != y);
  if (right.kind == TermKind::Infinity)
    return boolean(right.text == "+");
  const Rational *a = getValue(x), *b = getValue(y);
  if (a && b)
    return boolean(*a < *b);
  if ((isValue(a, 0) && right.isPositive))
    return trueTerm;
  if (isValue(b, 0) && left.isNonNegative)
    return falseTerm;
  return make({TermKind::LessThan, Sort::boolean()}, {x, y});
}

Term TermPool::lessEqual(Term x, Term y) {
  if (x == y)
    return trueTerm;
  const TermInfo &left = get(x), &right = get(y);
  if (left.kind == TermKind::Infinity || right.kind == TermKind::Infinity)
    return lessThan(x, y);
  const Rational *a = getValue(x), *b = getValue(y);
  if (a && b)
    return boolean(*a <= *b);
  if (isValue(a, 0) && right.isNonNegative)
    return trueTerm;
  if (isValue(b, 0) && left.isPositive)
    return falseTerm;
  return make({TermKind::LessEqual, Sort::boolean()}, {x, y});
}

Term TermPool::add(Term x, Term y) {
  const Rational *a = getValue(x), *b = getValue(y);
  if (a && b)
    return real(*a + *b);
  if (isValue(a, 0))
    return y;
  if (isValue(b, 0))
    return x;
  if (x == negate(y))
    return real(0);
  if (y.id < x.id)
    std::swap(x, y);
  const TermInfo &left = get(x), &right = get(y);
  TermInfo info{TermKind::Add, Sort::real()};
  info.isNonNegative = left.isNonNegative && right.isNonNegative;
  info.isPositive = info.isNonNegative && (left.isPositive || right.isPositive);
  info.logBase = left.logBase.empty() ? right.logBase : left.logBase;
  return make(info, {x, y});
}

Term TermPool::negate(Term x) {
  if (const Rational *a = getValue(x))
    return real(-*a);
  if (get(x).kind == TermKind::Negate)
    return getArguments(x)[0];
  if (get(x).kind == TermKind::Infinity)
    return infinity(get(x).text == "+");
  TermInfo info{TermKind::Negate, Sort::real()};
  info.logBase = get(x).logBase;
  return make(info, x);
}

Term TermPool::multiply(Term x, Term y) {
  const Rational *a = getValue(x), *b = getValue(y);
  if (a && b)
    return real(*a * *b);
  if (isValue(a, 0) || isValue(b, 1))
    return x;
  if (isValue(b, 0) || isValue(a, 1))
    return y;
  if (isValue(a, -1))
    return negate(y);
  if (isValue(b, -1))
    return negate(x);
  if (y.id < x.id) {
    std::swap(x, y);
    std::swap(a, b);
  }
  const TermInfo &left = get(x), &right = get(y);
  TermInfo info{TermKind::Multiply, Sort::real()};
  info.isPositive = left.isPositive && right.isPositive;
  info.isNonNegative = (left.isNonNegative && right.isNonNegative) || x == y;
  if (a)
    info.logBase = right.logBase;
  else if (b)
    info.logBase = left.logBase;
  return make(info, {x, y});
}

Term TermPool::divide(Term x, Term y) {
  const Rational *b = getValue(y);
  if (b && !isValue(b, 0))
    return multiply(x, real(Rational(1, 1) / *b));
  if (isValue(b, 0))
    return make({TermKind::Divide, Sort::real()}, {x, y});
  if (isValue(getValue(x), 0))
    return x;
  const TermInfo &left = get(x), &right = get(y);
  TermInfo info{TermKind::Divide, Sort::real()};
  info.isPositive = left.isPositive && right.isPositive;
  info.isNonNegative = left.isNonNegative && right.isPositive;
  return make(info, {x, y});
}

/// How deeply products under exp are multiplied out.
static constexpr unsigned kMaxDistribution = 6;

/// exp(x), with products of sums and choices in x multiplied out: a product of
/// other terms is all that the exponential function is not split at.
Term TermPool::distributeExp(StringRef base, Term x, unsigned depth) {
  TermInfo info = get(x);
  if (info.kind == TermKind::Multiply && depth < kMaxDistribution) {
    SmallVector<Term, 2> factors(getArguments(x));
    for (auto [i, factor] : llvm::enumerate(factors)) {
      Term other = factors[1 - i];
      // A constant factor is an exponent (SmtWriter).
      if (getValue(other))
        continue;
      TermInfo inner = get(factor);
      SmallVector<Term, 3> parts(getArguments(factor));
      if (inner.kind == TermKind::Add)
        return multiply(
            distributeExp(base, multiply(parts[0], other), depth + 1),
            distributeExp(base, multiply(parts[1], other), depth + 1));
      if (inner.kind == TermKind::Negate)
        return divide(
            real(1), distributeExp(base, multiply(parts[0], other), depth + 1));
      if (inner.kind == TermKind::IfThenElse)
        return ifThenElse(
            parts[0], distributeExp(base, multiply(parts[1], other), depth + 1),
            distributeExp(base, multiply(parts[2], other), depth + 1));
    }
  }
  TermInfo result{TermKind::Exp, Sort::real()};
  result.text = base;
  result.isPositive = result.isNonNegative = true;
  return make(result, x);
}

Term TermPool::exp(StringRef base, Term x) {
  if (isValue(getValue(x), 0))
    return real(1);
  if (get(x).kind == TermKind::Infinity && get(x).text == "-")
    return real(0);
  return distributeExp(base, x, 0);
}

Term TermPool::log(StringRef base, Term x) {
  if (isValue(getValue(x), 1))
    return real(0);
  TermInfo info{TermKind::Log, Sort::real()};
  info.text = info.logBase = base;
  return make(info, x);
}

Term TermPool::squareRoot(Term x) {
  if (isValue(getValue(x), 0) || isValue(getValue(x), 1))
    return x;
  TermInfo info{TermKind::SquareRoot, Sort::real()};
  info.isPositive = get(x).isPositive;
  info.isNonNegative = true;
  return make(info, x);
}

Term TermPool::cubeRoot(Term x) {
  TermInfo info{TermKind::CubeRoot, Sort::real()};
  info.isPositive = get(x).isPositive;
  info.isNonNegative = get(x).isNonNegative;
  return make(info, x);
}

Term TermPool::floor(Term x) {
  if (const Rational *a = getValue(x))
    return real(Rational(presburger::floor(*a)));
  TermInfo info{TermKind::Floor, Sort::real()};
  info.isNonNegative = get(x).isNonNegative;
  return make(info, x);
}

Term TermPool::uninterpreted(StringRef function, Sort sort,
                             ArrayRef<Term> args) {
  TermInfo info{TermKind::Uninterpreted, sort};
  info.text = function;
  return make(info, args);
}

Term TermPool::power(Term x, unsigned n) {
  Term result = real(1);
  for (unsigned i = 0; i < n; ++i)
    result = multiply(result, x);
  return result;
}
