//===- RenameSymbols.cpp - Names that code generation does not call -------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Pipelines/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/RuntimeLibcalls.h"
#include "llvm/TargetParser/Host.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANRENAMESYMBOLS
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;

static constexpr StringLiteral kPrefix = "scan.user.";

std::string scan::getRenamedSymbol(StringRef name) {
  return (kPrefix + name).str();
}

StringRef scan::getNameBeforeRenaming(StringRef name) {
  name.consume_front(kPrefix);
  return name;
}

/// Whether lowerings or LLVM call a function of that name, or know one: LLVM
/// computes what a function called `expf` returns without a look at its body.
static bool isLibraryName(StringRef name) {
  static const llvm::TargetLibraryInfoImpl library{
      llvm::Triple(llvm::sys::getDefaultTargetTriple())};
  llvm::LibFunc function;
  if (library.getLibFunc(name, function) ||
      !llvm::RTLIB::RuntimeLibcallsInfo::lookupLibcallImplName(name).empty())
    return true;
  // Intrinsics of LLVM, and the run-time library of MLIR.
  if (name.starts_with("llvm.") || name.starts_with("_mlir_"))
    return true;
  return llvm::is_contained({"memrefCopy", "printI64", "printU64", "printF16",
                             "printBF16", "printF32", "printF64", "printString",
                             "printOpen", "printClose", "printComma",
                             "printNewline"},
                            name);
}

/// Functions with a body and globals with contents.
static bool isDefinition(Operation &op) {
  if (auto function = dyn_cast<func::FuncOp>(op))
    return !function.isExternal();
  auto global = dyn_cast<memref::GlobalOp>(op);
  return global && !global.isExternal();
}

namespace {

struct ScanRenameSymbols final
    : scan::impl::ScanRenameSymbolsBase<ScanRenameSymbols> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(all ? chooseForAll() : chooseForSome()))
      return signalPassFailure();
    if (newNames.empty())
      return;
    for (Operation &op : *getOperation().getBody())
      if (StringAttr name = newNames.lookup(SymbolTable::getSymbolName(&op)))
        SymbolTable::setSymbolName(&op, name);
    renameUses();
  }

private:
  /// Every definition gets the prefix, which is undone where people read names.
  LogicalResult chooseForAll() {
    for (Operation &op : *getOperation().getBody()) {
      auto symbol = dyn_cast<SymbolOpInterface>(op);
      if (!symbol)
        continue;
      if (isDefinition(op))
        newNames[symbol.getNameAttr()] = StringAttr::get(
            &getContext(), scan::getRenamedSymbol(symbol.getName()));
      else if (symbol.getName().starts_with(kPrefix))
        return emitError(op.getLoc())
               << "expected no name that starts with '" << kPrefix
               << "', which compiled functions get, found '" << symbol.getName()
               << "'; rename it";
    }
    return success();
  }

  /// What nobody else sees gets another name; the rest is refused.
  LogicalResult chooseForSome() {
    ModuleOp module = getOperation();
    std::optional<SymbolTable> symbols;
    for (Operation &op : *module.getBody()) {
      if (!isDefinition(op))
        continue;
      auto symbol = cast<SymbolOpInterface>(op);
      StringAttr name = symbol.getNameAttr();
      if (!isLibraryName(name))
        continue;
      if (!symbol.isPrivate())
        return emitError(op.getLoc())
               << "expected a name that no library has which compiled code "
                  "calls, found '"
               << name.getValue()
               << "'; rename it, or make it private if nothing else calls it";
      if (!symbols)
        symbols.emplace(module);
      std::string fresh = scan::getRenamedSymbol(name);
      for (unsigned number = 0; symbols->lookup(fresh); ++number)
        fresh = scan::getRenamedSymbol(name) + "_" + std::to_string(number);
      newNames[name] = StringAttr::get(&getContext(), fresh);
    }
    return success();
  }

  /// Uses in nested symbol tables mean the symbols there.
  void renameUses() {
    AttrTypeReplacer replacer;
    replacer.addReplacement(
        [&](SymbolRefAttr reference) -> std::pair<Attribute, WalkResult> {
          if (StringAttr name = newNames.lookup(reference.getRootReference()))
            reference =
                SymbolRefAttr::get(name, reference.getNestedReferences());
          return {reference, WalkResult::skip()};
        });
    for (Operation &op : *getOperation().getBody())
      op.walk<WalkOrder::PreOrder>([&](Operation *inner) {
        replacer.replaceElementsIn(inner);
        return inner->hasTrait<OpTrait::SymbolTable>() ? WalkResult::skip()
                                                       : WalkResult::advance();
      });
  }

  DenseMap<StringAttr, StringAttr> newNames;
};

} // namespace
