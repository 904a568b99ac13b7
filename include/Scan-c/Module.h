//===- Scan-c/Module.h - Programs: read, check, transform, write --*- C -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_C_MODULE_H
#define SCAN_C_MODULE_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Parses and verifies a module, MLIR text or bytecode, that is in memory; the
/// memory is not needed afterwards. `name` stands for the file in diagnostics
/// and locations. Returns the module, which belongs to the caller
/// (mlirScanModuleDestroy), or null after an error. Bytecode has to be from
/// somebody who is trusted: MLIR reads it without checks.
MLIR_CAPI_EXPORTED MlirModule mlirScanModuleParse(MlirContext context,
                                                  MlirStringRef source,
                                                  MlirStringRef name);

/// The same from a file; "-" is standard input.
MLIR_CAPI_EXPORTED MlirModule mlirScanModuleParseFile(MlirContext context,
                                                      MlirStringRef path);

/// A copy, which belongs to the caller (mlirScanModuleDestroy). Null after an
/// error if `module` is null.
MLIR_CAPI_EXPORTED MlirModule mlirScanModuleClone(MlirModule module);

/// Destroys a module. Null is ignored.
MLIR_CAPI_EXPORTED void mlirScanModuleDestroy(MlirModule module);

/// The context of a module, owned by whoever created it; null for null.
MLIR_CAPI_EXPORTED MlirContext mlirScanModuleGetContext(MlirModule module);

/// Checks the constraints of every operation. What was parsed has been checked;
/// this is for modules that were built or changed otherwise.
MLIR_CAPI_EXPORTED MlirLogicalResult mlirScanModuleVerify(MlirModule module);

/// Writes the module as text, with locations if `withLocations`, in pieces to
/// `callback`, each of which lives until the callback returns.
MLIR_CAPI_EXPORTED MlirLogicalResult
mlirScanModulePrint(MlirModule module, bool withLocations,
                    MlirStringCallback callback, void *userData);

/// Writes the module as bytecode, which mlirScanModuleParse reads, in pieces as
/// above.
MLIR_CAPI_EXPORTED MlirLogicalResult mlirScanModuleWriteBytecode(
    MlirModule module, MlirStringCallback callback, void *userData);

/// Calls `callback` with the name of each public function that has a body, in
/// order. The names live as long as the functions.
MLIR_CAPI_EXPORTED MlirLogicalResult mlirScanModuleForEachFunction(
    MlirModule module, MlirStringCallback callback, void *userData);

/// Verifies the module and runs a pipeline on it, as mlir-opt would: either
/// "builtin.module(scan-normalize,func.func(canonicalize))" or, shorter, only
/// what is between the outer parentheses. Passes and pipelines of this project
/// ("scan-to-cpu", "scan-to-ptx{chip=sm_90}") and of upstream MLIR are known.
/// On failure the module is as the pass that failed left it, good for printing
/// and destroying; after an error in the text of the pipeline it is unchanged.
MLIR_CAPI_EXPORTED MlirLogicalResult
mlirScanModuleRunPipeline(MlirModule module, MlirStringRef pipeline);

#ifdef __cplusplus
}
#endif

#endif // SCAN_C_MODULE_H
