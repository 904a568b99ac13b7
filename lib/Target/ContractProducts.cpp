//===- ContractProducts.cpp - Products and sums become one operation ------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractProducts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using llvm::BinaryOperator;
using llvm::Instruction;

/// Operand `number` of `op`, if it is a product that may be contracted with it.
static BinaryOperator *getProduct(Instruction &op, unsigned number) {
  auto *product = llvm::dyn_cast<BinaryOperator>(op.getOperand(number));
  bool contracts = product && product->getOpcode() == Instruction::FMul &&
                   product->hasAllowContract() && product->hasOneUse() &&
                   product->getParent() == op.getParent();
  return contracts ? product : nullptr;
}

static void contract(Instruction &op) {
  llvm::Type *element = op.getType()->getScalarType();
  bool isDifference = op.getOpcode() == Instruction::FSub;
  if ((!isDifference && op.getOpcode() != Instruction::FAdd) ||
      !op.hasAllowContract() ||
      (!element->isFloatTy() && !element->isDoubleTy()))
    return;
  for (unsigned number : {0, 1}) {
    BinaryOperator *product = getProduct(op, number);
    if (!product)
      continue;
    llvm::IRBuilder<> builder(&op);
    llvm::Value *factor = product->getOperand(0),
                *addend = op.getOperand(1 - number);
    if (isDifference) {
      llvm::Value *&negated = number == 0 ? addend : factor;
      negated = builder.CreateFNeg(negated);
    }
    op.replaceAllUsesWith(
        builder.CreateIntrinsic(llvm::Intrinsic::fma, {op.getType()},
                                {factor, product->getOperand(1), addend}));
    op.eraseFromParent();
    product->eraseFromParent();
    return;
  }
}

void mlir::scan::contractProducts(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (Instruction &op : llvm::make_early_inc_range(block))
        contract(op);
}
