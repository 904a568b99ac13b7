//===- MBarrierOrder.cpp - What mbarriers and bulk copies order -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of the race detector, and of the checker, that only kernels with
// mbarriers need.
//
// A bulk copy is a thread of its own to the race detector. It happens after all
// that the thread that began it had known before. What happens after it is only
// what waits for the mbarrier, on which it arrives: neither the thread that
// began it nor a barrier of the block knows of it otherwise. Copies on one
// mbarrier by one thread that knows that the last one has ended when it begins
// the next are the same thread, with ever later times.
//
// It accesses memory through the async proxy. Who has written the same bytes
// through the generic one, as all other accesses are, has to be followed by a
// fence between the proxies: in the same thread, or in one that knows of it.
//
//===----------------------------------------------------------------------===//

#include "MBarrier.h"
#include "MemoryChecker.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::scan::emulator;

//===----------------------------------------------------------------------===//
// Arrivals and waits
//===----------------------------------------------------------------------===//

void MBarrierClock::completePhase() {
  // An earlier arrival is known as well to who waits for a later phase: what
  // changes the state of an mbarrier continues what earlier changes released.
  released = arrived;
  releasedFenced = arrivedFenced;
}

void RaceDetector::initialiseMBarrier(ThreadClock &thread) {
  thread.block->hasMBarriers = true;
  tick(thread);
}

void RaceDetector::arrive(ThreadClock &thread, MBarrierClock &barrier) {
  barrier.arrived.join(getKnown(thread));
  barrier.arrivedFenced.join(getFenced(thread));
  tick(thread);
}

void RaceDetector::wait(ThreadClock &thread, const MBarrierClock &barrier) {
  ThreadHistory &history = getHistory(thread);
  history.acquired.join(barrier.released);
  history.proxyFenced.join(barrier.releasedFenced);
}

void RaceDetector::proxyFence(ThreadClock &thread) {
  VectorClock known = getKnown(thread);
  getHistory(thread).proxyFenced.join(known);
  tick(thread);
}

VectorClock RaceDetector::getFenced(const ThreadClock &thread) const {
  VectorClock fenced = thread.block->proxyFenced;
  if (thread.history)
    fenced.join(thread.history->proxyFenced);
  return fenced;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

Epoch RaceDetector::beginCopy(const ThreadClock &issuer,
                              MBarrierClock &barrier) {
  for (MBarrierClock::Copier &copier : barrier.copiers)
    if (!copier.isBusy && copier.issuer == issuer.index &&
        isOrdered(issuer, copier.epoch)) {
      copier.isBusy = true;
      const Epoch last = copier.epoch;
      if (last.time() >= Epoch::kMaxTime)
        exhausted = true;
      else
        copier.epoch = Epoch(last.block(), last.thread(), last.time() + 1);
      return copier.epoch;
    }
  constexpr uint32_t perBlock = 1u << Epoch::kThreadBits;
  const uint32_t number = issuers.size();
  issuers.push_back(issuer.now());
  const Epoch epoch(Epoch::kFirstCopyBlock + number / perBlock,
                    number % perBlock, 1);
  barrier.copiers.push_back({epoch, issuer.index, /*isBusy=*/true});
  return epoch;
}

void RaceDetector::endCopy(Epoch epoch, MBarrierClock &barrier) {
  barrier.arrived.addThread(epoch);
  for (MBarrierClock::Copier &copier : barrier.copiers)
    if (copier.epoch == epoch)
      copier.isBusy = false;
}

Epoch RaceDetector::getIssuer(Epoch copy) const {
  return issuers[((copy.block() - Epoch::kFirstCopyBlock)
                  << Epoch::kThreadBits) +
                 copy.thread()];
}

std::optional<UnfencedWrite>
RaceDetector::findUnfenced(const ThreadClock &copy, const VectorClock &fenced,
                           ShadowPage &page, unsigned offset, unsigned count) {
  auto isUnfenced = [&](Epoch epoch) {
    // A write that nothing orders is a race.
    return epoch && !epoch.isCopy() && isOrdered(copy, epoch) &&
           !fenced.covers(epoch);
  };
  const unsigned step = 1u << page.getCellLog2();
  for (unsigned i = 0; i < count; i += step) {
    ShadowCell &cell = page.getCell(offset + i);
    if (isUnfenced(cell.write))
      return UnfencedWrite{cell.writeSite, cell.write, i};
    if (AccessSet *set = page.getSet(cell))
      for (const PastAccess &past : *set)
        if (past.site->writes() && isUnfenced(past.epoch))
          return UnfencedWrite{past.site, past.epoch, i};
  }
  return std::nullopt;
}

bool MemoryChecker::checkProxies(ThreadClock &copy, const VectorClock &fenced,
                                 const BulkCopy &bulkCopy) {
  const auto begin = reinterpret_cast<uintptr_t>(bulkCopy.target);
  for (size_t done = 0; done < size_t(bulkCopy.bytes);) {
    const uintptr_t address = begin + done;
    const unsigned offset = address % ShadowPage::kBytes;
    const unsigned count =
        std::min<size_t>(bulkCopy.bytes - done, ShadowPage::kBytes - offset);
    ShadowPage *page = memory.find(address);
    // What is out of bounds is reported by the access.
    if (!page || !page->addressable.all(offset, count))
      return true;
    page->prepareCells(getGeneration(*page), offset, count, races.getSites());
    if (auto unfenced =
            races.findUnfenced(copy, fenced, *page, offset, count)) {
      error = describeThread(copy.now()) + ": " + bulkCopy.write->text +
              " writes " +
              describeAddress(address + unfenced->offset,
                              unfenced->site->elementBytes) +
              ", which was written by " + unfenced->site->text + " in " +
              describeThread(unfenced->epoch) +
              ", and no fence.proxy.async orders that write before the copy";
      return false;
    }
    done += count;
  }
  return true;
}

bool MemoryChecker::beginBulkCopy(ThreadClock &issuer,
                                  llvm::ArrayRef<PrivateBuffer> buffers,
                                  BulkCopy &copy, MBarrierClock &barrier) {
  copy.epoch = races.beginCopy(issuer, barrier);
  BlockClock block;
  block.start(copy.epoch.block());
  block.owner = issuer.block->number;
  ThreadClock thread;
  thread.start(block, copy.epoch.thread());
  thread.time = copy.epoch.time();
  thread.history = std::make_unique<ThreadHistory>();
  thread.history->acquired = races.getKnown(issuer);
  if (!access(thread, buffers, copy.read, copy.source, copy.bytes) ||
      !checkProxies(thread, races.getFenced(issuer), copy) ||
      !access(thread, buffers, copy.write, copy.target, copy.bytes))
    return false;
  beginCopy(copy.target, copy.bytes);
  return true;
}

void MemoryChecker::endBulkCopy(const BulkCopy &copy, MBarrierClock &barrier) {
  endCopy(copy.target);
  memory.setInitialised(reinterpret_cast<uintptr_t>(copy.target), copy.bytes);
  races.endCopy(copy.epoch, barrier);
}
