//===- Jax.cpp - Executables as custom calls of XLA -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// XLA calls the handler below on a thread of its own, with arrays in its memory
// and the text of a program. Python runs only where a text is new in the
// process: mlir_scan.jax compiles it then.
//
//===----------------------------------------------------------------------===//

#include "Jax.h"
#include "Executable.h"

using namespace mlir_scan;

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

static MlirScanElementType getElementType(ffi::DataType type) {
  switch (type) {
  case ffi::DataType::PRED:
    return MlirScanElementTypeI1;
  case ffi::DataType::S8:
    return MlirScanElementTypeI8;
  case ffi::DataType::S16:
    return MlirScanElementTypeI16;
  case ffi::DataType::S32:
    return MlirScanElementTypeI32;
  case ffi::DataType::S64:
    return MlirScanElementTypeI64;
  case ffi::DataType::F16:
    return MlirScanElementTypeF16;
  case ffi::DataType::BF16:
    return MlirScanElementTypeBF16;
  case ffi::DataType::F32:
    return MlirScanElementTypeF32;
  case ffi::DataType::F64:
    return MlirScanElementTypeF64;
  case ffi::DataType::C64:
    return MlirScanElementTypeComplexF32;
  case ffi::DataType::C128:
    return MlirScanElementTypeComplexF64;
  default:
    return MlirScanElementTypeNone;
  }
}

static MlirScanBuffer getBuffer(ffi::AnyBuffer array) {
  MlirScanBuffer buffer = {};
  buffer.data = array.untyped_data();
  buffer.elementType = getElementType(array.element_type());
  buffer.rank = static_cast<int64_t>(array.dimensions().size());
  buffer.shape = array.dimensions().begin();
  return buffer;
}

ffi::Error mlir_scan::getBuffers(ffi::RemainingArgs arguments,
                                 std::vector<MlirScanBuffer> &buffers) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    auto array = arguments.get<ffi::AnyBuffer>(i);
    if (array.has_error())
      return array.error();
    buffers.push_back(getBuffer(*array));
  }
  return ffi::Error::Success();
}

ffi::Error mlir_scan::getBuffers(ffi::RemainingRets results,
                                 std::vector<MlirScanBuffer> &buffers) {
  for (size_t i = 0; i < results.size(); ++i) {
    auto array = results.get<ffi::AnyBuffer>(i);
    if (array.has_error())
      return array.error();
    buffers.push_back(getBuffer(**array));
  }
  return ffi::Error::Success();
}

ffi::Error mlir_scan::makeError(ffi::ErrorCode code,
                                const std::string &message) {
  return ffi::Error(code, "mlir_scan: " + message);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Never freed: there is no right time for it.
static PyObject *compiler = nullptr;

void mlir_scan::setJaxCompiler(nb::object function) {
  compiler = function.release().ptr();
}

ffi::Error mlir_scan::runPython(const std::function<void()> &body) {
  if (!Py_IsInitialized() || !compiler)
    return makeError(ffi::ErrorCode::kFailedPrecondition,
                     "a program is called before mlir_scan.jax was imported, "
                     "or after the end of Python");
  nb::gil_scoped_acquire acquire;
  try {
    body();
    return ffi::Error::Success();
  } catch (nb::python_error &error) {
    return makeError(ffi::ErrorCode::kInvalidArgument,
                     nb::str(error.value()).c_str());
  } catch (const std::exception &error) {
    return makeError(ffi::ErrorCode::kInvalidArgument, error.what());
  }
}

ffi::Error
mlir_scan::compileForJax(std::string_view program, int device,
                         const std::function<void(nb::object)> &use) {
  return runPython([&] {
    use(nb::borrow(compiler)(nb::str(program.data(), program.size()), device));
  });
}

//===----------------------------------------------------------------------===//
// The CPU
//===----------------------------------------------------------------------===//

static ffi::Error findExecutable(std::string_view program,
                                 MlirScanExecutable &executable) {
  static auto *table = new ProgramTable<MlirScanExecutable>;
  MlirScanExecutable *found = table->find(program);
  if (!found) {
    ffi::Error error =
        compileForJax(program, /*device=*/-1, [&](nb::object object) {
          uintptr_t address = nb::cast<Executable &>(object).getHandle();
          // The table's, which lives to the end.
          object.release();
          found = table->add(program, {reinterpret_cast<void *>(address)});
        });
    if (error.failure())
      return error;
  }
  executable = *found;
  return ffi::Error::Success();
}

static ffi::Error run(std::string_view program, ffi::RemainingArgs arguments,
                      ffi::RemainingRets results) {
  std::vector<MlirScanBuffer> inputs, outputs;
  MlirScanExecutable executable;
  if (ffi::Error error = findExecutable(program, executable); error.failure())
    return error;
  if (ffi::Error error = getBuffers(arguments, inputs); error.failure())
    return error;
  if (ffi::Error error = getBuffers(results, outputs); error.failure())
    return error;
  DiagnosticCollector collector;
  if (mlirLogicalResultIsSuccess(
          mlirScanExecutableRun(executable, inputs.size(), inputs.data(),
                                outputs.size(), outputs.data())))
    return ffi::Error::Success();
  std::string message;
  for (const Diagnostic &diagnostic : collector.diagnostics)
    message += (message.empty() ? "" : "; ") + diagnostic.message;
  return makeError(ffi::ErrorCode::kInvalidArgument, message);
}

XLA_FFI_DEFINE_HANDLER(handler, run,
                       ffi::Ffi::Bind()
                           .Attr<std::string_view>("program")
                           .RemainingArgs()
                           .RemainingRets());

void mlir_scan::addJax(nb::module_ &module) {
  using namespace nb::literals;
  // The version of the interface that the handlers were built for.
  module.attr("xla_ffi_version") =
      nb::make_tuple(XLA_FFI_API_MAJOR, XLA_FFI_API_MINOR);
  module.def(
      "set_jax_compiler", &setJaxCompiler, "compiler"_a,
      "Sets the function that makes code of programs: it takes the text "
      "and -1 for an Executable, or the number of a GPU for a Function.");
  module.def(
      "jax_handler",
      [] { return nb::capsule(reinterpret_cast<void *>(handler)); },
      "The handler of custom calls on the CPU for "
      "jax.ffi.register_ffi_target. Their attribute `program` is the text.");
  addJaxForCuda(module);
}
