//===- TunedFunction.cpp - The function that is tuned ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TunedFunction.h"
#include "Scan/Pipelines/ScanToFused.h"
#include "Scan/Pipelines/ScanToPTX.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::scan;

static llvm::Expected<func::FuncOp>
findEntry(ModuleOp module, StringRef program, StringRef entry) {
  std::string names;
  unsigned count = 0;
  func::FuncOp found;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal() || !function.isPublic())
      continue;
    names += (count++ ? ", '" : "'") + function.getName().str() + "'";
    if (entry.empty() || function.getName() == entry)
      found = function;
  }
  if (count == 0)
    return llvm::createStringError("expected a public function in '" + program +
                                   "', found none");
  if (entry.empty() && count > 1)
    return llvm::createStringError(
        "'" + program +
        "' has several public functions, say which with --entry: " + names);
  if (!found)
    return llvm::createStringError("no public function '" + entry + "' in '" +
                                   program + "'; public functions: " + names);
  return found;
}

llvm::Expected<TunedFunction> TunedFunction::get(ModuleOp module,
                                                 StringRef program,
                                                 StringRef entry,
                                                 int64_t maxStateBytes) {
  llvm::Expected<func::FuncOp> found = findEntry(module, program, entry);
  if (!found)
    return found.takeError();
  // Only what it calls is compiled.
  for (auto function : module.getOps<func::FuncOp>())
    function.setVisibility(function == *found
                               ? SymbolTable::Visibility::Public
                               : SymbolTable::Visibility::Private);
  auto pm = PassManager::on<ModuleOp>(module.getContext());
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  TensorPassOptions tensors;
  tensors.maxStateBytes = maxStateBytes;
  buildScanToFusedPipeline(pm, /*isForGPU=*/true, tensors);
  if (failed(pm.run(module)))
    return llvm::createStringError("'" + program + "' cannot be compiled");
  return TunedFunction(module, *found, maxStateBytes);
}

llvm::Expected<TunedFunction::Compiled>
TunedFunction::compile(ArrayRef<ScheduleAttr> schedules, StringRef chip) const {
  OwningOpRef<ModuleOp> copy = module.clone();
  size_t number = 0;
  copy->lookupSymbol<func::FuncOp>(name).walk(
      [&](KernelOp kernel) { kernel.setScheduleAttr(schedules[number++]); });
  std::string message;
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
            message.empty())
          message = diagnostic.str();
        return success();
      });
  PTXOptions target;
  target.chip = chip.str();
  target.maxStateBytes = maxStateBytes;
  Compiled compiled;
  if (failed(compileToPTX(*copy, target, compiled.ptx, compiled.manifest)))
    return llvm::createStringError(message.empty() ? "it cannot be compiled"
                                                   : message);
  return compiled;
}
