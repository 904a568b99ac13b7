//===- Compare.h - Results within a derived bound ---------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_COMPARE_H
#define SCAN_LIB_FUZZ_COMPARE_H

#include "Scan/Reference/HostArray.h"
#include <complex>
#include <optional>
#include <string>

namespace mlir::scan::fuzz {

/// Whether elements are floating-point or complex numbers.
bool isFloatLike(Type elementType);

/// The element `i` of a floating-point or complex array.
std::complex<double> getElement(const HostArray &array, int64_t i);
/// Writes it, rounded once.
void setElement(HostArray &array, int64_t i, std::complex<double> value);

/// The element `i` of any array, for messages.
std::string printElement(const HostArray &array, int64_t i);

/// The moduli of the elements; integers stay as they are.
HostArray makeModuli(const HostArray &array);

/// What the comparison of two arrays found.
struct Comparison {
  int64_t elements = 0;
  int64_t mismatches = 0;
  /// Elements without a bound: their terms add up to more than their type
  /// holds.
  int64_t unbounded = 0;
  /// Over all elements: the largest error, the largest bound, and the largest
  /// error in units of its bound.
  double maxError = 0, maxBound = 0, maxRatio = 0;
  bool bitwiseEqual = true;
  /// Describes the first mismatch.
  std::string first;
};

/// How a result is compared.
struct Tolerance {
  /// Rounding errors that one combine adds to a result.
  int64_t roundings = 0;
  /// Rounding errors beside those of the combines. If both are 0, the results
  /// have to be equal bit for bit (one NaN is as good as another).
  int64_t fixedRoundings = 0;
  /// How often a result of a 16-bit type was rounded to that type.
  int64_t shortRoundings = 1;
  /// Dimension of the result that is scanned; none for a final state, or where
  /// it is not told.
  std::optional<int64_t> dim;
  bool reverse = false;
  /// Combines up to the final state.
  int64_t extent = 0;

  bool isExact() const { return roundings == 0 && fixedRoundings == 0; }
};

/// Compares `found` with `expected`. `moduli`, needed unless the tolerance is
/// exact, is the result of the same program for the moduli of its inputs;
/// `growths`, needed where products of coefficients may grow, is that of
/// Variant::Growth. For the bound see Compare.cpp.
Comparison compare(const HostArray &expected, const HostArray &found,
                   const HostArray *moduli, const HostArray *growths,
                   const Tolerance &tolerance);

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_COMPARE_H
