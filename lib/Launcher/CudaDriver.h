//===- CudaDriver.h - The CUDA driver, found at run time --------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of the CUDA driver API that the launcher calls. They are
// declared here so that nothing of the CUDA Toolkit is needed to build; names
// and signatures are those of the CUDA Driver API reference.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_LAUNCHER_CUDADRIVER_H
#define SCAN_LIB_LAUNCHER_CUDADRIVER_H

#include "Scan/Launcher/Launcher.h"

namespace mlir::scan::launcher {

using CuResult = int;
using CuDevice = int;

struct CudaDriver {
  CuResult (*init)(unsigned flags);
  CuResult (*deviceGetCount)(int *count);
  CuResult (*deviceGet)(CuDevice *device, int ordinal);
  CuResult (*deviceGetName)(char *name, int length, CuDevice device);
  CuResult (*deviceGetAttribute)(int *value, int attribute, CuDevice device);
  CuResult (*devicePrimaryCtxRetain)(void **context, CuDevice device);
  CuResult (*devicePrimaryCtxRelease)(CuDevice device);
  CuResult (*ctxSetCurrent)(void *context);
  CuResult (*ctxSynchronize)();
  CuResult (*memAlloc)(DevicePointer *pointer, size_t bytes);
  CuResult (*memFree)(DevicePointer pointer);
  CuResult (*memHostAlloc)(void **pointer, size_t bytes, unsigned flags);
  CuResult (*memFreeHost)(void *pointer);
  CuResult (*memHostGetDevicePointer)(DevicePointer *pointer, void *host,
                                      unsigned flags);
  CuResult (*memcpyHtoD)(DevicePointer target, const void *source,
                         size_t bytes);
  CuResult (*memcpyDtoH)(void *target, DevicePointer source, size_t bytes);
  CuResult (*memcpyDtoDAsync)(DevicePointer target, DevicePointer source,
                              size_t bytes, Stream stream);
  CuResult (*memsetD8)(DevicePointer target, unsigned char byte, size_t bytes);
  CuResult (*memsetD8Async)(DevicePointer target, unsigned char byte,
                            size_t bytes, Stream stream);
  CuResult (*moduleLoadDataEx)(void **module, const void *image,
                               unsigned numOptions, int *options,
                               void **values);
  CuResult (*moduleUnload)(void *module);
  CuResult (*threadExchangeStreamCaptureMode)(int *mode);
  CuResult (*moduleGetFunction)(void **function, void *module,
                                const char *name);
  CuResult (*funcSetAttribute)(void *function, int attribute, int value);
  CuResult (*launchKernel)(void *function, unsigned gridX, unsigned gridY,
                           unsigned gridZ, unsigned blockX, unsigned blockY,
                           unsigned blockZ, unsigned sharedBytes, Stream stream,
                           void **parameters, void **extra);
  CuResult (*ctxGetCurrent)(void **context);
  CuResult (*streamIsCapturing)(Stream stream, int *status);
  CuResult (*eventCreate)(void **event, unsigned flags);
  CuResult (*eventDestroy)(void *event);
  CuResult (*eventRecord)(void *event, Stream stream);
  CuResult (*eventSynchronize)(void *event);
  CuResult (*eventElapsedTime)(float *milliseconds, void *start, void *end);
  CuResult (*getErrorName)(CuResult error, const char **name);
  CuResult (*getErrorString)(CuResult error, const char **text);

  /// Success, or "WHAT failed: CUDA_ERROR_...: text".
  Status check(CuResult result, const char *what) const;

  /// The driver of this machine, loaded once; null with `error` set if there is
  /// none.
  static const CudaDriver *get(std::string &error);
};

} // namespace mlir::scan::launcher

#endif // SCAN_LIB_LAUNCHER_CUDADRIVER_H
