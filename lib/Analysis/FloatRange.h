//===- FloatRange.h - Bounds of floating-point values -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_ANALYSIS_FLOATRANGE_H
#define SCAN_LIB_ANALYSIS_FLOATRANGE_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include <limits>

namespace mlir::scan {

/// An interval that holds a floating-point value unless it is not a number.
struct FloatRange {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();

  bool isWithin(double low, double high) const {
    return low <= lower && upper <= high;
  }
};

/// Finds the ranges of values by interval arithmetic over the operations of
/// `arith` and `math` that compute them: the gates of recurrences, such as
/// sigmoid(x) or exp(-softplus(x)), are within [0, 1] whatever x is. Each bound
/// is rounded outward to the value's type. Of functions that targets
/// approximate, it is taken for granted that they keep the signs and limits of
/// the functions (exp(x) is at most 1 where x is at most 0), and that they are
/// as accurate as
/// --scan-fast-math documents. Block arguments, and results of any other
/// operation, are unbounded. Upstream has such an analysis for integers only.
class FloatRanges {
public:
  FloatRange get(Value value);

private:
  FloatRange compute(Value value);

  llvm::DenseMap<Value, FloatRange> known;
};

} // namespace mlir::scan

#endif // SCAN_LIB_ANALYSIS_FLOATRANGE_H
