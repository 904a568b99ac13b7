//===- NarrowComparisons.cpp - Indices compared as 32 bits ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NarrowComparisons.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/KnownBits.h"

/// Whether the operands of `comparison` compare as their low words do.
static bool fitsWords(llvm::ICmpInst &comparison) {
  constexpr unsigned high = 32;
  if (!comparison.getOperand(0)->getType()->isIntegerTy(64))
    return false;
  unsigned wanted = high + comparison.isSigned();
  const llvm::DataLayout &layout = comparison.getModule()->getDataLayout();
  // Constants are known at once.
  for (llvm::Value *operand :
       {comparison.getOperand(1), comparison.getOperand(0)})
    if (llvm::computeKnownBits(operand, layout).countMinLeadingZeros() < wanted)
      return false;
  return true;
}

void mlir::scan::narrowComparisons(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *comparison = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
      if (!comparison || !fitsWords(*comparison))
        continue;
      llvm::IRBuilder<> builder(comparison);
      for (llvm::Use &operand : comparison->operands())
        operand.set(builder.CreateTrunc(operand, builder.getInt32Ty()));
    }
}
