//===- OwnLaneShuffles.cpp - Shuffles that keep a lane's own value --------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OwnLaneShuffles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using llvm::Intrinsic::ID;

/// The shuffle that does not say whether a lane is in range, for one that does.
static ID getPlainShuffle(ID shuffle) {
  switch (shuffle) {
  case llvm::Intrinsic::nvvm_shfl_sync_up_i32p:
    return llvm::Intrinsic::nvvm_shfl_sync_up_i32;
  case llvm::Intrinsic::nvvm_shfl_sync_up_f32p:
    return llvm::Intrinsic::nvvm_shfl_sync_up_f32;
  case llvm::Intrinsic::nvvm_shfl_sync_down_i32p:
    return llvm::Intrinsic::nvvm_shfl_sync_down_i32;
  case llvm::Intrinsic::nvvm_shfl_sync_down_f32p:
    return llvm::Intrinsic::nvvm_shfl_sync_down_f32;
  default:
    return llvm::Intrinsic::not_intrinsic;
  }
}

/// The shuffle that gives both what `select` chooses by and what it chooses,
/// and nothing to others; null if there is none.
static llvm::CallInst *getShuffle(llvm::SelectInst *select) {
  using namespace llvm::PatternMatch;
  llvm::Value *value = nullptr, *valid = nullptr;
  if (!match(select->getCondition(), m_ExtractValue<1>(m_Value(valid))) ||
      !match(select->getTrueValue(), m_ExtractValue<0>(m_Value(value))) ||
      value != valid)
    return nullptr;
  auto *call = llvm::dyn_cast<llvm::CallInst>(value);
  constexpr unsigned own = 1;
  if (!call ||
      getPlainShuffle(call->getIntrinsicID()) ==
          llvm::Intrinsic::not_intrinsic ||
      call->getArgOperand(own) != select->getFalseValue())
    return nullptr;
  bool isOnlyUser = llvm::all_of(call->users(), [&](llvm::User *user) {
    return user->hasOneUse() && *user->user_begin() == select;
  });
  return isOnlyUser ? call : nullptr;
}

void mlir::scan::dropOwnLaneSelects(llvm::Module &module) {
  llvm::SmallVector<std::pair<llvm::SelectInst *, llvm::CallInst *>> found;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *select = llvm::dyn_cast<llvm::SelectInst>(&instruction))
        if (llvm::CallInst *call = getShuffle(select))
          found.push_back({select, call});
  for (auto [select, call] : found) {
    llvm::IRBuilder<> builder(call);
    llvm::SmallVector<llvm::Value *> arguments(call->args());
    select->replaceAllUsesWith(builder.CreateIntrinsic(
        getPlainShuffle(call->getIntrinsicID()), {}, arguments));
    select->eraseFromParent();
    for (llvm::User *part : llvm::make_early_inc_range(call->users()))
      llvm::cast<llvm::Instruction>(part)->eraseFromParent();
    // LLVM takes shuffles to have effects, and would keep it.
    call->eraseFromParent();
  }
}
