//===- Scan-c/PTX.h - Programs to PTX and a launch manifest -------*- C -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_C_PTX_H
#define SCAN_C_PTX_H

#include "Scan-c/Signature.h"
#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What to compile for, and with what. mlirScanPTXOptionsGetDefault first, then
/// whatever is to differ. The strings belong to the caller and are only read
/// during the call that takes the options.
///
/// How a scan is laid over threads is no option of the compiler but part of the
/// program: the attribute `schedule` of each scan (#scan.schedule), chosen by
/// a cost model for those that have none.
typedef struct MlirScanPTXOptions {
  /// The GPU, such as "sm_80"; an unknown one is an error that lists them.
  /// Empty means "sm_90".
  MlirStringRef chip;
  /// The version of the PTX ISA, major * 10 + minor; 0 takes the lowest one
  /// that the chip and the kernels need. An older one is an error.
  uint32_t ptxIsa;
  /// LLVM's optimisation level, 0 to 3.
  uint32_t optLevel;
  /// The path of libdevice.10.bc, which is read only if a kernel calls a math
  /// function. Empty looks for it where the CUDA Toolkit usually is: CUDA_HOME,
  /// CUDA_PATH, /usr/local/cuda, the wheels in the Python environment.
  MlirStringRef libdevice;
  /// The strides, and offsets from the pointer, that launches may pass with
  /// tensor arguments.
  MlirScanStridedArguments stridedArguments;
  /// At most so many kernels per scan with dynamic extents, as long as each
  /// makes it faster; 0 takes as many as are worth their compilation, more
  /// where they are compiled one by one (Kernels.h).
  uint32_t maxVariants;
  /// The most bytes of states that fusion may give a thread for each scan; 0
  /// never unrolls a kernel over a dimension to fuse a sum over it.
  uint32_t maxStateBytes;
  /// Whether scans with dynamic extents become several kernels, for different
  /// extents, among which launchers choose; otherwise one that is least slower
  /// than the best over all extents.
  bool dispatch;
} MlirScanPTXOptions;

/// Chip sm_90, its ISA, level 3, libdevice from the usual places, dense
/// arguments, several kernels for scans with dynamic extents.
static inline MlirScanPTXOptions mlirScanPTXOptionsGetDefault(void) {
  MlirScanPTXOptions options;
  options.chip = mlirStringRefCreate("sm_90", 5);
  options.ptxIsa = 0;
  options.optLevel = 3;
  options.libdevice = mlirStringRefCreate("", 0);
  options.stridedArguments = MlirScanStridedArgumentsNone;
  options.maxVariants = 0;
  options.maxStateBytes = 256;
  options.dispatch = true;
  return options;
}

/// PTX and its manifest.
typedef struct MlirScanPTX {
  void *ptr;
} MlirScanPTX;

/// Compiles the public functions of `module`, which hold scans on tensors, to
/// PTX. The module is left as it is. `options` may be null: all defaults. Needs
/// neither a GPU nor a driver. Returns what was compiled, which belongs to the
/// caller (mlirScanPTXDestroy) and depends on neither module nor context any
/// more, or null after an error. (LLVM's backend would end the process at what
/// it has no instructions for; everything is checked before it gets there, and
/// no program is known that passes the checks and ends so.)
MLIR_CAPI_EXPORTED MlirScanPTX
mlirScanPTXCompile(MlirModule module, const MlirScanPTXOptions *options);

/// Whether compiling failed.
static inline bool mlirScanPTXIsNull(MlirScanPTX ptx) { return !ptx.ptr; }

/// Frees PTX and manifest. Null is ignored.
MLIR_CAPI_EXPORTED void mlirScanPTXDestroy(MlirScanPTX ptx);

/// The PTX text, as cuModuleLoadData and ptxas take it: terminated. Owned by
/// `ptx`; empty for null.
MLIR_CAPI_EXPORTED MlirStringRef mlirScanPTXGetText(MlirScanPTX ptx);

/// The manifest, JSON, which says how to launch the kernels of the PTX
/// (docs/manifest.md). Terminated; owned by `ptx`; empty for null.
MLIR_CAPI_EXPORTED MlirStringRef mlirScanPTXGetManifest(MlirScanPTX ptx);

#ifdef __cplusplus
}
#endif

#endif // SCAN_C_PTX_H
