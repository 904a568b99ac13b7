//===- CWrapper.h - Functions that C calls, in LLVM IR ----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_EXECUTION_CWRAPPER_H
#define SCAN_LIB_EXECUTION_CWRAPPER_H

#include "CSignature.h"

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::scan {

/// Adds the functions of `signatures` to `module`, which has those that take
/// memref descriptors, under the names of `getRenamedSymbol`. These become
/// internal, and so does what they call when a check fails: `puts` and `abort`
/// return to the wrapper instead.
void addCWrappers(llvm::Module &module, ArrayRef<CSignature> signatures);

} // namespace mlir::scan

#endif // SCAN_LIB_EXECUTION_CWRAPPER_H
