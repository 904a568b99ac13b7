//===- HostExtrema.h - Maxima and minima of vectors -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_EXECUTION_HOSTEXTREMA_H
#define SCAN_LIB_EXECUTION_HOSTEXTREMA_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir::scan {

/// Makes two instructions and a masked one of llvm.maximum and llvm.minimum of
/// vectors where `machine`, or a function of `module`, has AVX-512. LLVM 22
/// makes six of them for the sake of NaN and of signed zeros.
void expandExtrema(llvm::Module &module, const llvm::TargetMachine &machine);

} // namespace mlir::scan

#endif // SCAN_LIB_EXECUTION_HOSTEXTREMA_H
