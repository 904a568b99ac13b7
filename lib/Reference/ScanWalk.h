//===- ScanWalk.h - Lines of a scan -----------------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_REFERENCE_SCANWALK_H
#define SCAN_LIB_REFERENCE_SCANWALK_H

#include "Compiler.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::scan::reference {

/// Calls `fn` with the first point of each line along `dim`, in row-major order
/// of the other dimensions: the number of the call is the line's position in a
/// tensor without `dim`.
LogicalResult
forEachLine(ArrayRef<int64_t> shape, int64_t dim,
            llvm::function_ref<LogicalResult(ArrayRef<int64_t>)> fn);

SmallVector<int64_t> withoutDim(ArrayRef<int64_t> shape, int64_t dim);

int64_t dot(ArrayRef<int64_t> a, ArrayRef<int64_t> b);

FailureOr<Step> compileCompensated(Compiler &compiler, AssociativeOp op);
FailureOr<Step> compileLinearRecurrence(Compiler &compiler,
                                        LinearRecurrenceOp op);
FailureOr<Step> compileShift(Compiler &compiler, ShiftOp op);
FailureOr<Step> compileKernel(Compiler &compiler, KernelOp op);
FailureOr<Step> compileScatter(Compiler &compiler, ScatterOp op);

} // namespace mlir::scan::reference

#endif // SCAN_LIB_REFERENCE_SCANWALK_H
