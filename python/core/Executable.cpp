//===- Executable.cpp - Compiled functions --------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Executable.h"
#include "Arguments.h"
#include "ElementTypes.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

using namespace mlir_scan;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

ArrayType::ArrayType(const MlirScanArrayType &type)
    : element(type.elementType), shape(type.shape, type.shape + type.rank),
      isScalar(type.isScalar) {}

std::string ArrayType::describe() const {
  std::string text = getName(element);
  if (isScalar)
    return text;
  std::string dims;
  for (int64_t extent : shape)
    dims += (extent == MLIR_SCAN_DYNAMIC ? "?" : std::to_string(extent)) + "x";
  return "tensor<" + dims + text + ">";
}

Signature::Signature(MlirScanSignature signature) {
  for (intptr_t i = 0; i < mlirScanSignatureGetNumInputs(signature); ++i)
    inputs.emplace_back(mlirScanSignatureGetInput(signature, i));
  for (intptr_t i = 0; i < mlirScanSignatureGetNumOutputs(signature); ++i)
    outputs.emplace_back(mlirScanSignatureGetOutput(signature, i));
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Executable::Executable(std::shared_ptr<Context> context,
                       MlirScanExecutable handle, std::string function,
                       std::string target)
    : context(std::move(context)), handle(handle),
      function(std::move(function)), target(std::move(target)),
      signature(mlirScanExecutableGetSignature(handle)) {}

Executable::~Executable() {
  context->destroyLater(
      [handle = handle] { mlirScanExecutableDestroy(handle); });
}

nb::bytes Executable::write() {
  std::string bytes;
  std::vector<Diagnostic> diagnostics;
  bool succeeded = false;
  {
    ReleaseGil release;
    DiagnosticCollector collector;
    auto append = [](MlirStringRef text, void *data) {
      static_cast<std::string *>(data)->append(text.data, text.length);
    };
    context->use([&] {
      succeeded = mlirLogicalResultIsSuccess(
          mlirScanExecutableWrite(handle, append, &bytes));
    });
    diagnostics = std::move(collector.diagnostics);
  }
  if (!succeeded)
    raise("CompileError", diagnostics, "the executable cannot be written");
  return nb::bytes(bytes.data(), bytes.size());
}

std::unique_ptr<Executable> Executable::read(nb::bytes bytes) {
  std::string_view text(bytes.c_str(), bytes.size());
  std::vector<Diagnostic> diagnostics;
  std::shared_ptr<Context> context;
  MlirScanExecutable handle = {nullptr};
  {
    ReleaseGil release;
    DiagnosticCollector collector;
    context = Context::create();
    context->use(
        [&] { handle = mlirScanExecutableRead(context->get(), toRef(text)); });
    diagnostics = std::move(collector.diagnostics);
  }
  if (mlirScanExecutableIsNull(handle))
    raise("CompileError", diagnostics, "the executable cannot be read");
  return std::make_unique<Executable>(
      context, handle, toString(mlirScanExecutableGetName(handle)), "cpu");
}

namespace {
/// Arguments, the first few without allocating.
class ArgumentList {
public:
  explicit ArgumentList(size_t count) : count(count) {
    arguments =
        count <= few
            ? reinterpret_cast<Argument *>(storage)
            : static_cast<Argument *>(::operator new(count * sizeof(Argument)));
    for (size_t i = 0; i < count; ++i)
      new (&arguments[i]) Argument;
  }
  ~ArgumentList() {
    for (size_t i = 0; i < count; ++i)
      arguments[i].~Argument();
    if (count > few)
      ::operator delete(arguments);
  }
  ArgumentList(const ArgumentList &) = delete;
  Argument &operator[](size_t index) { return arguments[index]; }

private:
  static constexpr size_t few = 8;
  alignas(Argument) char storage[few * sizeof(Argument)];
  Argument *arguments;
  size_t count;
};
} // namespace

std::shared_ptr<ResultSet> Executable::run(PyObject *const *objects,
                                           size_t count) {
  if (count != signature.inputs.size()) {
    PyErr_Format(PyExc_TypeError, "'%s' takes %zu arguments, found %zu",
                 function.c_str(), signature.inputs.size(), count);
    throw nb::python_error();
  }
  ArgumentList arguments(count);
  std::vector<MlirScanBuffer> buffers(count);
  for (size_t i = 0; i < count; ++i) {
    arguments[i].read(objects[i], signature.inputs[i], function, i);
    buffers[i] = arguments[i].get();
  }
  MlirScanResults results = {nullptr};
  std::vector<Diagnostic> diagnostics;
  {
    ReleaseGil release;
    DiagnosticCollector collector;
    auto call = [&] {
      results = mlirScanExecutableCall(handle, count, buffers.data());
    };
    // Code for the CPU may run on several threads at once, also while the
    // context is used.
    if (target == "cpu")
      call();
    else
      context->use(call);
    diagnostics = std::move(collector.diagnostics);
  }
  if (mlirScanResultsIsNull(results))
    raise("RunError", diagnostics, "the run failed");
  return std::make_shared<ResultSet>(results);
}

static nb::object call(Executable &self, nb::args args) {
  std::shared_ptr<ResultSet> results =
      self.run(&PyTuple_GET_ITEM(args.ptr(), 0), nb::len(args));
  intptr_t count = results->size();
  nb::object tuple = nb::steal(PyTuple_New(count));
  for (intptr_t i = 0; i < count; ++i) {
    auto result = std::make_shared<Result>(results, i);
    MlirScanElementType element = result->getBuffer().elementType;
    PyTuple_SET_ITEM(
        tuple.ptr(), i,
        nb::cast(Array{std::move(result), element}).release().ptr());
  }
  return tuple;
}

/// The class of torch's tensors; null where torch is too old to exchange them.
static const ExchangeClass *getTorch() {
  // Never freed: there is no right time for it.
  static PyTypeObject *tensor = reinterpret_cast<PyTypeObject *>(
      nb::module_::import_("torch").attr("Tensor").ptr());
  return findExchangeClass(tensor);
}

static nb::object callTorch(Executable &self, nb::handle sequence) {
  nb::object items = nb::steal(
      PySequence_Fast(sequence.ptr(), "call_torch takes a sequence of arrays"));
  if (!items.is_valid())
    throw nb::python_error();
  const ExchangeClass *torch = getTorch();
  std::shared_ptr<ResultSet> results =
      self.run(PySequence_Fast_ITEMS(items.ptr()),
               PySequence_Fast_GET_SIZE(items.ptr()));
  intptr_t count = results->size();
  nb::object tuple = nb::steal(PyTuple_New(count));
  for (intptr_t i = 0; i < count; ++i) {
    auto result = std::make_shared<Result>(results, i);
    void *tensor = nullptr;
    if (!torch) {
      MlirScanElementType element = result->getBuffer().elementType;
      tensor = nb::module_::import_("torch")
                   .attr("from_dlpack")(Array{std::move(result), element})
                   .release()
                   .ptr();
    } else if (torch->api->managed_tensor_to_py_object_no_sync(
                   makeManagedTensor(std::move(result)), &tensor)) {
      throw nb::python_error();
    }
    PyTuple_SET_ITEM(tuple.ptr(), i, static_cast<PyObject *>(tensor));
  }
  return tuple;
}

static nb::tuple getShape(const ArrayType &type) {
  nb::list shape;
  for (int64_t extent : type.shape)
    shape.append(extent == MLIR_SCAN_DYNAMIC ? nb::object(nb::none())
                                             : nb::object(nb::int_(extent)));
  return nb::tuple(shape);
}

void mlir_scan::addExecutables(nb::module_ &module) {
  using namespace nb::literals;
  nb::class_<ArrayType>(module, "ArrayType", "The type of an input or output.")
      .def_prop_ro("shape", &getShape, "The extents, None where any is right.",
                   nb::sig("def shape(self) -> tuple[int | None, ...]"))
      .def_prop_ro(
          "dtype", [](const ArrayType &self) { return getName(self.element); },
          "As MLIR writes it: \"f32\", \"complex<f64>\".")
      .def_ro("is_scalar", &ArrayType::isScalar,
              "Whether it is a number, not a tensor.")
      .def("__str__", &ArrayType::describe)
      .def("__repr__", [](const ArrayType &self) {
        return "<mlir_scan.ArrayType " + self.describe() + ">";
      });
  nb::class_<Signature>(module, "Signature",
                        "The types of a function's inputs and outputs.")
      .def_ro("inputs", &Signature::inputs)
      .def_ro("outputs", &Signature::outputs)
      .def("__repr__", [](const Signature &self) {
        std::string text = "<mlir_scan.Signature (";
        for (const ArrayType &type : self.inputs)
          text += (&type == self.inputs.data() ? "" : ", ") + type.describe();
        text += ") -> (";
        for (const ArrayType &type : self.outputs)
          text += (&type == self.outputs.data() ? "" : ", ") + type.describe();
        return text + ")>";
      });
  nb::class_<Executable>(
      module, "Executable",
      R"(A compiled function, for any shapes that its types allow.

Called with an array for each input (anything on the CPU with DLPack or the buffer protocol,
with any strides) or a number where the input has rank 0, it returns a tuple of
mlir_scan.Array. Dense arrays are read where they are, and others if it was compiled for
their strides. Any number of threads may call an
executable for "cpu" at the same time. The GIL is released while it runs.

Raises TypeError for what is no array, mlir_scan.RunError where element types or shapes are
not those of the function or the run fails.)")
      .def("__call__", &call, "arrays"_a,
           nb::sig("def __call__(self, *arrays) -> tuple[Array, ...]"))
      .def_prop_ro("function", &Executable::getFunction,
                   "The name of the function.")
      .def_prop_ro("target", &Executable::getTarget)
      .def_prop_ro("signature", &Executable::getSignature,
                   "The types of its inputs and outputs.")
      .def(
          "to_bytes", &Executable::write,
          "The function as machine code. Raises CompileError for targets other "
          "than \"cpu\".")
      .def_static(
          "from_bytes", &Executable::read, "data"_a,
          "What to_bytes returned, in this process or in another one on "
          "the same kind of processor, without compiling.\n\nRaises "
          "CompileError where it was damaged, or is from another version "
          "or for another processor. It is code that will be run: take it "
          "only from where nobody else can write.")
      .def_prop_ro(
          "handle", &Executable::getHandle,
          "The pointer in the C interface's MlirScanExecutable, for code "
          "that calls it; valid as long as this object.");
  module.def(
      "call_torch", &callTorch, "executable"_a, "tensors"_a,
      "Calls an executable with a sequence of torch tensors on the CPU, and "
      "returns its results as a tuple of torch tensors.\n\nThe same as calling "
      "it and torch.from_dlpack, with less overhead. Nothing is recorded for "
      "autograd.",
      nb::sig("def call_torch(executable: Executable, tensors: "
              "collections.abc.Sequence) -> tuple"));
}
