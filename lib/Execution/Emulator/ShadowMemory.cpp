//===- ShadowMemory.cpp - What is known of each byte of memory ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShadowMemory.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::scan::emulator;

//===----------------------------------------------------------------------===//
// ShadowPage
//===----------------------------------------------------------------------===//

void ShadowPage::startSoles(uint64_t currentGeneration, unsigned bytes) {
  // The blocks of workgroup memory write and read it one after the other.
  if (owner != 0 || hasNeededCells || bytes > 1u << kMaxCellLog2 ||
      !llvm::isPowerOf2_32(bytes))
    return;
  const unsigned log2 = llvm::Log2_32(bytes);
  if (soles && log2 == cellLog2)
    std::fill_n(soles.get(), kBytes >> cellLog2, SoleAccess());
  else
    soles.reset(new SoleAccess[kBytes >> log2]);
  cellLog2 = log2;
  generation = currentGeneration;
}

void ShadowPage::replaceSoles(const NumberedSites &sites) {
  cells.reset(new ShadowCell[kBytes >> cellLog2]);
  for (unsigned i = 0; i < kBytes >> cellLog2; ++i) {
    const SoleAccess &sole = soles[i];
    ShadowCell &cell = cells[i];
    cell = ShadowCell();
    if (!sole)
      continue;
    const AccessSite *site = sites[sole.site()];
    if (site->writes()) {
      cell.write = sole.epoch();
      cell.writeSite = site;
    } else {
      cell.read = sole.epoch();
      cell.readSite = site;
    }
  }
  soles.reset();
  freeSets.clear();
  for (uint32_t i = 0; i < sets.size(); ++i)
    freeSets.push_back(i);
}

void ShadowPage::renewCells(uint64_t currentGeneration, unsigned alignment,
                            const NumberedSites &sites) {
  const unsigned wanted =
      std::min(kMaxCellLog2, unsigned(llvm::countr_zero(alignment)));
  hasNeededCells = true;
  if (soles && generation == currentGeneration)
    replaceSoles(sites);
  soles.reset();
  if (generation != currentGeneration) {
    // The sizes of accesses hardly ever change from launch to launch.
    if (!cells || wanted < cellLog2) {
      cellLog2 = std::min(cellLog2, wanted);
      cells.reset(new ShadowCell[kBytes >> cellLog2]);
    }
    std::fill_n(cells.get(), kBytes >> cellLog2, ShadowCell());
    generation = currentGeneration;
    freeSets.clear();
    for (uint32_t i = 0; i < sets.size(); ++i)
      freeSets.push_back(i);
  }
  if (wanted >= cellLog2)
    return;
  // Each part has the past of the whole.
  const unsigned split = cellLog2 - wanted;
  std::unique_ptr<ShadowCell[]> parts(new ShadowCell[kBytes >> wanted]);
  for (unsigned i = 0; i < kBytes >> wanted; ++i) {
    const ShadowCell &whole = cells[i >> split];
    parts[i] = whole;
    if (AccessSet *set = getSet(whole)) {
      parts[i].read = Epoch();
      parts[i].readSite = nullptr;
      AccessSet copy = *set;
      const uint32_t shift = (i << wanted) & cellMask();
      for (PastAccess &past : copy)
        past.offset += shift;
      makeSet(parts[i]) = std::move(copy);
    }
  }
  cells = std::move(parts);
  cellLog2 = wanted;
}

AccessSet &ShadowPage::makeSet(ShadowCell &cell) {
  if (AccessSet *set = getSet(cell)) {
    cell.read = Epoch(0, kSetThread, 0);
    return *set;
  }
  uintptr_t number;
  if (freeSets.empty()) {
    number = sets.size();
    sets.push_back(std::make_unique<AccessSet>());
  } else {
    number = freeSets.back();
    freeSets.pop_back();
    sets[number]->clear();
  }
  if (cell.read)
    sets[number]->push_back({cell.read, cell.readSite, 0});
  cell.read = Epoch(0, kSetThread, 0);
  cell.setNumber = number;
  return *sets[number];
}

void ShadowPage::clearSet(ShadowCell &cell) {
  if (isSet(cell))
    freeSets.push_back(cell.setNumber);
  cell.read = Epoch();
  cell.readSite = nullptr;
}

//===----------------------------------------------------------------------===//
// ShadowMemory
//===----------------------------------------------------------------------===//

ShadowPage *ShadowMemory::findSlow(uintptr_t number, CacheLine &line) {
  auto it = pages.find(number);
  if (it == pages.end())
    return nullptr;
  line = {number, it->second.get()};
  return line.page;
}

template <typename Fn>
void ShadowMemory::forEachPiece(uintptr_t address, size_t bytes, bool make,
                                Fn &&action) {
  while (bytes != 0) {
    const unsigned offset = address % ShadowPage::kBytes;
    const unsigned count = std::min<size_t>(bytes, ShadowPage::kBytes - offset);
    ShadowPage *page = find(address);
    if (!page && make) {
      auto &slot = pages[address >> ShadowPage::kLog2Bytes];
      slot = std::make_unique<ShadowPage>();
      page = slot.get();
    }
    if (page && !action(*page, offset, count))
      return;
    address += count;
    bytes -= count;
  }
}

void ShadowMemory::add(MemoryRegion region, bool initialised) {
  forEachPiece(region.begin, region.bytes, /*make=*/true,
               [&](ShadowPage &page, unsigned offset, unsigned count) {
                 page.addressable.set(offset, count);
                 page.owner = region.block;
                 if (initialised)
                   page.initialised.set(offset, count);
                 else
                   page.initialised.reset(offset, count);
                 return true;
               });
  const uintptr_t begin = region.begin;
  regions[begin] = std::move(region);
}

void ShadowMemory::remove(const void *begin) {
  auto it = regions.find(reinterpret_cast<uintptr_t>(begin));
  if (it == regions.end())
    return;
  forEachPiece(it->second.begin, it->second.bytes, /*make=*/false,
               [](ShadowPage &page, unsigned offset, unsigned count) {
                 page.addressable.reset(offset, count);
                 return true;
               });
  regions.erase(it);
}

void ShadowMemory::addPrivate(uintptr_t begin, size_t bytes) {
  forEachPiece(begin, bytes, /*make=*/true,
               [](ShadowPage &page, unsigned offset, unsigned count) {
                 page.addressable.set(offset, count);
                 page.initialised.reset(offset, count);
                 page.owner = ShadowPage::kPrivate;
                 return true;
               });
}

void ShadowMemory::removePrivate(uintptr_t begin, size_t bytes) {
  forEachPiece(begin, bytes, /*make=*/false,
               [](ShadowPage &page, unsigned offset, unsigned count) {
                 page.addressable.reset(offset, count);
                 return true;
               });
}

void ShadowMemory::addName(MemoryRegion region) {
  const uintptr_t begin = region.begin;
  regions[begin] = std::move(region);
}

void ShadowMemory::setInitialised(uintptr_t address, size_t bytes) {
  forEachPiece(address, bytes, /*make=*/false,
               [](ShadowPage &page, unsigned offset, unsigned count) {
                 page.initialised.set(offset, count);
                 return true;
               });
}

void ShadowMemory::resetInitialised(uintptr_t address, size_t bytes) {
  forEachPiece(address, bytes, /*make=*/false,
               [](ShadowPage &page, unsigned offset, unsigned count) {
                 page.initialised.reset(offset, count);
                 return true;
               });
}

size_t ShadowMemory::countInitialised(uintptr_t address, size_t bytes) {
  size_t found = 0;
  forEachPiece(address, bytes, /*make=*/true,
               [&](ShadowPage &page, unsigned offset, unsigned count) {
                 if (page.initialised.all(offset, count)) {
                   found += count;
                   return true;
                 }
                 while (page.initialised.test(offset++))
                   ++found;
                 return false;
               });
  return found;
}

const MemoryRegion *ShadowMemory::getNearestRegion(uintptr_t address) const {
  auto after = regions.upper_bound(address);
  const MemoryRegion *next = after == regions.end() ? nullptr : &after->second;
  if (after == regions.begin())
    return next;
  const MemoryRegion *previous = &std::prev(after)->second;
  if (!next || address < previous->end() ||
      address - previous->end() < next->begin - address)
    return previous;
  return next;
}

const MemoryRegion *ShadowMemory::getRegion(uintptr_t address) const {
  const MemoryRegion *region = getNearestRegion(address);
  return region && address >= region->begin && address < region->end()
             ? region
             : nullptr;
}
