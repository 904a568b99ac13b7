//===- Scan-c/Dialect.h - Registration ----------------------------*- C -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_C_DIALECT_H
#define SCAN_C_DIALECT_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The handle of the scan dialect for MLIR's C interface. The functions that
/// run a pipeline, compile or prepare to execute register what they need beside
/// it: the dialects of the lowerings, the interfaces between dialects.
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Scan, scan);

/// Adds to `registry`, which stays the caller's, the scan dialect, the upstream
/// dialects that programs around scans use, and the interfaces that the
/// pipelines need.
MLIR_CAPI_EXPORTED void
mlirScanRegisterAllDialects(MlirDialectRegistry registry);

/// The same for a context that exists already, say one of MLIR's Python
/// bindings, so that programs can be parsed in it. Contexts of
/// mlirScanContextCreate do not need it.
MLIR_CAPI_EXPORTED void mlirScanContextRegisterAllDialects(MlirContext context);

/// Makes every pass and pipeline of the project, and those of upstream MLIR,
/// known by name to this process. May be called more than once and from any
/// thread. mlirScanModuleRunPipeline does it itself.
MLIR_CAPI_EXPORTED void mlirScanRegisterAllPasses(void);

#ifdef __cplusplus
}
#endif

#endif // SCAN_C_DIALECT_H
