//===- HostThreadSymbols.h - What compiled code calls for threads -*- C++
//-*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_EXECUTION_HOSTTHREADSYMBOLS_H
#define SCAN_LIB_EXECUTION_HOSTTHREADSYMBOLS_H

#include "JIT.h"

namespace mlir::scan {

/// Adds the functions of libomp that code with threads calls in this process.
void addThreadSymbols(std::vector<JITSymbol> &symbols);

} // namespace mlir::scan

#endif // SCAN_LIB_EXECUTION_HOSTTHREADSYMBOLS_H
