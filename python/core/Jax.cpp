//===- Jax.cpp - Executables as custom calls of XLA -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// XLA calls the handler below on a thread of its own, with arrays in its memory
// and the address of an executable, which mlir_scan.jax keeps alive. No Python
// runs here.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "xla/ffi/api/ffi.h"

#include <vector>

using namespace mlir_scan;
namespace ffi = xla::ffi;

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

static ffi::Error run(int64_t address, ffi::RemainingArgs arguments,
                      ffi::RemainingRets results) {
  std::vector<MlirScanBuffer> inputs, outputs;
  for (size_t i = 0; i < arguments.size(); ++i) {
    auto array = arguments.get<ffi::AnyBuffer>(i);
    if (array.has_error())
      return array.error();
    inputs.push_back(getBuffer(*array));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    auto array = results.get<ffi::AnyBuffer>(i);
    if (array.has_error())
      return array.error();
    outputs.push_back(getBuffer(**array));
  }
  MlirScanExecutable executable = {reinterpret_cast<void *>(address)};
  DiagnosticCollector collector;
  if (mlirLogicalResultIsSuccess(
          mlirScanExecutableRun(executable, inputs.size(), inputs.data(),
                                outputs.size(), outputs.data())))
    return ffi::Error::Success();
  std::string message = "mlir_scan: ";
  for (const Diagnostic &diagnostic : collector.diagnostics)
    message += diagnostic.message + "; ";
  return ffi::Error(ffi::ErrorCode::kInvalidArgument, message);
}

XLA_FFI_DEFINE_HANDLER(handler, run,
                       ffi::Ffi::Bind()
                           .Attr<int64_t>("executable")
                           .RemainingArgs()
                           .RemainingRets());

void mlir_scan::addJax(nb::module_ &module) {
  module.def(
      "jax_handler",
      [] { return nb::capsule(reinterpret_cast<void *>(handler)); },
      "The handler of custom calls for jax.ffi.register_ffi_target.");
}
