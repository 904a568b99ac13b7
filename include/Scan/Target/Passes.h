//===- Passes.h - Passes around GPU targets ---------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TARGET_PASSES_H
#define SCAN_TARGET_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::scan {

/// True if `op`, in a host function, only says where buffers are and how large:
/// it needs nobody to run it.
bool isHostAddressing(Operation *op);

/// Emits the error for an operation that is left on the host, and fails.
LogicalResult emitHostOpError(Operation *op);

#define GEN_PASS_DECL
#include "Scan/Target/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Scan/Target/Passes.h.inc"

} // namespace mlir::scan

#endif // SCAN_TARGET_PASSES_H
