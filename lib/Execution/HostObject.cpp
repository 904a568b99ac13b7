//===- HostObject.cpp - Scans as object files with a C header -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Execution/HostObject.h"
#include "CWrapper.h"
#include "HostCompiler.h"
#include "HostVersions.h"
#include "Scan/Pipelines/ScanToCPU.h"
#include "Scan/Target/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mlir::scan;
using llvm::Error;
using llvm::Expected;

/// Fails if there is no such processor of `triple`.
static Error checkProcessor(const llvm::Target &target,
                            const llvm::Triple &triple, StringRef cpu) {
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      target.createMCSubtargetInfo(triple, /*CPU=*/"", /*Features=*/""));
  if (cpu.empty() || info->isCPUStringValid(cpu))
    return Error::success();
  SmallVector<StringRef> known;
  for (const llvm::SubtargetSubTypeKV &processor :
       info->getAllProcessorDescriptions())
    known.push_back(processor.Key);
  return llvm::createStringError("expected a processor of " +
                                 triple.getArchName() + ", found '" + cpu +
                                 "'; known are " + llvm::join(known, ", "));
}

static llvm::Triple getTriple(const HostObjectOptions &options) {
  return llvm::Triple(options.triple.empty()
                          ? llvm::sys::getDefaultTargetTriple()
                          : llvm::Triple::normalize(options.triple));
}

/// The machine with the processor `name`.
static Expected<std::unique_ptr<llvm::TargetMachine>>
createMachine(const HostObjectOptions &options, StringRef name) {
  llvm::Triple triple = getTriple(options);
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return llvm::createStringError("cannot compile for '" + options.triple +
                                   "': " + error);
  if (!target->hasMCAsmBackend())
    return llvm::createStringError("expected a system with object files, such "
                                   "as x86_64-linux-gnu, found '" +
                                   options.triple + "'");
  std::string cpu = name.str(), features;
  if (cpu == "native") {
    auto host = llvm::orc::JITTargetMachineBuilder::detectHost();
    if (!host)
      return host.takeError();
    if (host->getTargetTriple().getArch() != triple.getArch())
      return llvm::createStringError(
          "expected the name of a processor of " + triple.str() +
          ", found 'native', which is this machine's " +
          host->getTargetTriple().str());
    cpu = host->getCPU();
    features = host->getFeatures().getString();
  } else if (Error unknown = checkProcessor(*target, triple, cpu)) {
    return unknown;
  }
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, cpu, features, llvm::TargetOptions(), llvm::Reloc::PIC_,
      /*CM=*/std::nullopt, llvm::CodeGenOptLevel::Default));
}

/// A machine for each version, the least able first.
static Expected<SmallVector<std::unique_ptr<llvm::TargetMachine>>>
createMachines(const HostObjectOptions &options) {
  initializeHostTarget();
  Expected<SmallVector<std::string>> names =
      getVersions(getTriple(options), options.cpu);
  if (!names)
    return names.takeError();
  SmallVector<std::unique_ptr<llvm::TargetMachine>> machines;
  for (StringRef name : *names) {
    auto machine = createMachine(options, name);
    if (!machine)
      return machine.takeError();
    machines.push_back(std::move(*machine));
  }
  return machines;
}

Error mlir::scan::checkHostObjectOptions(const HostObjectOptions &options) {
  return createMachines(options).takeError();
}

static bool isEntry(func::FuncOp function) {
  return function.isPublic() && !function.isDeclaration();
}

/// To functions on memrefs, whose results are arguments; and what C sees of
/// these.
static FailureOr<SmallVector<CSignature, 0>>
lowerToBuffers(ModuleOp module, const ScanToCPUOptions &options) {
  Builder builder(module.getContext());
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!isEntry(function))
      continue;
    // The inputs belong to the caller, whatever the program says about them.
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      function.setArgAttr(
          i, bufferization::BufferizationDialect::kWritableAttrName,
          builder.getBoolAttr(false));
  }
  PassManager manager(module.getContext());
  // What a call returns has no extents that the caller of C could be told.
  // Calls go before anything is folded.
  manager.addPass(
      createInlinerPass(/*opPipelines=*/{}, [](OpPassManager &) {}));
  manager.addPass(createSymbolDCEPass());
  buildScanToHostBuffersPipeline(manager, options);
  manager.addPass(createResultsToOutParamsPass());
  manager.addPass(createCanonicalizerPass());
  if (failed(manager.run(module)))
    return failure();
  SmallVector<CSignature, 0> signatures;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!isEntry(function))
      continue;
    FailureOr<CSignature> signature = CSignature::get(function);
    if (failed(signature))
      return failure();
    signatures.push_back(std::move(*signature));
  }
  if (signatures.empty())
    return emitError(module.getLoc())
           << "expected a public function with a body, found none: there is "
              "nothing to compile";
  return signatures;
}

/// The functions of `signatures` as `machine` runs them best; `module` is on
/// memrefs and is lowered in place. Null after an error was emitted.
static std::unique_ptr<llvm::Module>
compileVersion(ModuleOp module, ArrayRef<CSignature> signatures,
               const ScanToCPUOptions &common, llvm::TargetMachine &machine,
               llvm::LLVMContext &context) {
  ScanToCPUOptions pipeline;
  pipeline.copyOptionValuesFrom(common);
  pipeline.renameAll = true;
  HostVectors vectors = HostVectors::get(machine);
  pipeline.vectorBits = vectors.bits;
  pipeline.fusedMultiplyAdd = vectors.fusesMultiplyAdd;
  if (failed(lowerHostBuffersToCPU(module, pipeline)))
    return nullptr;
  std::unique_ptr<llvm::Module> translated =
      translateForMachine(module, context, machine);
  if (!translated)
    return nullptr;
  addCWrappers(*translated, signatures);
  optimizeForMachine(*translated, machine);
  return translated;
}

FailureOr<HostObject>
mlir::scan::compileToObject(ModuleOp module, const HostObjectOptions &options) {
  Location location = module.getLoc();
  auto machines = createMachines(options);
  if (!machines)
    return emitError(location) << llvm::toString(machines.takeError());
  ScanToCPUOptions pipeline;
  pipeline.renameAll = true;
  pipeline.threads = options.threads;
  if (options.maxStateBytes >= 0)
    pipeline.maxStateBytes = options.maxStateBytes;
  FailureOr<SmallVector<CSignature, 0>> signatures =
      lowerToBuffers(module, pipeline);
  if (failed(signatures))
    return failure();

  llvm::LLVMContext context;
  llvm::TargetMachine &least = *machines->front();
  HostObject result;
  result.header =
      getCHeader(*signatures, least.getTargetTriple().str(), options.cpu);
  if (machines->size() == 1) {
    std::unique_ptr<llvm::Module> translated =
        compileVersion(module, *signatures, pipeline, least, context);
    if (!translated ||
        failed(emitObject(location, *translated, least, result.object)))
      return failure();
    return result;
  }
  HostVersions versions(context);
  for (std::unique_ptr<llvm::TargetMachine> &machine : *machines) {
    OwningOpRef<ModuleOp> copy = module.clone();
    std::unique_ptr<llvm::Module> version =
        compileVersion(*copy, *signatures, pipeline, *machine, context);
    if (!version)
      return failure();
    versions.add(std::move(version), *machine);
  }
  if (failed(emitObject(location, versions.finish(), least, result.object)))
    return failure();
  return result;
}
