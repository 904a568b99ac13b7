//===- Execution.cpp - Programs run over arrays of the caller -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan-c/Execution.h"
#include "Buffers.h"
#include "Execution/Targets.h"
#include "Scan/Execution/CPU.h"
#include "Scan/Execution/HostThreads.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::capi;

namespace {
/// A result of a run, in memory of its own: in that of the run, or copied.
struct RunResult {
  MlirScanElementType elementType;
  SmallVector<int64_t> shape;
  HostBlock block;
  HostArray copy;
  char *data = nullptr;
};
using RunResults = SmallVector<RunResult>;

/// A function, compiled or with the module that it is in.
class LoadedExecutable {
public:
  /// Emits an error, and returns null, if the function cannot be loaded.
  static std::unique_ptr<LoadedExecutable>
  load(ModuleOp module, StringRef function, StringRef target,
       StridedArguments stridedArguments);
  /// The same of what `write` wrote.
  static std::unique_ptr<LoadedExecutable> read(MLIRContext *context,
                                                StringRef bytes);
  LogicalResult write(MlirStringCallback callback, void *userData) const;

  const Signature &getSignature() const { return signature; }

  LogicalResult run(intptr_t numInputs, const MlirScanBuffer *inputs,
                    intptr_t numOutputs, const MlirScanBuffer *outputs);
  /// Emits an error, and returns null, if the run failed.
  std::unique_ptr<RunResults> call(intptr_t numInputs,
                                   const MlirScanBuffer *inputs);

private:
  LoadedExecutable(Location location, Signature signature)
      : location(location), signature(std::move(signature)) {}

  /// Runs over arrays that were checked: one of the two functions receives the
  /// results, the first one those of compiled code.
  LogicalResult
  execute(const Buffers &inputs, ResultReceiver receive,
          llvm::function_ref<LogicalResult(MutableArrayRef<HostArray>)> keep,
          ArrayRef<HostRuntime::Destination> destinations = {});
  FailureOr<HostArray> copyInput(size_t index, const ArrayView &view);

  Location location;
  Signature signature;
  /// One of these two; the latter may look into the module.
  std::unique_ptr<CpuExecutable> cpu;
  /// The strides of inputs that are read in place.
  StridedArguments stridedArguments = StridedArguments::None;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<Executable> other;
};

} // namespace

DEFINE_C_API_PTR_METHODS(MlirScanExecutable, LoadedExecutable)
DEFINE_C_API_PTR_METHODS(MlirScanResults, RunResults)

//===----------------------------------------------------------------------===//
// Loading and running
//===----------------------------------------------------------------------===//

std::unique_ptr<LoadedExecutable>
LoadedExecutable::load(ModuleOp module, StringRef function,
                       StringRef targetName, StridedArguments strided) {
  const ExecutionTarget *target = findExecutionTarget(targetName);
  if (!target) {
    emitMisuse(module.getContext(), "mlirScanExecutableCreate")
        << "unknown target '" << targetName
        << "'; expected one of: " << listExecutionTargets();
    return nullptr;
  }
  if (failed(verify(module)))
    return nullptr;
  FailureOr<Signature> signature = Signature::get(module, function);
  if (failed(signature))
    return nullptr;
  std::unique_ptr<LoadedExecutable> loaded(new LoadedExecutable(
      module.lookupSymbol(function)->getLoc(), std::move(*signature)));
  provideDialects(module.getContext());
  if (targetName == "cpu") {
    auto executable = CpuExecutable::compile(module, function,
                                             /*acceptMemRefs=*/false, strided);
    if (failed(executable))
      return nullptr;
    loaded->cpu = std::move(*executable);
    loaded->stridedArguments = strided;
    return loaded;
  }
  loaded->module = module.clone();
  TargetOptions options;
  options.emulator.stridedArguments = strided;
  auto executable = target->compile(*loaded->module, function, options);
  if (failed(executable))
    return nullptr;
  loaded->other = std::move(*executable);
  if (targetName == "emulator")
    loaded->stridedArguments = strided;
  return loaded;
}

std::unique_ptr<LoadedExecutable> LoadedExecutable::read(MLIRContext *context,
                                                         StringRef bytes) {
  auto executable = CpuExecutable::read(UnknownLoc::get(context), bytes);
  if (failed(executable))
    return nullptr;
  const HostCall &call = (*executable)->getCall();
  FailureOr<Signature> signature = Signature::get(call);
  if (failed(signature))
    return nullptr;
  std::unique_ptr<LoadedExecutable> loaded(
      new LoadedExecutable(call.getLoc(), std::move(*signature)));
  loaded->cpu = std::move(*executable);
  loaded->stridedArguments = loaded->cpu->getStridedArguments();
  return loaded;
}

LogicalResult LoadedExecutable::write(MlirStringCallback callback,
                                      void *userData) const {
  if (!callback)
    return emitMisuse(location.getContext(), "mlirScanExecutableWrite")
           << "callback is null";
  if (!cpu)
    return emitError(location) << "'" << signature.name
                               << "': expected an executable for 'cpu', which "
                                  "is machine code, found "
                                  "one for another target";
  CallbackStream stream(callback, userData);
  cpu->write(stream);
  return success();
}

FailureOr<HostArray> LoadedExecutable::copyInput(size_t index,
                                                 const ArrayView &view) {
  if (*getByteSize(view.elementType, view.shape) > getMemoryLimit())
    return BufferChecker(location, signature).emit("input", index)
           << "has to be copied and does not fit into memory";
  return copyToHostArray(view);
}

LogicalResult LoadedExecutable::execute(
    const Buffers &inputs, ResultReceiver receive,
    llvm::function_ref<LogicalResult(MutableArrayRef<HostArray>)> keep,
    ArrayRef<HostRuntime::Destination> destinations) {
  SmallVector<HostArray> copies;
  copies.reserve(inputs.views.size());
  SmallVector<ArrayView> views(inputs.views);
  for (auto [i, view] : llvm::enumerate(views)) {
    bool readsInPlace = cpu || stridedArguments != StridedArguments::None;
    if (readsInPlace && isUsableInPlace(view, stridedArguments))
      continue;
    FailureOr<HostArray> copy = copyInput(i, view);
    if (failed(copy))
      return failure();
    copies.push_back(std::move(*copy));
    view = ArrayView::get(copies.back());
  }
  if (cpu)
    return cpu->run(views, receive, destinations);
  SmallVector<HostArray> results;
  if (failed(other->run(views, results)))
    return failure();
  return keep(results);
}

/// Writes results to outputs of their shapes, but for those that were computed
/// there.
static void copyResults(ArrayRef<ArrayView> results, const Buffers &outputs) {
  for (auto [result, output] : llvm::zip_equal(results, outputs.views))
    if (result.data != output.data || !result.isDense() || !output.isDense())
      copyElements(result, const_cast<char *>(output.data), output.strides);
}

LogicalResult LoadedExecutable::run(intptr_t numInputs,
                                    const MlirScanBuffer *inputs,
                                    intptr_t numOutputs,
                                    const MlirScanBuffer *outputs) {
  BufferChecker checker(location, signature);
  FailureOr<Buffers> from = checker.checkInputs(numInputs, inputs);
  if (failed(from))
    return failure();
  FailureOr<Buffers> to = checker.checkOutputs(numOutputs, outputs, *from);
  if (failed(to))
    return failure();
  SmallVector<HostRuntime::Destination> destinations(to->views.size());
  for (auto [i, view] : llvm::enumerate(to->views)) {
    if (!view.isDense() || !view.data)
      continue;
    size_t size = to->ranges[i].second - to->ranges[i].first;
    preferLargePages(outputs[i].data, size);
    destinations[i] = {outputs[i].data, size};
  }
  auto copy = [&](ArrayRef<ArrayView> results) -> LogicalResult {
    if (failed(checker.checkResults(results, *to)))
      return failure();
    copyResults(results, *to);
    return success();
  };
  return execute(
      *from, [&](CallResults &results) { return copy(results.getViews()); },
      [&](MutableArrayRef<HostArray> results) {
        return copy(llvm::map_to_vector(results, ArrayView::get));
      },
      destinations);
}

std::unique_ptr<RunResults>
LoadedExecutable::call(intptr_t numInputs, const MlirScanBuffer *inputs) {
  FailureOr<Buffers> from =
      BufferChecker(location, signature).checkInputs(numInputs, inputs);
  if (failed(from))
    return nullptr;
  // Never moved: arrays may lie in them.
  auto results = std::make_unique<RunResults>(signature.outputs.size());
  for (auto [result, type] : llvm::zip_equal(*results, signature.outputs))
    result.elementType = type.cElementType;
  auto adopt = [&](RunResult &result, HostArray array) {
    result.shape = array.shape;
    result.copy = std::move(array);
    result.data = result.copy.data.data();
  };
  auto receive = [&](CallResults &found) {
    for (auto [i, view] : llvm::enumerate(found.getViews())) {
      RunResult &result = (*results)[i];
      result.block = found.take(i);
      if (!result.block) {
        adopt(result, copyToHostArray(view));
        continue;
      }
      result.shape = view.shape;
      // The memory is the result's now.
      result.data = const_cast<char *>(view.data);
    }
    return success();
  };
  auto keep = [&](MutableArrayRef<HostArray> arrays) {
    for (auto [i, array] : llvm::enumerate(arrays))
      adopt((*results)[i], std::move(array));
    return success();
  };
  if (failed(execute(*from, receive, keep)))
    return nullptr;
  return results;
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

MlirScanExecutable mlirScanExecutableCreate(MlirModule module,
                                            MlirStringRef function,
                                            MlirStringRef target) {
  return mlirScanExecutableCreateStrided(module, function, target,
                                         MlirScanStridedArgumentsNone);
}

MlirScanExecutable
mlirScanExecutableCreateStrided(MlirModule module, MlirStringRef function,
                                MlirStringRef target,
                                MlirScanStridedArguments stridedArguments) {
  StringRef caller = "mlirScanExecutableCreate";
  if (failed(checkHandle(module, caller, "module")))
    return {nullptr};
  MLIRContext *context = unwrap(module).getContext();
  if (failed(checkString(context, function, caller, "function")) ||
      failed(checkString(context, target, caller, "target")))
    return {nullptr};
  std::optional<StridedArguments> strided = getStridedArguments(
      context, stridedArguments, "mlirScanExecutableCreateStrided");
  if (!strided)
    return {nullptr};
  return wrap(LoadedExecutable::load(unwrap(module), unwrap(function),
                                     unwrap(target), *strided)
                  .release());
}

void mlirScanSetNumThreads(unsigned count) { setHostThreads(count); }

unsigned mlirScanGetNumThreads(void) { return getHostThreads(); }

MlirStringRef mlirScanGetProcessor(void) {
  static const std::string processor = JITModule::getProcessor();
  return wrap(StringRef(processor));
}

MlirLogicalResult mlirScanExecutableWrite(MlirScanExecutable executable,
                                          MlirStringCallback callback,
                                          void *userData) {
  if (failed(checkHandle(executable, "mlirScanExecutableWrite", "executable")))
    return mlirLogicalResultFailure();
  return wrap(unwrap(executable)->write(callback, userData));
}

MlirScanExecutable mlirScanExecutableRead(MlirContext context,
                                          MlirStringRef bytes) {
  StringRef caller = "mlirScanExecutableRead";
  if (failed(checkHandle(context, caller, "context")) ||
      failed(checkString(unwrap(context), bytes, caller, "bytes")))
    return {nullptr};
  return wrap(LoadedExecutable::read(unwrap(context), unwrap(bytes)).release());
}

void mlirScanExecutableDestroy(MlirScanExecutable executable) {
  delete unwrap(executable);
}

MlirStringRef mlirScanExecutableGetName(MlirScanExecutable executable) {
  if (!executable.ptr)
    return wrap(StringRef(""));
  return wrap(StringRef(unwrap(executable)->getSignature().name));
}

MlirScanSignature
mlirScanExecutableGetSignature(MlirScanExecutable executable) {
  if (!executable.ptr)
    return {nullptr};
  return wrap(&unwrap(executable)->getSignature());
}

MlirLogicalResult mlirScanExecutableRun(MlirScanExecutable executable,
                                        intptr_t numInputs,
                                        const MlirScanBuffer *inputs,
                                        intptr_t numOutputs,
                                        const MlirScanBuffer *outputs) {
  if (failed(checkHandle(executable, "mlirScanExecutableRun", "executable")))
    return mlirLogicalResultFailure();
  return wrap(unwrap(executable)->run(numInputs, inputs, numOutputs, outputs));
}

MlirScanResults mlirScanExecutableCall(MlirScanExecutable executable,
                                       intptr_t numInputs,
                                       const MlirScanBuffer *inputs) {
  if (failed(checkHandle(executable, "mlirScanExecutableCall", "executable")))
    return {nullptr};
  return wrap(unwrap(executable)->call(numInputs, inputs).release());
}

void mlirScanResultsDestroy(MlirScanResults results) { delete unwrap(results); }

void mlirScanResultsDiscard(MlirScanResults results, intptr_t index) {
  if (index < 0 || index >= mlirScanResultsGetNum(results))
    return;
  RunResult &result = (*unwrap(results))[index];
  result.data = nullptr;
  result.block.reset();
  result.copy = HostArray();
}

intptr_t mlirScanResultsGetNum(MlirScanResults results) {
  return results.ptr ? unwrap(results)->size() : -1;
}

MlirScanBuffer mlirScanResultsGet(MlirScanResults results, intptr_t index) {
  if (index < 0 || index >= mlirScanResultsGetNum(results))
    return {nullptr, MlirScanElementTypeNone, -1, nullptr, nullptr};
  RunResult &result = (*unwrap(results))[index];
  return {result.data, result.elementType,
          static_cast<int64_t>(result.shape.size()), result.shape.data(),
          nullptr};
}
