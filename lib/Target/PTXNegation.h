//===- PTXNegation.h - Negations that ptxas gets wrong ----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_PTXNEGATION_H
#define SCAN_LIB_TARGET_PTXNEGATION_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::scan {

/// Writes every negation of an integer in `ptx`, as LLVM prints it, as
/// complement and increment.
///
/// ptxas takes `neg`, and `sub` from 0, to have no overflow, and drops the
/// conversion or the comparison behind it accordingly: the largest of the
/// negated smallest number and others comes out wrong (seen on an H200 with the
/// driver 580.159; CUDA C++ leaves signed overflow undefined, MLIR's arithmetic
/// wraps). What is written here is not recognised as a negation.
std::string spellOutNegations(llvm::StringRef ptx);

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_PTXNEGATION_H
