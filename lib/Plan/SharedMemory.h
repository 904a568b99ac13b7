//===- SharedMemory.h - What a block may access and share -------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sizes that the plan and the emitters agree on: of a warp, of an access,
// and of what a thread block leaves in shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PLAN_SHAREDMEMORY_H
#define SCAN_LIB_PLAN_SHAREDMEMORY_H

#include "Scan/IR/ScanDialect.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::scan {

constexpr int64_t kWarpSize = 32;

/// Shared memory that a thread block can declare on every GPU, in bytes.
constexpr int64_t kStaticSharedLimit = int64_t(48) * 1024;
/// The most that a launch can ask for, on any GPU.
constexpr int64_t kDynamicSharedLimit = int64_t(227) * 1024;

/// The most that launches of rows over the grid ask for, a third of what a
/// multiprocessor of sm_90 has. Larger tiles have fewer look-backs, but the
/// more blocks there are the more evenly they are shared: on an H200 linear
/// pairs of 2^21 took 13.9 us in tiles of 72 KiB, 14.8 of 48 and 16.8 of 144.
constexpr int64_t kGridRowSharedLimit = int64_t(75) * 1024;

/// The most that a kernel under `schedule` has on any GPU.
inline int64_t getSharedLimit(ScheduleAttr schedule) {
  // Warps that share the steps of a scan have tiles in shared memory each.
  if (schedule.isPersistent() || schedule.getWarps() != 1)
    return kDynamicSharedLimit;
  return schedule.getStrategy() == Strategy::Row && schedule.isGridWide()
             ? kGridRowSharedLimit
             : kStaticSharedLimit;
}

/// The compute capability from which on there are bulk copies and mbarriers
/// that they arrive at.
constexpr int64_t kBulkCopyCapability = 90;

/// The widest access there is, in bytes.
constexpr int64_t kMaxVectorBytes = 16;
/// Every buffer in shared memory starts at a multiple of so many bytes.
constexpr int64_t kSharedAlignment = kMaxVectorBytes;

/// Where tiles that bulk copies fill begin: as lines of memory do.
constexpr int64_t kBulkCopyAlignment = 128;

/// How many elements of `type` one access may take if `count` consecutive ones
/// are to be split evenly: a power of two, 1 if there is no such access.
int64_t getVectorLength(Type type, int64_t count);

/// What a buffer of `bytes` takes up at most between others.
inline int64_t alignShared(int64_t bytes) {
  return llvm::alignTo(bytes, kSharedAlignment);
}

/// Bytes of `count` states of `kernel`, each leaf in a buffer of its own.
int64_t getSharedStateBytes(KernelOp kernel, int64_t count);

/// What a block that draws tickets leaves in shared memory, in words of 8
/// bytes: the first ticket, with the number of the launch; behind it, so many
/// further tickets at a time.
constexpr int64_t kFirstTicketWords = 1;

/// Bits of a word of a segment mask.
constexpr int64_t kMaskWordBits = 32;
/// Words of the mask of a tile of `steps` positions. The threads may read one
/// more than they have bits in.
inline int64_t countMaskWords(int64_t steps) {
  return llvm::divideCeil(steps, kMaskWordBits) + 1;
}

} // namespace mlir::scan

#endif // SCAN_LIB_PLAN_SHAREDMEMORY_H
