//===- SymbolicPolynomial.cpp - Sizes that depend on dynamic extents ------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolicPolynomial.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::scan;
using llvm::DynamicAPInt;

SymbolicPolynomial::SymbolicPolynomial(int64_t constant) {
  add({}, DynamicAPInt(constant));
}

SymbolicPolynomial SymbolicPolynomial::getSymbol(Symbol symbol) {
  SymbolicPolynomial polynomial;
  polynomial.add({symbol}, DynamicAPInt(1));
  return polynomial;
}

void SymbolicPolynomial::add(const Product &product,
                             const DynamicAPInt &coefficient) {
  DynamicAPInt &sum = terms[product];
  sum += coefficient;
  if (sum == 0)
    terms.erase(product);
}

SymbolicPolynomial
SymbolicPolynomial::operator+(const SymbolicPolynomial &other) const {
  SymbolicPolynomial result = *this;
  for (auto &[product, coefficient] : other.terms)
    result.add(product, coefficient);
  return result;
}

SymbolicPolynomial
SymbolicPolynomial::operator-(const SymbolicPolynomial &other) const {
  return *this + other * SymbolicPolynomial(-1);
}

SymbolicPolynomial
SymbolicPolynomial::operator*(const SymbolicPolynomial &other) const {
  SymbolicPolynomial result;
  for (auto &[product, coefficient] : terms)
    for (auto &[otherProduct, otherCoefficient] : other.terms) {
      Product both(product);
      both.insert(both.end(), otherProduct.begin(), otherProduct.end());
      llvm::sort(both);
      result.add(both, coefficient * otherCoefficient);
    }
  return result;
}

std::optional<DynamicAPInt> SymbolicPolynomial::getConstant() const {
  if (terms.empty())
    return DynamicAPInt(0);
  if (terms.size() > 1 || !terms.begin()->first.empty())
    return std::nullopt;
  return terms.begin()->second;
}

std::optional<SymbolicPolynomial::Symbol>
SymbolicPolynomial::getAsSymbol() const {
  if (terms.size() != 1 || terms.begin()->first.size() != 1 ||
      terms.begin()->second != 1)
    return std::nullopt;
  return terms.begin()->first.front();
}

bool SymbolicPolynomial::isAtMost(const SymbolicPolynomial &other) const {
  return llvm::all_of((other - *this).terms,
                      [](const auto &term) { return term.second > 0; });
}

bool SymbolicPolynomial::isAtMostForLargeExtents(
    const SymbolicPolynomial &other) const {
  size_t degree = 0;
  SymbolicPolynomial difference = other - *this;
  for (auto &[product, coefficient] : difference.terms)
    degree = std::max(degree, product.size());
  return llvm::all_of(difference.terms, [&](const auto &term) {
    return term.first.size() < degree || term.second > 0;
  });
}

SymbolicPolynomial SymbolicPolynomial::max(const SymbolicPolynomial &a,
                                           const SymbolicPolynomial &b) {
  SymbolicPolynomial result = a;
  for (auto &[product, coefficient] : (b - a).terms)
    if (coefficient > 0)
      result.add(product, coefficient);
  return result;
}

SymbolicPolynomial SymbolicPolynomial::substitute(
    llvm::function_ref<std::optional<int64_t>(Symbol)> value) const {
  SymbolicPolynomial result;
  for (auto &[product, coefficient] : terms) {
    Product rest;
    DynamicAPInt factor = coefficient;
    for (Symbol symbol : product) {
      if (std::optional<int64_t> number = value(symbol))
        factor *= *number;
      else
        rest.push_back(symbol);
    }
    result.add(rest, factor);
  }
  return result;
}

static double toDouble(const DynamicAPInt &value) {
  // Numbers beyond the range of int64_t are rare; their text is exact.
  std::string text;
  llvm::raw_string_ostream(text) << value;
  double result = 0;
  (void)llvm::StringRef(text).getAsDouble(result);
  return result;
}

std::optional<double>
SymbolicPolynomial::getRatio(const SymbolicPolynomial &other) const {
  if (other.isZero())
    return std::nullopt;
  const auto &[product, divisor] = *other.terms.begin();
  auto term = terms.find(product);
  if (term == terms.end())
    return isZero() ? std::optional<double>(0.0) : std::nullopt;
  SymbolicPolynomial left, right;
  for (auto &[product, coefficient] : terms)
    left.add(product, coefficient * divisor);
  for (auto &[product, coefficient] : other.terms)
    right.add(product, coefficient * term->second);
  if (left != right)
    return std::nullopt;
  return toDouble(term->second) / toDouble(divisor);
}

void SymbolicPolynomial::print(
    llvm::raw_ostream &os, llvm::function_ref<std::string(Symbol)> name) const {
  // By degree, then by name, whatever the numbers of the symbols are.
  std::vector<std::pair<std::vector<std::string>, DynamicAPInt>> sorted;
  for (auto &[product, coefficient] : terms) {
    std::vector<std::string> factors;
    for (Symbol symbol : product)
      factors.push_back(name(symbol));
    llvm::sort(factors);
    sorted.emplace_back(std::move(factors), coefficient);
  }
  llvm::sort(sorted, [](const auto &a, const auto &b) {
    return std::pair(b.first.size(), a.first) <
           std::pair(a.first.size(), b.first);
  });
  if (sorted.empty())
    os << "0";
  bool isFirst = true;
  for (auto &[factors, coefficient] : sorted) {
    bool isNegative = coefficient < 0;
    DynamicAPInt magnitude = isNegative ? -coefficient : coefficient;
    if (isFirst)
      os << (isNegative ? "-" : "");
    else
      os << (isNegative ? " - " : " + ");
    isFirst = false;
    bool isOne = magnitude == 1 && !factors.empty();
    if (!isOne)
      os << magnitude;
    for (auto [i, factor] : llvm::enumerate(factors))
      os << (i == 0 && isOne ? "" : "*") << factor;
  }
}
