//===- Exponentials.cpp - Exponentials of inexact arguments ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exponentials.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::scan;

bool mlir::scan::dependsOnFunction(Value value) {
  SmallVector<Value> left = {value};
  DenseSet<Value> seen;
  while (!left.empty()) {
    Operation *op = left.pop_back_val().getDefiningOp();
    if (!op)
      continue;
    if (isa<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp, math::Log2Op,
            math::Log1pOp, math::TanhOp>(op))
      return true;
    for (Value operand : op->getOperands())
      if (seen.insert(operand).second)
        left.push_back(operand);
  }
  return false;
}

bool mlir::scan::isOfInexactProduct(math::ExpOp exponential) {
  Value argument = exponential.getOperand();
  if (auto negation = argument.getDefiningOp<arith::NegFOp>())
    argument = negation.getOperand();
  return exponential.getType().isF32() &&
         argument.getDefiningOp<arith::MulFOp>() && dependsOnFunction(argument);
}
