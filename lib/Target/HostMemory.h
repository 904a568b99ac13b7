//===- HostMemory.h - Memory that a GPU cannot reach ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_HOSTMEMORY_H
#define SCAN_LIB_TARGET_HOSTMEMORY_H

#include "mlir/IR/Operation.h"

namespace mlir::scan {

/// Emits an error and fails if `operand`, which host code hands to the GPU by
/// `op`, is a buffer on the stack of the host, seen through views and choices.
/// What a function is given is for its caller to say.
LogicalResult checkReachable(Operation *op, Value operand);

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_HOSTMEMORY_H
