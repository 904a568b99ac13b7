//===- SplitComplex.h - Complex numbers as pairs ----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_SPLITCOMPLEX_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_SPLITCOMPLEX_H

#include "Scan/IR/ScanDialect.h"

namespace mlir::scan {

/// Makes two leaves of each complex one of a kernel on memrefs, and two
/// trailing elements of each complex number in memory, of which there are
/// vectors. Returns what has taken the place of the kernel, or the kernel if it
/// has no complex numbers. It is not bidirectional.
KernelOp splitComplex(RewriterBase &rewriter, KernelOp kernel);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_SPLITCOMPLEX_H
