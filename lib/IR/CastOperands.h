//===- CastOperands.h - Operands behind casts -------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_CASTOPERANDS_H
#define SCAN_LIB_IR_CASTOPERANDS_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::scan::impl {

/// Replaces operands that are casts by what these cast, where that says more
/// static extents; returns whether there were any.
inline bool readThroughCasts(MutableArrayRef<Value> operands) {
  bool changed = false;
  for (Value &operand : operands) {
    auto cast = operand.getDefiningOp<tensor::CastOp>();
    if (!cast || !tensor::canFoldIntoConsumerOp(cast))
      continue;
    operand = cast.getSource();
    changed = true;
  }
  return changed;
}

} // namespace mlir::scan::impl

#endif // SCAN_LIB_IR_CASTOPERANDS_H
