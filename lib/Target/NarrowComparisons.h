//===- NarrowComparisons.h - Indices compared as 32 bits --------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_NARROWCOMPARISONS_H
#define SCAN_LIB_TARGET_NARROWCOMPARISONS_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::scan {

/// Compares the low words of 64-bit numbers whose high words are known to be
/// zero, such as numbers of threads and warps, which are indices: a comparison
/// of 64 bits is two instructions. LLVM's optimisations do the opposite, so
/// that this comes behind them.
void narrowComparisons(llvm::Module &module);

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_NARROWCOMPARISONS_H
