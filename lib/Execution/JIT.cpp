//===- JIT.cpp - Machine code from the LLVM dialect -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JIT.h"
#include "ModuleParts.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include <thread>

using namespace mlir;
using namespace mlir::scan;

JITModule::JITModule() = default;
JITModule::~JITModule() = default;

static LogicalResult fail(Location location, StringRef what,
                          llvm::Error error) {
  return emitError(location)
         << what << ": " << llvm::toString(std::move(error));
}

namespace {
/// This processor. LLVM looks up each of its features in a list of all of them
/// whenever it makes a target machine, which takes half a millisecond.
struct Host {
  Host();
  static const Host &get() {
    static const Host host;
    return host;
  }

  std::optional<llvm::orc::JITTargetMachineBuilder> machine;
  std::optional<llvm::DataLayout> layout;
  HostVectors vectors;
  /// Why there is no machine.
  std::string error;
};
} // namespace

Host::Host() {
  initializeHostTarget();
  auto detected = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!detected) {
    error = llvm::toString(detected.takeError());
    return;
  }
  auto created = detected->createTargetMachine();
  if (!created) {
    error = llvm::toString(created.takeError());
    return;
  }
  machine = std::move(*detected);
  layout = (*created)->createDataLayout();
  vectors = HostVectors::get(**created);
}

static LogicalResult failToCompile(Location location, StringRef why) {
  return emitError(location) << "cannot compile for this machine: " << why;
}

std::string JITModule::getProcessor() {
  const Host &host = Host::get();
  if (!host.machine)
    return "unknown";
  llvm::orc::JITTargetMachineBuilder machine = *host.machine;
  return machine.getTargetTriple().str() + " " + machine.getCPU() + " " +
         machine.getFeatures().getString();
}

HostVectors JITModule::getVectors() { return Host::get().vectors; }

LogicalResult JITModule::initialize(Location location,
                                    ArrayRef<JITSymbol> symbols) {
  const Host &host = Host::get();
  if (!host.machine)
    return failToCompile(location, host.error);
  llvm::orc::LLJITBuilder builder;
  builder.setJITTargetMachineBuilder(*host.machine);
  builder.setDataLayout(host.layout);
  // It links object files: a compiler that makes its target machine when it is
  // used makes none.
  builder.setCompileFunctionCreator(
      [](llvm::orc::JITTargetMachineBuilder machine) {
        return std::make_unique<llvm::orc::ConcurrentIRCompiler>(
            std::move(machine));
      });
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

/// A machine for code that the linker of this process takes.
static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createMachine(const JITOptions &options) {
  llvm::orc::JITTargetMachineBuilder builder = *Host::get().machine;
  builder.setCodeGenOptLevel(options.level);
  builder.setRelocationModel(llvm::Reloc::PIC_);
  builder.setCodeModel(llvm::CodeModel::Small);
  return builder.createTargetMachine();
}

/// The object file of `part` of `parts`.
static LogicalResult compilePart(Location location, const JITOptions &options,
                                 const ModuleParts &parts, unsigned part,
                                 std::string &object) {
  auto machine = createMachine(options);
  if (!machine)
    return failToCompile(location, llvm::toString(machine.takeError()));
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = parts.read(part, context);
  optimizeForMachine(*module, **machine, options.passes);
  return emitObject(location, *module, **machine, object);
}

FailureOr<std::unique_ptr<JITModule>> JITModule::compile(ModuleOp module,
                                                         JITOptions options) {
  Location location = module.getLoc();
  if (!Host::get().machine)
    return failToCompile(location, Host::get().error);
  auto machine = createMachine(options);
  if (!machine)
    return failToCompile(location, llvm::toString(machine.takeError()));

  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> llvmModule =
      translateForMachine(module, llvmContext, **machine);
  if (!llvmModule)
    return failure();
  if (options.prepare)
    options.prepare(*llvmModule);

  ModuleParts parts(*llvmModule, options.threads);
  std::vector<std::string> objects(parts.size());
  if (parts.size() == 1) {
    optimizeForMachine(*llvmModule, **machine, options.passes);
    if (failed(emitObject(location, *llvmModule, **machine, objects.front())))
      return failure();
    return load(location, std::move(objects), options.symbols);
  }
  // Not those of the context, which a process that forks does without.
  std::vector<LogicalResult> results(parts.size(), success());
  auto compile = [&](unsigned part) {
    results[part] = compilePart(location, options, parts, part, objects[part]);
  };
  std::vector<std::thread> threads;
  for (unsigned part = 1; part < parts.size(); ++part)
    threads.emplace_back(compile, part);
  compile(0);
  for (std::thread &thread : threads)
    thread.join();
  if (llvm::any_of(results, failed))
    return failure();
  return load(location, std::move(objects), options.symbols);
}

FailureOr<std::unique_ptr<JITModule>>
JITModule::load(Location location, std::vector<std::string> objects,
                ArrayRef<JITSymbol> symbols) {
  std::unique_ptr<JITModule> result(new JITModule);
  result->objects = std::move(objects);
  if (failed(result->initialize(location, symbols)))
    return failure();
  for (auto [number, object] : llvm::enumerate(result->objects))
    if (llvm::Error error =
            result->jit->addObjectFile(llvm::MemoryBuffer::getMemBuffer(
                object, "object " + std::to_string(number),
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
