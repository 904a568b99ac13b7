//===- Statuses.cpp - What kernels found wrong ----------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Statuses.h"
#include "CudaDriver.h"
#include <cstring>

using namespace mlir::scan::launcher;

/// Words of a status: the offset that is wrong, the one before it, and the
/// extent of the scan dimension.
static constexpr size_t kWords = 3;

/// CU_MEMHOSTALLOC_PORTABLE and CU_MEMHOSTALLOC_DEVICEMAP.
static constexpr unsigned kMapped = 0x01 | 0x02;

Status Statuses::allocate(const Device &device,
                          const FunctionDescription &described) {
  size_t count = described.statuses.size();
  if (count == 0)
    return Status::success();
  function = &described;
  wasPartial.resize(count);
  const CudaDriver &cuda = *device.getDriver();
  size_t bytes = count * kWords * sizeof(uint64_t);
  void *memory = nullptr;
  Status status = cuda.check(cuda.memHostAlloc(&memory, bytes, kMapped),
                             "allocating what kernels report errors in");
  if (!status.ok())
    return status;
  std::memset(memory, 0, bytes);
  words = static_cast<uint64_t *>(memory);
  return cuda.check(cuda.memHostGetDevicePointer(&address, memory, 0),
                    "mapping what kernels report errors in");
}

void Statuses::free(const Device &device) {
  if (words)
    (void)device.getDriver()->memFreeHost(words);
  words = nullptr;
}

DevicePointer Statuses::getAddress(size_t number) const {
  return address + number * kWords * sizeof(uint64_t);
}

/// Kernels bring numbers into the range of i32.
static std::string print(int32_t number) {
  return std::to_string(number) + (number == INT32_MAX   ? " or more"
                                   : number == INT32_MIN ? " or less"
                                                         : "");
}

/// What is wrong with offset number `index`.
static std::string describe(uint32_t index, int32_t offset, int32_t before,
                            int32_t extent) {
  if (index == 0 && before != 0)
    return "expected at least one offset, found none";
  if (index == 0 && offset != 0)
    return "expected offset #0 to be 0, found " + print(offset);
  std::string number = std::to_string(index);
  if (index == UINT32_MAX - 1)
    number += " or later";
  if (offset < before)
    return "expected offsets that do not decrease, found " + print(offset) +
           " as offset #" + number + " after " + print(before);
  return "expected the last offset, #" + number + ", to be " + print(extent) +
         ", the extent of the scan dimension, found " + print(offset);
}

Status Statuses::look() {
  for (size_t i = 0; i < wasPartial.size(); ++i) {
    uint64_t *status = words + i * kWords;
    if (__atomic_load_n(status, __ATOMIC_RELAXED) == 0)
      continue;
    std::lock_guard<std::mutex> guard(mutex);
    uint64_t found[kWords];
    bool isWhole = true;
    for (size_t j = 0; j < kWords; ++j) {
      found[j] = __atomic_load_n(status + j, __ATOMIC_RELAXED);
      isWhole &= found[j] >> 32 == found[0] >> 32;
    }
    if (found[0] == 0)
      continue;
    // A kernel is about to write the rest; or words were written while others
    // were forgotten, and stay as they are.
    if (!isWhole && !wasPartial[i]) {
      wasPartial[i] = true;
      continue;
    }
    wasPartial[i] = false;
    for (size_t j = kWords; j-- > 0;)
      __atomic_store_n(status + j, 0, __ATOMIC_RELAXED);
    auto index = UINT32_MAX - static_cast<uint32_t>(found[0] >> 32);
    std::string what = isWhole ? describe(index, static_cast<int32_t>(found[0]),
                                          static_cast<int32_t>(found[1]),
                                          static_cast<int32_t>(found[2]))
                               : "expected other offsets than #" +
                                     std::to_string(index) + ", " +
                                     print(static_cast<int32_t>(found[0]));
    const StatusDescription &about = function->statuses[i];
    return Status::failure(
        "function '" + function->name + "': segment offsets " +
        (about.argument ? "in " + function->arguments[*about.argument].name
                        : std::string("that it computes")) +
        ": " + what + "; what an earlier launch computed of them is wrong");
  }
  return Status::success();
}
