//===- Scheduler.h - Threads, warps and blocks of a launch ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What FiberRuntime is made of. The functions that compiled code calls
// (RuntimeCalls.cpp) are thin wrappers of the methods here.
//
// A thread that suspends itself may never be resumed (an error ends the
// launch), so no method that suspends holds anything that needs a destructor.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_EXECUTION_EMULATOR_SCHEDULER_H
#define SCAN_LIB_EXECUTION_EMULATOR_SCHEDULER_H

#include "Counters.h"
#include "Execution/SplitMix64.h"
#include "Fiber.h"
#include "FiberRuntime.h"
#include "MBarrier.h"
#include "MemoryChecker.h"
#include "llvm/ADT/Twine.h"
#include <deque>
#include <vector>

namespace mlir::scan::emulator {

struct ThreadBlock;

/// What a thread of the GPU is doing.
enum class ThreadState : uint8_t {
  Ready,
  AtBarrier,
  AtShuffle,
  AtMBarrier,
  Exited
};

/// A thread's part in the shuffle that it waits at.
struct PendingShuffle {
  ShuffleMode mode;
  uint64_t bits;
  int32_t offset;
  int32_t width;
  ShuffleResult result;
  /// Whether lanes see what others have written to memory before.
  bool ordersMemory = false;
};

/// A copy from global to workgroup memory that a thread has begun.
struct AsyncCopy {
  const AccessSite *read, *write;
  char *target;
  const char *source;
  /// What lies beyond the source's is filled with zeros.
  size_t targetBytes, sourceBytes;
  uint64_t group = 0;
};

struct Thread {
  ThreadBlock *block;
  Dim3 id;
  /// Number in the block, x fastest; warps are 32 consecutive numbers.
  unsigned index;
  ThreadState state;
  /// Where the thread waits: a string that compiled code has exactly one of for
  /// each barrier and shuffle, so that its address identifies the operation.
  const char *site;
  PendingShuffle shuffle;
  /// What it waits for if it is in the state AtMBarrier.
  MBarrier *mbarrier;
  /// Taken when the thread first runs, given back when it exits.
  Fiber *fiber;
  ThreadClock clock;
  /// The last read that is known of, null if there is none: what the thread
  /// waits for if it never ends.
  const AccessSite *lastRead;
  const char *lastReadAddress;
  /// In private memory, those of functions that have not returned.
  std::vector<PrivateBuffer> buffers;
  /// Those that it has not waited for, in order, and how many groups it has
  /// made of them.
  std::vector<AsyncCopy> copies;
  uint64_t copyGroups;
  /// Steps since it has met other lanes of its warp.
  uint64_t steps;

  unsigned lane() const { return index % kLanesPerWarp; }
  unsigned warp() const { return index / kLanesPerWarp; }
};

/// A resident block.
struct ThreadBlock {
  Dim3 id;
  std::vector<Thread> threads;
  /// Workgroup memory, at `shared`: pages that hold nothing else.
  std::vector<char> sharedStorage;
  char *shared;
  BlockClock clock;
  /// How many threads have not exited, are ready or running, wait at a barrier.
  unsigned live, runnable, atBarrier;
  /// For each warp how many lanes wait at a shuffle.
  std::vector<unsigned> atShuffle;
  std::vector<WarpRequests> requests;
  /// Those that have been initialised; threads have pointers to them.
  std::map<const char *, MBarrier> mbarriers;
};

/// "block (0, 0, 0), thread (5, 0, 0)".
std::string describe(const Thread &thread);

/// The lanes of `warp` that exist, fewer than 32 in the last warp of a block
/// whose size is not a multiple of 32.
inline llvm::MutableArrayRef<Thread> getWarp(ThreadBlock &block,
                                             unsigned warp) {
  return llvm::MutableArrayRef<Thread>(block.threads)
      .drop_front(size_t(warp) * kLanesPerWarp)
      .take_front(kLanesPerWarp);
}

/// Small, fast, good enough to shuffle with.
class Random : public SplitMix64 {
public:
  using SplitMix64::SplitMix64;
  /// A number in [0, bound), bound < 2^32; uneven by less than bound / 2^32. By
  /// a product, which is much faster than a remainder (D. Lemire, "Fast Random
  /// Integer Generation in an Interval", 2019).
  uint64_t below(uint64_t bound) { return (next() >> 32) * bound >> 32; }
};

class Scheduler {
public:
  explicit Scheduler(const EmulatorOptions &options);
  ~Scheduler();

  bool launch(const KernelDescriptor &kernel, Dim3 grid, Dim3 block,
              int64_t dynamicSharedBytes, void **arguments);

  const std::string &getError() const { return error; }
  const EmulatorStatistics &getStatistics() const { return statistics; }

  /// Whether a thread of the GPU is running, not the host's code.
  bool isInKernel() const { return running != nullptr; }

  // On behalf of the running thread.
  const Thread &self() const { return *running; }
  Dim3 getGridDim() const { return gridDim; }
  Dim3 getBlockDim() const { return blockDim; }
  /// Dynamic workgroup memory follows the declared one.
  char *getDynamicSharedMemory() const {
    return running->block->shared + dynamicSharedOffset;
  }
  int64_t getDynamicSharedBytes() const { return dynamicSharedBytes; }
  void barrier(const char *site);
  ShuffleResult shuffle(const char *site, ShuffleMode mode, uint64_t bits,
                        int32_t offset, int32_t width);
  /// Waits for all lanes of the warp.
  void syncWarp(const char *site);
  void step(const char *site) {
    ++running->steps;
    if (--stepsUntilTurn == 0)
      endTurn(site);
  }
  /// The thread is about to access `bytes` bytes at `address`.
  void access(const AccessSite *site, const char *address, size_t bytes) {
    // Private memory is never taken for other memory here.
    if (LLVM_LIKELY(checker && !counters &&
                    checker->tryFast(running->clock, site, address, bytes))) {
      noteRead(site, address);
      return;
    }
    if (running->fiber->contains(address)) {
      if (LLVM_UNLIKELY(checker && !checker->accessPrivate(
                                       running->clock, running->buffers, site,
                                       address, bytes)))
        stopHere();
      return;
    }
    noteRead(site, address);
    if (counters)
      count(site, address, bytes);
    if (!checker)
      return;
    if (LLVM_UNLIKELY(!checker->access(running->clock, running->buffers, site,
                                       address, bytes)))
      stopHere();
    if (LLVM_UNLIKELY(checker->takeUnwrittenNote()))
      park();
  }
  void atomicAccess(const AccessSite *site, const char *address) {
    step(site->text);
    access(site, address, site->bytes);
  }
  void fence(const AccessSite *site) {
    if (checker)
      checker->fence(running->clock, site);
  }

  /// The thread has a new buffer on its stack, which holds nothing yet.
  void beginPrivate(const PrivateBuffer &buffer);
  /// It has the buffer there, if any, no more.
  void endPrivate(const char *begin);

  void asyncCopy(const AsyncCopy &copy);
  void asyncGroup();
  /// Waits until at most that many groups are left.
  void asyncWait(uint64_t groups);

  void mbarrierInit(const AccessSite *site, char *address, int32_t count);
  /// Announces `bytes` bytes, and arrives once.
  void mbarrierArrive(const char *site, char *address, int32_t bytes);
  /// Waits for a phase of that parity to complete.
  void mbarrierWait(const char *site, char *address, int32_t parity);
  /// Begins a copy that completes on the mbarrier at `address`.
  void bulkCopy(const BulkCopy &copy, const char *address);
  /// What the thread knows comes before copies that it begins later.
  void proxyFence();

  /// Memory of the host's program, and the block that it is part of.
  void addHostBlock(void *memory, void *block, size_t bytes);
  /// Forgets the memory; returns its block, or null if there is none.
  void *takeHostBlock(void *memory);

  /// Null if memory is not checked.
  MemoryChecker *getChecker() { return checker.get(); }

  /// The text for an assertion that is about to fail.
  void setMessage(const char *text) { message = text; }
  void assertionFailed();
  /// The divisor is zero, or the quotient too large for its type.
  void divisionFailed(const char *site, bool isZero);

private:
  bool checkLaunch(Dim3 grid, Dim3 block, int64_t dynamicSharedBytes);
  /// Draws the next block that has not started; false if all have.
  bool drawBlock(int64_t &number);
  void startBlock(ThreadBlock &block, int64_t number);
  Thread *takeReady();
  /// Loads the stack of the thread that takeReady returns next, unless the
  /// running one changes the queue before: each has pages of its own, more of
  /// them than the processor translates without a walk of its page tables.
  void prefetchNext() const;
  /// Gives `thread` a quantum; false if there is no stack for it.
  bool run(Thread &thread);
  static void threadMain(void *scheduler);
  void makeReady(Thread &thread);

  void startQuantum();
  /// Accounts for the steps of the quantum so far.
  void settleQuantum();
  /// The running thread goes on later.
  void loseTurn();
  /// The slow path of `step`: the running thread's quantum expires.
  void endTurn(const char *site);

  /// Lets the waiting threads go on if all are there.
  void tryCompleteBarrier(ThreadBlock &block);
  void tryCompleteShuffle(ThreadBlock &block, unsigned warp);
  void waitForWarp(const char *site);
  ShuffleResult exchange(const Thread &thread) const;
  /// Reports an error if `block` has threads but none that can go on.
  void checkProgress(const ThreadBlock &block);
  /// Such an error, if it is a lane missing from the shuffle of `thread`.
  bool reportDivergentShuffle(const Thread &thread);

  /// A step that does not count as one of the warp: other lanes may not take
  /// it.
  void takeTurn(const char *site) {
    if (--stepsUntilTurn == 0)
      endTurn(site);
  }

  // Mbarriers and bulk copies. Those that return false have noted an error,
  // for their caller to suspend the thread.
  MBarrier *findMBarrier(const char *site, const char *address);
  bool checkAligned(const char *site, const char *what, const char *address,
                    unsigned alignment);
  bool initialise(const AccessSite *site, char *address, int64_t count);
  bool addTransactions(MBarrier &barrier, const char *site, int64_t bytes);
  bool arrive(MBarrier &barrier, const char *site, int64_t bytes);
  bool beginWait(const char *site, char *address, uint32_t parity);
  bool beginBulkCopy(const BulkCopy &copy, const char *address);
  bool deliverAll(MBarrier &barrier);
  /// Completes the phase of a barrier of the running block if it lacks nothing.
  bool tryCompletePhase(MBarrier &barrier);
  /// What `thread` has waited for has completed.
  void noteWait(Thread &thread, MBarrier &barrier);
  /// Whether somebody has waited for each of the copies.
  bool checkCopies(const ThreadBlock &block, const MBarrier &barrier);
  void checkCopies(const ThreadBlock &block);
  /// Whether these bytes are in the workgroup memory of the block.
  bool isWorkgroup(const ThreadBlock &block, const char *address,
                   size_t bytes) const;
  std::string describeWorkgroup(const ThreadBlock &block,
                                const char *address) const;
  std::string describePhase(const MBarrier &barrier) const;
  /// Reports an error if a thread waits at an mbarrier.
  bool reportMBarrierDeadlock(const ThreadBlock &block);

  /// Notes an error of the running thread.
  void failAt(const char *site, const llvm::Twine &message);
  /// Notes an error, which ends the launch; the first one counts.
  void fail(const llvm::Twine &message);
  void noteRead(const AccessSite *site, const char *address) {
    if (!site->reads())
      return;
    running->lastRead = site;
    running->lastReadAddress = address;
  }
  void count(const AccessSite *site, const char *address, size_t bytes);
  /// Lanes of a warp, or all of a block, have met.
  void met(ThreadBlock &block, llvm::MutableArrayRef<Thread> threads);
  /// Lets all others go on as far as they get: one of them may write what the
  /// running thread reads too early.
  void park();
  void finish(const AsyncCopy &copy);
  /// Ends the launch with the error of `checker`.
  void stopHere();
  /// Adds what the checker tells at the end of a launch.
  void addDeferredError();
  /// What the running thread waits for, as far as that is known.
  std::string describeWait() const;
  /// Notes an error of the running thread, and leaves it for good.
  void failHere(const char *site, const char *message);

  EmulatorOptions options;
  EmulatorStatistics statistics;
  std::string error;
  std::unique_ptr<MemoryChecker> checker;
  std::unique_ptr<Counters> counters;
  llvm::DenseMap<void *, void *> hostBlocks;

  // The launch in progress.
  const KernelDescriptor *kernel = nullptr;
  void **arguments = nullptr;
  Dim3 gridDim, blockDim;
  int64_t dynamicSharedOffset = 0;
  int64_t dynamicSharedBytes = 0;
  Random random;
  std::deque<ThreadBlock> blocks;     ///< Threads have pointers to them.
  int64_t blocksDrawn = 0;            ///< Block numbers that left the grid.
  std::vector<int64_t> blocksToStart; ///< Schedule::Random draws from these.
  std::vector<Thread *> ready;
  size_t readyHead = 0; ///< Schedule::InOrder takes from here.
  /// With Schedule::Adversarial those whose quantum expired: they go on
  /// when no other thread can.
  std::vector<Thread *> quantumExpired;
  Thread *running = nullptr;
  Thread *parked = nullptr;
  const char *message = nullptr;
  uint64_t stepsLeft = 0;
  uint64_t turnSteps = 0;
  uint64_t stepsUntilTurn = 0;

  // Stacks, kept from launch to launch, and for the next runtime of this thread
  // of the operating system.
  std::vector<std::unique_ptr<Fiber>> fibers;
  std::vector<Fiber *> freeFibers;
};

// All instrumentation reads this: without the attribute that would be a call
// each.
#define SCAN_EMULATOR_TLS __attribute__((tls_model("initial-exec")))

/// The runtime that compiled code on this thread of the operating system calls.
extern SCAN_EMULATOR_TLS thread_local Scheduler *activeScheduler;

} // namespace mlir::scan::emulator

#endif // SCAN_LIB_EXECUTION_EMULATOR_SCHEDULER_H
