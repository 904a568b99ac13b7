//===- RaceDetector.cpp - Finds accesses that nothing orders --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaceDetector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::scan::emulator;

/// How many reads of one cell are remembered, and how many of them of one
/// block between two barriers. Two are enough to find every race where threads
/// of a block meet at barriers only: one of them is not the writer. As lanes of
/// a warp meet besides, these are of two warps if more than one has read.
static constexpr size_t kMaxReads = 24;
static constexpr unsigned kMaxReadsOfPhase = 4;
/// With mbarriers any of the readers may be the one that the writer has not
/// waited for.
static constexpr size_t kMaxReadsWithMBarriers = 1024;

static constexpr size_t kMaxNearMisses = 8;

void BlockClock::start(uint32_t newNumber) {
  number = owner = newNumber;
  barrierTime = latestTime = 1;
  known.clear();
  proxyFenced.clear();
  hasMBarriers = false;
  histories.clear();
}

void ThreadClock::start(BlockClock &newBlock, uint32_t newIndex) {
  block = &newBlock;
  index = newIndex;
  time = warpTime = 0;
  history.reset();
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

bool RaceDetector::isOrderedAcrossBlocks(const ThreadClock &thread,
                                         Epoch epoch) {
  return thread.block->known.covers(epoch) ||
         (thread.history && thread.history->acquired.covers(epoch));
}

void RaceDetector::barrier(BlockClock &block) {
  if (block.latestTime >= Epoch::kMaxTime)
    exhausted = true;
  else
    ++block.latestTime;
  block.barrierTime = block.latestTime;
  for (ThreadHistory *history : block.histories) {
    block.known.join(history->acquired);
    history->acquired.clear();
    block.proxyFenced.join(history->proxyFenced);
    history->proxyFenced.clear();
  }
}

void RaceDetector::syncWarp(llvm::ArrayRef<ThreadClock *> lanes) {
  BlockClock &block = *lanes.front()->block;
  uint32_t latest = 0;
  VectorClock acquired, proxyFenced;
  for (ThreadClock *lane : lanes) {
    latest = std::max(latest, lane->getTime());
    if (!lane->history)
      continue;
    acquired.join(lane->history->acquired);
    proxyFenced.join(lane->history->proxyFenced);
  }
  if (latest >= Epoch::kMaxTime)
    exhausted = true;
  else
    ++latest;
  block.latestTime = std::max(block.latestTime, latest);
  for (ThreadClock *lane : lanes) {
    lane->time = lane->warpTime = latest;
    if (!acquired.isEmpty())
      getHistory(*lane).acquired.join(acquired);
    if (!proxyFenced.isEmpty())
      getHistory(*lane).proxyFenced.join(proxyFenced);
  }
}

ThreadHistory &RaceDetector::getHistory(ThreadClock &thread) {
  if (!thread.history) {
    thread.history = std::make_unique<ThreadHistory>();
    thread.block->histories.push_back(thread.history.get());
  }
  return *thread.history;
}

VectorClock RaceDetector::getKnown(const ThreadClock &thread) const {
  VectorClock known = thread.block->known;
  if (thread.history)
    known.join(thread.history->acquired);
  known.addBlock(thread.block->number, thread.block->barrierTime);
  known.addThread(thread.now());
  // What the other lanes did before the warp met last.
  if (thread.warpTime > thread.block->barrierTime)
    for (uint32_t lane = 0; lane < kLanesPerWarp; ++lane)
      if (uint32_t index = thread.index / kLanesPerWarp * kLanesPerWarp + lane;
          index != thread.index)
        known.addThread(
            Epoch(thread.block->number, index, thread.warpTime - 1));
  return known;
}

void RaceDetector::tick(ThreadClock &thread) {
  const uint32_t time = thread.getTime();
  if (time >= Epoch::kMaxTime) {
    exhausted = true;
    return;
  }
  thread.time = time + 1;
  thread.block->latestTime = std::max(thread.block->latestTime, thread.time);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

bool RaceDetector::conflict(const PastAccess &past, Epoch now,
                            const AccessSite *site) {
  race = {past, {now, site, 0}, 0, past.site->isAtomic() && site->isAtomic()};
  return false;
}

bool RaceDetector::read(ThreadClock &thread, const AccessSite *site,
                        ShadowPage &page, ShadowCell &cell, Epoch now) {
  if (cell.read == now)
    return true;
  if (cell.write && !isOrdered(thread, cell.write))
    return conflict({cell.write, cell.writeSite, 0}, now, site);
  if (!page.getSet(cell) && (!cell.read || isOrdered(thread, cell.read))) {
    cell.read = now;
    cell.readSite = site;
    return true;
  }
  // Reads may leave the set now: whether they are enough is judged anew.
  AccessSet *set = &page.makeSet(cell);
  const uint32_t warp = now.thread() / kLanesPerWarp;
  uint32_t firstWarp = warp;
  unsigned samePhase = 0;
  bool anyAtomic = false, severalWarps = false;
  for (size_t i = 0; i < set->size();) {
    PastAccess &past = (*set)[i];
    if (past.epoch == now && !past.site->isAtomic())
      return true;
    const bool ordered = isOrdered(thread, past.epoch);
    if (past.site->writes() && !ordered)
      return conflict(past, now, site);
    if (ordered && !past.site->writes()) {
      // Who comes after this read comes after that one, too.
      past = set->back();
      set->pop_back();
      continue;
    }
    anyAtomic |= past.site->isAtomic();
    if (!past.site->isAtomic() && past.epoch.block() == now.block() &&
        past.epoch.time() == now.time()) {
      const uint32_t pastWarp = past.epoch.thread() / kLanesPerWarp;
      if (samePhase++ == 0)
        firstWarp = pastWarp;
      severalWarps |= pastWarp != firstWarp;
    }
    ++i;
  }
  if (thread.block->hasMBarriers && page.owner != 0) {
    if (set->size() < kMaxReadsWithMBarriers)
      set->push_back({now, site, 0});
    return true;
  }
  const bool isSecondWarp = !severalWarps && warp != firstWarp;
  if ((samePhase < kMaxReadsOfPhase || isSecondWarp) && set->size() < kMaxReads)
    set->push_back({now, site, 0});
  else if (samePhase >= kMaxReadsOfPhase && severalWarps && !anyAtomic)
    page.setEnough(cell, now.time());
  return true;
}

bool RaceDetector::write(ThreadClock &thread, const AccessSite *site,
                         ShadowPage &page, ShadowCell &cell, Epoch now,
                         uintptr_t address) {
  if (cell.write && !isOrdered(thread, cell.write))
    return conflict({cell.write, cell.writeSite, 0}, now, site);
  if (AccessSet *set = page.getSet(cell)) {
    bool anyAtomic = false;
    for (const PastAccess &past : *set) {
      if (!isOrdered(thread, past.epoch))
        return conflict(past, now, site);
      anyAtomic |= past.site->isAtomic();
    }
    if (anyAtomic)
      for (unsigned i = 0; i < 1u << page.getCellLog2(); ++i)
        publications.erase(address + i);
    page.clearSet(cell);
  } else if (cell.read) {
    if (!isOrdered(thread, cell.read))
      return conflict({cell.read, cell.readSite, 0}, now, site);
    cell.read = Epoch();
  }
  cell.write = now;
  cell.writeSite = site;
  return true;
}

bool RaceDetector::atomic(ThreadClock &thread, const AccessSite *site,
                          ShadowPage &page, ShadowCell &cell, Epoch now,
                          unsigned offset) {
  if (cell.write && !isOrdered(thread, cell.write))
    return conflict({cell.write, cell.writeSite, 0}, now, site);
  AccessSet &set = page.makeSet(cell);
  for (size_t i = 0; i < set.size();) {
    PastAccess &past = set[i];
    const AccessSite &pastSite = *past.site;
    if (isOrdered(thread, past.epoch)) {
      // Who conflicts with the old access conflicts with this one, too, and
      // comes after both or neither.
      if (pastSite.isAtomic() && pastSite.scope == site->scope &&
          pastSite.bytes == site->bytes && past.offset == offset &&
          (site->scope == AccessScope::Device ||
           past.epoch.block() == now.block()) &&
          (site->writes() || !pastSite.writes())) {
        past = set.back();
        set.pop_back();
        continue;
      }
    } else if (site->writes() || pastSite.writes()) {
      const bool together = pastSite.isAtomic() && past.offset == offset &&
                            pastSite.bytes == site->bytes &&
                            (past.epoch.block() == now.block() ||
                             (pastSite.scope == AccessScope::Device &&
                              site->scope == AccessScope::Device));
      if (!together)
        return conflict(past, now, site);
    }
    ++i;
  }
  if (set.size() < kMaxReads)
    set.push_back({now, site, offset});
  else if (site->writes())
    set[now.thread() % kMaxReads] = {now, site, offset};
  return true;
}

bool RaceDetector::access(ThreadClock &thread, const AccessSite *site,
                          ShadowPage &page, uintptr_t address, unsigned offset,
                          unsigned count, unsigned done) {
  const Epoch now = thread.now();
  const unsigned step = 1u << page.getCellLog2();
  for (unsigned i = 0; i < count; i += step) {
    ShadowCell &cell = page.getCell(offset + i);
    bool fine;
    if (site->isAtomic())
      fine = atomic(thread, site, page, cell, now, done + i);
    else if (site->kind == AccessKind::Read)
      fine = read(thread, site, page, cell, now);
    else
      fine = write(thread, site, page, cell, now, address + i);
    if (LLVM_UNLIKELY(!fine)) {
      race.address = address + i;
      return false;
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Acquire and release
//===----------------------------------------------------------------------===//

void RaceDetector::acquire(ThreadClock &thread, const AccessSite *site,
                           const Publication &publication) {
  ThreadHistory &history = getHistory(thread);
  const uint32_t block = thread.block->number;
  const bool sameBlock =
      publication.writer.block() == block || publication.offered.knows(block);
  const bool covered = sameBlock || (site->scope == AccessScope::Device &&
                                     publication.scope == AccessScope::Device);
  if (covered && publication.released) {
    if (acquires(site->order)) {
      if (history.lastAcquired != publication.number)
        history.acquired.join(publication.offered);
      history.lastAcquired = publication.number;
      return;
    }
    (sameBlock ? history.pendingOfBlock : history.pendingOfOthers)
        .join(publication.offered);
  }
  // Remembered in case that a race follows.
  auto reason = !covered                ? NearMiss::Reason::ScopeTooNarrow
                : !publication.released ? NearMiss::Reason::NotReleased
                                        : NearMiss::Reason::NotAcquired;
  auto *miss = llvm::find_if(history.nearMisses, [&](const NearMiss &other) {
    return other.writer == publication.site && other.reader == site &&
           other.reason == reason;
  });
  if (miss == history.nearMisses.end()) {
    if (history.nearMisses.size() == kMaxNearMisses)
      history.nearMisses.erase(history.nearMisses.begin());
    history.nearMisses.push_back({reason, {}, publication.site, site});
    miss = &history.nearMisses.back();
  }
  miss->known.join(publication.known);
}

void RaceDetector::publish(ThreadClock &thread, const AccessSite *site,
                           uintptr_t address) {
  Publication publication;
  publication.known = getKnown(thread);
  publication.writer = thread.now();
  publication.scope = site->scope;
  publication.site = site;
  publication.number = ++numPublications;
  if (releases(site->order)) {
    publication.offered = publication.known;
    publication.released = true;
  } else if (thread.history) {
    // A fence orders what came before it as far as both scopes reach.
    const ThreadHistory &history = *thread.history;
    constexpr unsigned device = unsigned(AccessScope::Device);
    constexpr unsigned block = unsigned(AccessScope::Block);
    if (site->scope == AccessScope::Device && history.hasFence[device]) {
      publication.offered = history.fenced[device];
      publication.released = true;
    } else if (history.hasFence[block]) {
      publication.offered = history.fenced[block];
      publication.scope = AccessScope::Block;
      publication.released = true;
    }
  }
  auto &list = publications[address];
  if (site->kind == AccessKind::Write)
    list.clear();
  // A read-modify-write continues what earlier writes have published.
  for (Publication &old : list) {
    if (old.scope != publication.scope ||
        old.released != publication.released ||
        (old.scope == AccessScope::Block &&
         old.writer.block() != publication.writer.block()))
      continue;
    publication.known.join(old.known);
    publication.offered.join(old.offered);
    old = std::move(publication);
    return;
  }
  list.push_back(std::move(publication));
}

void RaceDetector::synchronise(ThreadClock &thread, const AccessSite *site,
                               uintptr_t address) {
  if (site->reads()) {
    auto it = publications.find(address);
    if (it != publications.end())
      for (const Publication &publication : it->second)
        acquire(thread, site, publication);
  }
  if (site->writes()) {
    publish(thread, site, address);
    tick(thread);
  }
}

void RaceDetector::fence(ThreadClock &thread, AccessOrder order,
                         AccessScope scope) {
  ThreadHistory &history = getHistory(thread);
  if (acquires(order)) {
    history.acquired.join(history.pendingOfBlock);
    if (scope == AccessScope::Device)
      history.acquired.join(history.pendingOfOthers);
  }
  if (!releases(order))
    return;
  // A fence for the device is one for the block as well.
  VectorClock known = getKnown(thread);
  for (unsigned i = 0; i <= unsigned(scope); ++i) {
    history.fenced[i] = known;
    history.hasFence[i] = true;
  }
  tick(thread);
}

//===----------------------------------------------------------------------===//
// Explanations
//===----------------------------------------------------------------------===//

std::string mlir::scan::emulator::explainRace(const Race &race,
                                              const ThreadClock &thread) {
  const AccessSite &past = *race.past.site;
  const AccessSite &current = *race.current.site;
  const Epoch epoch = race.past.epoch;
  const bool sameBlock = epoch.block() == thread.block->number;
  if (epoch.isCopy())
    return "the copy is under way until a phase of its mbarrier completes, and "
           "the latter has not waited for that";
  if (race.current.epoch.isCopy())
    return "the thread that begins the copy has neither waited for the former "
           "nor acquired anything later from it";
  if (race.bothAtomic) {
    if (past.bytes != current.bytes || race.past.offset != race.current.offset)
      return "both are atomic, but not to the same words";
    return "both are atomic, but the scope of one is its block, and the other "
           "is in another block";
  }
  if (past.isAtomic() != current.isAtomic())
    return std::string("the ") + (past.isAtomic() ? "latter" : "former") +
           " is not atomic, and nothing orders them";
  if (const ThreadHistory *history = thread.history.get()) {
    for (const NearMiss &miss : llvm::reverse(history->nearMisses)) {
      if (!miss.known.covers(epoch))
        continue;
      std::string text = "the latter thread has seen a later atomic write, ";
      text += miss.writer->text;
      text += ", by ";
      text += miss.reader->text;
      switch (miss.reason) {
      case NearMiss::Reason::NotReleased:
        return text + ", but that write does not release";
      case NearMiss::Reason::NotAcquired:
        return text + ", but that read does not acquire";
      case NearMiss::Reason::ScopeTooNarrow:
        return text + ", but the scope of one of them is its block only";
      }
    }
    uint32_t known =
        std::max(history->acquired.getTime(epoch.block(), epoch.thread()),
                 thread.block->known.getTime(epoch.block(), epoch.thread()));
    if (known != 0 && known < epoch.time())
      return "the latter thread has acquired what the former one released "
             "before its access, but nothing later";
  }
  if (!sameBlock)
    return "nothing orders the threads of different blocks: neither a barrier "
           "nor a release that the latter acquires";
  if (epoch.thread() / kLanesPerWarp == thread.index / kLanesPerWarp)
    return "there is no barrier between them; lanes of a warp do not wait for "
           "each other";
  return "there is no barrier between them";
}
