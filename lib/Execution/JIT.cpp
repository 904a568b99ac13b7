//===- JIT.cpp - Machine code from the LLVM dialect -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Execution/JIT.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::scan;

JITModule::JITModule(std::unique_ptr<llvm::orc::LLJIT> jit)
    : jit(std::move(jit)) {}
JITModule::~JITModule() = default;

static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     const JITOptions &options) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  // Scans are bound by memory; unrolling them only costs time to compile.
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = false;
  llvm::PassBuilder builder(&machine, tuning);
  if (options.extend)
    options.extend(builder);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::ModulePassManager passes =
      options.level == llvm::OptimizationLevel::O0
          ? builder.buildO0DefaultPipeline(options.level)
          : builder.buildPerModuleDefaultPipeline(options.level);
  passes.run(module, modules);
}

FailureOr<std::unique_ptr<JITModule>> JITModule::compile(ModuleOp module,
                                                         JITOptions options) {
  auto fail = [&](StringRef what, llvm::Error error) {
    return emitError(module.getLoc())
           << what << ": " << llvm::toString(std::move(error));
  };
  [[maybe_unused]] static bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();

  auto host = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!host)
    return fail("cannot compile for this machine", host.takeError());
  host->setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  auto machine = host->createTargetMachine();
  if (!machine)
    return fail("cannot compile for this machine", machine.takeError());

  MLIRContext *context = module.getContext();
  registerBuiltinDialectTranslation(*context);
  registerLLVMDialectTranslation(*context);
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, *llvmContext);
  if (!llvmModule)
    return emitError(module.getLoc(), "cannot translate to LLVM IR");
  llvmModule->setTargetTriple((*machine)->getTargetTriple());
  llvmModule->setDataLayout((*machine)->createDataLayout());
  if (options.prepare)
    options.prepare(*llvmModule);
  optimize(*llvmModule, **machine, options);

  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(std::move(*host))
                 .create();
  if (!jit)
    return fail("cannot set up the JIT compiler", jit.takeError());
  llvm::orc::SymbolMap symbols;
  for (const JITSymbol &symbol : options.symbols)
    symbols[(*jit)->mangleAndIntern(symbol.name)] = {
        llvm::orc::ExecutorAddr::fromPtr(symbol.address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  if (!symbols.empty())
    if (llvm::Error error = (*jit)->getMainJITDylib().define(
            llvm::orc::absoluteSymbols(std::move(symbols))))
      return fail("cannot define run-time functions", std::move(error));
  if (llvm::Error error = (*jit)->addIRModule(llvm::orc::ThreadSafeModule(
          std::move(llvmModule), std::move(llvmContext))))
    return fail("cannot compile", std::move(error));
  std::unique_ptr<JITModule> result(new JITModule(std::move(*jit)));
  result->jit->getExecutionSession().setErrorReporter(
      [errors = &result->sessionErrors](llvm::Error error) {
        *errors += llvm::toString(std::move(error));
      });
  return result;
}

void *JITModule::lookup(StringRef name, std::string &error) {
  auto address = jit->lookup(name);
  if (!address) {
    // What is missing was reported to the session; this error only says that
    // `name` depends on it.
    llvm::consumeError(address.takeError());
    error = sessionErrors;
    return nullptr;
  }
  return address->toPtr<void *>();
}
