//===- EmulatorExecutable.cpp - Runs GPU kernels without a GPU ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution/Emulator.h"
#include "Scan/Execution/ArrayView.h"
#include "Scan/Execution/Emulator/Passes.h"
#include "Scan/Pipelines/Passes.h"
#include "Target/ContractProducts.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"

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
  if (!program->lookupSymbol<func::FuncOp>(entry))
    return emitError(call->getLoc())
           << "expected '" << entry << "' to be a func.func";
  for (auto function : program->getOps<func::FuncOp>())
    function.setVisibility(function.getName() == entry
                               ? SymbolTable::Visibility::Public
                               : SymbolTable::Visibility::Private);
  // Inputs that are read in place belong to the caller.
  auto function = program->lookupSymbol<func::FuncOp>(entry);
  if (options.stridedArguments != StridedArguments::None)
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      function.setArgAttr(
          i, bufferization::BufferizationDialect::kWritableAttrName,
          BoolAttr::get(module.getContext(), false));
  if (failed(lowerToEmulator(*program, options.needsInstrumentation(),
                             options.dispatch, options.stridedArguments,
                             options.maxStateBytes)))
    return failure();

  JITOptions jitOptions;
  // Each program is compiled to be run a few times, on small extents, and what
  // kernels call takes ten times as long as their own code.
  jitOptions.passes = "function(sroa)";
  jitOptions.level = llvm::CodeGenOptLevel::None;
  jitOptions.symbols = emulator::getRuntimeSymbols();
  jitOptions.prepare = [&](llvm::Module &llvmModule) {
    call->addTrampoline(llvmModule);
    contractProducts(llvmModule);
  };
  FailureOr<std::unique_ptr<JITModule>> jit =
      JITModule::compile(*program, std::move(jitOptions));
  if (failed(jit))
    return failure();
  std::unique_ptr<EmulatorExecutable> executable(
      new EmulatorExecutable(std::move(*call), std::move(*jit), options));
  executable->requirements =
      ExtentRequirements(program->lookupSymbol(getRenamedSymbol(entry)), entry,
                         executable->call.getArgumentTypes());
  std::string error;
  executable->address =
      executable->jit->lookup(HostCall::getTrampolineName(), error);
  if (!executable->address)
    return emitError(executable->call.getLoc())
           << "'" << entry << "' cannot be linked: " << error;
  return executable;
}

/// Looks for the first element, in row-major order, of what `index` leaves of
/// the array, that was never written; `data` is where that starts.
static bool findUnwritten(emulator::FiberRuntime &runtime,
                          const ArrayView &array, const char *data,
                          SmallVectorImpl<int64_t> &index) {
  const int64_t elementBytes = *getElementByteSize(array.elementType);
  const size_t dim = index.size();
  if (dim == array.shape.size())
    return runtime.countWritten(data, elementBytes) != size_t(elementBytes);
  const int64_t extent = array.shape[dim], stride = array.strides[dim];
  if (dim + 1 == array.shape.size() && stride == 1) {
    const size_t written = runtime.countWritten(data, extent * elementBytes);
    index.push_back(written / elementBytes);
    if (index.back() < extent)
      return true;
    index.pop_back();
    return false;
  }
  for (int64_t i = 0; i < extent; ++i) {
    index.push_back(i);
    if (findUnwritten(runtime, array, data + i * stride * elementBytes, index))
      return true;
    index.pop_back();
  }
  return false;
}

LogicalResult EmulatorExecutable::run(ArrayRef<HostArray> inputs,
                                      SmallVectorImpl<HostArray> &outputs) {
  if (failed(call.checkInputs(inputs)))
    return failure();
  // A program on memrefs may write to its parameters.
  SmallVector<HostArray> copies(inputs);
  return run(llvm::map_to_vector(copies, ArrayView::get), outputs);
}

/// The bytes between the first and the last one of an array with elements.
static std::pair<const char *, size_t> getRange(const ArrayView &array) {
  const int64_t elementBytes = *getElementByteSize(array.elementType);
  const char *begin = array.data, *end = array.data + elementBytes;
  for (auto [extent, stride] : llvm::zip_equal(array.shape, array.strides)) {
    int64_t reach = (extent - 1) * stride * elementBytes;
    (reach < 0 ? begin : end) += reach;
  }
  return {begin, end - begin};
}

LogicalResult EmulatorExecutable::run(ArrayRef<ArrayView> inputs,
                                      SmallVectorImpl<HostArray> &outputs) {
  outputs.clear();
  if (failed(requirements.check(call.getLoc(), inputs)))
    return failure();
  emulator::FiberRuntime runtime(options);
  emulator::FiberRuntime::Scope scope(runtime);
  for (auto [i, input, type] :
       llvm::enumerate(inputs, call.getArgumentTypes())) {
    if (!isa<RankedTensorType>(type))
      continue;
    auto [begin, size] = llvm::is_contained(input.shape, 0)
                             ? std::pair(input.data, size_t(0))
                             : getRange(input);
    runtime.addInput(begin, size, ("input #" + Twine(i)).str());
  }
  auto receive = [&](CallResults &results) -> LogicalResult {
    for (auto [i, result, type] :
         llvm::enumerate(results.getViews(), call.getResultTypes())) {
      SmallVector<int64_t> index;
      if (isa<RankedTensorType>(type) && !llvm::is_contained(result.shape, 0) &&
          findUnwritten(runtime, result, result.data, index))
        return emitError(call.getLoc())
               << "'" << call.getEntry() << "' failed: element ["
               << llvm::ArrayRef<int64_t>(index) << "] of result #" << i
               << " was never written";
      outputs.push_back(copyToHostArray(result));
    }
    return success();
  };
  LogicalResult status =
      call.call(address, hostRuntime, inputs, receive, lastSeconds);
  if (failed(status))
    outputs.clear();
  statistics = runtime.getStatistics();
  return status;
}
