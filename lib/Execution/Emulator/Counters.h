//===- Counters.h - What a profiler would count -----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU accesses memory by the warp: what its lanes do in one execution of one
// instruction is one request. Here lanes run one after the other, so that
// accesses are put together again: those of one place in the code, by lanes
// that have taken as many steps since the last barrier or shuffle. Lanes that
// have come there through different numbers of iterations count as having
// diverged, though hardware may bring them together.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_EXECUTION_EMULATOR_COUNTERS_H
#define SCAN_LIB_EXECUTION_EMULATOR_COUNTERS_H

#include "FiberRuntime.h"
#include "ShadowMemory.h"

namespace mlir::scan::emulator {

/// What one lane accesses.
struct LaneAccess {
  uintptr_t address;
  uint32_t bytes;
  uint32_t lane;
};

/// Requests of a warp that further lanes may join.
struct WarpRequests {
  /// By the place in the code and the steps that the lane has taken.
  using Key = std::pair<const AccessSite *, uint64_t>;
  llvm::DenseMap<Key, llvm::SmallVector<LaneAccess, 32>> requests;
};

class Counters {
public:
  explicit Counters(EmulatorStatistics &statistics) : statistics(statistics) {}

  /// A lane accesses workgroup memory, where `address` is counted from its
  /// start, or global memory. Returns whether there are so many requests that
  /// the lane should let others catch up.
  bool access(WarpRequests &warp, unsigned lane, uint64_t steps,
              const AccessSite *site, uintptr_t address, uint64_t bytes,
              bool isShared);

  /// All lanes of the warp have met, or exited.
  void flush(WarpRequests &warp);
  /// The same for what lanes have done before any is where it took `steps`
  /// steps.
  void flushBefore(WarpRequests &warp, uint64_t steps);

  /// A copy reads global memory for no thread: a request of its own.
  void readBulk(const AccessSite *site, uintptr_t address, uint64_t bytes);

  void endLaunch();

private:
  static constexpr size_t kMaxRequests = 4096;

  struct Touched {
    PageBits<ShadowPage::kBytes> read, written;
  };
  void touch(const AccessSite *site, uintptr_t address, uint64_t bytes);
  void count(const AccessSite *site, llvm::ArrayRef<LaneAccess> request);
  void countGlobal(GlobalTraffic &traffic, llvm::ArrayRef<LaneAccess> request);
  void countShared(llvm::ArrayRef<LaneAccess> request);

  EmulatorStatistics &statistics;
  /// Of global memory in this launch.
  llvm::DenseMap<uintptr_t, std::unique_ptr<Touched>> pages;
  uintptr_t lastNumber = 0;
  Touched *lastPage = nullptr;
  llvm::SmallVector<uintptr_t> scratch;
};

} // namespace mlir::scan::emulator

#endif // SCAN_LIB_EXECUTION_EMULATOR_COUNTERS_H
