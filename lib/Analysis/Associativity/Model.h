//===- Model.h - Values that a solver prints --------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_ANALYSIS_ASSOCIATIVITY_MODEL_H
#define SCAN_LIB_ANALYSIS_ASSOCIATIVITY_MODEL_H

#include "RegionTerms.h"
#include "mlir/IR/Types.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/APInt.h"

namespace mlir::scan::associativity {

/// The bits of the number of type `type` (an integer, index, or float) that
/// `text` says in the way of SMT-LIB: a truth value, a bit vector, a real
/// number (which is rounded to the type), or a float. Fails for what no number
/// of that type can be, such as the roots of polynomials that z3 writes as
/// root-obj.
FailureOr<llvm::APInt> parseValue(StringRef text, Type type, FloatTheory theory,
                                  Encoding encoding);

} // namespace mlir::scan::associativity

#endif // SCAN_LIB_ANALYSIS_ASSOCIATIVITY_MODEL_H
