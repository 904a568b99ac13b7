//===- TimeLoops.h - Recurrences before they are differentiated -*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_DIFFERENTIATE_TIMELOOPS_H
#define SCAN_LIB_TRANSFORMS_DIFFERENTIATE_TIMELOOPS_H

#include "Scan/IR/ScanRecurrence.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::scan::differentiate {

/// `count` rows from `first` on of `tensor`, whose extents are `sizes` but for
/// `dim`, that of time.
Value createRows(OpBuilder &builder, Location loc, Value tensor,
                 SmallVector<OpFoldResult> sizes, int64_t dim,
                 OpFoldResult first, OpFoldResult count);
/// `tensor` with `rows` from `first` on.
Value insertRows(OpBuilder &builder, Location loc, Value rows, Value tensor,
                 SmallVector<OpFoldResult> sizes, int64_t dim,
                 OpFoldResult first, OpFoldResult count);

/// Gives the histories of each scan.recurrence in `root` the rows of its init,
/// and what has read a history a slice: the backward pass reads the rows that a
/// step has read as slices of one tensor then, and copies none.
void keepInitRows(Operation *root);

/// Unrolls short loops in the steps of recurrences of `function`, and makes
/// selections of branches whose sides can both be computed.
void flattenSteps(func::FuncOp function);

/// Makes recurrences over parts of `interval` steps of those in `root` that
/// have more steps, but for those in the body of another one.
void checkpoint(Operation *root, int64_t interval);

/// The slices of the history of state `state` that `keepInitRows` makes: all
/// but the rows of the init. Their cotangents are looked at with the
/// recurrence, row by row, and not as parts of a tensor that has zeros for the
/// rest.
SmallVector<tensor::ExtractSliceOp> getStepRows(RecurrenceOp op,
                                                unsigned state);
/// True if `op` is one of them.
bool isStepRows(Operation *op);

} // namespace mlir::scan::differentiate

#endif // SCAN_LIB_TRANSFORMS_DIFFERENTIATE_TIMELOOPS_H
