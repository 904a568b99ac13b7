//===- ExpensiveOps.h - What is worth computing once ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_EXPENSIVEOPS_H
#define SCAN_LIB_IR_EXPENSIVEOPS_H

#include "mlir/IR/Operation.h"

namespace mlir::scan {

/// True for functions of `math` and `complex`, divisions and the like: to read
/// a result from memory is cheaper than to compute it again. Regions do not
/// count.
bool isExpensive(Operation *op);

/// The same of `op` or any operation in its regions.
bool containsExpensive(Operation *op);

} // namespace mlir::scan

#endif // SCAN_LIB_IR_EXPENSIVEOPS_H
