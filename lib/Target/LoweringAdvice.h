//===- LoweringAdvice.h - What to make of an operation ----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_LOWERINGADVICE_H
#define SCAN_LIB_TARGET_LOWERINGADVICE_H

#include "mlir/IR/Operation.h"

namespace mlir::scan {

/// How to make operations of linalg, arith and tensor, which are compiled, of
/// one that is not, as the end of a message: "lower it first by ...". Empty if
/// nothing but the general is known.
StringRef getLoweringAdvice(Operation *op);

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_LOWERINGADVICE_H
