//===- PTX.cpp - Programs to PTX and a launch manifest --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTX.h"
#include "Support.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::capi;

DEFINE_C_API_PTR_METHODS(MlirScanPTX, CompiledPTX)

std::optional<PTXOptions>
mlir::scan::capi::readPTXOptions(MLIRContext *context,
                                 const MlirScanPTXOptions *options,
                                 StringRef function) {
  PTXOptions target;
  if (!options)
    return target;
  if (failed(checkString(context, options->chip, function, "options.chip")) ||
      failed(checkString(context, options->libdevice, function,
                         "options.libdevice")))
    return std::nullopt;
  if (options->chip.length)
    target.chip = unwrap(options->chip).str();
  target.ptxIsa = options->ptxIsa;
  target.optLevel = options->optLevel;
  target.libdevice = unwrap(options->libdevice).str();
  std::optional<StridedArguments> strided =
      getStridedArguments(context, options->stridedArguments, function);
  if (!strided)
    return std::nullopt;
  target.stridedArguments = *strided;
  target.maxVariants = options->maxVariants;
  target.maxStateBytes = options->maxStateBytes;
  target.dispatch = options->dispatch;
  return target;
}

MlirScanPTX mlirScanPTXCompile(MlirModule module,
                               const MlirScanPTXOptions *options) {
  StringRef function = "mlirScanPTXCompile";
  if (failed(checkHandle(module, function, "module")))
    return {nullptr};
  MLIRContext *context = unwrap(module).getContext();
  std::optional<PTXOptions> target = readPTXOptions(context, options, function);
  if (!target || failed(verify(unwrap(module))))
    return {nullptr};
  provideDialects(context);
  OwningOpRef<ModuleOp> clone(unwrap(module).clone());
  auto compiled = std::make_unique<CompiledPTX>();
  if (failed(compileToPTX(*clone, *target, compiled->text, compiled->manifest)))
    return {nullptr};
  return wrap(compiled.release());
}

void mlirScanPTXDestroy(MlirScanPTX ptx) { delete unwrap(ptx); }

MlirStringRef mlirScanPTXGetText(MlirScanPTX ptx) {
  return ptx.ptr ? wrap(StringRef(unwrap(ptx)->text)) : wrap(StringRef());
}

MlirStringRef mlirScanPTXGetManifest(MlirScanPTX ptx) {
  return ptx.ptr ? wrap(StringRef(unwrap(ptx)->manifest)) : wrap(StringRef());
}
