//===- KernelModules.cpp - A gpu.module for each kernel -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelModules.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace mlir::scan;

static bool hasSymbol(Attribute attribute) {
  return attribute.walk([](SymbolRefAttr) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Whether `op` names a symbol. Properties are looked at only where they may
/// have one: to list them as attributes takes longer than all the rest.
static bool usesSymbols(Operation *op) {
  if (isa<SymbolUserOpInterface, CallOpInterface>(op) || !op->isRegistered())
    return true;
  return llvm::any_of(op->getDiscardableAttrs(), [](NamedAttribute attribute) {
    return hasSymbol(attribute.getValue());
  });
}

/// Whether the kernels of `module` have to do with nothing else in it.
static bool isSplittable(gpu::GPUModuleOp module) {
  auto isKernel = [](Operation &op) {
    auto function = dyn_cast<gpu::GPUFuncOp>(op);
    return function && function.isKernel();
  };
  if (!llvm::all_of(*module.getBody(), isKernel))
    return false;
  auto visit = [](Operation *op) {
    return usesSymbols(op) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return !module.getBodyRegion().walk(visit).wasInterrupted();
}

SmallVector<gpu::GPUModuleOp> mlir::scan::splitKernels(ModuleOp program) {
  SmallVector<gpu::GPUModuleOp> modules(program.getOps<gpu::GPUModuleOp>());
  if (modules.size() != 1 || !isSplittable(modules.front()))
    return modules;
  gpu::GPUModuleOp first = modules.front();
  SmallVector<gpu::GPUFuncOp> kernels(first.getOps<gpu::GPUFuncOp>());
  SymbolTable symbols(program);
  DenseMap<Attribute, SymbolRefAttr> moved;
  for (gpu::GPUFuncOp kernel : ArrayRef(kernels).drop_front()) {
    auto module = cast<gpu::GPUModuleOp>(first->cloneWithoutRegions());
    module.getBodyRegion().emplaceBlock();
    symbols.insert(module, std::next(modules.back()->getIterator()));
    kernel->moveBefore(module.getBody(), module.getBody()->end());
    auto name = FlatSymbolRefAttr::get(kernel.getNameAttr());
    moved[SymbolRefAttr::get(first.getNameAttr(), name)] =
        SymbolRefAttr::get(module.getNameAttr(), name);
    modules.push_back(module);
  }
  program.walk([&](gpu::LaunchFuncOp launch) {
    if (SymbolRefAttr kernel = moved.lookup(launch.getKernel()))
      launch.setKernelAttr(kernel);
  });
  return modules;
}

void mlir::scan::renameLocalSymbols(llvm::Module &module, StringRef suffix) {
  constexpr unsigned sharedMemory = 3;
  auto isLocal = [](const llvm::GlobalValue &value) {
    return value.hasLocalLinkage() ||
           (isa<llvm::GlobalVariable>(value) && value.isDeclaration() &&
            value.getAddressSpace() == sharedMemory);
  };
  for (llvm::GlobalValue &value : module.global_values())
    if (isLocal(value))
      value.setName(value.getName() + "_" + suffix);
}

std::string mlir::scan::joinPTX(ArrayRef<std::string> texts) {
  constexpr StringLiteral lastOfHeader = ".address_size 64\n";
  std::string joined = texts.front();
  for (StringRef text : texts.drop_front())
    joined += text.substr(text.find(lastOfHeader) + lastOfHeader.size());
  return joined;
}
