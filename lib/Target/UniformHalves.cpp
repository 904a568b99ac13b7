//===- UniformHalves.cpp - Loads that ptxas gets wrong --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UniformHalves.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Target/TargetMachine.h"

/// The loads that LLVM may merge into words.
static llvm::SmallVector<llvm::LoadInst *>
getNarrowSharedLoads(llvm::Function &function) {
  const llvm::DataLayout &layout = function.getParent()->getDataLayout();
  llvm::SmallVector<llvm::LoadInst *> loads;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load && load->isSimple() &&
        load->getPointerAddressSpace() == llvm::NVPTXAS::ADDRESS_SPACE_SHARED &&
        layout.getTypeSizeInBits(load->getType()->getScalarType()) <= 16)
      loads.push_back(load);
  }
  return loads;
}

void mlir::scan::keepUniformHalvesApart(llvm::Module &module,
                                        llvm::TargetMachine &machine) {
  llvm::PassBuilder builder(&machine);
  llvm::FunctionAnalysisManager analyses;
  builder.registerFunctionAnalyses(analyses);
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  analyses.registerPass(
      [&] { return llvm::ModuleAnalysisManagerFunctionProxy(modules); });
  for (llvm::Function &function : module) {
    llvm::SmallVector<llvm::LoadInst *> loads = getNarrowSharedLoads(function);
    if (loads.empty())
      continue;
    const auto &uniformity =
        analyses.getResult<llvm::UniformityInfoAnalysis>(function);
    for (llvm::LoadInst *load : loads)
      if (uniformity.isUniform(load->getPointerOperand()))
        load->setVolatile(true);
  }
}
