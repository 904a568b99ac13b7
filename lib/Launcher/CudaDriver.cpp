//===- CudaDriver.cpp - The CUDA driver, found at run time ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"
#include <cstring>
#include <dlfcn.h>

using namespace mlir::scan::launcher;

Status CudaDriver::check(CuResult result, const char *what) const {
  if (result == 0)
    return Status::success();
  const char *name = nullptr, *text = nullptr;
  getErrorName(result, &name);
  getErrorString(result, &text);
  return Status::failure(std::string(what) + " failed: " +
                         (name ? name : "error " + std::to_string(result)) +
                         (text ? std::string(": ") + text : ""));
}

/// Fills the table; `error` says what is missing.
static bool loadDriver(CudaDriver &driver, std::string &error) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    error =
        "no CUDA driver on this machine (libcuda.so.1 was not found); a GPU "
        "is needed to launch kernels";
    return false;
  }
  bool complete = true;
  auto find = [&](auto &function, const char *name) {
    void *address = dlsym(library, name);
    if (!address && complete) {
      error = std::string("the CUDA driver has no function ") + name +
              "; a newer driver is needed";
      complete = false;
    }
    std::memcpy(&function, &address, sizeof(address));
  };
  find(driver.init, "cuInit");
  find(driver.deviceGetCount, "cuDeviceGetCount");
  find(driver.deviceGet, "cuDeviceGet");
  find(driver.deviceGetName, "cuDeviceGetName");
  find(driver.deviceGetAttribute, "cuDeviceGetAttribute");
  find(driver.devicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
  find(driver.devicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2");
  find(driver.ctxSetCurrent, "cuCtxSetCurrent");
  find(driver.ctxGetCurrent, "cuCtxGetCurrent");
  find(driver.ctxSynchronize, "cuCtxSynchronize");
  find(driver.memAlloc, "cuMemAlloc_v2");
  find(driver.memFree, "cuMemFree_v2");
  find(driver.memHostAlloc, "cuMemHostAlloc");
  find(driver.memFreeHost, "cuMemFreeHost");
  find(driver.memHostGetDevicePointer, "cuMemHostGetDevicePointer_v2");
  find(driver.memcpyHtoD, "cuMemcpyHtoD_v2");
  find(driver.memcpyDtoH, "cuMemcpyDtoH_v2");
  find(driver.memcpyDtoDAsync, "cuMemcpyDtoDAsync_v2");
  find(driver.memsetD8, "cuMemsetD8_v2");
  find(driver.memsetD8Async, "cuMemsetD8Async");
  find(driver.moduleLoadDataEx, "cuModuleLoadDataEx");
  find(driver.moduleUnload, "cuModuleUnload");
  find(driver.threadExchangeStreamCaptureMode,
       "cuThreadExchangeStreamCaptureMode");
  find(driver.moduleGetFunction, "cuModuleGetFunction");
  find(driver.funcSetAttribute, "cuFuncSetAttribute");
  find(driver.launchKernel, "cuLaunchKernel");
  find(driver.streamIsCapturing, "cuStreamIsCapturing");
  find(driver.eventCreate, "cuEventCreate");
  find(driver.eventDestroy, "cuEventDestroy_v2");
  find(driver.eventRecord, "cuEventRecord");
  find(driver.eventSynchronize, "cuEventSynchronize");
  find(driver.eventElapsedTime, "cuEventElapsedTime");
  find(driver.getErrorName, "cuGetErrorName");
  find(driver.getErrorString, "cuGetErrorString");
  if (!complete)
    return false;
  Status status = driver.check(driver.init(0), "starting the CUDA driver");
  error = status.getMessage();
  return status.ok();
}

const CudaDriver *CudaDriver::get(std::string &error) {
  struct Loaded {
    CudaDriver driver = {};
    std::string error;
    bool isComplete;
    Loaded() : isComplete(loadDriver(driver, error)) {}
  };
  static const Loaded loaded;
  error = loaded.error;
  return loaded.isComplete ? &loaded.driver : nullptr;
}
