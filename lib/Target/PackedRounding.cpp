//===- PackedRounding.cpp - Rounded to bf16, and extended again -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedRounding.h"
#include "Chips.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

/// Whether `user` extends its operand to f32.
static bool isExtension(const llvm::User *user) {
  return llvm::isa<llvm::FPExtInst>(user) && user->getType()->isFloatTy();
}

/// Whether `instruction` rounds an f32 to a bf16 that is extended again.
static bool isRoundTrip(const llvm::Instruction &instruction) {
  return llvm::isa<llvm::FPTruncInst>(instruction) &&
         instruction.getType()->isBFloatTy() &&
         instruction.getOperand(0)->getType()->isFloatTy() &&
         llvm::any_of(instruction.users(), isExtension);
}

void mlir::scan::packRoundings(llvm::Module &module, const Chip &chip) {
  if (chip.computeCapability < 80)
    return;
  llvm::SmallVector<llvm::Instruction *> roundings;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (isRoundTrip(instruction))
        roundings.push_back(&instruction);
  for (llvm::Instruction *rounding : roundings) {
    llvm::IRBuilder<> builder(rounding);
    llvm::Type *wide = builder.getFloatTy();
    llvm::Value *pair = builder.CreateIntrinsic(
        llvm::Intrinsic::nvvm_ff2bf16x2_rn, {},
        {rounding->getOperand(0), llvm::ConstantFP::getZero(wide)});
    llvm::Value *extended = builder.CreateBitCast(pair, wide);
    for (llvm::User *user : llvm::make_early_inc_range(rounding->users()))
      if (isExtension(user)) {
        user->replaceAllUsesWith(extended);
        llvm::cast<llvm::Instruction>(user)->eraseFromParent();
      }
    if (!rounding->use_empty())
      rounding->replaceAllUsesWith(
          builder.CreateExtractElement(pair, uint64_t(1)));
    rounding->eraseFromParent();
  }
}
