//===- RecurrenceTypes.h - Types around scan.recurrence ---------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_RECURRENCETYPES_H
#define SCAN_LIB_IR_RECURRENCETYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ValueRange.h"

namespace mlir::scan::impl {

/// How many steps a recurrence over `inputs` has, if their types say that;
/// `hasSteps` if an operand says it.
int64_t getStaticSteps(ValueRange inputs, bool hasSteps, int64_t dim);

/// True if the rows of an output can have the type `row`.
bool isOutputRow(Type row, int64_t dim);

/// Appends the types of the results of a recurrence whose outputs have rows of
/// the types `outputs`, and which may have `segments`. Operands and rows have
/// been verified.
void appendResultTypes(ValueRange inputs, ValueRange inits, TypeRange outputs,
                       bool hasSteps, Value segments, int64_t dim,
                       bool initRows, bool finalStates,
                       SmallVectorImpl<Type> &types);

} // namespace mlir::scan::impl

#endif // SCAN_LIB_IR_RECURRENCETYPES_H
