//===- JIT.cpp - Machine code from the LLVM dialect -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JIT.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace mlir;
using namespace mlir::scan;

JITModule::JITModule() = default;
JITModule::~JITModule() = default;

static LogicalResult fail(Location location, StringRef what,
                          llvm::Error error) {
  return emitError(location)
         << what << ": " << llvm::toString(std::move(error));
}

std::string JITModule::getProcessor() {
  initializeHostTarget();
  auto host = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!host) {
    llvm::consumeError(host.takeError());
    return "unknown";
  }
  return host->getTargetTriple().str() + " " + host->getCPU() + " " +
         host->getFeatures().getString();
}

HostVectors JITModule::getVectors() {
  static const HostVectors vectors = [] {
    initializeHostTarget();
    auto host = llvm::orc::JITTargetMachineBuilder::detectHost();
    if (!host) {
      llvm::consumeError(host.takeError());
      return HostVectors();
    }
    auto machine = host->createTargetMachine();
    if (!machine) {
      llvm::consumeError(machine.takeError());
      return HostVectors();
    }
    return HostVectors::get(**machine);
  }();
  return vectors;
}

LogicalResult JITModule::initialize(Location location,
                                    ArrayRef<JITSymbol> symbols) {
  auto host = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!host)
    return fail(location, "cannot compile for this machine", host.takeError());
  host->setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  llvm::orc::LLJITBuilder builder;
  builder.setJITTargetMachineBuilder(std::move(*host));
  auto created = builder.create();
  if (!created)
    return fail(location, "cannot set up the JIT compiler",
                created.takeError());
  jit = std::move(*created);
  jit->getExecutionSession().setErrorReporter([this](llvm::Error error) {
    sessionErrors += llvm::toString(std::move(error));
  });
  llvm::orc::SymbolMap addresses;
  for (const JITSymbol &symbol : symbols)
    addresses[jit->mangleAndIntern(symbol.name)] = {
        llvm::orc::ExecutorAddr::fromPtr(symbol.address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  if (!addresses.empty())
    if (llvm::Error error = jit->getMainJITDylib().define(
            llvm::orc::absoluteSymbols(std::move(addresses))))
      return fail(location, "cannot define run-time functions",
                  std::move(error));
  return success();
}

FailureOr<std::unique_ptr<JITModule>> JITModule::compile(ModuleOp module,
                                                         JITOptions options) {
  initializeHostTarget();
  auto host = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!host)
    return fail(module.getLoc(), "cannot compile for this machine",
                host.takeError());
  host->setCodeGenOptLevel(options.level);
  // What the linker of this process expects.
  host->setRelocationModel(llvm::Reloc::PIC_);
  host->setCodeModel(llvm::CodeModel::Small);
  auto machine = host->createTargetMachine();
  if (!machine)
    return fail(module.getLoc(), "cannot compile for this machine",
                machine.takeError());

  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> llvmModule =
      translateForMachine(module, llvmContext, **machine);
  if (!llvmModule)
    return failure();
  if (options.prepare)
    options.prepare(*llvmModule);
  optimizeForMachine(*llvmModule, **machine, options.passes);
  std::string object;
  if (failed(emitObject(module.getLoc(), *llvmModule, **machine, object)))
    return failure();
  return load(module.getLoc(), std::move(object), options.symbols);
}

FailureOr<std::unique_ptr<JITModule>>
JITModule::load(Location location, std::string object,
                ArrayRef<JITSymbol> symbols) {
  initializeHostTarget();
  std::unique_ptr<JITModule> result(new JITModule);
  result->object = std::move(object);
  if (failed(result->initialize(location, symbols)))
    return failure();
  if (llvm::Error error = result->jit->addObjectFile(
          llvm::MemoryBuffer::getMemBuffer(result->object, "object",
                                           /*RequiresNullTerminator=*/false)))
    return fail(location, "cannot link", std::move(error));
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
