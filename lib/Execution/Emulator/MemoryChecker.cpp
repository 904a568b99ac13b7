//===- MemoryChecker.cpp - Judges every access of a launch ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryChecker.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir::scan::emulator;

/// How far from a buffer an address may be to be called close to it.
static constexpr uintptr_t kNear = 1 << 16;

static constexpr const char *kNobodyHasWritten = "nobody has written before";

MemoryChecker::MemoryChecker() = default;

static uintptr_t toInt(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void MemoryChecker::addBuffer(const void *begin, size_t bytes, std::string name,
                              bool initialised) {
  if (bytes != 0)
    memory.add({toInt(begin), bytes, std::move(name)}, initialised);
}

void MemoryChecker::startLaunch(const KernelDescriptor &newKernel,
                                void **arguments, Dim3 grid, Dim3 block) {
  kernel = &newKernel;
  gridDim = grid;
  blockDim = block;
  ++launches;
  races.startLaunch();
  blockNumbers.clear();
  resident.clear();
  copies.clear();
  for (const GlobalBuffer &global :
       llvm::ArrayRef(kernel->globals, kernel->numGlobals))
    if (!memory.getRegion(toInt(global.address)))
      addBuffer(global.address, global.bytes,
                (llvm::Twine("the variable '") + global.name + "'").str(),
                /*initialised=*/true);
  pointers.clear();
  for (auto [i, argument] :
       llvm::enumerate(llvm::ArrayRef(kernel->arguments, kernel->numArguments)))
    if (argument.number >= 0)
      pointers.push_back(
          {toInt(*static_cast<void **>(arguments[i])), &argument});
}

bool MemoryChecker::startBlock(BlockClock &clock, int64_t number, char *shared,
                               int64_t dynamicOffset, int64_t dynamicBytes) {
  if (blockNumbers.size() >= Epoch::kMaxBlock) {
    error = "the launch has more blocks than the race detector can tell apart; "
            "run it without";
    return false;
  }
  blockNumbers.push_back(number);
  clock.start(blockNumbers.size());
  ResidentBlock block{clock.number, {}};
  auto add = [&](int64_t offset, int64_t bytes, std::string name) {
    if (bytes == 0)
      return;
    memory.add(
        {toInt(shared + offset), size_t(bytes), std::move(name), clock.number},
        /*initialised=*/false);
    block.regions.push_back(shared + offset);
  };
  for (auto [i, buffer] : llvm::enumerate(
           llvm::ArrayRef(kernel->sharedBuffers, kernel->numSharedBuffers)))
    add(buffer.offset, buffer.bytes,
        ("workgroup buffer #" + llvm::Twine(i)).str());
  add(dynamicOffset, dynamicBytes, "dynamic workgroup memory");
  resident.push_back(std::move(block));
  return true;
}

void MemoryChecker::endBlock(BlockClock &clock) {
  auto block = llvm::find_if(resident, [&](const ResidentBlock &other) {
    return other.number == clock.number;
  });
  if (block == resident.end())
    return;
  for (const char *region : block->regions)
    memory.remove(region);
  resident.erase(block);
}

void MemoryChecker::beginCopy(const char *target, size_t bytes) {
  memory.resetInitialised(toInt(target), bytes);
  copies[toInt(target)] = bytes;
}

void MemoryChecker::endCopy(const char *target) { copies.erase(toInt(target)); }

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

bool MemoryChecker::access(ThreadClock &thread,
                           llvm::ArrayRef<PrivateBuffer> buffers,
                           const AccessSite *site, const char *pointer,
                           size_t bytes) {
  const uintptr_t begin = toInt(pointer);
  if (LLVM_UNLIKELY(begin % site->alignment != 0))
    return reportMisaligned(thread, buffers, site, bytes, begin);
  uintptr_t address = begin;
  for (size_t left = bytes; left != 0;) {
    const unsigned offset = address % ShadowPage::kBytes;
    const unsigned count = std::min<size_t>(left, ShadowPage::kBytes - offset);
    ShadowPage *page = memory.find(address);
    if (LLVM_UNLIKELY(!page || !page->addressable.all(offset, count)))
      return reportBounds(thread, buffers, site, bytes, address);
    if (LLVM_UNLIKELY(page->owner == ShadowPage::kPrivate))
      return reportForeign(thread, site, "private memory", "thread");
    if (LLVM_UNLIKELY(page->owner != 0 && page->owner != thread.block->owner))
      return reportForeign(
          thread, site, describeAddress(address, site->elementBytes), "block");
    if (site->reads() && LLVM_UNLIKELY(!page->initialised.all(offset, count)))
      deferUnwritten(thread, site, address, left);
    if (site->writes())
      page->initialised.set(offset, count);
    page->prepareCells(getGeneration(*page), offset, count, races.getSites());
    if (LLVM_UNLIKELY(!races.access(thread, site, *page, address, offset, count,
                                    address - begin)))
      return reportRace(thread, site, bytes);
    address += count;
    left -= count;
  }
  if (site->isAtomic())
    races.synchronise(thread, site, begin);
  if (LLVM_UNLIKELY(races.isExhausted())) {
    error = "there are more barriers and releases than the race detector can "
            "tell apart; run the kernel without";
    return false;
  }
  return true;
}

bool MemoryChecker::accessPrivate(ThreadClock &thread,
                                  llvm::ArrayRef<PrivateBuffer> buffers,
                                  const AccessSite *site, const char *pointer,
                                  size_t bytes) {
  uintptr_t address = toInt(pointer);
  if (LLVM_UNLIKELY(address % site->alignment != 0))
    return reportMisaligned(thread, buffers, site, bytes, address);
  for (size_t left = bytes; left != 0;) {
    const unsigned offset = address % ShadowPage::kBytes;
    const unsigned count = std::min<size_t>(left, ShadowPage::kBytes - offset);
    ShadowPage *page = memory.find(address);
    if (LLVM_UNLIKELY(!page || !page->addressable.all(offset, count)))
      return reportBounds(thread, buffers, site, bytes, address);
    if (site->reads() && LLVM_UNLIKELY(!page->initialised.all(offset, count)))
      return reportUnwritten(thread, buffers, site, address, left);
    if (site->writes())
      page->initialised.set(offset, count);
    address += count;
    left -= count;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

std::string mlir::scan::emulator::formatDim(Dim3 dim) {
  return ("(" + llvm::Twine(dim.x) + ", " + llvm::Twine(dim.y) + ", " +
          llvm::Twine(dim.z) + ")")
      .str();
}

std::string MemoryChecker::describeThread(Epoch epoch) const {
  if (epoch.isCopy())
    epoch = races.getIssuer(epoch);
  const int64_t block = blockNumbers[epoch.block() - 1];
  const int64_t thread = epoch.thread();
  return "block " +
         formatDim({block % gridDim.x, block / gridDim.x % gridDim.y,
                    block / gridDim.x / gridDim.y}) +
         ", thread " +
         formatDim({thread % blockDim.x, thread / blockDim.x % blockDim.y,
                    thread / blockDim.x / blockDim.y});
}

std::pair<std::string, uintptr_t>
MemoryChecker::name(const MemoryRegion &region, uintptr_t address) const {
  const Pointer *best = nullptr;
  for (const Pointer &pointer : pointers)
    if (region.block == 0 && pointer.address >= region.begin &&
        pointer.address < region.end() && pointer.address <= address &&
        (!best || pointer.address > best->address))
      best = &pointer;
  if (!best)
    return {region.name, region.begin};
  std::string text = ("argument #" + llvm::Twine(best->argument->number)).str();
  if (best->argument->name)
    text += std::string(" (") + best->argument->name + ")";
  return {text, best->address};
}

std::string MemoryChecker::describeAddress(uintptr_t address,
                                           unsigned elementBytes) const {
  const MemoryRegion *region = memory.getRegion(address);
  if (!region)
    return ("the address 0x" + llvm::Twine::utohexstr(address)).str();
  auto [text, base] = name(*region, address);
  const uintptr_t byte = address - base;
  if (elementBytes == 0 || byte % elementBytes != 0)
    return (text + llvm::Twine(", byte ") + llvm::Twine(byte)).str();
  return (text + llvm::Twine(", element ") + llvm::Twine(byte / elementBytes) +
          " (byte " + llvm::Twine(byte) + ")")
      .str();
}

static std::string describeAccess(const AccessSite *site, size_t bytes,
                                  bool past) {
  std::string text = site->text;
  switch (site->kind) {
  case AccessKind::Read:
    text += past ? " has read " : " reads ";
    break;
  case AccessKind::Write:
    text += past ? " has written " : " writes ";
    break;
  case AccessKind::ReadWrite:
    text += past ? " has updated " : " updates ";
    break;
  }
  return (text + llvm::Twine(bytes) + " byte" + (bytes == 1 ? "" : "s")).str();
}

void MemoryChecker::nameBuffers(llvm::ArrayRef<PrivateBuffer> buffers) {
  for (const PrivateBuffer &buffer : buffers)
    memory.addName({toInt(buffer.begin), buffer.bytes, buffer.name});
}

bool MemoryChecker::reportMisaligned(ThreadClock &thread,
                                     llvm::ArrayRef<PrivateBuffer> buffers,
                                     const AccessSite *site, size_t bytes,
                                     uintptr_t address) {
  nameBuffers(buffers);
  error = (describeThread(thread.now()) + ": " +
           describeAccess(site, bytes, /*past=*/false) + " of " +
           describeAddress(address, site->elementBytes) +
           ", at an address that is not a multiple of " +
           llvm::Twine(site->alignment) + ", as a GPU needs it to be")
              .str();
  return false;
}

bool MemoryChecker::reportBounds(ThreadClock &thread,
                                 llvm::ArrayRef<PrivateBuffer> buffers,
                                 const AccessSite *site, size_t bytes,
                                 uintptr_t wrong) {
  nameBuffers(buffers);
  // The first byte that is not there.
  for (;; ++wrong) {
    ShadowPage *page = memory.find(wrong);
    if (!page || !page->addressable.test(wrong % ShadowPage::kBytes))
      break;
  }
  error = describeThread(thread.now()) + ": " +
          describeAccess(site, bytes, /*past=*/false) + " out of bounds: ";
  const MemoryRegion *region = memory.getNearestRegion(wrong);
  auto close = [&](uintptr_t distance) { return distance < kNear; };
  if (region && wrong >= region->end() && close(wrong - region->end())) {
    auto [text, base] = name(*region, region->end() - 1);
    const uintptr_t distance = wrong - region->end();
    const uintptr_t size = region->end() - base;
    error += distance == 0
                 ? ("right behind the end of " + text)
                 : (llvm::Twine(distance) + " bytes behind the end of " + text)
                       .str();
    error += (" (" + llvm::Twine(size) + " bytes)").str();
  } else if (region && wrong < region->begin && close(region->begin - wrong)) {
    error +=
        (llvm::Twine(region->begin - wrong) + " bytes before the start of " +
         name(*region, region->begin).first)
            .str();
  } else {
    error +=
        ("the address 0x" + llvm::Twine::utohexstr(wrong) + " is in no buffer")
            .str();
  }
  return false;
}

bool MemoryChecker::reportForeign(ThreadClock &thread, const AccessSite *site,
                                  const std::string &memory,
                                  const char *owner) {
  error = describeThread(thread.now()) + ": " + site->text + " accesses " +
          memory + ", of another " + owner;
  return false;
}

std::string MemoryChecker::describeUnwritten(ThreadClock &thread,
                                             const AccessSite *site,
                                             uintptr_t address) {
  return describeThread(thread.now()) + ": " + site->text + " reads " +
         describeAddress(address, site->elementBytes) + ", which ";
}

bool MemoryChecker::reportUnwritten(ThreadClock &thread,
                                    llvm::ArrayRef<PrivateBuffer> buffers,
                                    const AccessSite *site, uintptr_t address,
                                    size_t bytes) {
  nameBuffers(buffers);
  address += memory.countInitialised(address, bytes);
  error = describeUnwritten(thread, site, address) + kNobodyHasWritten;
  return false;
}

void MemoryChecker::deferUnwritten(ThreadClock &thread, const AccessSite *site,
                                   uintptr_t address, size_t bytes) {
  if (!deferredError.empty())
    return;
  unwrittenNote = true;
  address += memory.countInitialised(address, bytes);
  deferredError = describeUnwritten(thread, site, address);
  auto after = copies.upper_bound(address);
  const bool isPending =
      after != copies.begin() &&
      address < std::prev(after)->first + std::prev(after)->second;
  if (isPending)
    deferredError += "an asynchronous copy has not delivered: its thread has "
                     "not waited for it";
  else
    deferredError += kNobodyHasWritten;
}

bool MemoryChecker::reportRace(ThreadClock &thread, const AccessSite *site,
                               size_t bytes) {
  foundRace = true;
  const Race &race = races.getRace();
  const PastAccess &past = race.past;
  const unsigned elementBytes =
      std::min(site->elementBytes, past.site->elementBytes);
  error = "data race on " + describeAddress(race.address, elementBytes) + ": " +
          describeAccess(past.site, past.site->bytes ? past.site->bytes : bytes,
                         /*past=*/true) +
          " in " + describeThread(past.epoch) + ", then " +
          describeAccess(site, bytes, /*past=*/false) + " in " +
          describeThread(thread.now()) + "; " + explainRace(race, thread);
  return false;
}
