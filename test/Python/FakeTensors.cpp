//===- FakeTensors.cpp - A library's tensors on a GPU that is not there ---===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exchanges PyTorch's tensors on the CPU as if they were on GPU 0, so that what
// a launch costs over real tensors can be measured without a GPU.
//
//===----------------------------------------------------------------------===//

#include "DLPack.h"

using namespace mlir_scan::dlpack;

static const DLPackExchangeAPI *library = nullptr;

static int allocate(DLTensor *prototype, DLManagedTensorVersioned **tensor,
                    void *context,
                    void (*setError)(void *, const char *, const char *)) {
  DLTensor onHost = *prototype;
  onHost.device = {kDLCPU, 0};
  return library->managed_tensor_allocator(&onHost, tensor, context, setError);
}

static int read(void *object, DLTensor *tensor) {
  int result = library->dltensor_from_py_object_no_sync(object, tensor);
  tensor->device = {kDLCUDA, 0};
  return result;
}

static int getStream(DLDeviceType, int32_t, void **stream) {
  *stream = nullptr;
  return 0;
}

/// The exchange, given that of tensors on the CPU (the capsules' pointers).
extern "C" const void *scanMakeFakeExchange(const void *api) {
  static DLPackExchangeAPI exchange;
  library = static_cast<const DLPackExchangeAPI *>(api);
  exchange = *library;
  exchange.header.prev_api = nullptr;
  exchange.managed_tensor_allocator = allocate;
  exchange.dltensor_from_py_object_no_sync = read;
  exchange.current_work_stream = getStream;
  return &exchange;
}
