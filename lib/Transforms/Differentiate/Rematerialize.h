//===- Rematerialize.h - Rematerialize in the backward pass -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_DIFFERENTIATE_REMATERIALIZE_H
#define SCAN_LIB_TRANSFORMS_DIFFERENTIATE_REMATERIALIZE_H

#include "Scan/Transforms/Differentiate.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::scan::differentiate {

/// Gives the operations of `function` that are not in `forward` copies of the
/// elementwise operations in `forward` whose results they read, as `mode` says.
/// Returns how many copies were made.
unsigned rematerializeForward(func::FuncOp function,
                              const SmallPtrSetImpl<Operation *> &forward,
                              RematerializeMode mode);

} // namespace mlir::scan::differentiate

#endif // SCAN_LIB_TRANSFORMS_DIFFERENTIATE_REMATERIALIZE_H
