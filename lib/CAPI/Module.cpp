//===- Module.cpp - Programs: read, check, transform, write ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan-c/Module.h"
#include "Scan-c/Dialect.h"
#include "Support.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::scan::capi;

/// Returns success if there are a module and a callback.
static LogicalResult checkOutput(MlirModule module, MlirStringCallback callback,
                                 StringRef function) {
  if (failed(checkHandle(module, function, "module")))
    return failure();
  if (callback)
    return success();
  return emitMisuse(unwrap(module).getContext(), function)
         << "callback is null";
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static MlirModule parse(MLIRContext *context,
                        std::unique_ptr<llvm::MemoryBuffer> buffer) {
  // Shared: resources of bytecode stay where they are in the buffer.
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  return wrap(
      parseSourceFile<ModuleOp>(sources, ParserConfig(context)).release());
}

MlirModule mlirScanModuleParse(MlirContext context, MlirStringRef source,
                               MlirStringRef name) {
  StringRef function = "mlirScanModuleParse";
  if (failed(checkHandle(context, function, "context")) ||
      failed(checkString(unwrap(context), source, function, "source")) ||
      failed(checkString(unwrap(context), name, function, "name")))
    return {nullptr};
  // A copy, because the lexer wants a zero behind the end.
  return parse(unwrap(context), llvm::MemoryBuffer::getMemBufferCopy(
                                    unwrap(source), unwrap(name)));
}

MlirModule mlirScanModuleParseFile(MlirContext context, MlirStringRef path) {
  StringRef function = "mlirScanModuleParseFile";
  if (failed(checkHandle(context, function, "context")) ||
      failed(checkString(unwrap(context), path, function, "path")))
    return {nullptr};
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      openInputFile(unwrap(path), &error);
  if (!buffer) {
    emitError(UnknownLoc::get(unwrap(context))) << error;
    return {nullptr};
  }
  return parse(unwrap(context), std::move(buffer));
}

MlirModule mlirScanModuleClone(MlirModule module) {
  if (failed(checkHandle(module, "mlirScanModuleClone", "module")))
    return {nullptr};
  return wrap(unwrap(module).clone());
}

void mlirScanModuleDestroy(MlirModule module) {
  if (module.ptr)
    unwrap(module)->erase();
}

MlirContext mlirScanModuleGetContext(MlirModule module) {
  return module.ptr ? wrap(unwrap(module).getContext()) : MlirContext{nullptr};
}

//===----------------------------------------------------------------------===//
// Checking, writing
//===----------------------------------------------------------------------===//

MlirLogicalResult mlirScanModuleVerify(MlirModule module) {
  if (failed(checkHandle(module, "mlirScanModuleVerify", "module")))
    return mlirLogicalResultFailure();
  return wrap(verify(unwrap(module)));
}

MlirLogicalResult mlirScanModulePrint(MlirModule module, bool withLocations,
                                      MlirStringCallback callback,
                                      void *userData) {
  if (failed(checkOutput(module, callback, "mlirScanModulePrint")))
    return mlirLogicalResultFailure();
  CallbackStream stream(callback, userData);
  OpPrintingFlags flags;
  if (withLocations)
    flags.enableDebugInfo();
  unwrap(module)->print(stream, flags);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult mlirScanModuleWriteBytecode(MlirModule module,
                                              MlirStringCallback callback,
                                              void *userData) {
  if (failed(checkOutput(module, callback, "mlirScanModuleWriteBytecode")))
    return mlirLogicalResultFailure();
  CallbackStream stream(callback, userData);
  return wrap(writeBytecodeToFile(unwrap(module), stream));
}

MlirLogicalResult mlirScanModuleForEachFunction(MlirModule module,
                                                MlirStringCallback callback,
                                                void *userData) {
  if (failed(checkOutput(module, callback, "mlirScanModuleForEachFunction")))
    return mlirLogicalResultFailure();
  for (auto function : unwrap(module).getOps<FunctionOpInterface>())
    if (function.isPublic() && !function.isExternal())
      callback(wrap(function.getName()), userData);
  return mlirLogicalResultSuccess();
}

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

/// Adds what `text` says to `manager`, a pipeline on modules. `error` receives
/// the reason of a failure.
static LogicalResult addPipeline(StringRef text, PassManager &manager,
                                 std::string &error) {
  // "builtin.module(...)" as a whole, or what is between the parentheses.
  StringRef elements = text.trim();
  if (elements.consume_front(ModuleOp::getOperationName()) &&
      elements.ltrim().starts_with("(") && elements.ends_with(")"))
    elements = elements.ltrim().drop_front().drop_back();
  else
    elements = text;
  llvm::raw_string_ostream stream(error);
  return parsePassPipeline(elements, manager, stream);
}

MlirLogicalResult mlirScanModuleRunPipeline(MlirModule module,
                                            MlirStringRef pipeline) {
  StringRef function = "mlirScanModuleRunPipeline";
  if (failed(checkHandle(module, function, "module")))
    return mlirLogicalResultFailure();
  ModuleOp op = unwrap(module);
  if (failed(checkString(op.getContext(), pipeline, function, "pipeline")))
    return mlirLogicalResultFailure();
  mlirScanRegisterAllPasses();
  provideDialects(op.getContext());
  auto manager = PassManager::on<ModuleOp>(op.getContext());
  std::string error;
  if (failed(addPipeline(unwrap(pipeline), manager, error)))
    return wrap(LogicalResult(emitMisuse(op.getContext(), function)
                              << "cannot read the pipeline: "
                              << StringRef(error).trim()));
  // Passes rely on what verifiers check.
  return wrap(success(succeeded(verify(op)) && succeeded(manager.run(op))));
}
