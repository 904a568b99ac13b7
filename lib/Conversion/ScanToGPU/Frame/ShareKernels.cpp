//===- ShareKernels.cpp - One kernel for equal launches -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShareKernels.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

/// All attributes of a kernel but its name.
static DictionaryAttr getAttributes(gpu::GPUFuncOp kernel) {
  NamedAttrList attributes(kernel->getAttrDictionary());
  attributes.erase(SymbolTable::getSymbolAttrName());
  return attributes.getDictionary(kernel.getContext());
}

void mlir::scan::shareKernels(ArrayRef<gpu::LaunchFuncOp> launches) {
  // By the function, whose name kernels have, and attributes, which have the
  // schedule and the plan: few need to be compared.
  DenseMap<std::pair<Operation *, DictionaryAttr>,
           SmallVector<gpu::GPUFuncOp, 1>>
      kernels;
  for (gpu::LaunchFuncOp launch : launches) {
    auto kernel = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
        launch, launch.getKernel());
    Operation *function = launch->getParentOfType<FunctionOpInterface>();
    SmallVector<gpu::GPUFuncOp, 1> &others =
        kernels[{function, getAttributes(kernel)}];
    auto *same = llvm::find_if(others, [&](gpu::GPUFuncOp other) {
      return other == kernel || OperationEquivalence::isRegionEquivalentTo(
                                    &other.getBody(), &kernel.getBody(),
                                    OperationEquivalence::IgnoreLocations);
    });
    if (same == others.end()) {
      others.push_back(kernel);
    } else if (*same != kernel) {
      launch.setKernelAttr(
          SymbolRefAttr::get(launch.getKernelModuleName(),
                             {FlatSymbolRefAttr::get((*same).getNameAttr())}));
      kernel.erase();
    }
  }
}
