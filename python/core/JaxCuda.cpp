//===- JaxCuda.cpp - Kernels as custom calls of XLA -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// XLA calls the handler below with arrays in the memory of a GPU, its number,
// and the stream that work for the results goes to. Nothing waits for the GPU
// here but for the first call with new shapes, which may clear a workspace.
//
//===----------------------------------------------------------------------===//

#include "Jax.h"
#include "Launcher.h"

using namespace mlir_scan;

/// How many prepared calls a function remembers.
static constexpr size_t maxRemembered = 64;

static int64_t getBytes(const MlirScanBuffer &buffer) {
  int64_t bytes = mlirScanElementTypeGetSize(buffer.elementType);
  for (int64_t i = 0; i < buffer.rank; ++i)
    bytes *= buffer.shape[i];
  return bytes;
}

static uint64_t getAddress(const MlirScanBuffer &buffer) {
  return getBytes(buffer) ? reinterpret_cast<uint64_t>(buffer.data) : 0;
}

static bool isSame(const MlirScanBuffer &a, const MlirScanBuffer &b) {
  return a.elementType == b.elementType && a.rank == b.rank &&
         std::equal(a.shape, a.shape + a.rank, b.shape);
}

namespace {
/// The message of an error of the launcher.
class LauncherError {
public:
  MlirScanErrorHandler handler() {
    return {[](MlirStringRef text, void *self) {
              static_cast<LauncherError *>(self)->message = toString(text);
            },
            this};
  }
  ffi::Error get() const {
    return makeError(ffi::ErrorCode::kInternal, message);
  }

private:
  std::string message = "unknown error";
};

/// A call with its shapes settled, which is destroyed when its work is done.
class PreparedCall {
public:
  PreparedCall(MlirScanDevice device, MlirScanCall handle)
      : device(device), handle(handle) {}
  PreparedCall(const PreparedCall &) = delete;
  ~PreparedCall() {
    (void)mlirScanDeviceSynchronize(device, {nullptr, nullptr});
    mlirScanCallDestroy(handle);
  }

  ffi::Error launch(const std::vector<MlirScanBuffer> &inputs,
                    const std::vector<MlirScanBuffer> &outputs, void *stream,
                    ffi::ScratchAllocator &scratch);

private:
  MlirScanDevice device;
  MlirScanCall handle;
};

/// The kernels of a program on one GPU.
class Kernels {
public:
  /// Takes over a reference to the object of Python that `function` is in.
  explicit Kernels(Function *function) : function(function) {}

  ffi::Error launch(const std::vector<MlirScanBuffer> &inputs,
                    const std::vector<MlirScanBuffer> &outputs, void *stream,
                    ffi::ScratchAllocator &scratch);

private:
  struct Remembered {
    std::string key;
    std::unique_ptr<PreparedCall> call;
  };

  Function *function;
  /// One thread at a time uses a call.
  std::mutex mutex;
  /// The last used one first, by stream and shapes.
  std::list<Remembered> order;
  std::unordered_map<std::string_view, std::list<Remembered>::iterator> calls;
};
} // namespace

ffi::Error PreparedCall::launch(const std::vector<MlirScanBuffer> &inputs,
                                const std::vector<MlirScanBuffer> &outputs,
                                void *stream, ffi::ScratchAllocator &scratch) {
  std::vector<uint64_t> arguments, memory(mlirScanCallGetNumBuffers(handle));
  for (const MlirScanBuffer &input : inputs)
    arguments.push_back(getAddress(input));
  // Results are computed in their outputs, except those that an argument, a
  // constant or another result is.
  std::vector<bool> isPlaced(memory.size());
  std::vector<std::pair<size_t, MlirScanResultPlace>> copies;
  if (mlirScanCallGetNumResults(handle) !=
      static_cast<intptr_t>(outputs.size()))
    return makeError(ffi::ErrorCode::kInvalidArgument,
                     "expected another number of results");
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!isSame(mlirScanCallGetResult(handle, i), outputs[i]))
      return makeError(ffi::ErrorCode::kInvalidArgument,
                       "result " + std::to_string(i) +
                           " has another type or shape than its array");
    MlirScanResultPlace place = mlirScanCallGetResultPlace(handle, i);
    if (place.kind == MlirScanPlaceBuffer && !isPlaced[place.index] &&
        getAddress(outputs[i]) % 16 == 0) {
      memory[place.index] = getAddress(outputs[i]);
      isPlaced[place.index] = true;
      continue;
    }
    copies.push_back({i, place});
  }
  for (size_t i = 0; i < memory.size(); ++i) {
    int64_t bytes = getBytes(mlirScanCallGetBuffer(handle, i));
    if (isPlaced[i] || bytes == 0)
      continue;
    std::optional<void *> block = scratch.Allocate(bytes, /*alignment=*/16);
    if (!block)
      return makeError(ffi::ErrorCode::kResourceExhausted,
                       "XLA has no " + std::to_string(bytes) +
                           " bytes for temporary arrays");
    memory[i] = reinterpret_cast<uint64_t>(*block);
  }
  LauncherError error;
  if (mlirLogicalResultIsFailure(mlirScanCallLaunch(
          handle, arguments.size(), arguments.data(), memory.size(),
          memory.data(), stream, error.handler())))
    return error.get();
  for (auto [i, place] : copies) {
    uint64_t source = place.kind == MlirScanPlaceArgument
                          ? arguments[place.index]
                      : place.kind == MlirScanPlaceBuffer ? memory[place.index]
                                                          : place.constant;
    if (mlirLogicalResultIsFailure(mlirScanDeviceCopyOnDevice(
            device, getAddress(outputs[i]), source, getBytes(outputs[i]),
            stream, error.handler())))
      return error.get();
  }
  return ffi::Error::Success();
}

ffi::Error Kernels::launch(const std::vector<MlirScanBuffer> &inputs,
                           const std::vector<MlirScanBuffer> &outputs,
                           void *stream, ffi::ScratchAllocator &scratch) {
  // The workspace of a call is in use until its work is done, in the order of
  // its stream.
  std::string key(reinterpret_cast<const char *>(&stream), sizeof(stream));
  for (const MlirScanBuffer &input : inputs) {
    key += static_cast<char>(input.elementType);
    key += static_cast<char>(input.rank);
    key.append(reinterpret_cast<const char *>(input.shape),
               input.rank * sizeof(int64_t));
  }
  std::unique_lock<std::mutex> lock(mutex);
  auto found = calls.find(key);
  if (found == calls.end() && !function->getMissing(inputs).empty()) {
    // Compiled by Python, which may wait for other threads.
    lock.unlock();
    if (ffi::Error error = runPython([&] { function->require(inputs); });
        error.failure())
      return error;
    lock.lock();
    found = calls.find(key);
  }
  if (found != calls.end()) {
    order.splice(order.begin(), order, found->second);
    return order.front().call->launch(inputs, outputs, stream, scratch);
  }
  LauncherError error;
  MlirScanCall call = mlirScanFunctionPrepare(function->handle, inputs.size(),
                                              inputs.data(), error.handler());
  if (mlirScanCallIsNull(call))
    return error.get();
  if (order.size() >= maxRemembered) {
    calls.erase(order.back().key);
    order.pop_back();
  }
  order.push_front(
      {std::move(key),
       std::make_unique<PreparedCall>(function->program->device->get(), call)});
  calls.emplace(order.front().key, order.begin());
  return order.front().call->launch(inputs, outputs, stream, scratch);
}

static ffi::Error findKernels(std::string_view program, int device,
                              Kernels *&kernels) {
  static std::mutex mutex;
  // By the number of the GPU; never freed.
  static auto *tables =
      new std::unordered_map<int, ProgramTable<std::unique_ptr<Kernels>>>;
  ProgramTable<std::unique_ptr<Kernels>> *table;
  {
    std::lock_guard<std::mutex> lock(mutex);
    table = &(*tables)[device];
  }
  std::unique_ptr<Kernels> *found = table->find(program);
  if (!found) {
    ffi::Error error = compileForJax(program, device, [&](nb::object object) {
      auto &function = nb::cast<Function &>(object);
      object.release();
      found = table->add(program, std::make_unique<Kernels>(&function));
    });
    if (error.failure())
      return error;
  }
  kernels = found->get();
  return ffi::Error::Success();
}

static ffi::Error launch(std::string_view program, int32_t device, void *stream,
                         ffi::ScratchAllocator scratch,
                         ffi::RemainingArgs arguments,
                         ffi::RemainingRets results) {
  std::vector<MlirScanBuffer> inputs, outputs;
  Kernels *kernels = nullptr;
  if (ffi::Error error = findKernels(program, device, kernels); error.failure())
    return error;
  if (ffi::Error error = getBuffers(arguments, inputs); error.failure())
    return error;
  if (ffi::Error error = getBuffers(results, outputs); error.failure())
    return error;
  return kernels->launch(inputs, outputs, stream, scratch);
}

XLA_FFI_DEFINE_HANDLER(handler, launch,
                       ffi::Ffi::Bind()
                           .Attr<std::string_view>("program")
                           .Ctx<ffi::DeviceOrdinal>()
                           .Ctx<ffi::PlatformStream<void *>>()
                           .Ctx<ffi::ScratchAllocator>()
                           .RemainingArgs()
                           .RemainingRets());

void mlir_scan::addJaxForCuda(nb::module_ &module) {
  module.def(
      "jax_cuda_handler",
      [] { return nb::capsule(reinterpret_cast<void *>(handler)); },
      "The handler of custom calls on GPUs for jax.ffi.register_ffi_target, "
      "with platform=\"CUDA\". Their attribute `program` is the text.");
}
