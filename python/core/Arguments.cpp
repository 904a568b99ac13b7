//===- Arguments.cpp - Python objects as arrays ---------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "ElementTypes.h"
#include "Numbers.h"

#include <nanobind/stl/string.h>

using namespace mlir_scan;
using namespace mlir_scan::dlpack;

//===----------------------------------------------------------------------===//
// Classes with an exchange of tensors in C
//===----------------------------------------------------------------------===//

static const ExchangeClass *makeExchangeClass(PyTypeObject *type) {
  nb::handle handle(reinterpret_cast<PyObject *>(type));
  const char *attribute = "__dlpack_c_exchange_api__";
  if (!nb::hasattr(handle, attribute))
    return nullptr;
  // A subclass that does its own computing (tensors without data, say) does not
  // hold what the exchange would hand out.
  nb::handle base = handle;
  for (nb::handle candidate : nb::tuple(handle.attr("__mro__")))
    if (nb::cast<nb::dict>(nb::module_::import_("builtins")
                               .attr("dict")(candidate.attr("__dict__")))
            .contains(attribute)) {
      base = candidate;
      break;
    }
  const char *dispatch = "__torch_dispatch__";
  if (nb::hasattr(handle, dispatch) && nb::hasattr(base, dispatch) &&
      !nb::object(handle.attr(dispatch)).is(nb::object(base.attr(dispatch))))
    return nullptr;
  nb::object capsule = handle.attr(attribute);
  auto *api = static_cast<const DLPackExchangeAPI *>(
      PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  if (!api) {
    PyErr_Clear();
    return nullptr;
  }
  // Of the versions on offer, the one that is known here.
  while (api && api->header.version.major != 1)
    api = reinterpret_cast<const DLPackExchangeAPI *>(api->header.prev_api);
  if (!api || !api->dltensor_from_py_object_no_sync ||
      !api->managed_tensor_to_py_object_no_sync)
    return nullptr;
  return new ExchangeClass{type, api, nb::hasattr(handle, "is_conj")};
}

const ExchangeClass *mlir_scan::findExchangeClass(PyTypeObject *type) {
  // The first few classes that were seen; each lives as long as the process.
  struct Entry {
    PyTypeObject *type;
    const ExchangeClass *exchange;
  };
  static Entry entries[16];
  static size_t count = 0;
  for (size_t i = 0; i < count; ++i)
    if (entries[i].type == type)
      return entries[i].exchange;
  if (count == std::size(entries))
    return nullptr;
  const ExchangeClass *exchange = makeExchangeClass(type);
  if (count == std::size(entries))
    return exchange;
  Py_INCREF(type);
  entries[count++] = {type, exchange};
  return exchange;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

struct Argument::Reader {
  Argument &argument;
  const ArrayType &expected;
  const std::string &function;
  size_t index;
  Memory memory;

  [[noreturn]] void fail(const std::string &found) {
    std::string text = "argument " + std::to_string(index) + " of '" +
                       function + "': expected " + expected.describe() +
                       ", found " + found;
    PyErr_SetString(PyExc_TypeError, text.c_str());
    throw nb::python_error();
  }

  /// Settles on an element type; None was not known.
  void setType(MlirScanElementType type, const std::string &name) {
    if (type == MlirScanElementTypeNone)
      fail("elements of the type " + name +
           "; the types are i1, i8 to i64, f16, bf16, f32, f64, complex<f32> "
           "and complex<f64>");
    // An index is an integer of 64 bits elsewhere.
    if (type == MlirScanElementTypeI64 &&
        expected.element == MlirScanElementTypeIndex)
      type = MlirScanElementTypeIndex;
    argument.buffer.elementType = type;
  }

  int64_t *makeDims(size_t count) {
    if (count <= argument.fewDims.size())
      return argument.fewDims.data();
    argument.manyDims.resize(count);
    return argument.manyDims.data();
  }

  void checkDevice(DLDevice device);
  void setTensor(const DLTensor &tensor);
  bool readNumber(nb::handle object);
  bool readExchange(nb::handle object, const ExchangeClass &exchange);
  bool readBuffer(nb::handle object);
  bool readInterface(nb::handle object);
  bool readDLPack(nb::handle object);
};

static bool isHost(DLDevice device) {
  return device.device_type == kDLCPU || device.device_type == kDLCUDAHost ||
         device.device_type == kDLROCMHost;
}

void Argument::Reader::checkDevice(DLDevice device) {
  auto describe = [](DLDevice device) -> std::string {
    if (isHost(device))
      return "the CPU";
    std::string number = std::to_string(device.device_id);
    if (device.device_type == kDLCUDA)
      return "GPU " + number;
    return "device " + number + " of DLPack's type " +
           std::to_string(device.device_type);
  };
  switch (memory.kind) {
  case Memory::Any:
    return;
  case Memory::Host:
    if (isHost(device))
      return;
    fail("an array on " + describe(device) +
         "; move it to the CPU, or compile for its device");
  case Memory::Device:
    if (device.device_type == kDLCUDA && device.device_id == memory.ordinal)
      return;
    fail("an array on " + describe(device) + "; move it to GPU " +
         std::to_string(memory.ordinal));
  }
}

void Argument::Reader::setTensor(const DLTensor &tensor) {
  checkDevice(tensor.device);
  DLDataType type = tensor.dtype;
  MlirScanElementType element = fromDLPack(type);
  setType(element, element != MlirScanElementTypeNone
                       ? std::string()
                       : "DLPack " + std::to_string(type.code) + " with " +
                             std::to_string(type.bits) + " bits and " +
                             std::to_string(type.lanes) + " lanes");
  argument.buffer.data = static_cast<char *>(tensor.data) + tensor.byte_offset;
  argument.buffer.rank = tensor.ndim;
  argument.buffer.shape = tensor.shape;
  argument.buffer.strides = tensor.strides;
}

bool Argument::Reader::readNumber(nb::handle object) {
  if (!expected.shape.empty() ||
      !(PyFloat_Check(object.ptr()) || PyLong_Check(object.ptr()) ||
        PyComplex_Check(object.ptr())))
    return false;
  std::string why;
  if (!writeNumber(object, expected.element, argument.scalar.data(), why))
    fail(why);
  argument.buffer = {argument.scalar.data(), expected.element, 0, nullptr,
                     nullptr};
  return true;
}

/// Calls a method without arguments that returns whether something holds.
static bool ask(nb::handle object, PyObject *method) {
  nb::object answer =
      nb::steal(PyObject_CallMethodNoArgs(object.ptr(), method));
  if (!answer.is_valid())
    throw nb::python_error();
  return answer.ptr() == Py_True;
}

bool Argument::Reader::readExchange(nb::handle object,
                                    const ExchangeClass &exchange) {
  DLTensor tensor;
  if (exchange.api->dltensor_from_py_object_no_sync(object.ptr(), &tensor)) {
    // A sparse tensor, or one inside of a transformation. The first line says
    // why.
    nb::python_error error;
    std::string why = nb::str(error.value()).c_str();
    fail("an object of " + std::string(nb::repr(object.type()).c_str()) +
         " without elements in memory: " + why.substr(0, why.find('\n')));
  }
  if (exchange.hasLazyConjugates) {
    static PyObject *isConj = PyUnicode_InternFromString("is_conj");
    static PyObject *isNeg = PyUnicode_InternFromString("is_neg");
    uint8_t code = tensor.dtype.code;
    bool pending =
        (code == kDLComplex && ask(object, isConj)) ||
        ((code == kDLFloat || code == kDLComplex) && ask(object, isNeg));
    if (pending) {
      nb::object resolved =
          object.attr("detach")().attr("resolve_conj")().attr("resolve_neg")();
      if (exchange.api->dltensor_from_py_object_no_sync(resolved.ptr(),
                                                        &tensor))
        throw nb::python_error();
      argument.owner = resolved.release().ptr();
    }
  }
  setTensor(tensor);
  return true;
}

bool Argument::Reader::readBuffer(nb::handle object) {
  if (!PyObject_CheckBuffer(object.ptr()))
    return false;
  if (PyObject_GetBuffer(object.ptr(), &argument.view, PyBUF_RECORDS_RO)) {
    PyErr_Clear();
    return false;
  }
  argument.hasView = true;
  const Py_buffer &view = argument.view;
  setType(fromFormat(view.format, view.itemsize),
          view.format ? "'" + std::string(view.format) + "'" : "'B'");
  int64_t *dims = makeDims(2 * view.ndim);
  for (int i = 0; i < view.ndim; ++i) {
    dims[i] = view.shape[i];
    if (view.strides[i] % view.itemsize != 0)
      fail("strides that are not multiples of the size of an element; copy the "
           "array");
    dims[view.ndim + i] = view.strides[i] / view.itemsize;
  }
  argument.buffer.data = view.buf;
  argument.buffer.rank = view.ndim;
  argument.buffer.shape = dims;
  argument.buffer.strides = dims + view.ndim;
  return true;
}

/// Arrays of numpy whose elements the buffer protocol does not know.
bool Argument::Reader::readInterface(nb::handle object) {
  if (!nb::hasattr(object, "__array_interface__") ||
      !nb::hasattr(object, "dtype"))
    return false;
  nb::object dtype = object.attr("dtype");
  std::string name = nb::str(dtype).c_str();
  setType(fromName(name), name);
  nb::object interface = object.attr("__array_interface__");
  nb::tuple shape = interface["shape"];
  nb::object strides = interface["strides"];
  auto size = static_cast<int64_t>(
      mlirScanElementTypeGetSize(argument.buffer.elementType));
  int64_t rank = nb::len(shape);
  int64_t *dims = makeDims(2 * rank);
  for (int64_t i = 0; i < rank; ++i) {
    dims[i] = nb::cast<int64_t>(shape[i]);
    if (strides.is_none())
      continue;
    dims[rank + i] = nb::cast<int64_t>(strides[i]);
    if (dims[rank + i] % size != 0)
      fail("strides that are not multiples of the size of an element; copy the "
           "array");
    dims[rank + i] /= size;
  }
  nb::object data = interface["data"];
  argument.buffer.data =
      reinterpret_cast<void *>(nb::cast<uintptr_t>(nb::object(data[0])));
  argument.buffer.rank = rank;
  argument.buffer.shape = dims;
  argument.buffer.strides = strides.is_none() ? nullptr : dims + rank;
  // The interface may own a copy.
  argument.owner = interface.release().ptr();
  return true;
}

bool Argument::Reader::readDLPack(nb::handle object) {
  if (!nb::hasattr(object, "__dlpack__"))
    return false;
  // Asynchronous arrays have to be there; DLPack has no word for it on the CPU.
  if (nb::hasattr(object, "block_until_ready"))
    object.attr("block_until_ready")();
  if (nb::hasattr(object, "__dlpack_device__")) {
    nb::tuple device = nb::cast<nb::tuple>(object.attr("__dlpack_device__")());
    checkDevice({nb::cast<int32_t>(nb::object(device[0])),
                 nb::cast<int32_t>(nb::object(device[1]))});
  }
  nb::object capsule;
  try {
    capsule = object.attr("__dlpack__")(
        nb::arg("max_version") = nb::make_tuple(version.major, version.minor));
  } catch (nb::python_error &error) {
    if (!error.matches(PyExc_TypeError))
      throw;
    capsule = object.attr("__dlpack__")();
  }
  // It stays the capsule's, which frees it: nobody else takes it.
  const DLTensor *tensor = nullptr;
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned")) {
    auto *managed = static_cast<DLManagedTensorVersioned *>(
        PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    if (managed->version.major != version.major)
      fail("DLPack of version " + std::to_string(managed->version.major));
    tensor = &managed->dl_tensor;
  } else if (PyCapsule_IsValid(capsule.ptr(), "dltensor")) {
    tensor = &static_cast<DLManagedTensor *>(
                  PyCapsule_GetPointer(capsule.ptr(), "dltensor"))
                  ->dl_tensor;
  } else {
    fail("an object whose __dlpack__ returns no tensor");
  }
  argument.owner = capsule.release().ptr();
  setTensor(*tensor);
  return true;
}

void Argument::read(nb::handle object, const ArrayType &expected,
                    const std::string &function, size_t index, Memory memory) {
  Reader reader{*this, expected, function, index, memory};
  if (const ExchangeClass *exchange =
          findExchangeClass(Py_TYPE(object.ptr()))) {
    reader.readExchange(object, *exchange);
    return;
  }
  if (reader.readNumber(object))
    return;
  if (memory.kind != Memory::Device &&
      (reader.readBuffer(object) || reader.readInterface(object)))
    return;
  if (reader.readDLPack(object))
    return;
  reader.fail("an object of " + std::string(nb::repr(object.type()).c_str()) +
              ", which is no array (DLPack or the buffer protocol)" +
              (expected.shape.empty() ? " and no number" : ""));
}

Argument::~Argument() {
  if (hasView)
    PyBuffer_Release(&view);
  Py_XDECREF(owner);
}
