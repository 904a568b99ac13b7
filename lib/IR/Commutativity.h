//===- Commutativity.h - Which combine regions commute ----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_COMMUTATIVITY_H
#define SCAN_LIB_IR_COMMUTATIVITY_H

#include "Scan/IR/ScanDialect.h"

namespace mlir::scan {

/// Whether the combine region f of `kernel` has f(a, b) = f(b, a), bit for bit
/// but for what a NaN carries and the sign of a zero: because that was proved
/// (OperatorFacts.h), or because the region computes the same with its two
/// states exchanged, up to the order of the operands of commutative operations:
/// sums, extrema, the softmax pair, products of complex numbers. False where
/// neither is known.
bool isCommutative(KernelOp kernel);

} // namespace mlir::scan

#endif // SCAN_LIB_IR_COMMUTATIVITY_H
