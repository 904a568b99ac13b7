//===- MBarrier.h - An mbarrier and the copies on it ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of an mbarrier is kept here and not in the eight bytes that it has
// in workgroup memory: those are opaque on a GPU, too.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_EXECUTION_EMULATOR_MBARRIER_H
#define SCAN_LIB_EXECUTION_EMULATOR_MBARRIER_H

#include "RaceDetector.h"

namespace mlir::scan::emulator {

/// A copy from global to workgroup memory that completes on an mbarrier.
struct BulkCopy {
  const AccessSite *read, *write;
  char *target;
  const char *source;
  int32_t bytes;
  /// Of the thread that began it, in its block.
  unsigned thread = 0;
  /// What it is to the race detector.
  Epoch epoch = {};
};

/// An mbarrier that has been initialised.
struct MBarrier {
  /// What counts of arrivals and of transactions may be: 20 bits.
  static constexpr int64_t kMaxCount = (1 << 20) - 1;

  char *address;
  /// Arrivals per phase, and those that the current one lacks.
  int64_t expected, pending;
  /// Bytes that have been announced and not been copied; less than 0 if more
  /// have been copied than announced.
  int64_t transactions = 0;
  /// How many phases have completed.
  uint64_t phase = 0;
  /// How many threads wait for the current phase to complete.
  unsigned waiting = 0;
  /// Those under way.
  std::vector<BulkCopy> copies;
  /// The copy that was delivered last, and how many phases had completed after
  /// the one that it was delivered in.
  BulkCopy lastCopy = {};
  uint64_t copyPhases = 0;
  /// Of how many phases a thread has known that they had completed.
  uint64_t waitedPhases = 0;

  /// Where it was initialised, and by whom.
  const char *initSite;
  Epoch initialised;
  MBarrierClock clock;

  bool isParityComplete(uint32_t parity) const { return phase % 2 != parity; }
};

} // namespace mlir::scan::emulator

#endif // SCAN_LIB_EXECUTION_EMULATOR_MBARRIER_H
