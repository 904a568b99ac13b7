//===- HostAttributes.h - Marks on host functions ---------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_HOSTATTRIBUTES_H
#define SCAN_LIB_TARGET_HOSTATTRIBUTES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::scan {

/// The argument attribute of a function that marks an out-parameter: a
/// dictionary of `index`, the number of the result that it replaces, and
/// `shape`, one expression per dimension (HostExpression.h).
inline constexpr StringLiteral resultAttrName = "scan.result";

/// The attribute of the operation that clears the workspace of a kernel: no
/// kernel is made of it, and a manifest says instead that the memory has to be
/// zero before the first launch.
inline constexpr StringLiteral workspaceAttrName = "scan.workspace";

/// The attribute of a scan that was compiled several times, and of the launches
/// that it becomes: two integers, the number of the scan among those of the
/// module, from 0, and that of the variant, from 1. One variant is launched;
/// any of them computes the same, to rounding if the scan's order is `any`.
inline constexpr StringLiteral variantAttrName = "scan.variant";

/// The attribute of a function with what has to hold of its arguments' extents:
/// an array of comparisons (HostExpression.h), such as
/// ["==", "arg0_d1", "arg1_d1"].
inline constexpr StringLiteral requirementsAttrName = "scan.requires";

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_HOSTATTRIBUTES_H
