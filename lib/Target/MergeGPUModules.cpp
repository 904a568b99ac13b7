//===- MergeGPUModules.cpp - All kernels into one gpu.module --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Target/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::scan {
#define GEN_PASS_DEF_MERGEGPUMODULESPASS
#include "Scan/Target/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

namespace {

struct MergeGPUModules
    : public mlir::scan::impl::MergeGPUModulesPassBase<MergeGPUModules> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<gpu::GPUModuleOp> modules(
        getOperation().getOps<gpu::GPUModuleOp>());
    if (modules.size() < 2)
      return;
    gpu::GPUModuleOp target = modules.front();
    SymbolTable symbols(target);
    // Where each symbol of the later modules went.
    DenseMap<Attribute, SymbolRefAttr> moved;
    StringAttr targetName = target.getNameAttr();
    for (gpu::GPUModuleOp module : ArrayRef(modules).drop_front()) {
      StringAttr moduleName = module.getNameAttr();
      for (Operation &op :
           llvm::make_early_inc_range(module.getBody()->getOperations())) {
        auto symbol = dyn_cast<SymbolOpInterface>(op);
        if (!symbol)
          continue;
        StringAttr oldName = symbol.getNameAttr();
        if (symbols.lookup(oldName)) {
          // Uses inside of the module first: they move along.
          StringAttr newName = getFreshName(oldName, symbols, module);
          if (failed(SymbolTable::replaceAllSymbolUses(&op, newName, module))) {
            op.emitError() << "cannot be renamed to merge GPU modules";
            return signalPassFailure();
          }
          symbol.setName(newName);
        }
        auto nest = [](StringAttr outer, StringAttr inner) {
          return SymbolRefAttr::get(outer, FlatSymbolRefAttr::get(inner));
        };
        moved[nest(moduleName, oldName)] =
            nest(targetName, symbol.getNameAttr());
      }
      for (Operation &op :
           llvm::make_early_inc_range(module.getBody()->getOperations())) {
        op.remove();
        symbols.insert(&op);
      }
      module.erase();
    }
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      if (SymbolRefAttr kernel = moved.lookup(launch.getKernel()))
        launch.setKernelAttr(kernel);
    });
  }

private:
  /// A name that starts with `name` and is in use in neither module.
  static StringAttr getFreshName(StringAttr name, const SymbolTable &symbols,
                                 gpu::GPUModuleOp module) {
    for (unsigned i = 0;; ++i) {
      auto fresh =
          StringAttr::get(name.getContext(), name.getValue() + "_" + Twine(i));
      if (!symbols.lookup(fresh) && !SymbolTable::lookupSymbolIn(module, fresh))
        return fresh;
    }
  }
};

} // namespace
