//===- Scan-c/Launcher.h - Launches PTX on an NVIDIA GPU ----------*- C -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs what mlirScanPTXCompile made, on arrays in the memory of a GPU. The CUDA
// driver is looked for when a device is opened; nothing else is needed, no
// context of MLIR either. Errors are therefore no diagnostics: where a function
// takes an MlirScanErrorHandler, that gets one line.
//
// What belongs to what is kept alive by itself: programs keep their device,
// calls their program. All that a program loaded is freed with the last of
// them. Threads: one thread at a time uses a call; everything else may be used
// by several.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_C_LAUNCHER_H
#define SCAN_C_LAUNCHER_H

#include "Scan-c/Execution.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Gets the message of an error, one line that lives until the callback
/// returns. A null callback ignores it.
typedef struct MlirScanErrorHandler {
  MlirStringCallback callback;
  void *userData;
} MlirScanErrorHandler;

/// An address in the GPU's memory (CUdeviceptr), 0 for an array without
/// elements.
typedef uint64_t MlirScanDevicePointer;

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// A GPU with its primary context, which it shares with the CUDA runtime and
/// whatever else the process uses.
typedef struct MlirScanDevice {
  void *ptr;
} MlirScanDevice;

/// Opens GPU number `ordinal`. It belongs to the caller
/// (mlirScanDeviceDestroy). Null after an error: there is no driver, or no such
/// GPU.
MLIR_CAPI_EXPORTED MlirScanDevice
mlirScanDeviceOpen(int32_t ordinal, MlirScanErrorHandler onError);

/// Whether there was an error.
static inline bool mlirScanDeviceIsNull(MlirScanDevice device) {
  return !device.ptr;
}

/// Gives a device up. Null is ignored.
MLIR_CAPI_EXPORTED void mlirScanDeviceDestroy(MlirScanDevice device);

/// What the driver calls it, terminated; owned by the device. Empty for null.
MLIR_CAPI_EXPORTED MlirStringRef mlirScanDeviceGetName(MlirScanDevice device);

/// The compute capability as major * 10 + minor: 90 for an H100. -1 for null.
MLIR_CAPI_EXPORTED int32_t
mlirScanDeviceGetComputeCapability(MlirScanDevice device);

/// Memory of the device, aligned to 256 bytes, for mlirScanDeviceFree; address
/// 0 for 0 bytes.
MLIR_CAPI_EXPORTED MlirLogicalResult mlirScanDeviceAllocate(
    MlirScanDevice device, int64_t bytes, MlirScanDevicePointer *pointer,
    MlirScanErrorHandler onError);
MLIR_CAPI_EXPORTED MlirLogicalResult
mlirScanDeviceFree(MlirScanDevice device, MlirScanDevicePointer pointer,
                   MlirScanErrorHandler onError);

/// Copies `bytes` bytes, and waits until that is done.
MLIR_CAPI_EXPORTED MlirLogicalResult mlirScanDeviceCopyToDevice(
    MlirScanDevice device, MlirScanDevicePointer target, const void *source,
    int64_t bytes, MlirScanErrorHandler onError);
MLIR_CAPI_EXPORTED MlirLogicalResult mlirScanDeviceCopyToHost(
    MlirScanDevice device, void *target, MlirScanDevicePointer source,
    int64_t bytes, MlirScanErrorHandler onError);

/// Copies `bytes` bytes within the device's memory on `stream`, as
/// mlirScanCallLaunch takes it, and returns before that is done.
MLIR_CAPI_EXPORTED MlirLogicalResult
mlirScanDeviceCopyOnDevice(MlirScanDevice device, MlirScanDevicePointer target,
                           MlirScanDevicePointer source, int64_t bytes,
                           void *stream, MlirScanErrorHandler onError);

/// Waits for all work of the device.
MLIR_CAPI_EXPORTED MlirLogicalResult
mlirScanDeviceSynchronize(MlirScanDevice device, MlirScanErrorHandler onError);

/// Whether what is launched on `stream` (a CUstream) becomes part of a graph.
/// False for null.
MLIR_CAPI_EXPORTED bool mlirScanDeviceIsCapturing(MlirScanDevice device,
                                                  void *stream);

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// PTX that was loaded onto a device.
typedef struct MlirScanProgram {
  void *ptr;
} MlirScanProgram;

/// Loads PTX, with its manifest. It belongs to the caller
/// (mlirScanProgramDestroy). Null after an error: the manifest is not what
/// docs/manifest.md says, or the driver refuses the PTX.
MLIR_CAPI_EXPORTED MlirScanProgram
mlirScanProgramLoad(MlirScanDevice device, MlirStringRef ptx,
                    MlirStringRef manifest, MlirScanErrorHandler onError);

/// Loads a manifest without any kernel, which mlirScanProgramAdd does one by
/// one (Kernels.h). As above else.
MLIR_CAPI_EXPORTED MlirScanProgram
mlirScanProgramLoadManifest(MlirScanDevice device, MlirStringRef manifest,
                            MlirScanErrorHandler onError);

/// Loads PTX that has some of the kernels of a program. Those that are there
/// already stay. Any thread may call this, while others prepare and launch
/// calls, or capture streams.
MLIR_CAPI_EXPORTED MlirLogicalResult mlirScanProgramAdd(
    MlirScanProgram program, MlirStringRef ptx, MlirScanErrorHandler onError);

/// Whether there was an error.
static inline bool mlirScanProgramIsNull(MlirScanProgram program) {
  return !program.ptr;
}

/// Gives a program up. Null is ignored.
MLIR_CAPI_EXPORTED void mlirScanProgramDestroy(MlirScanProgram program);

/// Fails with what kernels of the program have found wrong so far and was not
/// reported yet: offsets of packed sequences that do not start with 0, decrease
/// or do not end with the extent of the scan dimension. Waits for nothing: call
/// it behind mlirScanDeviceSynchronize, or what else waits for the launches, to
/// know of all of them. Each error is reported once, here or by the next
/// mlirScanCallLaunch of the function, which then launches nothing. Results of
/// such a launch mean nothing.
MLIR_CAPI_EXPORTED MlirLogicalResult
mlirScanProgramCheck(MlirScanProgram program, MlirScanErrorHandler onError);

/// A function of a program, owned by it.
typedef struct MlirScanFunction {
  const void *ptr;
} MlirScanFunction;

/// How many functions there are; -1 for null.
MLIR_CAPI_EXPORTED intptr_t
mlirScanProgramGetNumFunctions(MlirScanProgram program);

/// A function, counted from 0; null if there is none of that number.
MLIR_CAPI_EXPORTED MlirScanFunction
mlirScanProgramGetFunction(MlirScanProgram program, intptr_t index);

/// Its name, terminated, owned by the program; empty for null.
MLIR_CAPI_EXPORTED MlirStringRef
mlirScanFunctionGetName(MlirScanFunction function);

/// How many arrays it takes; -1 for null.
MLIR_CAPI_EXPORTED intptr_t
mlirScanFunctionGetNumArguments(MlirScanFunction function);

/// The type of an argument, counted from 0, its shape owned by the program.
MLIR_CAPI_EXPORTED MlirScanArrayType
mlirScanFunctionGetArgument(MlirScanFunction function, intptr_t index);

/// How many arrays it returns; -1 for null.
MLIR_CAPI_EXPORTED intptr_t
mlirScanFunctionGetNumResults(MlirScanFunction function);

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// A function with its arguments' shapes and scalars settled.
typedef struct MlirScanCall {
  void *ptr;
} MlirScanCall;

/// Checks arguments against the function's types, and computes shapes, grids
/// and parameters once. Of tensors, shape and strides are read and not the
/// data; of numbers the data, which is on the host. Allocates and clears what
/// kernels need as a workspace, and only then waits for the GPU. The call
/// belongs to the caller (mlirScanCallDestroy). Null after an error.
MLIR_CAPI_EXPORTED MlirScanCall mlirScanFunctionPrepare(
    MlirScanFunction function, intptr_t numArguments,
    const MlirScanBuffer *arguments, MlirScanErrorHandler onError);

/// The same without a workspace: what kernels need is among the call's buffers,
/// behind the temporaries, and is cleared at each launch. Neither allocates nor
/// waits, so that it may be called while a stream is captured into a graph;
/// launches of the call may overlap.
MLIR_CAPI_EXPORTED MlirScanCall mlirScanFunctionPrepareForGraph(
    MlirScanFunction function, intptr_t numArguments,
    const MlirScanBuffer *arguments, MlirScanErrorHandler onError);

/// Calls `callback` with the name of each kernel that a call with these
/// arguments launches and that was not added to the program: without these,
/// mlirScanFunctionPrepare is an error. The names live until the callback
/// returns.
MLIR_CAPI_EXPORTED MlirLogicalResult mlirScanFunctionGetMissing(
    MlirScanFunction function, intptr_t numArguments,
    const MlirScanBuffer *arguments, MlirStringCallback callback,
    void *userData, MlirScanErrorHandler onError);

/// As mlirScanFunctionPrepare, or with `forGraph` as
/// mlirScanFunctionPrepareForGraph, but where a kernel was not added, with
/// another one for the same scan: it computes the same, if more slowly. Taken
/// is only what is done after a few thousandths of a second, with a workspace
/// that is small beside the arrays; an error if there is none.
MLIR_CAPI_EXPORTED MlirScanCall mlirScanFunctionPrepareAvailable(
    MlirScanFunction function, intptr_t numArguments,
    const MlirScanBuffer *arguments, bool forGraph,
    MlirScanErrorHandler onError);

/// Whether all kernels of a call are those for its extents. Otherwise it keeps
/// those that it has: prepare another one when what was missing is there. False
/// for null.
MLIR_CAPI_EXPORTED bool mlirScanCallIsBest(MlirScanCall call);

/// Whether there was an error.
static inline bool mlirScanCallIsNull(MlirScanCall call) { return !call.ptr; }

/// Destroys a call whose launched work is done. Null is ignored.
MLIR_CAPI_EXPORTED void mlirScanCallDestroy(MlirScanCall call);

/// How many buffers the caller allocates, without the arguments: first those
/// that hold results, then temporaries, which may be used again once the
/// launched work is done. -1 for null.
MLIR_CAPI_EXPORTED intptr_t mlirScanCallGetNumBuffers(MlirScanCall call);

/// A buffer, counted from 0, without data: its type and its shape, which is
/// owned by the call. It has to be aligned to 16 bytes and not to be cleared.
/// The rank is -1 if there is none of that number.
MLIR_CAPI_EXPORTED MlirScanBuffer mlirScanCallGetBuffer(MlirScanCall call,
                                                        intptr_t index);

/// How many results there are; -1 for null.
MLIR_CAPI_EXPORTED intptr_t mlirScanCallGetNumResults(MlirScanCall call);

/// A result, counted from 0, without data: its type and its shape, as above.
MLIR_CAPI_EXPORTED MlirScanBuffer mlirScanCallGetResult(MlirScanCall call,
                                                        intptr_t index);

/// Where a result is after a launch.
typedef enum MlirScanPlaceKind {
  /// There is no result of that number.
  MlirScanPlaceNone = 0,
  /// In an argument: the function returns it.
  MlirScanPlaceArgument,
  /// In one of the call's buffers.
  MlirScanPlaceBuffer,
  /// In a constant of the program, which must not be written to.
  MlirScanPlaceConstant
} MlirScanPlaceKind;
typedef struct MlirScanResultPlace {
  MlirScanPlaceKind kind;
  /// The number of the argument or buffer.
  intptr_t index;
  /// The address of the constant.
  MlirScanDevicePointer constant;
} MlirScanResultPlace;
MLIR_CAPI_EXPORTED MlirScanResultPlace
mlirScanCallGetResultPlace(MlirScanCall call, intptr_t index);

/// Launches the kernels on `stream`, a CUstream or cudaStream_t, null for the
/// default stream, and returns before they are done. `arguments` has the
/// address of the first element of each argument (anything for numbers),
/// `buffers` that of each buffer. Neither allocates nor waits, so it may be
/// captured into a graph. Launches of one call must not overlap on the GPU:
/// prepare one for each stream. Where kernels of an earlier launch have
/// reported an error (mlirScanProgramCheck), that is the failure, and nothing
/// is launched.
MLIR_CAPI_EXPORTED MlirLogicalResult
mlirScanCallLaunch(MlirScanCall call, intptr_t numArguments,
                   const MlirScanDevicePointer *arguments, intptr_t numBuffers,
                   const MlirScanDevicePointer *buffers, void *stream,
                   MlirScanErrorHandler onError);

#ifdef __cplusplus
}
#endif

#endif // SCAN_C_LAUNCHER_H
