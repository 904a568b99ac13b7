//===- Kernels.cpp - Programs to PTX, kernel by kernel --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan-c/Kernels.h"
#include "PTX.h"
#include "Pipelines/KernelCompiler.h"
#include "Support.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::capi;

DEFINE_C_API_PTR_METHODS(MlirScanKernels, KernelCompiler)

MlirScanKernels mlirScanKernelsCreate(MlirModule module,
                                      const MlirScanPTXOptions *options) {
  StringRef function = "mlirScanKernelsCreate";
  if (failed(checkHandle(module, function, "module")))
    return {nullptr};
  MLIRContext *context = unwrap(module).getContext();
  std::optional<PTXOptions> target = readPTXOptions(context, options, function);
  if (!target || failed(verify(unwrap(module))))
    return {nullptr};
  provideDialects(context);
  OwningOpRef<ModuleOp> clone(unwrap(module).clone());
  return wrap(KernelCompiler::create(*clone, *target).release());
}

void mlirScanKernelsDestroy(MlirScanKernels kernels) { delete unwrap(kernels); }

MlirLogicalResult mlirScanKernelsWrite(MlirScanKernels kernels,
                                       MlirStringCallback callback,
                                       void *userData) {
  if (failed(checkHandle(kernels, "mlirScanKernelsWrite", "kernels")))
    return mlirLogicalResultFailure();
  if (!callback)
    return wrap(reportNull("mlirScanKernelsWrite", "callback"));
  CallbackStream stream(callback, userData);
  unwrap(kernels)->write(stream);
  return mlirLogicalResultSuccess();
}

MlirScanKernels mlirScanKernelsRead(MlirStringRef bytes) {
  return wrap(KernelCompiler::read(unwrap(bytes)).release());
}

MlirStringRef mlirScanKernelsGetManifest(MlirScanKernels kernels) {
  return wrap(kernels.ptr ? unwrap(kernels)->getManifest() : StringRef());
}

intptr_t mlirScanKernelsGetNum(MlirScanKernels kernels) {
  return kernels.ptr ? unwrap(kernels)->getNumKernels() : -1;
}

MlirStringRef mlirScanKernelsGetName(MlirScanKernels kernels, intptr_t index) {
  if (index < 0 || index >= mlirScanKernelsGetNum(kernels))
    return wrap(StringRef());
  return wrap(unwrap(kernels)->getName(index));
}

intptr_t mlirScanKernelsFind(MlirScanKernels kernels, MlirStringRef name) {
  for (intptr_t i = 0, e = mlirScanKernelsGetNum(kernels); i < e; ++i)
    if (unwrap(kernels)->getName(i) == unwrap(name))
      return i;
  return -1;
}

MlirScanPTX mlirScanKernelsCompile(MlirScanKernels kernels, intptr_t index,
                                   MlirScanErrorHandler onError) {
  auto fail = [&](const Twine &message) -> MlirScanPTX {
    std::string line = message.str();
    if (onError.callback)
      onError.callback(wrap(StringRef(line)), onError.userData);
    return {nullptr};
  };
  if (!kernels.ptr)
    return fail("mlirScanKernelsCompile: kernels is null");
  intptr_t count = mlirScanKernelsGetNum(kernels);
  if (index < 0 || index >= count)
    return fail(
        "mlirScanKernelsCompile: expected the number of a kernel below " +
        Twine(count) + ", found " + Twine(index));
  std::string error;
  FailureOr<std::string> text =
      unwrap(kernels)->compile(index, getAllDialects(), error);
  if (failed(text))
    return fail(error.empty() ? "cannot compile the kernel" : error);
  return {new CompiledPTX{std::move(*text), ""}};
}
