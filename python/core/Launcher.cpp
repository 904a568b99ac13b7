//===- Launcher.cpp - Launches PTX on an NVIDIA GPU -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launcher.h"
#include "ElementTypes.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

using namespace mlir_scan;
using namespace mlir_scan::dlpack;

namespace {
/// The message of an error, and the exception that it becomes.
class ErrorMessage {
public:
  MlirScanErrorHandler handler() {
    return {[](MlirStringRef text, void *self) {
              static_cast<ErrorMessage *>(self)->message = toString(text);
            },
            this};
  }
  /// With the GIL.
  void raiseIf(bool failed) {
    if (failed)
      raise("ScanError", message);
  }
  void raiseIf(MlirLogicalResult result) {
    raiseIf(mlirLogicalResultIsFailure(result));
  }

  std::string message = "unknown error";
};
} // namespace

//===----------------------------------------------------------------------===//
// Devices and programs
//===----------------------------------------------------------------------===//

Device::Device(int ordinal) : ordinal(ordinal) {
  ErrorMessage error;
  {
    ReleaseGil release;
    handle = mlirScanDeviceOpen(ordinal, error.handler());
  }
  if (mlirScanDeviceIsNull(handle))
    raise(error.message.find("no CUDA driver") != std::string::npos
              ? "NoDriverError"
              : "ScanError",
          error.message);
}

Device::~Device() { mlirScanDeviceDestroy(handle); }

uint64_t Device::allocate(int64_t bytes) {
  ErrorMessage error;
  uint64_t pointer = 0;
  error.raiseIf(
      mlirScanDeviceAllocate(handle, bytes, &pointer, error.handler()));
  return pointer;
}

void Device::free(uint64_t pointer) {
  ErrorMessage error;
  error.raiseIf(mlirScanDeviceFree(handle, pointer, error.handler()));
}

void Device::copyToDevice(uint64_t target, nb::bytes bytes) {
  ErrorMessage error;
  error.raiseIf(mlirScanDeviceCopyToDevice(handle, target, bytes.c_str(),
                                           bytes.size(), error.handler()));
}

nb::bytes Device::copyToHost(uint64_t source, int64_t bytes) {
  ErrorMessage error;
  std::string target(bytes > 0 ? bytes : 0, '\0');
  error.raiseIf(mlirScanDeviceCopyToHost(handle, target.data(), source, bytes,
                                         error.handler()));
  return nb::bytes(target.data(), target.size());
}

void Device::synchronize() {
  ErrorMessage error;
  MlirLogicalResult result;
  {
    ReleaseGil release;
    result = mlirScanDeviceSynchronize(handle, error.handler());
  }
  error.raiseIf(result);
}

Program::Program(std::shared_ptr<Device> device, std::string_view ptx,
                 std::string_view manifest)
    : device(std::move(device)) {
  ErrorMessage error;
  {
    ReleaseGil release;
    handle = mlirScanProgramLoad(this->device->get(), toRef(ptx),
                                 toRef(manifest), error.handler());
  }
  error.raiseIf(mlirScanProgramIsNull(handle));
}

Program::Program(std::shared_ptr<Device> device, std::string_view manifest,
                 nb::object loader)
    : device(std::move(device)), loader(std::move(loader)) {
  ErrorMessage error;
  {
    ReleaseGil release;
    handle = mlirScanProgramLoadManifest(this->device->get(), toRef(manifest),
                                         error.handler());
  }
  error.raiseIf(mlirScanProgramIsNull(handle));
}

void Program::add(std::string_view ptx) {
  ErrorMessage error;
  MlirLogicalResult result;
  {
    ReleaseGil release;
    result = mlirScanProgramAdd(handle, toRef(ptx), error.handler());
  }
  error.raiseIf(result);
  notify();
}

Program::~Program() { mlirScanProgramDestroy(handle); }

std::vector<std::string> Program::names() const {
  std::vector<std::string> names;
  for (intptr_t i = 0; i < mlirScanProgramGetNumFunctions(handle); ++i)
    names.push_back(toString(
        mlirScanFunctionGetName(mlirScanProgramGetFunction(handle, i))));
  return names;
}

void Program::check() const {
  ErrorMessage error;
  error.raiseIf(mlirScanProgramCheck(handle, error.handler()));
}

MlirScanFunction Program::find(std::string_view name) const {
  for (intptr_t i = 0; i < mlirScanProgramGetNumFunctions(handle); ++i) {
    MlirScanFunction function = mlirScanProgramGetFunction(handle, i);
    MlirStringRef found = mlirScanFunctionGetName(function);
    if (std::string_view(found.data, found.length) == name)
      return function;
  }
  std::string list;
  for (const std::string &other : names())
    list += (list.empty() ? "" : ", ") + other;
  raise("ScanError",
        "no function '" + std::string(name) + "'; there are: " + list);
}

Function::Function(std::shared_ptr<Program> program, MlirScanFunction handle)
    : program(std::move(program)), handle(handle),
      name(toString(mlirScanFunctionGetName(handle))) {
  for (intptr_t i = 0; i < mlirScanFunctionGetNumArguments(handle); ++i)
    arguments.emplace_back(mlirScanFunctionGetArgument(handle, i));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Call::Call(std::shared_ptr<Program> program, MlirScanCall handle,
           uint64_t generation)
    : program(std::move(program)), isBest(mlirScanCallIsBest(handle)),
      generation(generation), handle(handle) {
  for (intptr_t i = 0; i < mlirScanCallGetNumBuffers(handle); ++i)
    buffers.push_back(mlirScanCallGetBuffer(handle, i));
  for (intptr_t i = 0; i < mlirScanCallGetNumResults(handle); ++i) {
    results.push_back(mlirScanCallGetResult(handle, i));
    places.push_back(mlirScanCallGetResultPlace(handle, i));
  }
}

Call::~Call() { mlirScanCallDestroy(handle); }

std::vector<std::string>
Function::getMissing(const std::vector<MlirScanBuffer> &buffers) const {
  std::vector<std::string> missing;
  if (program->loader.is_valid())
    (void)mlirScanFunctionGetMissing(
        handle, buffers.size(), buffers.data(),
        [](MlirStringRef name, void *list) {
          static_cast<std::vector<std::string> *>(list)->push_back(
              toString(name));
        },
        &missing, {nullptr, nullptr});
  return missing;
}

void Function::require(const std::vector<MlirScanBuffer> &buffers) const {
  std::vector<std::string> missing = getMissing(buffers);
  if (!missing.empty())
    program->loader.attr("require")(program, nb::cast(missing));
}

std::shared_ptr<Call>
Function::prepare(const std::vector<MlirScanBuffer> &buffers, bool forGraph) {
  require(buffers);
  ErrorMessage error;
  MlirScanCall call;
  uint64_t generation = program->generation;
  {
    ReleaseGil release;
    call =
        (forGraph ? mlirScanFunctionPrepareForGraph : mlirScanFunctionPrepare)(
            handle, buffers.size(), buffers.data(), error.handler());
  }
  error.raiseIf(mlirScanCallIsNull(call));
  return std::make_shared<Call>(program, call, generation);
}

std::shared_ptr<Call>
Function::prepareAvailable(const std::vector<MlirScanBuffer> &buffers,
                           bool forGraph) {
  std::vector<std::string> missing = getMissing(buffers);
  if (missing.empty())
    return prepare(buffers, forGraph);
  uint64_t generation = program->generation;
  // The memory that it needs is not its own: it goes as soon as there is a
  // better one, when its last launch may still be at work.
  MlirScanCall handle = mlirScanFunctionPrepareAvailable(
      this->handle, buffers.size(), buffers.data(), /*forGraph=*/true,
      {nullptr, nullptr});
  std::shared_ptr<Call> call;
  if (!mlirScanCallIsNull(handle))
    call = std::make_shared<Call>(program, handle, generation);
  // Nothing can be compiled and loaded in the middle of a capture.
  if (forGraph) {
    program->loader.attr("refuse")(name, nb::cast(missing), call != nullptr);
    return call;
  }
  if (!call ||
      nb::cast<bool>(program->loader.attr("start")(program, nb::cast(missing))))
    return prepare(buffers);
  return call;
}

void Call::launch(const std::vector<uint64_t> &arguments,
                  const std::vector<uint64_t> &memory, uintptr_t stream) {
  ErrorMessage error;
  error.raiseIf(mlirScanCallLaunch(
      handle, arguments.size(), arguments.data(), memory.size(), memory.data(),
      reinterpret_cast<void *>(stream), error.handler()));
}

nb::tuple mlir_scan::getShape(const MlirScanBuffer &buffer) {
  nb::list shape;
  for (int64_t i = 0; i < buffer.rank; ++i)
    shape.append(buffer.shape[i]);
  return nb::tuple(shape);
}

static nb::tuple describe(const MlirScanBuffer &buffer) {
  return nb::make_tuple(getName(buffer.elementType), getShape(buffer));
}

static nb::list getResults(const Call &call) {
  static const char *const kinds[] = {"none", "argument", "buffer", "constant"};
  nb::list list;
  for (size_t i = 0; i < call.results.size(); ++i) {
    const MlirScanResultPlace &place = call.places[i];
    nb::object number = place.kind == MlirScanPlaceConstant
                            ? nb::object(nb::int_(place.constant))
                            : nb::object(nb::int_(place.index));
    list.append(nb::make_tuple(getName(call.results[i].elementType),
                               getShape(call.results[i]), kinds[place.kind],
                               number));
  }
  return list;
}

//===----------------------------------------------------------------------===//
// The classes
//===----------------------------------------------------------------------===//

void mlir_scan::addLauncher(nb::module_ &module) {
  using namespace nb::literals;
  nb::class_<Device>(module, "Device", R"(A GPU, by its number.

Its primary context is used, as torch and other libraries do. Raises
mlir_scan.NoDriverError where there is no driver, mlir_scan.ScanError where there is no such
GPU.)")
      .def(nb::init<int>(), "ordinal"_a = 0)
      .def_ro("ordinal", &Device::ordinal)
      .def_prop_ro("name",
                   [](const Device &self) {
                     return toString(mlirScanDeviceGetName(self.get()));
                   })
      .def_prop_ro(
          "compute_capability",
          [](const Device &self) {
            return mlirScanDeviceGetComputeCapability(self.get());
          },
          "major * 10 + minor: 90 for an H100.")
      .def("allocate", &Device::allocate, "bytes"_a,
           "Memory of the device, an address, for `free`; 0 for 0 bytes.")
      .def("free", &Device::free, "pointer"_a)
      .def("copy_to_device", &Device::copyToDevice, "target"_a, "data"_a)
      .def("copy_to_host", &Device::copyToHost, "source"_a, "bytes"_a)
      .def("synchronize", &Device::synchronize,
           "Waits for all work of the device.");
  nb::class_<Program>(module, "Program", R"(PTX on a device, with its manifest.

Both are texts, as Module.ptx returns them. Raises mlir_scan.ScanError where the manifest is
not what docs/manifest.md says or the driver refuses the PTX.)")
      .def(nb::init<std::shared_ptr<Device>, std::string_view,
                    std::string_view>(),
           "device"_a, "ptx"_a, "manifest"_a)
      .def(nb::init<std::shared_ptr<Device>, std::string_view, nb::object>(),
           "device"_a, "manifest"_a, "loader"_a,
           "Without any kernel: `loader`, a mlir_scan.kernels.Loader, brings "
           "those that calls need.")
      .def("add", &Program::add, "ptx"_a,
           "Loads PTX with some of the kernels. Any thread may call this.")
      .def("notify", &Program::notify,
           "Has calls look again for kernels that were missing.")
      .def_prop_ro("functions", &Program::names, "Their names.")
      .def("check", &Program::check,
           "Raises mlir_scan.ScanError with what kernels have found wrong so "
           "far: "
           "offsets of packed sequences that are none. Waits for nothing: "
           "synchronize first to know of all launches. Each error is raised "
           "once, "
           "here or by the next launch of the function, which launches nothing "
           "then.")
      .def(
          "__getitem__",
          [](std::shared_ptr<Program> self, std::string_view name) {
            MlirScanFunction function = self->find(name);
            return std::make_shared<Function>(std::move(self), function);
          },
          "name"_a, "The function of that name.");
  nb::class_<Function>(module, "Function", R"(A function of a program.

Called with an array on the device for each argument, or a number where it takes one, it
returns a tuple of results: memory of the library that the first argument is from. What was
prepared for shapes, numbers and stream is remembered. Launches go to the stream that this
library works on; nothing waits.)")
      .def_ro("name", &Function::name)
      .def_ro("arguments", &Function::arguments, "The types.")
      .def(
          "prepare", &prepareCall, "arguments"_a,
          "Checks and computes all that follows from the arguments' shapes and "
          "numbers; the Call. Arrays may be anything with DLPack, on any "
          "device. Kernels that are missing are compiled first.",
          nb::sig("def prepare(self, *arguments) -> Call"))
      .def("__call__", &callFunction, "arguments"_a,
           nb::sig("def __call__(self, *arguments) -> tuple"));
  nb::class_<Call>(module, "Call",
                   R"(A function with shapes and numbers settled.

Launches of one call must not overlap on the GPU: prepare one for each stream.)")
      .def_prop_ro(
          "buffers",
          [](const Call &self) {
            nb::list list;
            for (const MlirScanBuffer &buffer : self.buffers)
              list.append(describe(buffer));
            return list;
          },
          "What the caller allocates, aligned to 16 bytes: (dtype, shape) "
          "each, "
          "first those that hold results, then temporaries.",
          nb::sig("def buffers(self) -> list[tuple[str, tuple[int, ...]]]"))
      .def_prop_ro(
          "results", &getResults,
          "(dtype, shape, place, number) each: in the \"argument\" or "
          "\"buffer\" of "
          "that number, or in a \"constant\" at that address.",
          nb::sig("def results(self) -> list[tuple[str, tuple[int, ...], str, "
                  "int]]"))
      .def_ro("is_best", &Call::isBest,
              "Whether it has the kernels for its extents, and not others that "
              "stand in for them.")
      .def("launch", &Call::launch, "arguments"_a, "buffers"_a, "stream"_a = 0,
           "Launches the kernels on a stream (a CUstream, as an integer), on "
           "the "
           "addresses of the arguments' first elements (anything for numbers) "
           "and "
           "of the buffers. Neither allocates nor waits: it may be captured "
           "into a "
           "graph.");
}
