//===- DLPack.h - The structs of DLPack 1.3 -------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What https://dmlc.github.io/dlpack/latest/ fixes as its binary interface, as
// far as it is used here. The names are those of the standard.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_SCAN_PYTHON_DLPACK_H
#define MLIR_SCAN_PYTHON_DLPACK_H

#include <cstdint>

namespace mlir_scan::dlpack {

enum DLDeviceType : int32_t {
  kDLCPU = 1,
  kDLCUDA = 2,
  kDLCUDAHost = 3,
  kDLROCMHost = 11,
};

enum DLDataTypeCode : uint8_t {
  kDLInt = 0,
  kDLUInt = 1,
  kDLFloat = 2,
  kDLBfloat = 4,
  kDLComplex = 5,
  kDLBool = 6,
};

struct DLDevice {
  int32_t device_type;
  int32_t device_id;
};

struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides;
  uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(DLManagedTensor *self);
};

struct DLPackVersion {
  uint32_t major;
  uint32_t minor;
};

/// The version of the standard that results are handed out in.
inline constexpr DLPackVersion version = {1, 1};

inline constexpr uint64_t readOnlyFlag = 1;

struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager_ctx;
  void (*deleter)(DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor dl_tensor;
};

/// What a library offers to others written in C, as the attribute
/// `__dlpack_c_exchange_api__` of its array class (DLPack 1.3).
struct DLPackExchangeAPIHeader {
  DLPackVersion version;
  DLPackExchangeAPIHeader *prev_api;
};

struct DLPackExchangeAPI {
  DLPackExchangeAPIHeader header;
  int (*managed_tensor_allocator)(
      DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
      void (*SetError)(void *error_ctx, const char *kind, const char *message));
  int (*managed_tensor_from_py_object_no_sync)(void *py_object,
                                               DLManagedTensorVersioned **out);
  int (*managed_tensor_to_py_object_no_sync)(DLManagedTensorVersioned *tensor,
                                             void **out_py_object);
  int (*dltensor_from_py_object_no_sync)(void *py_object, DLTensor *out);
  int (*current_work_stream)(DLDeviceType device_type, int32_t device_id,
                             void **out_current_stream);
};

} // namespace mlir_scan::dlpack

#endif // MLIR_SCAN_PYTHON_DLPACK_H
