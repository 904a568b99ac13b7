//===- WideMaxima.cpp - Maxima with zero, of 16 bits ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WideMaxima.h"
#include "Chips.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

/// Whether `instruction` is the maximum of a number of at most 16 bits and 0.
static bool isNarrowMaximumWithZero(const llvm::Instruction &instruction) {
  const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == llvm::Intrinsic::smax &&
         call->getType()->isIntegerTy() &&
         call->getType()->getIntegerBitWidth() <= 16 &&
         llvm::any_of(call->args(), [](const llvm::Use &operand) {
           return llvm::PatternMatch::match(operand.get(),
                                            llvm::PatternMatch::m_Zero());
         });
}

void mlir::scan::widenMaximaWithZero(llvm::Module &module, const Chip &chip) {
  if (chip.computeCapability < 90)
    return;
  llvm::SmallVector<llvm::Instruction *> maxima;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (isNarrowMaximumWithZero(instruction))
        maxima.push_back(&instruction);
  for (llvm::Instruction *maximum : maxima) {
    llvm::IRBuilder<> builder(maximum);
    llvm::Type *wide = builder.getInt32Ty();
    llvm::Value *result = builder.CreateBinaryIntrinsic(
        llvm::Intrinsic::smax, builder.CreateSExt(maximum->getOperand(0), wide),
        builder.CreateSExt(maximum->getOperand(1), wide));
    maximum->replaceAllUsesWith(
        builder.CreateTrunc(result, maximum->getType()));
    maximum->eraseFromParent();
  }
}
