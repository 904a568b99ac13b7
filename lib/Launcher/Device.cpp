//===- Device.cpp - A GPU and its memory ----------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"
#include <utility>

using namespace mlir::scan::launcher;

// CUdevice_attribute.
static constexpr int kComputeCapabilityMajor = 75;
static constexpr int kComputeCapabilityMinor = 76;

Device::Device() = default;
Device::Device(Device &&other) { *this = std::move(other); }
Device &Device::operator=(Device &&other) {
  std::swap(driver, other.driver);
  std::swap(ordinal, other.ordinal);
  std::swap(context, other.context);
  std::swap(capability, other.capability);
  std::swap(name, other.name);
  return *this;
}
Device::~Device() {
  if (context)
    driver->devicePrimaryCtxRelease(ordinal);
}

Status Device::open(int ordinal, Device &device) {
  std::string error;
  Device opened;
  opened.driver = CudaDriver::get(error);
  if (!opened.driver)
    return Status::failure(error);
  const CudaDriver &cuda = *opened.driver;
  int count = 0;
  Status status = cuda.check(cuda.deviceGetCount(&count), "counting the GPUs");
  if (!status.ok())
    return status;
  if (ordinal < 0 || ordinal >= count)
    return Status::failure(
        "expected a GPU number below " + std::to_string(count) +
        ", the number of GPUs, found " + std::to_string(ordinal));
  int major = 0, minor = 0;
  char name[256] = {};
  // The handle of a device: an ordinal, but nothing promises that.
  status =
      cuda.check(cuda.deviceGet(&opened.ordinal, ordinal), "finding the GPU");
  if (status.ok())
    status =
        cuda.check(cuda.deviceGetName(name, sizeof(name) - 1, opened.ordinal),
                   "asking the GPU's name");
  if (status.ok())
    status = cuda.check(cuda.deviceGetAttribute(&major, kComputeCapabilityMajor,
                                                opened.ordinal),
                        "asking the compute capability");
  if (status.ok())
    status = cuda.check(cuda.deviceGetAttribute(&minor, kComputeCapabilityMinor,
                                                opened.ordinal),
                        "asking the compute capability");
  if (status.ok())
    status =
        cuda.check(cuda.devicePrimaryCtxRetain(&opened.context, opened.ordinal),
                   "opening the GPU");
  if (!status.ok())
    return status;
  opened.name = name;
  opened.capability = major * 10 + minor;
  device = std::move(opened);
  return Status::success();
}

Status Device::makeCurrent() const {
  if (!context)
    return Status::failure("expected an open device, found a closed one; call "
                           "Device::open first");
  return driver->check(driver->ctxSetCurrent(context), "selecting the GPU");
}

Status Device::allocate(int64_t bytes, DevicePointer &pointer) const {
  pointer = 0;
  Status status = makeCurrent();
  if (!status.ok() || bytes == 0)
    return status;
  return driver->check(
      driver->memAlloc(&pointer, bytes),
      ("allocating " + std::to_string(bytes) + " bytes").c_str());
}

Status Device::free(DevicePointer pointer) const {
  Status status = makeCurrent();
  if (!status.ok() || !pointer)
    return status;
  return driver->check(driver->memFree(pointer), "freeing memory");
}

Status Device::copyToDevice(DevicePointer target, const void *source,
                            int64_t bytes) const {
  Status status = makeCurrent();
  if (!status.ok() || bytes == 0)
    return status;
  return driver->check(driver->memcpyHtoD(target, source, bytes),
                       "copying to the GPU");
}

Status Device::copyToHost(void *target, DevicePointer source,
                          int64_t bytes) const {
  Status status = makeCurrent();
  if (!status.ok() || bytes == 0)
    return status;
  return driver->check(driver->memcpyDtoH(target, source, bytes),
                       "copying from the GPU");
}

Status Device::copyOnDevice(DevicePointer target, DevicePointer source,
                            int64_t bytes, Stream stream) const {
  Status status = makeCurrent();
  if (!status.ok() || bytes == 0)
    return status;
  return driver->check(driver->memcpyDtoDAsync(target, source, bytes, stream),
                       "copying on the GPU");
}

Status Device::fill(DevicePointer target, uint8_t byte, int64_t bytes) const {
  Status status = makeCurrent();
  if (!status.ok() || bytes == 0)
    return status;
  return driver->check(driver->memsetD8(target, byte, bytes), "filling memory");
}

Status Device::synchronize() const {
  Status status = makeCurrent();
  if (!status.ok())
    return status;
  return driver->check(driver->ctxSynchronize(), "running on the GPU");
}

bool Device::isCapturing(Stream stream) const {
  // CU_STREAM_CAPTURE_STATUS_NONE. It fails for the legacy stream while another
  // one is captured, where nothing can be launched anyway.
  int status = 0;
  return makeCurrent().ok() &&
         driver->streamIsCapturing(stream, &status) == 0 && status != 0;
}

//===----------------------------------------------------------------------===//
// Event
//===----------------------------------------------------------------------===//

Status Event::create(const Device &device, Event &event) {
  Status status = device.makeCurrent();
  if (!status.ok())
    return status;
  Event created;
  created.driver = device.getDriver();
  status = created.driver->check(
      created.driver->eventCreate(&created.handle, 0), "creating an event");
  if (status.ok())
    event = std::move(created);
  return status;
}

Event &Event::operator=(Event &&other) {
  std::swap(driver, other.driver);
  std::swap(handle, other.handle);
  return *this;
}

Event::~Event() {
  if (handle)
    driver->eventDestroy(handle);
}

Status Event::record(Stream stream) const {
  return driver->check(driver->eventRecord(handle, stream),
                       "recording an event");
}

Status Event::synchronize() const {
  return driver->check(driver->eventSynchronize(handle), "running on the GPU");
}

Status Event::getMillisecondsSince(const Event &start,
                                   float &milliseconds) const {
  return driver->check(
      driver->eventElapsedTime(&milliseconds, start.handle, handle),
      "reading the time between events");
}
