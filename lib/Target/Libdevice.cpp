//===- Libdevice.cpp - Math functions for NVIDIA's GPUs -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Libdevice.h"
#include "CudaToolkit.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace mlir;
using namespace mlir::scan;

/// The math functions that `modules` call but do not define, and where from.
static llvm::MapVector<StringRef, Location>
getUndefinedMath(ArrayRef<gpu::GPUModuleOp> modules) {
  llvm::MapVector<StringRef, Location> called;
  for (gpu::GPUModuleOp module : modules)
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      if (function.isExternal() && function.getName().starts_with("__nv_"))
        called.insert({function.getName(), module.getLoc()});
  return called;
}

FailureOr<Libdevice> Libdevice::read(ArrayRef<gpu::GPUModuleOp> modules,
                                     const PTXTarget &target) {
  Libdevice result;
  llvm::MapVector<StringRef, Location> called = getUndefinedMath(modules);
  if (called.empty())
    return result;
  auto [firstName, location] = called.front();
  std::string path =
      target.libdevice.empty() ? findLibdevice() : target.libdevice;
  if (path.empty())
    return emitError(location)
           << "the math function " << firstName << " is defined in "
           << "libdevice.10.bc, which was not found: " << getToolkitHelp()
           << "; or give its path with --libdevice=PATH";
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> library =
      llvm::getLazyIRFileModule(path, error, context);
  if (!library)
    return emitError(location) << "cannot read libdevice from '" << path
                               << "': " << error.getMessage();
  llvm::Module part("libdevice", context);
  part.setTargetTriple(library->getTargetTriple());
  part.setDataLayout(library->getDataLayout());
  for (auto &[name, calledFrom] : called) {
    llvm::Function *function = library->getFunction(name);
    if (!function || function->isDeclaration())
      return emitError(calledFrom)
             << "libdevice in '" << path << "' does not define " << name
             << ", which a kernel calls";
    llvm::Function::Create(function->getFunctionType(),
                           llvm::GlobalValue::ExternalLinkage, name, part);
  }
  if (llvm::Linker::linkModules(part, std::move(library),
                                llvm::Linker::Flags::LinkOnlyNeeded))
    return emitError(location) << "cannot link libdevice from '" << path << "'";
  llvm::raw_svector_ostream stream(result.bitcode);
  llvm::WriteBitcodeToFile(part, stream);
  return result;
}

LogicalResult Libdevice::link(llvm::Module &module, Location location) const {
  if (bitcode.empty())
    return success();
  llvm::Expected<std::unique_ptr<llvm::Module>> library =
      llvm::parseBitcodeFile({StringRef(bitcode.data(), bitcode.size()), ""},
                             module.getContext());
  if (!library)
    return emitError(location) << "cannot read a part of libdevice: "
                               << llvm::toString(library.takeError());
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  auto internalize = [](llvm::Module &linked, const llvm::StringSet<> &names) {
    llvm::internalizeModule(linked, [&](const llvm::GlobalValue &value) {
      return !value.hasName() || !names.contains(value.getName());
    });
  };
  if (llvm::Linker::linkModules(module, std::move(*library),
                                llvm::Linker::Flags::LinkOnlyNeeded,
                                internalize))
    return emitError(location) << "cannot link a part of libdevice";
  return success();
}
