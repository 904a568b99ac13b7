//===- MBarriers.cpp - Phases of mbarriers --------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrivals and waits. A thread that waits is suspended until the phase has
// completed, where it would poll on a GPU: that nothing can complete the phase
// is then found as soon as no thread of the block can go on.
//
//===----------------------------------------------------------------------===//

#include "Scheduler.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::scan::emulator;

std::string Scheduler::describeWorkgroup(const ThreadBlock &block,
                                         const char *address) const {
  if (checker)
    return checker->describeAddress(reinterpret_cast<uintptr_t>(address),
                                    kMBarrierBytes);
  const auto offset = reinterpret_cast<intptr_t>(address) -
                      reinterpret_cast<intptr_t>(block.shared);
  return ("byte " + llvm::Twine(offset) + " of workgroup memory").str();
}

bool Scheduler::isWorkgroup(const ThreadBlock &block, const char *address,
                            size_t bytes) const {
  const uintptr_t offset = reinterpret_cast<uintptr_t>(address) -
                           reinterpret_cast<uintptr_t>(block.shared);
  const size_t size = dynamicSharedOffset + dynamicSharedBytes;
  return offset < size && bytes <= size - offset;
}

void Scheduler::failAt(const char *site, const llvm::Twine &message) {
  fail(describe(*running) + ": " + site + ": " + message);
}

bool Scheduler::checkAligned(const char *site, const char *what,
                             const char *address, unsigned alignment) {
  if (reinterpret_cast<uintptr_t>(address) % alignment == 0)
    return true;
  failAt(site, llvm::Twine("the address of the ") + what + ", " +
                   (checker ? checker->describeAddress(
                                  reinterpret_cast<uintptr_t>(address), 0)
                            : describeWorkgroup(*running->block, address)) +
                   ", is not a multiple of " + llvm::Twine(alignment));
  return false;
}

MBarrier *Scheduler::findMBarrier(const char *site, const char *address) {
  ThreadBlock &block = *running->block;
  if (!checkAligned(site, "mbarrier", address, kMBarrierBytes))
    return nullptr;
  auto it = block.mbarriers.find(address);
  if (it == block.mbarriers.end()) {
    failAt(site, "there is no mbarrier at " +
                     describeWorkgroup(block, address) +
                     ": nvvm.mbarrier.init has not been executed before");
    return nullptr;
  }
  MBarrier &barrier = it->second;
  if (checker &&
      !RaceDetector::isOrdered(running->clock, barrier.initialised)) {
    failAt(site, "the mbarrier at " + describeWorkgroup(block, address) +
                     " was initialised by " + barrier.initSite + " in " +
                     checker->describeThread(barrier.initialised) +
                     ", and no barrier orders that before");
    return nullptr;
  }
  return &barrier;
}

//===----------------------------------------------------------------------===//
// Initialisation
//===----------------------------------------------------------------------===//

bool Scheduler::initialise(const AccessSite *site, char *address,
                           int64_t count) {
  ThreadBlock &block = *running->block;
  if (!checkAligned(site->text, "mbarrier", address, kMBarrierBytes))
    return false;
  if (count < 1 || count > MBarrier::kMaxCount) {
    failAt(site->text, "expected a count of 1 to " +
                           llvm::Twine(MBarrier::kMaxCount) +
                           " arrivals, found " + llvm::Twine(count));
    return false;
  }
  if (checker && !checker->access(running->clock, running->buffers, site,
                                  address, kMBarrierBytes)) {
    fail(checker->getError());
    return false;
  }
  if (!isWorkgroup(block, address, kMBarrierBytes)) {
    failAt(site->text, "expected an mbarrier in workgroup memory");
    return false;
  }
  auto it = block.mbarriers.find(address);
  if (it != block.mbarriers.end()) {
    const MBarrier &old = it->second;
    if (old.waiting != 0 || old.pending != old.expected ||
        old.transactions != 0 || !old.copies.empty()) {
      failAt(site->text, "the mbarrier at " +
                             describeWorkgroup(block, address) + ", from " +
                             old.initSite +
                             ", is in use: " + describePhase(old));
      return false;
    }
    if (!checkCopies(block, old))
      return false;
  }
  MBarrier barrier;
  barrier.address = address;
  barrier.expected = barrier.pending = count;
  barrier.initSite = site->text;
  barrier.initialised = running->clock.now();
  block.mbarriers.insert_or_assign(address, std::move(barrier));
  if (checker)
    checker->initialiseMBarrier(running->clock);
  return true;
}

void Scheduler::mbarrierInit(const AccessSite *site, char *address,
                             int32_t count) {
  if (!initialise(site, address, count))
    running->fiber->suspend();
}

//===----------------------------------------------------------------------===//
// Arrivals
//===----------------------------------------------------------------------===//

bool Scheduler::addTransactions(MBarrier &barrier, const char *site,
                                int64_t bytes) {
  barrier.transactions += bytes;
  if (std::abs(barrier.transactions) <= MBarrier::kMaxCount)
    return true;
  failAt(site, "the transaction count of the mbarrier at " +
                   describeWorkgroup(*running->block, barrier.address) +
                   " becomes " + llvm::Twine(barrier.transactions) +
                   ", expected at most " + llvm::Twine(MBarrier::kMaxCount) +
                   " bytes; let several phases bring them");
  return false;
}

bool Scheduler::arrive(MBarrier &barrier, const char *site, int64_t bytes) {
  if (bytes < 0 || bytes > MBarrier::kMaxCount) {
    failAt(site, "expected 0 to " + llvm::Twine(MBarrier::kMaxCount) +
                     " bytes to be announced, found " + llvm::Twine(bytes));
    return false;
  }
  if (barrier.pending == 0) {
    failAt(site, "all of the arrivals that the mbarrier at " +
                     describeWorkgroup(*running->block, barrier.address) +
                     " expects in a phase have been there: " +
                     describePhase(barrier));
    return false;
  }
  if (!addTransactions(barrier, site, bytes))
    return false;
  --barrier.pending;
  if (checker)
    checker->arrive(running->clock, barrier.clock);
  return tryCompletePhase(barrier);
}

void Scheduler::mbarrierArrive(const char *site, char *address, int32_t bytes) {
  takeTurn(site);
  MBarrier *barrier = findMBarrier(site, address);
  if (!barrier || !arrive(*barrier, site, bytes))
    running->fiber->suspend();
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

void Scheduler::noteWait(Thread &thread, MBarrier &barrier) {
  barrier.waitedPhases = barrier.phase;
  if (checker)
    checker->wait(thread.clock, barrier.clock);
}

bool Scheduler::tryCompletePhase(MBarrier &barrier) {
  if (barrier.pending != 0)
    return true;
  // Nothing has needed the copies before. Those that nobody has announced do
  // not keep the phase from completing, and may come after that.
  if (barrier.waiting != 0 && barrier.transactions > 0 && !deliverAll(barrier))
    return false;
  if (barrier.transactions != 0)
    return true;
  ++barrier.phase;
  barrier.pending = barrier.expected;
  barrier.clock.completePhase();
  if (barrier.waiting == 0)
    return true;
  for (Thread &thread : running->block->threads) {
    if (thread.state != ThreadState::AtMBarrier || thread.mbarrier != &barrier)
      continue;
    noteWait(thread, barrier);
    thread.mbarrier = nullptr;
    makeReady(thread);
  }
  barrier.waiting = 0;
  return true;
}

/// Returns whether the thread goes on at once.
bool Scheduler::beginWait(const char *site, char *address, uint32_t parity) {
  MBarrier *barrier = findMBarrier(site, address);
  if (!barrier)
    return false;
  if (parity > 1) {
    failAt(site, "expected the parity 0 or 1 of a phase, found " +
                     llvm::Twine(parity));
    return false;
  }
  if (barrier->isParityComplete(parity)) {
    noteWait(*running, *barrier);
    return true;
  }
  ThreadBlock &block = *running->block;
  running->state = ThreadState::AtMBarrier;
  running->site = site;
  running->mbarrier = barrier;
  ++barrier->waiting;
  --block.runnable;
  if (tryCompletePhase(*barrier))
    checkProgress(block);
  return false;
}

void Scheduler::mbarrierWait(const char *site, char *address, int32_t parity) {
  takeTurn(site);
  if (!beginWait(site, address, parity))
    running->fiber->suspend();
}

//===----------------------------------------------------------------------===//
// What a phase lacks
//===----------------------------------------------------------------------===//

std::string Scheduler::describePhase(const MBarrier &barrier) const {
  std::string text = ("phase " + llvm::Twine(barrier.phase) + " lacks " +
                      llvm::Twine(barrier.pending) + " of " +
                      llvm::Twine(barrier.expected) + " arrivals")
                         .str();
  if (barrier.transactions > 0)
    text += (" and " + llvm::Twine(barrier.transactions) + " bytes").str();
  else if (barrier.transactions < 0)
    text += (" and has got " + llvm::Twine(-barrier.transactions) +
             " bytes that were not announced")
                .str();
  if (barrier.waiting != 0)
    text +=
        (", and " + llvm::Twine(barrier.waiting) +
         (barrier.waiting == 1 ? " thread waits" : " threads wait") + " for it")
            .str();
  return text;
}

bool Scheduler::reportMBarrierDeadlock(const ThreadBlock &block) {
  const auto waiting = llvm::find_if(block.threads, [](const Thread &thread) {
    return thread.state == ThreadState::AtMBarrier;
  });
  if (waiting == block.threads.end())
    return false;
  const MBarrier &barrier = *waiting->mbarrier;
  std::string others;
  for (const Thread &other : block.threads)
    if (other.state != ThreadState::AtMBarrier &&
        other.state != ThreadState::Exited) {
      others = "; thread " + formatDim(other.id) + " waits at " + other.site;
      break;
    }
  fail(describe(*waiting) + " waits at " + waiting->site +
       " for the mbarrier at " + describeWorkgroup(block, barrier.address) +
       ", and no thread of the block can go on: " + describePhase(barrier) +
       others);
  return true;
}
