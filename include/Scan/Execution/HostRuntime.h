//===- HostRuntime.h - What compiled host code calls ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_EXECUTION_HOSTRUNTIME_H
#define SCAN_EXECUTION_HOSTRUNTIME_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/LogicalResult.h"
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace mlir::scan {

class HostRuntimePool;
struct JITSymbol;

/// Frees a block, or leaves it to the next run where there may be one.
struct HostBlockDeleter {
  std::weak_ptr<HostRuntimePool> pool;
  size_t size = 0;
  void operator()(void *block) const;
};
/// Memory that a run allocated and that has outlived it.
using HostBlock = std::unique_ptr<void, HostBlockDeleter>;

/// Asks for large pages where `size` bytes at `data` were not touched yet: the
/// system makes a page ready when it is first written to, one at a time. Small
/// arrays are left as they are.
void preferLargePages(void *data, size_t size);

/// Memory and failures of compiled code that runs in this process: its
/// `malloc`, `free`, `puts` and `abort`, and `scan.allocate_result`. All that a
/// run allocated is known, so nothing leaks where a run is given up half way.
/// Large blocks are kept for the next run, which then need not wait for fresh
/// pages; never more than a run has used. One run at a time.
class HostRuntime {
public:
  HostRuntime() = default;
  HostRuntime(const HostRuntime &) = delete;
  ~HostRuntime();

  /// The functions to define for the compiled code.
  static std::vector<JITSymbol> getSymbols();

  /// Calls `body`, which calls compiled code. Returns failure if a check in it
  /// failed or memory ran out; `error` then says what happened. Frames below
  /// `body` are left without running destructors.
  LogicalResult run(llvm::function_ref<void()> body, std::string &error);

  /// With checks, new blocks and freed ones are filled with the bytes 0xFF
  /// (NaN, as numbers), freed ones stay unused until the end of the run, and it
  /// is counted what is freed without having been allocated.
  void setChecked(bool isChecked) { checked = isChecked; }
  bool isChecked() const { return checked; }
  /// With checks, before the blocks of the last run are freed: what it did
  /// wrong with memory, as the rest of a sentence, or nothing. `results` are
  /// blocks that it hands over; other addresses are ignored.
  std::string describeMemoryErrors(ArrayRef<void *> results) const;

  /// Memory of the caller that a result is to be computed in; none if null.
  struct Destination {
    void *data = nullptr;
    size_t size = 0;
  };
  /// Sets one for each result, or none. Programs that are checked do not get
  /// any.
  void setDestinations(ArrayRef<Destination> all) {
    destinations.assign(all.begin(), all.end());
  }

  /// Frees a block of the last run; ignores what is not one.
  void release(void *block);
  /// Gives up a block of the last run. Null for what is no such block or has
  /// more than `limit` bytes.
  HostBlock detach(void *block, size_t limit);
  /// Frees all blocks of the last run.
  void releaseAll();

  // Called by compiled code.
  void *allocate(size_t size, size_t alignment = 1);
  /// The same for `count` times `size` bytes that are zero.
  void *allocateZeros(size_t count, size_t size);
  void *allocateResult(size_t index, size_t size, size_t alignment);
  void print(const char *text) { message = text; }
  [[noreturn]] void giveUp();

private:
  friend class HostRuntimePool;
  /// Keeps a block for the next run, if the last one has used as much.
  void keep(void *block, size_t size);
  /// Gives kept blocks back until they are at most that many bytes.
  void trimKept(size_t limit);

  llvm::DenseMap<void *, size_t> blocks; ///< In use, with their sizes.
  llvm::DenseMap<void *, size_t> kept;   ///< Free, for the next run.
  size_t bytesInUse = 0;
  size_t bytesKept = 0;
  size_t peakBytes = 0; ///< The most that was in use in the last run.
  bool checked = false;
  std::vector<void *> freed; ///< In this run, with checks.
  size_t strayFrees = 0;     ///< Of what is no block, in this run.
  SmallVector<Destination> destinations;
  std::string message;
  void *jumpBuffer = nullptr;
  std::weak_ptr<HostRuntimePool> pool; ///< What it belongs to, if anything.
};

/// The runtimes of a function that is run by several threads: as many as have
/// ever run at the same time. May be used by any thread.
class HostRuntimePool : public std::enable_shared_from_this<HostRuntimePool> {
public:
  /// A runtime that nobody else uses, until it is given back.
  std::unique_ptr<HostRuntime> acquire();
  void release(std::unique_ptr<HostRuntime> runtime);
  /// Takes a block back that was detached from one of the runtimes.
  void release(void *block, size_t size);

private:
  std::mutex mutex;
  std::vector<std::unique_ptr<HostRuntime>> idle;
};

} // namespace mlir::scan

#endif // SCAN_EXECUTION_HOSTRUNTIME_H
