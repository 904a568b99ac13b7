//===- Counters.cpp - What a profiler would count -------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Counters.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::scan::emulator;

/// The grain in which global memory is moved.
static constexpr uintptr_t kSectorBytes = 32;
/// Workgroup memory has so many banks, each one word wide; words of one bank
/// are accessed one after the other.
static constexpr unsigned kBanks = 32;
static constexpr unsigned kBankBytes = 4;

// Workgroup memory is told apart from global memory by this bit, which user
// addresses do not have.
static constexpr uintptr_t kSharedBit = uintptr_t(1) << 63;

bool Counters::access(WarpRequests &warp, unsigned lane, uint64_t steps,
                      const AccessSite *site, uintptr_t address, uint64_t bytes,
                      bool isShared) {
  if (bytes == 0)
    return false;
  if (site->isAtomic())
    ++statistics.atomics;
  if (isShared)
    address |= kSharedBit;
  else
    touch(site, address, bytes);
  // A longer range is what a loop over 16 bytes at a time would access.
  auto &request = warp.requests[{site, steps}];
  while (bytes != 0) {
    const uint32_t part = std::min<uint64_t>(bytes, 16);
    request.push_back({address, part, lane});
    address += part;
    bytes -= part;
  }
  return warp.requests.size() > kMaxRequests;
}

void Counters::touch(const AccessSite *site, uintptr_t address,
                     uint64_t bytes) {
  while (bytes != 0) {
    const uintptr_t number = address >> ShadowPage::kLog2Bytes;
    const unsigned offset = address % ShadowPage::kBytes;
    const unsigned count =
        std::min<uint64_t>(bytes, ShadowPage::kBytes - offset);
    if (number != lastNumber) {
      auto &slot = pages[number];
      if (!slot)
        slot = std::make_unique<Touched>();
      lastNumber = number;
      lastPage = slot.get();
    }
    // What a launch has written itself it need not read.
    if (site->reads() && !lastPage->written.all(offset, count))
      lastPage->read.set(offset, count);
    if (site->writes())
      lastPage->written.set(offset, count);
    address += count;
    bytes -= count;
  }
}

void Counters::readBulk(const AccessSite *site, uintptr_t address,
                        uint64_t bytes) {
  touch(site, address, bytes);
  GlobalTraffic &traffic = statistics.reads;
  traffic.bytes += bytes;
  ++traffic.requests;
  traffic.sectors +=
      (address + bytes - 1) / kSectorBytes - address / kSectorBytes + 1;
}

void Counters::endLaunch() {
  for (auto &[number, page] : pages) {
    statistics.reads.compulsoryBytes += page->read.count();
    statistics.writes.compulsoryBytes += page->written.count();
  }
  pages.clear();
  lastNumber = 0;
  lastPage = nullptr;
}

void Counters::flush(WarpRequests &warp) {
  for (auto &[key, request] : warp.requests)
    count(key.first, request);
  warp.requests.clear();
}

void Counters::flushBefore(WarpRequests &warp, uint64_t steps) {
  llvm::SmallVector<WarpRequests::Key> complete;
  for (auto &[key, request] : warp.requests)
    if (key.second < steps) {
      count(key.first, request);
      complete.push_back(key);
    }
  for (const WarpRequests::Key &key : complete)
    warp.requests.erase(key);
}

void Counters::count(const AccessSite *site,
                     llvm::ArrayRef<LaneAccess> request) {
  if (request.front().address & kSharedBit)
    return countShared(request);
  if (site->reads())
    countGlobal(statistics.reads, request);
  if (site->writes())
    countGlobal(statistics.writes, request);
}

void Counters::countGlobal(GlobalTraffic &traffic,
                           llvm::ArrayRef<LaneAccess> request) {
  scratch.clear();
  for (const LaneAccess &lane : request) {
    traffic.bytes += lane.bytes;
    const uintptr_t last = (lane.address + lane.bytes - 1) / kSectorBytes;
    for (uintptr_t i = lane.address / kSectorBytes; i <= last; ++i)
      scratch.push_back(i);
  }
  llvm::sort(scratch);
  scratch.erase(llvm::unique(scratch), scratch.end());
  ++traffic.requests;
  traffic.sectors += scratch.size();
}

void Counters::countShared(llvm::ArrayRef<LaneAccess> request) {
  ++statistics.sharedRequests;
  // Lanes with more than a word are served in groups that have as much as all
  // banks together.
  const uint32_t bytes =
      llvm::max_element(request, [](const LaneAccess &a, const LaneAccess &b) {
        return a.bytes < b.bytes;
      })->bytes;
  const unsigned lanes = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
  for (unsigned first = 0; first < kLanesPerWarp; first += lanes) {
    scratch.clear();
    for (const LaneAccess &lane : request) {
      if (lane.lane < first || lane.lane >= first + lanes)
        continue;
      const uintptr_t last = (lane.address + lane.bytes - 1) / kBankBytes;
      for (uintptr_t i = lane.address / kBankBytes; i <= last; ++i)
        scratch.push_back(i);
    }
    if (scratch.empty())
      continue;
    // Lanes with the same word share it.
    llvm::sort(scratch);
    scratch.erase(llvm::unique(scratch), scratch.end());
    unsigned words[kBanks] = {};
    for (uintptr_t word : scratch)
      ++words[word % kBanks];
    statistics.bankConflicts += *llvm::max_element(words) - 1;
  }
}
