//===- MemoryChecker.h - Judges every access of a launch --------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What instrumented code calls: is the memory there, has it been
// written, and is the access ordered. The first thing that is wrong becomes one
// line that names places, threads, and memory.
//
// A read of what was never written is reported at the end of the launch only:
// if a thread writes there after all, the two are a race, which says more.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_EXECUTION_EMULATOR_MEMORYCHECKER_H
#define SCAN_LIB_EXECUTION_EMULATOR_MEMORYCHECKER_H

#include "FiberRuntime.h"
#include "RaceDetector.h"
#include <utility>

namespace mlir::scan::emulator {

struct BulkCopy;

/// "(0, 0, 0)".
std::string formatDim(Dim3 dim);

/// A buffer in the private memory of a thread.
struct PrivateBuffer {
  const char *begin;
  size_t bytes;
  /// "private buffer #0", null-terminated.
  const char *name;
};

class MemoryChecker {
public:
  MemoryChecker();

  // The host's memory, which kernels may access.
  void addBuffer(const void *begin, size_t bytes, std::string name,
                 bool initialised);
  void removeBuffer(const void *begin) { memory.remove(begin); }
  void hostWrites(const void *begin, size_t bytes) {
    memory.setInitialised(reinterpret_cast<uintptr_t>(begin), bytes);
  }
  size_t countInitialised(const void *begin, size_t bytes) {
    auto address = reinterpret_cast<uintptr_t>(begin);
    // Elsewhere are the constants of the program.
    if (!memory.getRegion(address))
      return bytes;
    return memory.countInitialised(address, bytes);
  }

  void startLaunch(const KernelDescriptor &kernel, void **arguments, Dim3 grid,
                   Dim3 block);
  /// Number `number` of the grid starts, with workgroup memory at `shared`,
  /// whose dynamic part is the last one. `clock` may be that of a block that
  /// had the memory before. False if there were too many blocks.
  bool startBlock(BlockClock &clock, int64_t number, char *shared,
                  int64_t dynamicOffset, int64_t dynamicBytes);
  /// The block has ended, or the launch was given up.
  void endBlock(BlockClock &clock);
  void barrier(BlockClock &clock) { races.barrier(clock); }
  void syncWarp(llvm::ArrayRef<ThreadClock *> lanes) { races.syncWarp(lanes); }

  /// What a thread, which has these private buffers, is about to do. False,
  /// with the reason in `getError()`, if it must not.
  bool access(ThreadClock &thread, llvm::ArrayRef<PrivateBuffer> buffers,
              const AccessSite *site, const char *address, size_t bytes);
  /// The same for an address on the stack of the thread.
  bool accessPrivate(ThreadClock &thread, llvm::ArrayRef<PrivateBuffer> buffers,
                     const AccessSite *site, const char *address, size_t bytes);
  void addPrivate(const PrivateBuffer &buffer) {
    memory.addPrivate(reinterpret_cast<uintptr_t>(buffer.begin), buffer.bytes);
  }
  void removePrivate(const PrivateBuffer &buffer) {
    memory.removePrivate(reinterpret_cast<uintptr_t>(buffer.begin),
                         buffer.bytes);
  }
  /// Most accesses are plain, to one aligned word that is there, in whose past
  /// there is nothing but this block's. False if `access` has to look at it.
  LLVM_ATTRIBUTE_ALWAYS_INLINE bool tryFast(ThreadClock &thread,
                                            const AccessSite *site,
                                            const char *pointer, size_t bytes) {
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    ShadowPage *page = memory.find(address);
    const unsigned offset = address % ShadowPage::kBytes;
    if (LLVM_UNLIKELY(
            !page || bytes - 1 >= 8 || site->isAtomic() ||
            (page->owner != 0 && page->owner != thread.block->number)))
      return false;
    if (LLVM_UNLIKELY(!page->addressable.allOfWord(offset, bytes) ||
                      (site->kind == AccessKind::Read &&
                       !page->initialised.allOfWord(offset, bytes))))
      return false;
    const uint64_t generation = getGeneration(*page);
    if (SoleAccess *sole = page->findSole(generation, offset, bytes)) {
      if (LLVM_UNLIKELY(!races.tryFast(thread, site, *sole)))
        return false;
    } else {
      ShadowCell *cell = page->findWholeCell(generation, offset, bytes);
      if (LLVM_UNLIKELY(!cell || !races.tryFast(thread, site, *cell)))
        return false;
    }
    if (site->kind == AccessKind::Write)
      page->initialised.setInWord(offset, bytes);
    return true;
  }
  void fence(ThreadClock &thread, const AccessSite *site) {
    races.fence(thread, site->order, site->scope);
  }

  /// An asynchronous copy to this memory has begun; it has ended.
  void beginCopy(const char *target, size_t bytes);
  void endCopy(const char *target);

  // Mbarriers, and the copies that complete on them: MBarrierOrder.cpp.
  void initialiseMBarrier(ThreadClock &thread) {
    races.initialiseMBarrier(thread);
  }
  void arrive(ThreadClock &thread, MBarrierClock &barrier) {
    races.arrive(thread, barrier);
  }
  void wait(ThreadClock &thread, const MBarrierClock &barrier) {
    races.wait(thread, barrier);
  }
  void proxyFence(ThreadClock &thread) { races.proxyFence(thread); }
  /// As `access`, for all that the copy does.
  bool beginBulkCopy(ThreadClock &issuer, llvm::ArrayRef<PrivateBuffer> buffers,
                     BulkCopy &copy, MBarrierClock &barrier);
  void endBulkCopy(const BulkCopy &copy, MBarrierClock &barrier);

  const std::string &getError() const { return error; }
  bool hasFoundRace() const { return foundRace; }
  /// What has to be told at the end of the launch if nothing else is; or empty.
  const std::string &getDeferredError() const { return deferredError; }

  /// Whether the last access was the first one of the launch to read what
  /// was never written.
  bool takeUnwrittenNote() { return std::exchange(unwrittenNote, false); }

  /// "argument #0 (x), element 5 (byte 20)".
  std::string describeAddress(uintptr_t address, unsigned elementBytes) const;
  /// "block (0, 0, 0), thread (5, 0, 0)"; of a copy the thread that began it.
  std::string describeThread(Epoch epoch) const;

private:
  bool checkProxies(ThreadClock &copy, const VectorClock &fenced,
                    const BulkCopy &bulkCopy);

  struct Pointer {
    uintptr_t address;
    const KernelArgument *argument;
  };

  /// The state of the page's cells that counts as current.
  uint64_t getGeneration(const ShadowPage &page) const {
    return launches << Epoch::kBlockBits | page.owner;
  }
  /// Gives the memory of the buffers a name, for a message: the last thing
  /// before the launch ends.
  void nameBuffers(llvm::ArrayRef<PrivateBuffer> buffers);
  bool reportMisaligned(ThreadClock &thread,
                        llvm::ArrayRef<PrivateBuffer> buffers,
                        const AccessSite *site, size_t bytes,
                        uintptr_t address);
  bool reportBounds(ThreadClock &thread, llvm::ArrayRef<PrivateBuffer> buffers,
                    const AccessSite *site, size_t bytes, uintptr_t wrong);
  bool reportUnwritten(ThreadClock &thread,
                       llvm::ArrayRef<PrivateBuffer> buffers,
                       const AccessSite *site, uintptr_t address, size_t bytes);
  /// "block (0, 0, 0), thread (5, 0, 0): memref.load at file:line:column reads
  /// private buffer #0, element 2 (byte 8), which "
  std::string describeUnwritten(ThreadClock &thread, const AccessSite *site,
                                uintptr_t address);
  void deferUnwritten(ThreadClock &thread, const AccessSite *site,
                      uintptr_t address, size_t bytes);
  bool reportRace(ThreadClock &thread, const AccessSite *site, size_t bytes);
  bool reportForeign(ThreadClock &thread, const AccessSite *site,
                     const std::string &memory, const char *owner);
  /// The name of what lies at `address` in `region`, and where its counting
  /// starts.
  std::pair<std::string, uintptr_t> name(const MemoryRegion &region,
                                         uintptr_t address) const;

  ShadowMemory memory;
  RaceDetector races;
  std::string error;
  std::string deferredError;
  bool foundRace = false;
  /// Where asynchronous copies are under way, and how many bytes.
  std::map<uintptr_t, size_t> copies;
  bool unwrittenNote = false;

  // The launch in progress.
  const KernelDescriptor *kernel = nullptr;
  Dim3 gridDim, blockDim;
  std::vector<Pointer> pointers;     ///< Arguments of the kernel.
  std::vector<int64_t> blockNumbers; ///< In the grid, by number in epochs.
  struct ResidentBlock {
    uint32_t number;
    std::vector<const char *> regions;
  };
  std::vector<ResidentBlock> resident;
  uint64_t launches = 0;
};

} // namespace mlir::scan::emulator

#endif // SCAN_LIB_EXECUTION_EMULATOR_MEMORYCHECKER_H
