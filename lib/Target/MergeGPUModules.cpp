//===- MergeGPUModules.cpp - All kernels into one gpu.module --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Target/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::scan {
#define GEN_PASS_DEF_MERGEGPUMODULESPASS
#include "Scan/Target/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

/// Whether lowerings of kernels call a function of that name: those of
/// libdevice and of CUDA's device run-time library.
static bool isDeviceLibraryName(StringRef name) {
  return name.starts_with("__nv_") ||
         llvm::is_contained({"__assertfail", "free", "malloc", "vprintf"},
                            name);
}

/// The name of `symbol` with what PTX does not accept in an identifier
/// replaced.
static StringAttr getPTXName(SymbolOpInterface symbol) {
  std::string text = symbol.getName().str();
  for (char &c : text)
    if (!llvm::isAlnum(c) && c != '_' && c != '$')
      c = '_';
  // A single _ or $ is no identifier either.
  if (text.empty() || llvm::isDigit(text.front()) || text == "_" ||
      text == "$" || (!symbol.isDeclaration() && isDeviceLibraryName(text)))
    text.insert(0, "_");
  return StringAttr::get(symbol.getContext(), text);
}

/// `name`, or if it is in use in `target` or `module`, a name that is not.
static StringAttr getFreshName(StringAttr name, gpu::GPUModuleOp target,
                               gpu::GPUModuleOp module) {
  StringAttr fresh = name;
  for (unsigned i = 0; SymbolTable::lookupSymbolIn(target, fresh) ||
                       SymbolTable::lookupSymbolIn(module, fresh);
       ++i)
    fresh =
        StringAttr::get(name.getContext(), name.getValue() + "_" + Twine(i));
  return fresh;
}

static SymbolRefAttr getNested(StringAttr outer, StringAttr inner) {
  return SymbolRefAttr::get(outer, FlatSymbolRefAttr::get(inner));
}

namespace {

struct MergeGPUModules
    : public mlir::scan::impl::MergeGPUModulesPassBase<MergeGPUModules> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<gpu::GPUModuleOp> modules(
        getOperation().getOps<gpu::GPUModuleOp>());
    for (gpu::GPUModuleOp module : modules) {
      if (failed(renameSymbols(module, modules.front())))
        return signalPassFailure();
      if (module == modules.front())
        continue;
      modules.front().getBody()->getOperations().splice(
          modules.front().getBody()->end(), module.getBody()->getOperations());
      module.erase();
    }
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      if (SymbolRefAttr kernel = moved.lookup(launch.getKernel()))
        launch.setKernelAttr(kernel);
    });
  }

private:
  /// Gives the symbols of `module` names that are free in `target` and that PTX
  /// accepts, and notes where a launch finds them.
  LogicalResult renameSymbols(gpu::GPUModuleOp module,
                              gpu::GPUModuleOp target) {
    for (auto symbol : module.getBody()->getOps<SymbolOpInterface>()) {
      StringAttr oldName = symbol.getNameAttr();
      StringAttr newName = getPTXName(symbol);
      bool clashes =
          module != target && SymbolTable::lookupSymbolIn(target, newName);
      if (newName != oldName || clashes) {
        newName = getFreshName(newName, target, module);
        // Uses inside of the module first: they move along.
        if (failed(SymbolTable::replaceAllSymbolUses(symbol, newName, module)))
          return symbol.emitError() << "has uses that cannot be renamed";
        symbol.setName(newName);
      }
      moved[getNested(module.getNameAttr(), oldName)] =
          getNested(target.getNameAttr(), newName);
    }
    return success();
  }

  /// Where each symbol went.
  DenseMap<Attribute, SymbolRefAttr> moved;
};

} // namespace
