//===- PointwiseRecurrence.h - Recurrences of lanes -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_RECURRENCETOLOOPS_POINTWISERECURRENCE_H
#define SCAN_LIB_CONVERSION_RECURRENCETOLOOPS_POINTWISERECURRENCE_H

#include "Scan/IR/ScanRecurrence.h"

namespace mlir::scan {

/// True if the steps of `op` look one row back and compute each lane from the
/// same lane of rows, without the number of the row. How many steps there are
/// is the extent of the inputs.
bool isPointwise(RecurrenceOp op);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_RECURRENCETOLOOPS_POINTWISERECURRENCE_H
