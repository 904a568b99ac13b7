//===- Launcher.cpp - Launches PTX on an NVIDIA GPU -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan-c/Launcher.h"
#include "Scan/Launcher/Launcher.h"
#include "Signature.h"

#include "mlir/CAPI/Wrap.h"

using namespace mlir;
using namespace mlir::scan;
using mlir::scan::launcher::Status;

namespace {
/// Whoever has one of these keeps the device open.
struct OpenDevice {
  launcher::Device device;
};
using SharedDevice = std::shared_ptr<OpenDevice>;

struct LoadedProgram;

/// A function of a program, with its types as C has them.
struct LoadedFunction {
  const launcher::Function *function;
  SharedDevice device;
  std::vector<capi::ArrayType> arguments;
};

struct LoadedProgram {
  SharedDevice device;
  launcher::Program program;
  std::vector<LoadedFunction> functions;
};

struct PreparedCall {
  // In this order: the call is freed first.
  SharedDevice device;
  launcher::Call call;
  size_t numArguments;
};
} // namespace

DEFINE_C_API_PTR_METHODS(MlirScanDevice, SharedDevice)
DEFINE_C_API_PTR_METHODS(MlirScanProgram, LoadedProgram)
DEFINE_C_API_PTR_METHODS(MlirScanFunction, const LoadedFunction)
DEFINE_C_API_PTR_METHODS(MlirScanCall, PreparedCall)

static LogicalResult report(const Status &status,
                            MlirScanErrorHandler handler) {
  if (status.ok())
    return success();
  if (handler.callback)
    handler.callback(wrap(StringRef(status.getMessage())), handler.userData);
  return failure();
}

static LogicalResult report(const Twine &message,
                            MlirScanErrorHandler handler) {
  return report(Status::failure(message.str()), handler);
}

/// Reports a null handle or pointer.
static LogicalResult checkPointer(const void *pointer, StringRef function,
                                  StringRef what,
                                  MlirScanErrorHandler handler) {
  if (pointer)
    return success();
  return report(function + ": " + what + " is null", handler);
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

MlirScanDevice mlirScanDeviceOpen(int32_t ordinal,
                                  MlirScanErrorHandler onError) {
  auto device = std::make_shared<OpenDevice>();
  if (failed(report(launcher::Device::open(ordinal, device->device), onError)))
    return {nullptr};
  return wrap(new SharedDevice(std::move(device)));
}

void mlirScanDeviceDestroy(MlirScanDevice device) { delete unwrap(device); }

MlirStringRef mlirScanDeviceGetName(MlirScanDevice device) {
  return device.ptr ? wrap(StringRef((*unwrap(device))->device.getName()))
                    : wrap(StringRef(""));
}

int32_t mlirScanDeviceGetComputeCapability(MlirScanDevice device) {
  return device.ptr ? (*unwrap(device))->device.getComputeCapability() : -1;
}

/// Calls `body` with the device.
template <typename Body>
static MlirLogicalResult use(MlirScanDevice device, StringRef function,
                             MlirScanErrorHandler onError, Body body) {
  if (failed(checkPointer(device.ptr, function, "device", onError)))
    return mlirLogicalResultFailure();
  return wrap(report(body((*unwrap(device))->device), onError));
}

MlirLogicalResult mlirScanDeviceAllocate(MlirScanDevice device, int64_t bytes,
                                         MlirScanDevicePointer *pointer,
                                         MlirScanErrorHandler onError) {
  if (failed(
          checkPointer(pointer, "mlirScanDeviceAllocate", "pointer", onError)))
    return mlirLogicalResultFailure();
  *pointer = 0;
  if (bytes < 0)
    return wrap(
        report("mlirScanDeviceAllocate: expected 0 bytes or more, found " +
                   Twine(bytes),
               onError));
  return use(device, "mlirScanDeviceAllocate", onError,
             [&](const launcher::Device &opened) {
               return opened.allocate(bytes, *pointer);
             });
}

MlirLogicalResult mlirScanDeviceFree(MlirScanDevice device,
                                     MlirScanDevicePointer pointer,
                                     MlirScanErrorHandler onError) {
  return use(device, "mlirScanDeviceFree", onError,
             [&](const launcher::Device &opened) {
               return pointer ? opened.free(pointer) : Status::success();
             });
}

MlirLogicalResult mlirScanDeviceCopyToDevice(MlirScanDevice device,
                                             MlirScanDevicePointer target,
                                             const void *source, int64_t bytes,
                                             MlirScanErrorHandler onError) {
  return use(device, "mlirScanDeviceCopyToDevice", onError,
             [&](const launcher::Device &opened) {
               return bytes > 0 ? opened.copyToDevice(target, source, bytes)
                                : Status::success();
             });
}

MlirLogicalResult mlirScanDeviceCopyToHost(MlirScanDevice device, void *target,
                                           MlirScanDevicePointer source,
                                           int64_t bytes,
                                           MlirScanErrorHandler onError) {
  return use(device, "mlirScanDeviceCopyToHost", onError,
             [&](const launcher::Device &opened) {
               return bytes > 0 ? opened.copyToHost(target, source, bytes)
                                : Status::success();
             });
}

MlirLogicalResult mlirScanDeviceCopyOnDevice(MlirScanDevice device,
                                             MlirScanDevicePointer target,
                                             MlirScanDevicePointer source,
                                             int64_t bytes, void *stream,
                                             MlirScanErrorHandler onError) {
  return use(device, "mlirScanDeviceCopyOnDevice", onError,
             [&](const launcher::Device &opened) {
               return bytes > 0
                          ? opened.copyOnDevice(target, source, bytes, stream)
                          : Status::success();
             });
}

MlirLogicalResult mlirScanDeviceSynchronize(MlirScanDevice device,
                                            MlirScanErrorHandler onError) {
  return use(
      device, "mlirScanDeviceSynchronize", onError,
      [](const launcher::Device &opened) { return opened.synchronize(); });
}

bool mlirScanDeviceIsCapturing(MlirScanDevice device, void *stream) {
  return device.ptr && (*unwrap(device))->device.isCapturing(stream);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// What `load` makes of an empty program, as C has it.
template <typename Load>
static MlirScanProgram load(MlirScanDevice device, MlirScanErrorHandler onError,
                            Load load) {
  auto loaded = std::make_unique<LoadedProgram>();
  loaded->device = *unwrap(device);
  if (failed(report(load(loaded->device->device, loaded->program), onError)))
    return {nullptr};
  for (const launcher::Function &function : loaded->program.getFunctions()) {
    LoadedFunction &added = loaded->functions.emplace_back();
    added.function = &function;
    added.device = loaded->device;
    for (const launcher::ValueType &type : function.getArguments()) {
      capi::ArrayType &argument = added.arguments.emplace_back();
      argument.cElementType =
          mlirScanElementTypeFromName(wrap(StringRef(type.element)));
      argument.isScalar = type.isScalar;
      for (int64_t extent : type.shape)
        argument.shape.push_back(extent < 0 ? MLIR_SCAN_DYNAMIC : extent);
    }
  }
  return wrap(loaded.release());
}

MlirScanProgram mlirScanProgramLoad(MlirScanDevice device, MlirStringRef ptx,
                                    MlirStringRef manifest,
                                    MlirScanErrorHandler onError) {
  StringRef caller = "mlirScanProgramLoad";
  if (failed(checkPointer(device.ptr, caller, "device", onError)) ||
      failed(checkPointer(ptx.data, caller, "ptx", onError)) ||
      failed(checkPointer(manifest.data, caller, "manifest", onError)))
    return {nullptr};
  return load(device, onError,
              [&](const launcher::Device &opened, launcher::Program &program) {
                return launcher::Program::load(opened, unwrap(ptx).str(),
                                               unwrap(manifest).str(), program);
              });
}

MlirScanProgram mlirScanProgramLoadManifest(MlirScanDevice device,
                                            MlirStringRef manifest,
                                            MlirScanErrorHandler onError) {
  StringRef caller = "mlirScanProgramLoadManifest";
  if (failed(checkPointer(device.ptr, caller, "device", onError)) ||
      failed(checkPointer(manifest.data, caller, "manifest", onError)))
    return {nullptr};
  return load(device, onError,
              [&](const launcher::Device &opened, launcher::Program &program) {
                return launcher::Program::loadManifest(
                    opened, unwrap(manifest).str(), program);
              });
}

MlirLogicalResult mlirScanProgramAdd(MlirScanProgram program, MlirStringRef ptx,
                                     MlirScanErrorHandler onError) {
  StringRef caller = "mlirScanProgramAdd";
  if (failed(checkPointer(program.ptr, caller, "program", onError)) ||
      failed(checkPointer(ptx.data, caller, "ptx", onError)))
    return mlirLogicalResultFailure();
  return wrap(report(unwrap(program)->program.add(unwrap(ptx).str()), onError));
}

void mlirScanProgramDestroy(MlirScanProgram program) { delete unwrap(program); }

MlirLogicalResult mlirScanProgramCheck(MlirScanProgram program,
                                       MlirScanErrorHandler onError) {
  if (failed(checkPointer(program.ptr, "mlirScanProgramCheck", "program",
                          onError)))
    return mlirLogicalResultFailure();
  return wrap(report(unwrap(program)->program.check(), onError));
}

intptr_t mlirScanProgramGetNumFunctions(MlirScanProgram program) {
  return program.ptr ? unwrap(program)->functions.size() : -1;
}

MlirScanFunction mlirScanProgramGetFunction(MlirScanProgram program,
                                            intptr_t index) {
  if (index < 0 || index >= mlirScanProgramGetNumFunctions(program))
    return {nullptr};
  return wrap(&unwrap(program)->functions[index]);
}

MlirStringRef mlirScanFunctionGetName(MlirScanFunction function) {
  return function.ptr ? wrap(StringRef(unwrap(function)->function->getName()))
                      : wrap(StringRef(""));
}

intptr_t mlirScanFunctionGetNumArguments(MlirScanFunction function) {
  return function.ptr ? unwrap(function)->arguments.size() : -1;
}

MlirScanArrayType mlirScanFunctionGetArgument(MlirScanFunction function,
                                              intptr_t index) {
  if (index < 0 || index >= mlirScanFunctionGetNumArguments(function))
    return {MlirScanElementTypeNone, -1, nullptr, false};
  return unwrap(function)->arguments[index].get();
}

intptr_t mlirScanFunctionGetNumResults(MlirScanFunction function) {
  return function.ptr ? unwrap(function)->function->getNumResults() : -1;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The arguments of a call of `function`, as the launcher has them.
static LogicalResult
readArguments(const LoadedFunction &loaded, intptr_t numArguments,
              const MlirScanBuffer *arguments, MlirScanErrorHandler onError,
              StringRef caller, std::vector<launcher::Argument> &converted) {
  const std::string &name = loaded.function->getName();
  if (numArguments < 0 ||
      static_cast<size_t>(numArguments) != loaded.arguments.size())
    return report("'" + Twine(name) + "' takes " +
                      Twine(loaded.arguments.size()) + " arguments, found " +
                      Twine(numArguments),
                  onError);
  if (numArguments > 0 &&
      failed(checkPointer(arguments, caller, "arguments", onError)))
    return failure();
  converted.resize(numArguments);
  for (size_t i = 0; i < loaded.arguments.size(); ++i) {
    const capi::ArrayType &type = loaded.arguments[i];
    const MlirScanBuffer &buffer = arguments[i];
    auto complain = [&](const Twine &what) {
      return report("argument #" + Twine(i) + " of '" + name + "': " + what,
                    onError);
    };
    if (buffer.elementType != type.cElementType)
      return complain("expected elements of " +
                      capi::describe(type.cElementType, {}) + ", found " +
                      capi::describe(buffer.elementType, {}));
    if (buffer.rank != static_cast<int64_t>(type.shape.size()))
      return complain("expected rank " + Twine(type.shape.size()) +
                      ", found rank " + Twine(buffer.rank));
    if (buffer.rank > 0 && !buffer.shape)
      return complain("expected extents, found a null pointer");
    launcher::Argument &argument = converted[i];
    if (type.isScalar) {
      if (!buffer.data)
        return complain("expected a number, found a null pointer");
      std::memcpy(argument.scalar.data(), buffer.data,
                  mlirScanElementTypeGetSize(buffer.elementType));
      continue;
    }
    argument.shape.assign(buffer.shape, buffer.shape + buffer.rank);
    if (buffer.strides)
      argument.strides.assign(buffer.strides, buffer.strides + buffer.rank);
  }
  return success();
}

static MlirScanCall prepare(MlirScanFunction function, intptr_t numArguments,
                            const MlirScanBuffer *arguments,
                            MlirScanErrorHandler onError,
                            launcher::Workspaces workspaces,
                            launcher::Variants variants, StringRef caller) {
  if (failed(checkPointer(function.ptr, caller, "function", onError)))
    return {nullptr};
  const LoadedFunction &loaded = *unwrap(function);
  std::vector<launcher::Argument> converted;
  if (failed(readArguments(loaded, numArguments, arguments, onError, caller,
                           converted)))
    return {nullptr};
  auto call = std::make_unique<PreparedCall>();
  call->device = loaded.device;
  call->numArguments = numArguments;
  if (failed(report(
          loaded.function->prepare(converted, call->call, workspaces, variants),
          onError)))
    return {nullptr};
  return wrap(call.release());
}

MlirScanCall mlirScanFunctionPrepare(MlirScanFunction function,
                                     intptr_t numArguments,
                                     const MlirScanBuffer *arguments,
                                     MlirScanErrorHandler onError) {
  return prepare(function, numArguments, arguments, onError,
                 launcher::Workspaces::OfCall, launcher::Variants::Best,
                 "mlirScanFunctionPrepare");
}

MlirScanCall mlirScanFunctionPrepareForGraph(MlirScanFunction function,
                                             intptr_t numArguments,
                                             const MlirScanBuffer *arguments,
                                             MlirScanErrorHandler onError) {
  return prepare(function, numArguments, arguments, onError,
                 launcher::Workspaces::OfCaller, launcher::Variants::Best,
                 "mlirScanFunctionPrepareForGraph");
}

MlirScanCall mlirScanFunctionPrepareAvailable(MlirScanFunction function,
                                              intptr_t numArguments,
                                              const MlirScanBuffer *arguments,
                                              bool forGraph,
                                              MlirScanErrorHandler onError) {
  return prepare(
      function, numArguments, arguments, onError,
      forGraph ? launcher::Workspaces::OfCaller : launcher::Workspaces::OfCall,
      launcher::Variants::Available, "mlirScanFunctionPrepareAvailable");
}

MlirLogicalResult mlirScanFunctionGetMissing(MlirScanFunction function,
                                             intptr_t numArguments,
                                             const MlirScanBuffer *arguments,
                                             MlirStringCallback callback,
                                             void *userData,
                                             MlirScanErrorHandler onError) {
  StringRef caller = "mlirScanFunctionGetMissing";
  std::vector<launcher::Argument> converted;
  std::vector<std::string> missing;
  if (failed(checkPointer(function.ptr, caller, "function", onError)) ||
      failed(checkPointer(reinterpret_cast<const void *>(callback), caller,
                          "callback", onError)) ||
      failed(readArguments(*unwrap(function), numArguments, arguments, onError,
                           caller, converted)) ||
      failed(report(unwrap(function)->function->getMissing(converted, missing),
                    onError)))
    return mlirLogicalResultFailure();
  for (const std::string &name : missing)
    callback(wrap(StringRef(name)), userData);
  return mlirLogicalResultSuccess();
}

bool mlirScanCallIsBest(MlirScanCall call) {
  return call.ptr && unwrap(call)->call.isBest();
}

void mlirScanCallDestroy(MlirScanCall call) { delete unwrap(call); }

intptr_t mlirScanCallGetNumBuffers(MlirScanCall call) {
  return call.ptr ? unwrap(call)->call.getBuffers().size() : -1;
}

intptr_t mlirScanCallGetNumResults(MlirScanCall call) {
  return call.ptr ? unwrap(call)->call.getResults().size() : -1;
}

static MlirScanBuffer getBuffer(const std::vector<launcher::Buffer> &buffers,
                                intptr_t index) {
  const launcher::Buffer &buffer = buffers[index];
  return {nullptr, mlirScanElementTypeFromName(wrap(StringRef(buffer.element))),
          static_cast<int64_t>(buffer.shape.size()), buffer.shape.data(),
          nullptr};
}

MlirScanBuffer mlirScanCallGetBuffer(MlirScanCall call, intptr_t index) {
  if (index < 0 || index >= mlirScanCallGetNumBuffers(call))
    return {nullptr, MlirScanElementTypeNone, -1, nullptr, nullptr};
  return getBuffer(unwrap(call)->call.getBuffers(), index);
}

MlirScanBuffer mlirScanCallGetResult(MlirScanCall call, intptr_t index) {
  if (index < 0 || index >= mlirScanCallGetNumResults(call))
    return {nullptr, MlirScanElementTypeNone, -1, nullptr, nullptr};
  return getBuffer(unwrap(call)->call.getResults(), index);
}

MlirScanResultPlace mlirScanCallGetResultPlace(MlirScanCall call,
                                               intptr_t index) {
  if (index < 0 || index >= mlirScanCallGetNumResults(call))
    return {MlirScanPlaceNone, -1, 0};
  const launcher::Call::ResultPlace &place =
      unwrap(call)->call.getResultPlaces()[index];
  auto number = static_cast<intptr_t>(place.index);
  switch (place.kind) {
  case launcher::Call::ResultPlace::Argument:
    return {MlirScanPlaceArgument, number, 0};
  case launcher::Call::ResultPlace::Buffer:
    return {MlirScanPlaceBuffer, number, 0};
  case launcher::Call::ResultPlace::Constant:
    return {MlirScanPlaceConstant, number, place.constant};
  }
  llvm_unreachable("all places are covered");
}

MlirLogicalResult mlirScanCallLaunch(MlirScanCall call, intptr_t numArguments,
                                     const MlirScanDevicePointer *arguments,
                                     intptr_t numBuffers,
                                     const MlirScanDevicePointer *buffers,
                                     void *stream,
                                     MlirScanErrorHandler onError) {
  StringRef caller = "mlirScanCallLaunch";
  if (failed(checkPointer(call.ptr, caller, "call", onError)))
    return mlirLogicalResultFailure();
  PreparedCall &prepared = *unwrap(call);
  size_t expected = prepared.call.getBuffers().size();
  if (numArguments < 0 || numBuffers < 0 ||
      static_cast<size_t>(numArguments) != prepared.numArguments ||
      static_cast<size_t>(numBuffers) != expected)
    return wrap(report("the call takes " + Twine(prepared.numArguments) +
                           " arguments and " + Twine(expected) +
                           " buffers, found " + Twine(numArguments) + " and " +
                           Twine(numBuffers),
                       onError));
  if ((numArguments > 0 &&
       failed(checkPointer(arguments, caller, "arguments", onError))) ||
      (numBuffers > 0 &&
       failed(checkPointer(buffers, caller, "buffers", onError))))
    return mlirLogicalResultFailure();
  return wrap(report(
      prepared.call.launch(
          std::vector<MlirScanDevicePointer>(arguments,
                                             arguments + numArguments),
          std::vector<MlirScanDevicePointer>(buffers, buffers + numBuffers),
          stream),
      onError));
}
