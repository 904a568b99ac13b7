//===- HostExtrema.cpp - Maxima and minima of vectors ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// vrangeps and vrangepd order zeros by their signs, as llvm.maximum does, but
// of a NaN and a number they give the number. The sum of both is NaN:
//
//   range = vrange a, b
//   select (a or b is NaN), a + b, range
//
//===----------------------------------------------------------------------===//

#include "HostExtrema.h"

#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir::scan;

/// What vrange compares by: the smaller or the larger number, with the sign of
/// what was chosen.
static constexpr unsigned kRangeMinimum = 4, kRangeMaximum = 5;
/// The rounding mode that is the current one.
static constexpr unsigned kCurrentDirection = 4;

/// Of a register of `lanes` numbers; not_intrinsic if there is none.
static llvm::Intrinsic::ID getRangeIntrinsic(const llvm::Type *element,
                                             unsigned lanes) {
  unsigned bits = lanes * element->getPrimitiveSizeInBits();
  if (element->isFloatTy())
    return bits == 512   ? llvm::Intrinsic::x86_avx512_mask_range_ps_512
           : bits == 256 ? llvm::Intrinsic::x86_avx512_mask_range_ps_256
           : bits == 128 ? llvm::Intrinsic::x86_avx512_mask_range_ps_128
                         : llvm::Intrinsic::not_intrinsic;
  if (element->isDoubleTy())
    return bits == 512   ? llvm::Intrinsic::x86_avx512_mask_range_pd_512
           : bits == 256 ? llvm::Intrinsic::x86_avx512_mask_range_pd_256
           : bits == 128 ? llvm::Intrinsic::x86_avx512_mask_range_pd_128
                         : llvm::Intrinsic::not_intrinsic;
  return llvm::Intrinsic::not_intrinsic;
}

static void expandExtremum(llvm::IntrinsicInst *extremum) {
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(extremum->getType());
  // Without NaN and signed zeros there is one instruction.
  if (!type || extremum->hasNoNaNs())
    return;
  unsigned lanes = type->getNumElements();
  llvm::Intrinsic::ID range = getRangeIntrinsic(type->getElementType(), lanes);
  if (range == llvm::Intrinsic::not_intrinsic)
    return;
  bool isMaximum = extremum->getIntrinsicID() == llvm::Intrinsic::maximum;
  llvm::IRBuilder<> builder(extremum);
  llvm::Value *a = extremum->getArgOperand(0), *b = extremum->getArgOperand(1);
  llvm::SmallVector<llvm::Value *> arguments = {
      a, b, builder.getInt32(isMaximum ? kRangeMaximum : kRangeMinimum),
      llvm::Constant::getNullValue(type),
      llvm::Constant::getAllOnesValue(builder.getIntNTy(std::max(lanes, 8u)))};
  if (type->getPrimitiveSizeInBits() == 512)
    arguments.push_back(builder.getInt32(kCurrentDirection));
  llvm::Value *chosen = builder.CreateIntrinsic(range, arguments);
  llvm::Value *sum = builder.CreateFAdd(a, b);
  llvm::Value *isNaN = builder.CreateFCmpUNO(a, b);
  extremum->replaceAllUsesWith(builder.CreateSelect(isNaN, sum, chosen));
  extremum->eraseFromParent();
}

void mlir::scan::expandExtrema(llvm::Module &module,
                               const llvm::TargetMachine &machine) {
  if (!machine.getTargetTriple().isX86())
    return;
  for (llvm::Function &function : module) {
    if (function.isDeclaration() ||
        !machine.getSubtargetImpl(function)->checkFeatures(
            "+avx512f,+avx512dq,+avx512vl"))
      continue;
    llvm::SmallVector<llvm::IntrinsicInst *> extrema;
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
        if (intrinsic->getIntrinsicID() == llvm::Intrinsic::maximum ||
            intrinsic->getIntrinsicID() == llvm::Intrinsic::minimum)
          extrema.push_back(intrinsic);
    for (llvm::IntrinsicInst *extremum : extrema)
      expandExtremum(extremum);
  }
}
