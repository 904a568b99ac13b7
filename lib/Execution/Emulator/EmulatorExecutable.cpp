//===- EmulatorExecutable.cpp - Runs GPU kernels without a GPU ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Execution/Emulator.h"
#include "Scan/Execution/Emulator/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::scan;

FailureOr<std::unique_ptr<EmulatorExecutable>>
EmulatorExecutable::compile(ModuleOp module, StringRef entry,
                            const emulator::EmulatorOptions &options) {
  FailureOr<HostCall> call =
      HostCall::get(module, entry, /*acceptMemRefs=*/true);
  if (failed(call))
    return failure();

  // Only what the entry calls and launches is compiled.
  OwningOpRef<ModuleOp> program = module.clone();
  for (auto function : program->getOps<func::FuncOp>())
    function.setVisibility(function.getName() == entry
                               ? SymbolTable::Visibility::Public
                               : SymbolTable::Visibility::Private);
  auto pm = PassManager::on<ModuleOp>(module.getContext());
  buildScanToEmulatorPipeline(pm);
  if (failed(pm.run(*program)))
    return failure();

  JITOptions jitOptions;
  // Each program is compiled to be run a few times.
  jitOptions.level = llvm::OptimizationLevel::O1;
  jitOptions.symbols = emulator::getRuntimeSymbols();
  jitOptions.prepare = [&](llvm::Module &llvmModule) {
    call->addTrampoline(llvmModule);
  };
  FailureOr<std::unique_ptr<JITModule>> jit =
      JITModule::compile(*program, std::move(jitOptions));
  if (failed(jit))
    return failure();
  std::string trampoline = call->getTrampolineName();
  std::unique_ptr<EmulatorExecutable> executable(
      new EmulatorExecutable(std::move(*call), std::move(*jit), options));
  std::string error;
  executable->address = executable->jit->lookup(trampoline, error);
  if (!executable->address)
    return emitError(executable->call.getLoc())
           << "'" << entry << "' cannot be linked: " << error;
  return executable;
}

LogicalResult EmulatorExecutable::run(ArrayRef<HostArray> inputs,
                                      SmallVectorImpl<HostArray> &outputs) {
  if (failed(call.checkInputs(inputs)))
    return failure();
  // A program on memrefs may write to its parameters.
  SmallVector<HostArray> copies(inputs);
  outputs.clear();
  emulator::FiberRuntime runtime(options);
  emulator::FiberRuntime::Scope scope(runtime);
  LogicalResult result =
      call.call(address, hostRuntime, copies, outputs, lastSeconds);
  statistics = runtime.getStatistics();
  return result;
}
