//===- Results.cpp - Arrays that the library owns -------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Results.h"
#include "ElementTypes.h"
#include "Numbers.h"

#include <nanobind/stl/string.h>

using namespace mlir_scan;
using namespace mlir_scan::dlpack;

int64_t Result::getNumElements() const {
  int64_t count = 1;
  for (int64_t i = 0; i < buffer.rank; ++i)
    count *= buffer.shape[i];
  return count;
}

DLTensor Result::getTensor() const {
  return {buffer.data,
          {kDLCPU, 0},
          static_cast<int32_t>(buffer.rank),
          toDLPack(buffer.elementType),
          const_cast<int64_t *>(buffer.shape),
          const_cast<int64_t *>(strides.data()),
          /*byte_offset=*/0};
}

//===----------------------------------------------------------------------===//
// DLPack
//===----------------------------------------------------------------------===//

namespace {
/// A tensor of DLPack with what it keeps alive. Deleters neither need the GIL
/// nor Python, which may be gone by then.
template <typename Tensor> struct Managed {
  Tensor tensor;
  std::shared_ptr<Result> result;

  static Tensor *create(std::shared_ptr<Result> result) {
    auto *managed = new Managed{{}, std::move(result)};
    managed->tensor.dl_tensor = managed->result->getTensor();
    managed->tensor.manager_ctx = managed;
    managed->tensor.deleter = [](Tensor *self) {
      delete static_cast<Managed *>(self->manager_ctx);
    };
    return &managed->tensor;
  }

  /// The destructor of capsules: of those that nobody has taken the tensor of.
  static void destroyCapsule(PyObject *capsule, const char *name) {
    if (!PyCapsule_IsValid(capsule, name))
      return;
    auto *tensor = static_cast<Tensor *>(PyCapsule_GetPointer(capsule, name));
    tensor->deleter(tensor);
  }
};
} // namespace

static const char *const versionedName = "dltensor_versioned";
static const char *const unversionedName = "dltensor";

DLManagedTensorVersioned *
mlir_scan::makeManagedTensor(std::shared_ptr<Result> result) {
  auto *tensor = Managed<DLManagedTensorVersioned>::create(std::move(result));
  tensor->version = version;
  tensor->flags = 0;
  return tensor;
}

/// `stream` means nothing on the CPU.
static nb::object toCapsule(const Array &array, nb::handle stream,
                            nb::handle maxVersion, nb::handle device,
                            nb::handle copy) {
  if (!device.is_none()) {
    auto wanted = nb::cast<nb::tuple>(device);
    if (nb::cast<int64_t>(wanted[0]) != kDLCPU)
      throw nb::buffer_error("mlir-scan: the array is in memory of the CPU; "
                             "expected dl_device (1, 0)");
  }
  if (!copy.is_none() && nb::cast<bool>(copy))
    throw nb::buffer_error("mlir-scan: the memory is shared; copy the array "
                           "that is made of it");
  bool versioned = !maxVersion.is_none() &&
                   nb::cast<int64_t>(nb::cast<nb::tuple>(maxVersion)[0]) >= 1;
  PyObject *capsule;
  if (versioned)
    capsule = PyCapsule_New(makeManagedTensor(array.result), versionedName,
                            [](PyObject *capsule) {
                              Managed<DLManagedTensorVersioned>::destroyCapsule(
                                  capsule, versionedName);
                            });
  else
    capsule = PyCapsule_New(Managed<DLManagedTensor>::create(array.result),
                            unversionedName, [](PyObject *capsule) {
                              Managed<DLManagedTensor>::destroyCapsule(
                                  capsule, unversionedName);
                            });
  if (!capsule)
    throw nb::python_error();
  return nb::steal(capsule);
}

//===----------------------------------------------------------------------===//
// The buffer protocol
//===----------------------------------------------------------------------===//

static int getBuffer(PyObject *self, Py_buffer *view, int flags) {
  const Array &array = *nb::inst_ptr<Array>(self);
  const MlirScanBuffer &buffer = array.result->getBuffer();
  view->obj = nullptr;
  const char *format = toFormat(array.element);
  if (!format) {
    PyErr_Format(PyExc_BufferError,
                 "the buffer protocol has no %s; use numpy.asarray with "
                 "ml_dtypes, or DLPack",
                 getName(array.element));
    return -1;
  }
  int64_t size = mlirScanElementTypeGetSize(array.element);
  auto *dims = new Py_ssize_t[2 * buffer.rank + 1];
  for (int64_t i = 0; i < buffer.rank; ++i) {
    dims[i] = buffer.shape[i];
    dims[buffer.rank + i] = array.result->getStrides()[i] * size;
  }
  static char empty;
  view->buf = buffer.data ? buffer.data : &empty;
  view->len = array.result->getNumElements() * size;
  view->itemsize = size;
  view->readonly = 0;
  view->format = flags & PyBUF_FORMAT ? const_cast<char *>(format) : nullptr;
  view->ndim = static_cast<int>(buffer.rank);
  view->shape = flags & PyBUF_ND ? dims : nullptr;
  view->strides =
      (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? dims + buffer.rank : nullptr;
  view->suboffsets = nullptr;
  view->internal = dims;
  view->obj = self;
  Py_INCREF(self);
  return 0;
}

static void releaseBuffer(PyObject *, Py_buffer *view) {
  delete[] static_cast<Py_ssize_t *>(view->internal);
}

static PyType_Slot arraySlots[] = {
    {Py_bf_getbuffer, reinterpret_cast<void *>(getBuffer)},
    {Py_bf_releasebuffer, reinterpret_cast<void *>(releaseBuffer)},
    {0, nullptr}};

//===----------------------------------------------------------------------===//
// The class
//===----------------------------------------------------------------------===//

static nb::tuple getShape(const Array &array) {
  const MlirScanBuffer &buffer = array.result->getBuffer();
  nb::list shape;
  for (int64_t i = 0; i < buffer.rank; ++i)
    shape.append(buffer.shape[i]);
  return nb::tuple(shape);
}

/// Integers of the same size, for element types that the buffer protocol lacks.
static Array getBits(const Array &array) {
  return {array.result, array.element == MlirScanElementTypeBF16
                            ? MlirScanElementTypeI16
                            : array.element};
}

static nb::object toNumpy(nb::handle self, nb::handle dtype, nb::handle copy) {
  const Array &array = *nb::inst_ptr<Array>(self);
  nb::module_ numpy = nb::module_::import_("numpy");
  nb::object result = numpy.attr("asarray")(
      toFormat(array.element) ? nb::borrow(self) : nb::cast(getBits(array)));
  if (array.element == MlirScanElementTypeBF16)
    result =
        result.attr("view")(nb::module_::import_("ml_dtypes").attr("bfloat16"));
  if (!dtype.is_none())
    result = result.attr("astype")(dtype, nb::arg("copy") = false);
  if (!copy.is_none() && nb::cast<bool>(copy))
    result = result.attr("copy")();
  return result;
}

static nb::object getItem(const Array &array) {
  if (array.result->getNumElements() != 1)
    throw nb::value_error("item(): expected an array with one element");
  return readNumber(array.result->getBuffer().data, array.element);
}

void mlir_scan::addArrays(nb::module_ &module) {
  using namespace nb::literals;
  nb::class_<Array>(module, "Array", nb::type_slots(arraySlots),
                    R"(A result: a dense array in memory that the library owns.

torch.from_dlpack(a), jax.dlpack.from_dlpack(a), numpy.asarray(a) and memoryview(a) make
arrays of it without a copy, which keep the memory alive. It may be written to. numpy has
bf16 by the package ml_dtypes only, and memoryview none at all.)")
      .def_prop_ro("shape", &getShape, "The extents, a tuple.",
                   nb::sig("def shape(self) -> tuple[int, ...]"))
      .def_prop_ro(
          "dtype", [](const Array &self) { return getName(self.element); },
          "The element type as MLIR writes it: \"f32\", \"complex<f64>\".")
      .def_prop_ro(
          "ndim",
          [](const Array &self) { return self.result->getBuffer().rank; })
      .def_prop_ro("nbytes",
                   [](const Array &self) {
                     return self.result->getNumElements() *
                            static_cast<int64_t>(
                                mlirScanElementTypeGetSize(self.element));
                   })
      .def("item", &getItem,
           "The value of an array with one element, a number.")
      .def("__dlpack__", &toCapsule, nb::kw_only(), "stream"_a = nb::none(),
           "max_version"_a = nb::none(), "dl_device"_a = nb::none(),
           "copy"_a = nb::none())
      .def(
          "__dlpack_device__",
          [](const Array &) { return nb::make_tuple(int(kDLCPU), 0); },
          nb::sig("def __dlpack_device__(self) -> tuple[int, int]"))
      .def("__array__", &toNumpy, "dtype"_a = nb::none(), "copy"_a = nb::none())
      .def("__repr__", [](const Array &self) {
        return "<mlir_scan.Array " + std::string(getName(self.element)) +
               nb::str(nb::repr(nb::list(getShape(self)))).c_str() + ">";
      });
}
