//===- Elements.h - Arrays that scan-matrix makes and compares --*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TEST_MATRIX_ELEMENTS_H
#define SCAN_TEST_MATRIX_ELEMENTS_H

#include "Plan.h"
#include "Scan/Reference/HostArray.h"
#include <complex>

namespace mlir::scan::matrix {

/// The element `i` of a floating-point or complex array.
std::complex<double> getElement(const HostArray &array, int64_t i);

/// Whether elements are floating-point or complex numbers.
bool isFloatLike(Type elementType);

/// An array of random elements; the same one for the same seed.
HostArray makeInput(const Operand &operand, Type elementType,
                    llvm::ArrayRef<int64_t> shape, uint64_t seed);

/// The moduli of the elements; integers stay as they are.
HostArray makeModuli(const HostArray &array);

/// What the comparison of two arrays found.
struct Comparison {
  int64_t elements = 0;
  int64_t mismatches = 0;
  /// Over all elements: the largest error, and the largest error in units of
  /// its bound.
  double maxError = 0, maxRatio = 0;
  bool bitwiseEqual = true;
  /// Describes the first mismatch.
  std::string first;
};

/// How a result is compared.
struct Tolerance {
  /// Rounding errors of one combine; 0: bit for bit.
  int64_t roundings = 0;
  /// Dimension of the result that is scanned; none for a final state.
  std::optional<int64_t> dim;
  bool reverse = false;
  /// Combines up to the final state.
  int64_t extent = 0;
};

/// Compares `found` with `expected`. `moduli` is the result of the same program
/// for the moduli of its inputs. For the bound see Elements.cpp.
Comparison compare(const HostArray &expected, const HostArray &found,
                   const HostArray *moduli, const Tolerance &tolerance);

} // namespace mlir::scan::matrix

#endif // SCAN_TEST_MATRIX_ELEMENTS_H
