//===- Fractions.cpp - Quotients without a division -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fractions.h"

using namespace mlir;
using namespace mlir::scan::associativity;

StringRef LetNames::let(llvm::raw_ostream &os, StringRef body, StringRef sort) {
  auto [it, isNew] = names.try_emplace(body);
  if (!isNew)
    return it->second;
  it->second = save("t" + Twine(names.size() - 1));
  os << "(define-fun " << it->second << " () " << sort << " " << body << ")";
  if (!comment.empty())
    os << " ; " << comment;
  os << "\n";
  return it->second;
}

/// The product of two names or constants, of which an empty one is 1.
StringRef FractionWriter::product(StringRef x, StringRef y) {
  if (x.empty() || y.empty())
    return x.empty() ? y : x;
  if (x == "1.0" || y == "0.0")
    return y;
  if (y == "1.0" || x == "0.0")
    return x;
  return let(("(* " + x + " " + y + ")").str());
}

Fraction FractionWriter::add(Fraction x, Fraction y) {
  if (x.den == y.den)
    return {let(("(+ " + x.num + " " + y.num + ")").str()), x.den,
            x.isDenPositive};
  StringRef left = product(x.num, y.den), right = product(y.num, x.den);
  return {let(("(+ " + left + " " + right + ")").str()), product(x.den, y.den),
          x.isDenPositive && y.isDenPositive};
}

Fraction FractionWriter::negate(Fraction x) {
  return {let(("(- " + x.num + ")").str()), x.den, x.isDenPositive};
}

Fraction FractionWriter::multiply(Fraction x, Fraction y) {
  // (p / d) d = p, as happens where a sum is divided by its weight and
  // multiplied by it again.
  if (!x.den.empty() && x.den == y.num)
    return {x.num, y.den, y.isDenPositive};
  if (!y.den.empty() && y.den == x.num)
    return {y.num, x.den, x.isDenPositive};
  return {product(x.num, y.num), product(x.den, y.den),
          x.isDenPositive && y.isDenPositive};
}

Fraction FractionWriter::invert(Fraction x, bool isPositive) {
  // Where x > 0 and its denominator is, so is its numerator.
  bool isDenPositive = isPositive && x.isDenPositive;
  return {x.den.empty() ? "1.0" : x.den, x.num == "1.0" ? "" : x.num,
          isDenPositive};
}

Fraction FractionWriter::divide(Fraction x, Fraction y, bool isPositive) {
  if (x.num == y.num)
    return {y.den.empty() ? "1.0" : y.den, x.den, x.isDenPositive};
  return multiply(x, invert(y, isPositive));
}

Fraction FractionWriter::power(Fraction x, unsigned n) {
  Fraction result{"1.0", "", true};
  for (unsigned i = 0; i < n; ++i) {
    result.num = product(result.num, x.num);
    result.den = product(result.den, x.den);
  }
  result.isDenPositive = x.isDenPositive || n % 2 == 0;
  return result;
}

Fraction FractionWriter::choose(StringRef condition, Fraction x, Fraction y) {
  if (x == y)
    return {x.num, x.den, x.isDenPositive && y.isDenPositive};
  auto part = [&](StringRef left, StringRef right) -> StringRef {
    if (left == right)
      return left;
    auto orOne = [](StringRef name) { return name.empty() ? "1.0" : name; };
    return let(
        ("(ite " + condition + " " + orOne(left) + " " + orOne(right) + ")")
            .str());
  };
  return {part(x.num, y.num), part(x.den, y.den),
          x.isDenPositive && y.isDenPositive};
}

std::string FractionWriter::compare(StringRef relation, Fraction x,
                                    Fraction y) {
  auto write = [&](StringRef left, StringRef right) {
    return ("(" + relation + " " + left + " " + right + ")").str();
  };
  if (x.den == y.den && (x.isDenPositive || relation == "="))
    return write(x.num, y.num);
  StringRef left = product(x.num, y.den), right = product(y.num, x.den);
  if (relation == "=" || (x.isDenPositive && y.isDenPositive))
    return write(left, right);
  // x.num/x.den < y.num/y.den, times the square of both denominators.
  StringRef factor = product(x.den, y.den);
  return write(product(left, factor), product(right, factor));
}

std::string FractionWriter::print(Fraction x) const {
  if (x.den.empty())
    return x.num.str();
  return ("(/ " + x.num + " " + x.den + ")").str();
}
