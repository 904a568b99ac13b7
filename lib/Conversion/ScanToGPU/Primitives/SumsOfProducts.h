//===- SumsOfProducts.h - Sums as fused multiply-adds -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums in the maps of a kernel whose additions may be reordered and contracted,
// as those over unrolled states. A product that is a term takes one operation in
// place of two, the real or the imaginary part of a product of complex numbers
// two in place of four. Where only one of each two states that are complex
// conjugates is computed, terms are twice such a part: their sum is doubled, not
// each of them.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_SUMSOFPRODUCTS_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_SUMSOFPRODUCTS_H

#include "Scan/IR/ScanDialect.h"

namespace mlir::scan {

/// Makes fused multiply-adds of such sums in what `kernel` stores.
void contractSums(KernelOp kernel);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_SUMSOFPRODUCTS_H
