//===- Libdevice.cpp - Math functions for NVIDIA's GPUs -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Libdevice.h"
#include "CudaToolkit.h"
#include "mlir/IR/Diagnostics.h"
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

/// The math functions that `module` calls but does not define.
static SmallVector<std::string> getUndefinedMath(const llvm::Module &module) {
  SmallVector<std::string> called;
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && function.getName().starts_with("__nv_"))
      called.push_back(function.getName().str());
  return called;
}

/// Reads the functions `names` into `part`.
LogicalResult Libdevice::readPart(Location location) {
  if (path.empty())
    path = findLibdevice();
  if (path.empty())
    return emitError(location)
           << "the math function " << names.front() << " is defined in "
           << "libdevice.10.bc, which was not found: " << getToolkitHelp()
           << "; or give its path with --libdevice=PATH";
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> library =
      llvm::getLazyIRFileModule(path, error, context);
  if (!library)
    return emitError(location) << "cannot read libdevice from '" << path
                               << "': " << error.getMessage();
  llvm::Module linked("libdevice", context);
  linked.setTargetTriple(library->getTargetTriple());
  linked.setDataLayout(library->getDataLayout());
  for (const std::string &name : names) {
    llvm::Function *function = library->getFunction(name);
    if (!function || function->isDeclaration())
      return emitError(location)
             << "libdevice in '" << path << "' does not define " << name
             << ", which a kernel calls";
    llvm::Function::Create(function->getFunctionType(),
                           llvm::GlobalValue::ExternalLinkage, name, linked);
  }
  if (llvm::Linker::linkModules(linked, std::move(library),
                                llvm::Linker::Flags::LinkOnlyNeeded))
    return emitError(location) << "cannot link libdevice from '" << path << "'";
  auto bitcode = std::make_shared<Bitcode>();
  llvm::raw_svector_ostream stream(*bitcode);
  llvm::WriteBitcodeToFile(linked, stream);
  part = std::move(bitcode);
  return success();
}

std::shared_ptr<const Libdevice::Bitcode>
Libdevice::getPart(ArrayRef<std::string> called, Location location) {
  std::lock_guard<std::mutex> lock(mutex);
  size_t known = names.size();
  for (const std::string &name : called)
    if (!llvm::is_contained(names, name))
      names.push_back(name);
  if (names.size() > known && !hasFailed)
    hasFailed = failed(readPart(location));
  return hasFailed ? nullptr : part;
}

LogicalResult Libdevice::link(llvm::Module &module, Location location) {
  SmallVector<std::string> called = getUndefinedMath(module);
  if (called.empty())
    return success();
  std::shared_ptr<const Bitcode> bitcode = getPart(called, location);
  if (!bitcode)
    return failure();
  llvm::Expected<std::unique_ptr<llvm::Module>> library =
      llvm::parseBitcodeFile({StringRef(bitcode->data(), bitcode->size()), ""},
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
