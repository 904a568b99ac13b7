//===- Scan-c/Kernels.h - Programs to PTX, kernel by kernel -------*- C -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlirScanPTXCompile compiles all kernels of a program. Where extents are
// dynamic, these are several for a scan, and the extents of a call say which
// one it takes: a process that sees few extents needs few of them. So here a
// program is compiled as far as its manifest, which has the choice, and each
// kernel when somebody asks for it:
//
//   MlirScanKernels kernels = mlirScanKernelsCreate(module, NULL);
//   MlirScanProgram program = mlirScanProgramLoadManifest(
//       device, mlirScanKernelsGetManifest(kernels), onError);
//
//   // For arguments of other extents than before, the kernels that are
//   missing: mlirScanFunctionGetMissing(function, count, arguments, callback,
//   &names,
//                              onError);
//   // ... of each: compile, load
//   intptr_t number = mlirScanKernelsFind(kernels, name);
//   MlirScanPTX ptx = mlirScanKernelsCompile(kernels, number, onError);
//   mlirScanProgramAdd(program, mlirScanPTXGetText(ptx), onError);
//   mlirScanPTXDestroy(ptx);
//
//   MlirScanCall call = mlirScanFunctionPrepare(function, ...);
//
// Compiling may be left to another thread if mlirScanFunctionPrepareAvailable
// finds a call that does with the kernels that are there.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_C_KERNELS_H
#define SCAN_C_KERNELS_H

#include "Scan-c/Launcher.h"
#include "Scan-c/PTX.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The kernels of a program, which are still to be compiled.
typedef struct MlirScanKernels {
  void *ptr;
} MlirScanKernels;

/// Compiles the public functions of `module`, as mlirScanPTXCompile does, up to
/// the kernels. Returns these, which belong to the caller
/// (mlirScanKernelsDestroy) and depend on neither module nor context any more,
/// or null after an error, a diagnostic of the context.
MLIR_CAPI_EXPORTED MlirScanKernels
mlirScanKernelsCreate(MlirModule module, const MlirScanPTXOptions *options);

/// Whether compiling failed.
static inline bool mlirScanKernelsIsNull(MlirScanKernels kernels) {
  return !kernels.ptr;
}

/// Destroys kernels that no thread is compiling. Null is ignored.
MLIR_CAPI_EXPORTED void mlirScanKernelsDestroy(MlirScanKernels kernels);

/// Writes the kernels in pieces to `callback`, each of which lives until the
/// callback returns. mlirScanKernelsRead makes the same of them, in any
/// process, without the program: for caches.
MLIR_CAPI_EXPORTED MlirLogicalResult mlirScanKernelsWrite(
    MlirScanKernels kernels, MlirStringCallback callback, void *userData);

/// Kernels that mlirScanKernelsWrite of the same build of this library has
/// written. They belong to the caller. Null where `bytes` are no such. The
/// bytes have to be from somebody who is trusted: MLIR reads them without
/// checks.
MLIR_CAPI_EXPORTED MlirScanKernels mlirScanKernelsRead(MlirStringRef bytes);

/// The manifest, which mlirScanProgramLoadManifest takes: that of
/// mlirScanPTXCompile without the hash of the PTX. Terminated; owned by
/// `kernels`; empty for null.
MLIR_CAPI_EXPORTED MlirStringRef
mlirScanKernelsGetManifest(MlirScanKernels kernels);

/// How many kernels there are; -1 for null.
MLIR_CAPI_EXPORTED intptr_t mlirScanKernelsGetNum(MlirScanKernels kernels);

/// The name of a kernel, counted from 0, which is its `entry` in the manifest.
/// Owned by `kernels`; empty if there is none of that number.
MLIR_CAPI_EXPORTED MlirStringRef mlirScanKernelsGetName(MlirScanKernels kernels,
                                                        intptr_t index);

/// The number of the kernel of that name; -1 if there is none.
MLIR_CAPI_EXPORTED intptr_t mlirScanKernelsFind(MlirScanKernels kernels,
                                                MlirStringRef name);

/// Compiles a kernel, counted from 0. Any number of threads may do this at
/// once, with the same kernels, too: each works by itself, and the text is the
/// same each time. Returns PTX that has this kernel, and others where it cannot
/// be compiled apart from them, without a manifest; it belongs to the caller
/// (mlirScanPTXDestroy). Null after an error, of which `onError` gets the
/// message, with the place in the program.
MLIR_CAPI_EXPORTED MlirScanPTX mlirScanKernelsCompile(
    MlirScanKernels kernels, intptr_t index, MlirScanErrorHandler onError);

#ifdef __cplusplus
}
#endif

#endif // SCAN_C_KERNELS_H
