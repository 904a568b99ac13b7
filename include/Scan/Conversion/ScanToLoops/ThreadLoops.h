//===- ThreadLoops.h - Loops whose iterations threads share -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_CONVERSION_SCANTOLOOPS_THREADLOOPS_H
#define SCAN_CONVERSION_SCANTOLOOPS_THREADLOOPS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::scan {

/// Of an `scf.parallel`: its iterations may run on any threads, each after
/// those before it or at the same time.
inline constexpr llvm::StringLiteral kThreadsAttrName = "scan.threads";
/// Of a `memref.alloca` of bytes: what is in it is not needed by the next
/// iteration of the loop around it.
inline constexpr llvm::StringLiteral kScratchAttrName = "scan.scratch";
/// Of an `scf.while` in such an `scf.parallel`: it waits for what another
/// thread does.
inline constexpr llvm::StringLiteral kWaitAttrName = "scan.wait";

} // namespace mlir::scan

#endif // SCAN_CONVERSION_SCANTOLOOPS_THREADLOOPS_H
