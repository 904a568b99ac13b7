//===- LauncherCalls.cpp - Launches over arrays of Python -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "ElementTypes.h"
#include "Launcher.h"

using namespace mlir_scan;
using namespace mlir_scan::dlpack;

/// How many prepared calls a function remembers.
static constexpr size_t maxRemembered = 64;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

namespace {
/// The arguments of a function on a device.
class DeviceArguments {
public:
  DeviceArguments(const Function &function, nb::args objects,
                  Argument::Memory memory)
      : function(function), list(objects.size()) {
    if (objects.size() != function.arguments.size()) {
      PyErr_Format(PyExc_TypeError, "'%s' takes %zu arguments, found %zu",
                   function.name.c_str(), function.arguments.size(),
                   objects.size());
      throw nb::python_error();
    }
    buffers.reserve(list.size());
    for (size_t i = 0; i < list.size(); ++i) {
      const ArrayType &type = function.arguments[i];
      // Numbers are on the host.
      list[i].read(objects[i], type, function.name, i,
                   type.isScalar ? Argument::Memory::host() : memory);
      buffers.push_back(list[i].get());
    }
  }

  /// All that a prepared call depends on. Numbers of the host are read.
  std::string getKey(uintptr_t stream, bool isCaptured) const {
    std::string key(reinterpret_cast<const char *>(&stream), sizeof(stream));
    key += isCaptured ? 'c' : 'l';
    auto add = [&](const void *data, size_t size) {
      key.append(static_cast<const char *>(data), size);
    };
    for (size_t i = 0; i < buffers.size(); ++i) {
      const MlirScanBuffer &buffer = buffers[i];
      add(&buffer.elementType, sizeof(buffer.elementType));
      add(&buffer.rank, sizeof(buffer.rank));
      if (function.arguments[i].isScalar) {
        if (buffer.rank == 0)
          add(buffer.data, mlirScanElementTypeGetSize(buffer.elementType));
        continue;
      }
      add(buffer.shape, buffer.rank * sizeof(int64_t));
      if (buffer.strides)
        add(buffer.strides, buffer.rank * sizeof(int64_t));
      key += buffer.strides ? 's' : 'd';
    }
    return key;
  }

  /// Their addresses; raises ScanError where one is not aligned.
  std::vector<uint64_t> getAddresses() const {
    std::vector<uint64_t> addresses;
    addresses.reserve(buffers.size());
    for (size_t i = 0; i < buffers.size(); ++i) {
      auto address = reinterpret_cast<uint64_t>(buffers[i].data);
      bool isEmpty = false;
      for (int64_t dim = 0; dim < buffers[i].rank; ++dim)
        isEmpty |= buffers[i].shape[dim] == 0;
      size_t size = mlirScanElementTypeGetSize(buffers[i].elementType);
      if (!function.arguments[i].isScalar && !isEmpty && address % size != 0)
        raise("ScanError", "argument " + std::to_string(i) + " of '" +
                               function.name +
                               "': expected an address that is a multiple of " +
                               std::to_string(size) + " bytes, found " +
                               std::to_string(address) + "; copy the array");
      addresses.push_back(isEmpty ? 0 : address);
    }
    return addresses;
  }

  std::vector<MlirScanBuffer> buffers;

private:
  const Function &function;
  std::vector<Argument> list;
};

/// A tensor that a library has allocated, until a Python object has it.
class OwnedTensor {
public:
  OwnedTensor() = default;
  OwnedTensor(OwnedTensor &&other) : tensor(other.tensor) {
    other.tensor = nullptr;
  }
  ~OwnedTensor() {
    if (tensor && tensor->deleter)
      tensor->deleter(tensor);
  }

  void allocate(const ExchangeClass &library, const MlirScanBuffer &buffer,
                int device) {
    DLTensor prototype = {};
    prototype.device = {kDLCUDA, device};
    prototype.ndim = static_cast<int32_t>(buffer.rank);
    prototype.dtype = toDLPack(buffer.elementType);
    prototype.shape = const_cast<int64_t *>(buffer.shape);
    std::string error = "cannot allocate";
    auto setError = [](void *text, const char *, const char *message) {
      *static_cast<std::string *>(text) = message;
    };
    if (library.api->managed_tensor_allocator(&prototype, &tensor, &error,
                                              setError)) {
      tensor = nullptr;
      if (PyErr_Occurred())
        throw nb::python_error();
      raise("ScanError", error);
    }
  }

  uint64_t getAddress() const {
    return reinterpret_cast<uint64_t>(tensor->dl_tensor.data) +
           tensor->dl_tensor.byte_offset;
  }

  nb::object release(const ExchangeClass &library) {
    void *object = nullptr;
    DLManagedTensorVersioned *taken = tensor;
    tensor = nullptr;
    if (library.api->managed_tensor_to_py_object_no_sync(taken, &object))
      throw nb::python_error();
    return nb::steal(static_cast<PyObject *>(object));
  }

private:
  DLManagedTensorVersioned *tensor = nullptr;
};
} // namespace

/// A constant of the program, read-only, which keeps the program alive.
static nb::object shareConstant(const ExchangeClass &library,
                                std::shared_ptr<Call> call, size_t index,
                                int device) {
  struct Managed {
    DLManagedTensorVersioned tensor = {};
    std::shared_ptr<Call> call;
    std::vector<int64_t> strides;
  };
  auto *managed = new Managed;
  const MlirScanBuffer &buffer = call->results[index];
  managed->strides.resize(buffer.rank);
  int64_t stride = 1;
  for (int64_t i = buffer.rank; i-- > 0;) {
    managed->strides[i] = stride;
    stride *= std::max<int64_t>(buffer.shape[i], 1);
  }
  managed->call = call;
  managed->tensor.version = version;
  managed->tensor.manager_ctx = managed;
  managed->tensor.deleter = [](DLManagedTensorVersioned *self) {
    delete static_cast<Managed *>(self->manager_ctx);
  };
  managed->tensor.flags = readOnlyFlag;
  managed->tensor.dl_tensor = {
      reinterpret_cast<void *>(call->places[index].constant),
      {kDLCUDA, device},
      static_cast<int32_t>(buffer.rank),
      toDLPack(buffer.elementType),
      const_cast<int64_t *>(buffer.shape),
      managed->strides.data(),
      /*byte_offset=*/0};
  void *object = nullptr;
  if (library.api->managed_tensor_to_py_object_no_sync(&managed->tensor,
                                                       &object))
    throw nb::python_error();
  return nb::steal(static_cast<PyObject *>(object));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

std::shared_ptr<Call> mlir_scan::prepareCall(Function &self,
                                             nb::args arguments) {
  return self.prepare(
      DeviceArguments(self, arguments, Argument::Memory::any()).buffers);
}

static std::shared_ptr<Call> remember(Function &self, std::string key,
                                      const DeviceArguments &arguments,
                                      bool isCaptured) {
  if (auto found = self.calls.find(key); found != self.calls.end()) {
    self.order.splice(self.order.begin(), self.order, found->second);
    if (found->second->call->isUpToDate())
      return found->second->call;
  }
  // Other threads may run meanwhile, and prepare the same.
  std::shared_ptr<Call> call =
      self.prepareAvailable(arguments.buffers, isCaptured);
  if (auto found = self.calls.find(key); found != self.calls.end()) {
    if (!found->second->call->isBest)
      found->second->call = call;
    return call;
  }
  if (self.order.size() >= maxRemembered) {
    self.calls.erase(self.order.back().key);
    self.order.pop_back();
  }
  self.order.push_front({std::move(key), call});
  self.calls.emplace(self.order.front().key, self.order.begin());
  return call;
}

/// The array with the shape of a result: results that share memory with each
/// other or with an argument may have different ones.
static nb::object view(nb::object array, const MlirScanBuffer &buffer,
                       const MlirScanBuffer &result) {
  if (buffer.rank == result.rank &&
      std::equal(buffer.shape, buffer.shape + buffer.rank, result.shape))
    return array;
  return array.attr("reshape")(getShape(result));
}

nb::object mlir_scan::callFunction(Function &self, nb::args arguments) {
  const ExchangeClass *library = nullptr;
  for (size_t i = 0; i < arguments.size() && !library; ++i)
    library = findExchangeClass(Py_TYPE(PyTuple_GET_ITEM(arguments.ptr(), i)));
  if (!library || !library->api->managed_tensor_allocator ||
      !library->api->current_work_stream) {
    PyErr_Format(PyExc_TypeError,
                 "'%s': expected an array of a library that exchanges tensors "
                 "in C (DLPack 1.3; torch from 2.10 on) among the arguments; "
                 "mlir_scan.runtime takes others",
                 self.name.c_str());
    throw nb::python_error();
  }
  int device = self.program->device->ordinal;
  DeviceArguments inputs(self, arguments, Argument::Memory::device(device));
  void *stream = nullptr;
  if (library->api->current_work_stream(kDLCUDA, device, &stream))
    throw nb::python_error();
  auto streamKey = reinterpret_cast<uintptr_t>(stream);
  // A graph that is captured outlives what is remembered here, and may be
  // replayed beside others: its kernels work in memory that the library gives
  // the graph.
  bool isCaptured = self.program->device->isCapturing(streamKey);
  std::shared_ptr<Call> call =
      remember(self, inputs.getKey(streamKey, isCaptured), inputs, isCaptured);

  std::vector<OwnedTensor> memory(call->buffers.size());
  std::vector<uint64_t> addresses(memory.size());
  for (size_t i = 0; i < memory.size(); ++i) {
    memory[i].allocate(*library, call->buffers[i], device);
    addresses[i] = memory[i].getAddress();
  }
  call->launch(inputs.getAddresses(), addresses, streamKey);

  // Temporaries go back to the library's allocator, which hands them out on the
  // same stream, in order.
  std::vector<nb::object> objects(memory.size());
  nb::list results;
  for (size_t i = 0; i < call->results.size(); ++i) {
    const MlirScanResultPlace &place = call->places[i];
    if (place.kind == MlirScanPlaceArgument) {
      results.append(view(arguments[place.index], inputs.buffers[place.index],
                          call->results[i]));
      continue;
    }
    if (place.kind == MlirScanPlaceConstant) {
      nb::object constant = shareConstant(*library, call, i, device);
      // Who writes to a result must not change the program. A library that
      // knows no copy sees that it is read-only.
      results.append(nb::hasattr(constant, "clone") ? constant.attr("clone")()
                                                    : constant);
      continue;
    }
    nb::object &object = objects[place.index];
    if (!object.is_valid())
      object = memory[place.index].release(*library);
    results.append(view(object, call->buffers[place.index], call->results[i]));
  }
  return nb::tuple(results);
}
