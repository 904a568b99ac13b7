//===- OperationCost.h - What a GPU executes for an operation ---*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_SCHEDULE_OPERATIONCOST_H
#define SCAN_LIB_SCHEDULE_OPERATIONCOST_H

#include "mlir/IR/Operation.h"

namespace mlir::scan {

/// Of one thread, roughly.
struct OperationCost {
  /// Instructions; those of the special function unit, which runs at a quarter
  /// of the rate, count twice.
  int64_t instructions = 0;
  /// Instructions of the special function unit (exponential to the base of two,
  /// reciprocal, square root, and their like), and of the units for
  /// floating-point numbers of 32 bits.
  int64_t specials = 0, floats = 0;

  OperationCost &operator+=(const OperationCost &other) {
    instructions += other.instructions;
    specials += other.specials;
    floats += other.floats;
    return *this;
  }

  /// Of `op`, without the operations in its regions.
  static OperationCost get(Operation *op);
};

} // namespace mlir::scan

#endif // SCAN_LIB_SCHEDULE_OPERATIONCOST_H
