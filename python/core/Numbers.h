//===- Numbers.h - Python numbers in memory -------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_SCAN_PYTHON_NUMBERS_H
#define MLIR_SCAN_PYTHON_NUMBERS_H

#include "Support.h"

namespace mlir_scan {

/// Writes a number as an element of `type` to `target`, 16 bytes. False, with
/// what was found instead of one in `why`, if it has no place there: integers
/// that do not fit (with or without a sign), fractions as integers, complex
/// numbers as real ones. Floating-point numbers are rounded to the nearest,
/// even in case of a tie.
bool writeNumber(nb::handle number, MlirScanElementType type, char *target,
                 std::string &why);

/// A number that `source` holds; the other direction.
nb::object readNumber(const void *source, MlirScanElementType type);

} // namespace mlir_scan

#endif // MLIR_SCAN_PYTHON_NUMBERS_H
