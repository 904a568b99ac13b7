//===- CPU.cpp - Scans compiled for this processor ------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Execution/CPU.h"
#include "JIT.h"
#include "Scan/Execution/HostThreads.h"
#include "Scan/Pipelines/ScanToCPU.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace mlir::scan;

CpuExecutable::CpuExecutable(HostCall call, std::unique_ptr<JITModule> jit)
    : call(std::move(call)), jit(std::move(jit)) {}
CpuExecutable::~CpuExecutable() = default;

FailureOr<std::unique_ptr<CpuExecutable>>
CpuExecutable::compile(ModuleOp module, StringRef entry, bool acceptMemRefs,
                       StridedArguments stridedArguments, unsigned stateBytes) {
  FailureOr<HostCall> call = HostCall::get(module, entry, acceptMemRefs);
  if (failed(call))
    return failure();

  // Only what the entry calls is compiled.
  OwningOpRef<ModuleOp> clone(module.clone());
  for (auto function : clone->getOps<func::FuncOp>())
    function.setVisibility(function.getName() == entry
                               ? SymbolTable::Visibility::Public
                               : SymbolTable::Visibility::Private);
  // The inputs belong to the caller, whatever the program says about them.
  auto function = clone->lookupSymbol<func::FuncOp>(entry);
  if (!function)
    return emitError(call->getLoc())
           << "expected '" << entry << "' to be a func.func";
  auto isMemRef = [](Type type) { return isa<MemRefType>(type); };
  bool onMemRefs = llvm::any_of(function.getArgumentTypes(), isMemRef) ||
                   llvm::any_of(function.getResultTypes(), isMemRef);
  PassManager manager(module.getContext());
  manager.addPass(createSymbolDCEPass());
  ScanToCPUOptions pipeline;
  pipeline.renameAll = true;
  HostVectors vectors = JITModule::getVectors();
  pipeline.vectorBits = vectors.bits;
  pipeline.fusedMultiplyAdd = vectors.fusesMultiplyAdd;
  if (stateBytes != 0)
    pipeline.stateBytes = stateBytes;
  HostThreadCode threads = getHostThreadCode(call->getLoc());
  pipeline.threads = threads.threads;
  if (threads.threadWork)
    pipeline.threadWork = *threads.threadWork;
  if (!onMemRefs) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      function.setArgAttr(
          i, bufferization::BufferizationDialect::kWritableAttrName,
          BoolAttr::get(module.getContext(), false));
    pipeline.placeResults = true;
    pipeline.stridedArguments = stridedArguments;
    buildScanToHostBuffersPipeline(manager, pipeline);
  }
  if (failed(manager.run(*clone)) ||
      failed(onMemRefs ? lowerBuffersToCPU(*clone, pipeline)
                       : lowerHostBuffersToCPU(*clone, pipeline)))
    return failure();
  // Lowering has erased `function`.
  if (clone->walk([](omp::ParallelOp) { return WalkResult::interrupt(); })
          .wasInterrupted())
    warnWithoutThreadLibrary(call->getLoc());

  JITOptions options;
  options.symbols = HostRuntime::getSymbols();
  options.prepare = [&](llvm::Module &llvmModule) {
    call->addTrampoline(llvmModule);
  };
  // What may run on several threads is worth several to compile.
  if (threads.threads)
    options.threads = llvm::hardware_concurrency().compute_thread_count();
  FailureOr<std::unique_ptr<JITModule>> jit =
      JITModule::compile(*clone, std::move(options));
  if (failed(jit))
    return failure();
  std::unique_ptr<CpuExecutable> executable(
      new CpuExecutable(std::move(*call), std::move(*jit)));
  executable->mayWriteInputs = onMemRefs;
  if (!onMemRefs)
    executable->stridedArguments = stridedArguments;
  std::string error;
  executable->address =
      executable->jit->lookup(HostCall::getTrampolineName(), error);
  if (!executable->address)
    return emitError(executable->call.getLoc())
           << "'" << entry << "' cannot be linked: " << error;
  return executable;
}

LogicalResult CpuExecutable::run(ArrayRef<HostArray> inputs,
                                 SmallVectorImpl<HostArray> &outputs) {
  if (failed(call.checkInputs(inputs)))
    return failure();
  outputs.clear();
  SmallVector<HostArray> copies;
  if (mayWriteInputs) {
    copies.assign(inputs.begin(), inputs.end());
    inputs = copies;
  }
  std::unique_ptr<HostRuntime> runtime = runtimes->acquire();
  runtime->setChecked(checkMemory);
  LogicalResult status =
      call.call(address, *runtime, inputs, outputs, lastSeconds);
  runtimes->release(std::move(runtime));
  return status;
}

LogicalResult
CpuExecutable::run(ArrayRef<ArrayView> inputs, ResultReceiver receive,
                   ArrayRef<HostRuntime::Destination> destinations) {
  double seconds = 0;
  std::unique_ptr<HostRuntime> runtime = runtimes->acquire();
  runtime->setChecked(checkMemory);
  runtime->setDestinations(destinations);
  LogicalResult status = call.call(address, *runtime, inputs, receive, seconds);
  runtime->setDestinations({});
  runtimes->release(std::move(runtime));
  return status;
}
