//===- RaceDetector.h - Finds accesses that nothing orders ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two accesses to the same memory, one of them a write, are a race unless one
// happens before the other: in the same thread, by a barrier of the block or of
// the warp, or by a release that the other side acquires. Two atomic accesses
// to the same words are no race if the scope of both covers both threads.
// Shuffles order no memory, and neither does being in the same warp.
//
// The detector knows this for the run that it watches, from its order of events
// and not from the values that happened to be there: a race is found whichever
// thread came first.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_EXECUTION_EMULATOR_RACEDETECTOR_H
#define SCAN_LIB_EXECUTION_EMULATOR_RACEDETECTOR_H

#include "FiberRuntime.h"
#include "ShadowMemory.h"
#include <optional>

namespace mlir::scan::emulator {

struct ThreadHistory;

/// The clock that the threads of a block share.
struct BlockClock {
  uint32_t number = 0;      ///< As in epochs.
  uint32_t owner = 0;       ///< Of the workgroup memory that it may access.
  uint32_t barrierTime = 1; ///< All threads had this time after the last one.
  uint32_t latestTime = 1;  ///< The latest that any thread has.
  VectorClock known;        ///< Of other blocks, since the last barrier.
  /// What all threads know to have been written before a fence between proxies.
  VectorClock proxyFenced;
  /// Whether threads of the block meet elsewhere than at barriers.
  bool hasMBarriers = false;
  llvm::SmallVector<ThreadHistory *> histories;

  void start(uint32_t newNumber);
};

/// The clock of a thread.
struct ThreadClock {
  BlockClock *block = nullptr;
  uint32_t index = 0;
  uint32_t time = 0; ///< Only if later than `block->barrierTime`.
  /// All lanes of the warp had this time after they met last.
  uint32_t warpTime = 0;
  std::unique_ptr<ThreadHistory> history;

  void start(BlockClock &newBlock, uint32_t newIndex);
  uint32_t getTime() const { return std::max(time, block->barrierTime); }
  Epoch now() const { return Epoch(block->number, index, getTime()); }
};

/// A write that others may acquire from.
struct Publication {
  VectorClock known;   ///< What the writer knew and did.
  VectorClock offered; ///< What of it an acquire gets; empty without release.
  Epoch writer;
  AccessScope scope;
  const AccessSite *site;
  bool released = false;
  uint64_t number = 0; ///< Not that of any other publication.
};

/// What a thread has read and could not acquire, to explain a race.
struct NearMiss {
  enum class Reason { NotReleased, NotAcquired, ScopeTooNarrow };
  Reason reason;
  VectorClock known;
  const AccessSite *writer;
  const AccessSite *reader;
};

/// What a thread has acquired and released; most threads never do.
struct ThreadHistory {
  VectorClock acquired; ///< Since the last barrier.
  /// What relaxed reads have seen, of the same block and of others: an acquire
  /// fence acquires it.
  VectorClock pendingOfBlock, pendingOfOthers;
  /// What was known at the last release fences, by their scope; relaxed writes
  /// publish it.
  VectorClock fenced[2];
  bool hasFence[2] = {false, false};
  /// What is known to have been written before a fence between proxies, since
  /// the last barrier.
  VectorClock proxyFenced;
  llvm::SmallVector<NearMiss, 0> nearMisses;
  uint64_t lastAcquired = 0; ///< Number of a publication.
};

/// What those who arrive at an mbarrier release, and those who wait acquire.
struct MBarrierClock {
  VectorClock arrived, released; ///< By now, and when a phase completed last.
  VectorClock arrivedFenced, releasedFenced; ///< The same for proxies.
  /// The copies that complete on it, as threads of their own.
  struct Copier {
    Epoch epoch;
    uint32_t issuer; ///< The thread that begins them.
    bool isBusy;
  };
  llvm::SmallVector<Copier, 0> copiers;

  void completePhase();
};

/// A write through the generic proxy that no fence separates from a copy.
struct UnfencedWrite {
  const AccessSite *site;
  Epoch epoch;
  unsigned offset; ///< From where the search began.
};

/// Two accesses that nothing orders.
struct Race {
  PastAccess past;
  PastAccess current;
  uintptr_t address; ///< Of the first byte that both access.
  /// Both are atomic, but not to the same words or not in a common scope.
  bool bothAtomic = false;
};

class RaceDetector {
public:
  /// Everything before a launch happens before it.
  void startLaunch() {
    publications.clear();
    issuers.clear();
  }

  /// All threads of the block have met.
  void barrier(BlockClock &block);
  /// All lanes of a warp have met, and see what any of them has written.
  void syncWarp(llvm::ArrayRef<ThreadClock *> lanes);

  /// Notes an access to a piece of `page`, whose cells are current. `offset` is
  /// where the piece starts in the page, `done` how much of the access lies
  /// before it. Returns false, with the reason in `getRace()`, if it is a race.
  bool access(ThreadClock &thread, const AccessSite *site, ShadowPage &page,
              uintptr_t address, unsigned offset, unsigned count,
              unsigned done);

  /// Notes a plain access to all of `cell`, if what happened before is simple
  /// enough; false if `access` has to look at it.
  bool tryFast(ThreadClock &thread, const AccessSite *site, ShadowCell &cell) {
    const Epoch now = thread.now();
    if (!isKnown(thread, now, cell.write))
      return false;
    if (site->kind == AccessKind::Read &&
        ShadowPage::isEnough(cell, now.time()))
      return true;
    if (!isKnown(thread, now, cell.read))
      return false;
    if (site->kind == AccessKind::Read) {
      cell.read = now;
      cell.readSite = site;
    } else {
      cell.write = now;
      cell.writeSite = site;
      cell.read = Epoch();
    }
    return true;
  }
  bool tryFast(ThreadClock &thread, const AccessSite *site, SoleAccess &sole) {
    const Epoch now = thread.now();
    const SoleAccess access(now, site->number);
    if (!access || !isKnown(thread, now, sole.epoch()))
      return false;
    // A read does not conflict with what conflicts with the write before it.
    if (sole && site->kind == AccessKind::Read && sites[sole.site()]->writes())
      return false;
    sites.add(site);
    sole = access;
    return true;
  }
  const NumberedSites &getSites() const { return sites; }

  /// The order that an atomic access to `address` brings; called after
  /// `access`.
  void synchronise(ThreadClock &thread, const AccessSite *site,
                   uintptr_t address);
  void fence(ThreadClock &thread, AccessOrder order, AccessScope scope);

  // Mbarriers, and the copies that complete on them: MBarrierOrder.cpp.
  void initialiseMBarrier(ThreadClock &thread);
  void arrive(ThreadClock &thread, MBarrierClock &barrier);
  /// The thread waits for the phase of the barrier that has completed last.
  void wait(ThreadClock &thread, const MBarrierClock &barrier);
  void proxyFence(ThreadClock &thread);
  /// What of the past of `thread` is before a fence between proxies.
  VectorClock getFenced(const ThreadClock &thread) const;
  /// The epoch of all that a new copy does; it has completed.
  Epoch beginCopy(const ThreadClock &issuer, MBarrierClock &barrier);
  void endCopy(Epoch epoch, MBarrierClock &barrier);
  /// An epoch of the thread that has begun the copy.
  Epoch getIssuer(Epoch copy) const;
  /// A write to a piece of `page`, as for `access`, that happens before `copy`
  /// but that is not in `fenced`.
  static std::optional<UnfencedWrite>
  findUnfenced(const ThreadClock &copy, const VectorClock &fenced,
               ShadowPage &page, unsigned offset, unsigned count);

  /// All that happens before what `thread` does now, itself included.
  VectorClock getKnown(const ThreadClock &thread) const;

  /// Whether any clock has come to its end.
  bool isExhausted() const { return exhausted; }

  const Race &getRace() const { return race; }
  /// Whether what happened at `epoch` happens before what `thread` does now.
  static bool isOrdered(const ThreadClock &thread, Epoch epoch) {
    if (epoch.block() == thread.block->number)
      return epoch.thread() == thread.index ||
             epoch.time() < thread.block->barrierTime ||
             isKnownInWarp(thread, epoch) ||
             (thread.history && thread.history->acquired.covers(epoch));
    return isOrderedAcrossBlocks(thread, epoch);
  }

private:
  /// Whether what happened at `epoch`, in this block, was by a lane of this
  /// warp before they met last.
  static bool isKnownInWarp(const ThreadClock &thread, Epoch epoch) {
    return epoch.time() < thread.warpTime &&
           epoch.thread() / kLanesPerWarp == thread.index / kLanesPerWarp;
  }
  /// Whether what happened at `epoch` was by no thread, by this thread, or in
  /// this block before its last barrier or in this warp before it met last.
  static bool isKnown(const ThreadClock &thread, Epoch now, Epoch epoch) {
    return !epoch || epoch.isSameThread(now) ||
           (epoch.block() == now.block() &&
            (epoch.time() < thread.block->barrierTime ||
             isKnownInWarp(thread, epoch)));
  }
  static bool isOrderedAcrossBlocks(const ThreadClock &thread, Epoch epoch);
  bool read(ThreadClock &thread, const AccessSite *site, ShadowPage &page,
            ShadowCell &cell, Epoch now);
  bool write(ThreadClock &thread, const AccessSite *site, ShadowPage &page,
             ShadowCell &cell, Epoch now, uintptr_t address);
  bool atomic(ThreadClock &thread, const AccessSite *site, ShadowPage &page,
              ShadowCell &cell, Epoch now, unsigned offset);
  bool conflict(const PastAccess &past, Epoch now, const AccessSite *site);

  ThreadHistory &getHistory(ThreadClock &thread);
  /// What `thread` does from now on is not part of what it has released.
  void tick(ThreadClock &thread);
  void acquire(ThreadClock &thread, const AccessSite *site,
               const Publication &publication);
  void publish(ThreadClock &thread, const AccessSite *site, uintptr_t address);

  Race race;
  NumberedSites sites;
  bool exhausted = false;
  uint64_t numPublications = 0;
  /// Who has begun the copies, by the thread that each is.
  std::vector<Epoch> issuers;
  /// What was last written atomically to an address: one entry for a store,
  /// more for what read-modify-writes have added to it.
  llvm::DenseMap<uintptr_t, llvm::SmallVector<Publication, 1>> publications;
};

/// What is missing between the two accesses of a race, as the end of a
/// sentence: "there is no barrier between them".
std::string explainRace(const Race &race, const ThreadClock &thread);

} // namespace mlir::scan::emulator

#endif // SCAN_LIB_EXECUTION_EMULATOR_RACEDETECTOR_H
