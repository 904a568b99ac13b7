//===- Driver.h - Looks for programs that are compiled wrongly --*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What scan-fuzz does, as a library.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_DRIVER_H
#define SCAN_LIB_FUZZ_DRIVER_H

#include "FuzzOptions.h"

namespace mlir::scan::fuzz {

/// Runs programs on all targets and compares. Tests for what failed and the
/// summary go to `out`, progress to `err` if it is a terminal, errors in any
/// case. Success means that nothing failed.
LogicalResult runDifferential(const FuzzOptions &options,
                              llvm::raw_ostream &out,
                              llvm::raw_fd_ostream &err);

/// Runs mutated programs through parser, verifier and passes. Success means
/// that nothing crashed.
LogicalResult runVerifier(const FuzzOptions &options, llvm::raw_ostream &out,
                          llvm::raw_fd_ostream &err);

/// Runs random graphs by the interpreter before and after passes, and on the
/// targets. Success means that all numbers are equal.
LogicalResult runGraphs(const FuzzOptions &options, llvm::raw_ostream &out,
                        llvm::raw_fd_ostream &err);

/// Runs random recurrences by the interpreter before and after passes, and on
/// the targets. Success means that all numbers are equal.
LogicalResult runCells(const FuzzOptions &options, llvm::raw_ostream &out,
                       llvm::raw_fd_ostream &err);

/// Runs random programs through random lists of passes. Success means that all
/// numbers stay what they are, that nothing crashes, and that no pass refuses
/// what it should not.
LogicalResult runMixes(const FuzzOptions &options, llvm::raw_ostream &out,
                       llvm::raw_fd_ostream &err);

/// Reads damaged files: bytecode, launch manifests (where there is a driver)
/// and arrays. Success means that no code of this project crashes.
LogicalResult runFiles(const FuzzOptions &options, llvm::raw_ostream &out,
                       llvm::raw_fd_ostream &err);

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_DRIVER_H
