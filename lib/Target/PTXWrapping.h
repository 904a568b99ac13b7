//===- PTXWrapping.h - Arithmetic that ptxas takes not to wrap --*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_PTXWRAPPING_H
#define SCAN_LIB_TARGET_PTXWRAPPING_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::scan {

/// Writes every negation of an integer in `ptx`, as LLVM prints it, as
/// complement and increment, and every absolute value as the larger of an
/// integer and its negation.
///
/// ptxas takes `neg`, `sub` from 0 and `abs` to have no overflow, and drops the
/// conversion or the comparison behind them accordingly: the largest of the
/// negated smallest number and others comes out wrong, and the absolute value
/// of the smallest number, which is that number, is taken to be positive (seen
/// on an H200 with the driver 580.159; CUDA C++ leaves signed overflow
/// undefined, MLIR's arithmetic wraps). What is written here is recognised as
/// neither.
std::string spellOutWrapping(llvm::StringRef ptx);

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_PTXWRAPPING_H
