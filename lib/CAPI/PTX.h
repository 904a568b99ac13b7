//===- PTX.h - What was compiled to PTX, in the C interface -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CAPI_PTX_H
#define SCAN_LIB_CAPI_PTX_H

#include "Scan-c/PTX.h"
#include "Scan/Pipelines/ScanToPTX.h"
#include <optional>

namespace mlir::scan::capi {

/// What an MlirScanPTX is.
struct CompiledPTX {
  std::string text;
  std::string manifest;
};

/// The options, which may be null: all defaults. None after an error about the
/// arguments of `function`.
std::optional<PTXOptions> readPTXOptions(MLIRContext *context,
                                         const MlirScanPTXOptions *options,
                                         StringRef function);

} // namespace mlir::scan::capi

#endif // SCAN_LIB_CAPI_PTX_H
