//===- SymbolicPolynomial.h - Sums of products of sizes ---------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_ANALYSIS_SYMBOLICPOLYNOMIAL_H
#define SCAN_LIB_ANALYSIS_SYMBOLICPOLYNOMIAL_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mlir::scan {

/// A polynomial in extents that are known at run time only, with integers of
/// any size as coefficients: a number of elements, of bytes, an offset. The
/// extents are numbered symbols; who makes them knows their names.
class SymbolicPolynomial {
public:
  using Symbol = unsigned;

  /// Zero, or another constant.
  SymbolicPolynomial(int64_t constant = 0);
  static SymbolicPolynomial getSymbol(Symbol symbol);

  SymbolicPolynomial operator+(const SymbolicPolynomial &other) const;
  SymbolicPolynomial operator-(const SymbolicPolynomial &other) const;
  SymbolicPolynomial operator*(const SymbolicPolynomial &other) const;
  SymbolicPolynomial &operator+=(const SymbolicPolynomial &other) {
    return *this = *this + other;
  }
  bool operator==(const SymbolicPolynomial &other) const {
    return terms == other.terms;
  }
  bool operator!=(const SymbolicPolynomial &other) const {
    return terms != other.terms;
  }

  bool isZero() const { return terms.empty(); }
  /// The value, if it depends on no symbol.
  std::optional<llvm::DynamicAPInt> getConstant() const;

  /// The symbol, if this is nothing but one.
  std::optional<Symbol> getAsSymbol() const;

  /// True if this is surely at most `other` whatever the extents are (they are
  /// not negative). False says nothing.
  bool isAtMost(const SymbolicPolynomial &other) const;
  /// True if this is at most `other` once all extents are large enough. Decides
  /// between any two quantities whose terms of highest degree do.
  bool isAtMostForLargeExtents(const SymbolicPolynomial &other) const;
  /// An upper bound of both: for each product of extents the larger
  /// coefficient.
  static SymbolicPolynomial max(const SymbolicPolynomial &a,
                                const SymbolicPolynomial &b);

  /// Puts in the numbers that `value` knows.
  SymbolicPolynomial
  substitute(llvm::function_ref<std::optional<int64_t>(Symbol)> value) const;

  /// This as a multiple of `other`, if it is one for all extents.
  std::optional<double> getRatio(const SymbolicPolynomial &other) const;

  /// `12*arg0_d0*arg0_d1 + 8`, terms of the highest degree first.
  void print(llvm::raw_ostream &os,
             llvm::function_ref<std::string(Symbol)> name) const;

private:
  /// The symbols of a product in ascending order, each as often as its power.
  using Product = std::vector<Symbol>;
  void add(const Product &product, const llvm::DynamicAPInt &coefficient);

  /// No coefficient is zero.
  std::map<Product, llvm::DynamicAPInt> terms;
};

} // namespace mlir::scan

#endif // SCAN_LIB_ANALYSIS_SYMBOLICPOLYNOMIAL_H
