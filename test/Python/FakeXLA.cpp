//===- FakeXLA.cpp - XLA's side of a custom call --------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls a handler as XLA does on a GPU: with the attribute `program`, arrays, a
// stream, the GPU's number, and an allocator that writes to standard error what
// it is asked for. For tests where XLA has no GPU.
//
//===----------------------------------------------------------------------===//

#include "xla/ffi/api/c_api.h"

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

struct XLA_FFI_Error {
  std::string message;
};
struct XLA_FFI_ExecutionContext {
  void *stream;
  int32_t device;
  /// Where temporary memory is; 0 if there is none.
  uintptr_t scratch;
};

static XLA_FFI_Error *createError(XLA_FFI_Error_Create_Args *args) {
  return new XLA_FFI_Error{args->message};
}
static void getErrorMessage(XLA_FFI_Error_GetMessage_Args *args) {
  args->message = args->error->message.c_str();
}
static void destroyError(XLA_FFI_Error_Destroy_Args *args) {
  delete args->error;
}
static XLA_FFI_Error *getStream(XLA_FFI_Stream_Get_Args *args) {
  args->stream = args->ctx->stream;
  return nullptr;
}
static XLA_FFI_Error *getDevice(XLA_FFI_DeviceOrdinal_Get_Args *args) {
  args->device_ordinal = args->ctx->device;
  return nullptr;
}
static XLA_FFI_Error *allocate(XLA_FFI_DeviceMemory_Allocate_Args *args) {
  if (!args->ctx->scratch)
    return new XLA_FFI_Error{"out of memory"};
  std::fprintf(stderr, "scratch %zu bytes\n", args->size);
  args->data = reinterpret_cast<void *>(args->ctx->scratch);
  args->ctx->scratch += (args->size + 255) / 256 * 256;
  return nullptr;
}
static XLA_FFI_Error *release(XLA_FFI_DeviceMemory_Free_Args *args) {
  std::fprintf(stderr, "scratch freed\n");
  return nullptr;
}

/// An array, as ctypes has it.
struct FakeArray {
  int32_t type;
  void *data;
  int64_t rank;
  int64_t *dims;
};

/// Returns null, or a message that lives until the next call.
extern "C" const char *fakeXlaCall(XLA_FFI_Handler *handler, const char *text,
                                   void *stream, int32_t device,
                                   uintptr_t scratch, int64_t numArgs,
                                   const FakeArray *args, int64_t numRets,
                                   const FakeArray *rets) {
  XLA_FFI_Api api = {};
  api.struct_size = XLA_FFI_Api_STRUCT_SIZE;
  api.api_version = {XLA_FFI_Api_Version_STRUCT_SIZE, nullptr,
                     XLA_FFI_API_MAJOR, XLA_FFI_API_MINOR};
  api.XLA_FFI_Error_Create = createError;
  api.XLA_FFI_Error_GetMessage = getErrorMessage;
  api.XLA_FFI_Error_Destroy = destroyError;
  api.XLA_FFI_Stream_Get = getStream;
  api.XLA_FFI_DeviceOrdinal_Get = getDevice;
  api.XLA_FFI_DeviceMemory_Allocate = allocate;
  api.XLA_FFI_DeviceMemory_Free = release;
  XLA_FFI_ExecutionContext context = {stream, device, scratch};

  std::vector<XLA_FFI_Buffer> buffers;
  buffers.reserve(numArgs + numRets);
  std::vector<void *> addresses;
  for (int64_t i = 0; i < numArgs + numRets; ++i) {
    const FakeArray &array = i < numArgs ? args[i] : rets[i - numArgs];
    buffers.push_back({XLA_FFI_Buffer_STRUCT_SIZE, nullptr,
                       static_cast<XLA_FFI_DataType>(array.type), array.data,
                       array.rank, array.dims});
    addresses.push_back(&buffers.back());
  }
  std::vector<XLA_FFI_ArgType> argTypes(numArgs, XLA_FFI_ArgType_BUFFER);
  std::vector<XLA_FFI_RetType> retTypes(numRets, XLA_FFI_RetType_BUFFER);
  XLA_FFI_ByteSpan name = {"program", 7}, value = {text, std::strlen(text)};
  XLA_FFI_ByteSpan *names[] = {&name};
  void *values[] = {&value};
  XLA_FFI_AttrType types[] = {XLA_FFI_AttrType_STRING};

  XLA_FFI_CallFrame frame = {};
  frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame.api = &api;
  frame.ctx = &context;
  frame.stage = XLA_FFI_ExecutionStage_EXECUTE;
  frame.args = {XLA_FFI_Args_STRUCT_SIZE, nullptr, numArgs, argTypes.data(),
                addresses.data()};
  frame.rets = {XLA_FFI_Rets_STRUCT_SIZE, nullptr, numRets, retTypes.data(),
                addresses.data() + numArgs};
  frame.attrs = {XLA_FFI_Attrs_STRUCT_SIZE, nullptr, 1, types, names, values};
  static std::string message;
  if (XLA_FFI_Error *error = handler(&frame)) {
    message = error->message;
    delete error;
    return message.c_str();
  }
  return nullptr;
}
