//===- Sigmoids.cpp - Exponentials and divisions of sigmoids --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sigmoids.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::scan;

bool mlir::scan::isSigmoid(Operation *op) {
  auto division = dyn_cast<arith::DivFOp>(op);
  if (!division || !division.getType().isF32() ||
      !matchPattern(division.getLhs(), m_OneFloat()))
    return false;
  auto sum = division.getRhs().getDefiningOp<arith::AddFOp>();
  // Constants are second operands.
  return sum && matchPattern(sum.getRhs(), m_OneFloat()) &&
         sum.getLhs().getDefiningOp<math::ExpOp>();
}

/// Whether `value` is a number that was extended from bf16, or that of another
/// sign.
static bool isExtended(Value value) {
  if (auto extension = value.getDefiningOp<arith::ExtFOp>())
    return extension.getIn().getType().isBF16();
  Operation *op = value.getDefiningOp();
  return isa_and_present<arith::NegFOp, math::AbsFOp>(op) &&
         isExtended(op->getOperand(0));
}

/// Whether `value` is 1 / (1 + exp(x)) of `exponential`.
static bool isSigmoidOf(Value value, math::ExpOp exponential) {
  Operation *op = value.getDefiningOp();
  return op && isSigmoid(op) &&
         op->getOperand(1).getDefiningOp()->getOperand(0) ==
             exponential.getResult();
}

bool mlir::scan::isOfNarrowSigmoids(math::ExpOp exponential) {
  return exponential.getType().isF32() &&
         !bitEnumContainsAll(exponential.getFastmath(),
                             arith::FastMathFlags::afn) &&
         isExtended(exponential.getOperand()) &&
         llvm::all_of(exponential->getUsers(), [&](Operation *user) {
           if (isa<arith::AddFOp>(user))
             return llvm::all_of(user->getUsers(), isSigmoid);
           return isa<arith::MulFOp>(user) &&
                  (isSigmoidOf(user->getOperand(0), exponential) ||
                   isSigmoidOf(user->getOperand(1), exponential));
         });
}
