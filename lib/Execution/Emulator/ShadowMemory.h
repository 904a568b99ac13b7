//===- ShadowMemory.h - What is known of each byte of memory ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_EXECUTION_EMULATOR_SHADOWMEMORY_H
#define SCAN_LIB_EXECUTION_EMULATOR_SHADOWMEMORY_H

#include "AccessSite.h"
#include "VectorClock.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mlir::scan::emulator {

/// An access that later ones are compared with.
struct PastAccess {
  Epoch epoch;
  const AccessSite *site;
  /// Where in the access the cell lies, in bytes: atomic accesses go together
  /// only if they are to the same words.
  uint32_t offset;
};

/// Accesses to one cell of which none makes another one redundant: reads by
/// several threads, and atomic accesses.
using AccessSet = llvm::SmallVector<PastAccess, 4>;

/// The past of 1, 2, 4 or 8 neighbouring bytes in the current launch.
struct ShadowCell {
  Epoch write; ///< The last write that is not atomic.
  const AccessSite *writeSite;
  Epoch read; ///< The last read, if there is no set.
  union {
    const AccessSite *readSite;
    uintptr_t setNumber; ///< Of the set, if there is one.
  };
};

/// One bit for each byte of a page.
template <unsigned kBits> class PageBits {
public:
  bool all(unsigned first, unsigned count) const {
    return forEachWord(first, count, [&](unsigned word, uint64_t mask) {
      return (words[word] & mask) == mask;
    });
  }
  void set(unsigned first, unsigned count) {
    forEachWord(first, count, [&](unsigned word, uint64_t mask) {
      words[word] |= mask;
      return true;
    });
  }
  void reset(unsigned first, unsigned count) {
    forEachWord(first, count, [&](unsigned word, uint64_t mask) {
      words[word] &= ~mask;
      return true;
    });
  }
  // The same for at most 64 bits of one aligned group of 64.
  bool allOfWord(unsigned first, unsigned count) const {
    return (~words[first / 64] & getMask(first, count)) == 0;
  }
  void setInWord(unsigned first, unsigned count) {
    words[first / 64] |= getMask(first, count);
  }
  bool test(unsigned bit) const { return words[bit / 64] >> (bit % 64) & 1; }
  unsigned count() const {
    unsigned sum = 0;
    for (uint64_t word : words)
      sum += llvm::popcount(word);
    return sum;
  }

private:
  static uint64_t getMask(unsigned first, unsigned count) {
    return (~uint64_t(0) >> (64 - count)) << first % 64;
  }
  template <typename Fn>
  static bool forEachWord(unsigned first, unsigned count, Fn &&action) {
    while (count != 0) {
      unsigned shift = first % 64;
      unsigned here = count < 64 - shift ? count : 64 - shift;
      if (!action(first / 64, getMask(first, here)))
        return false;
      first += here;
      count -= here;
    }
    return true;
  }
  uint64_t words[kBits / 64] = {};
};

/// The sites of a launch by their numbers, as far as accesses have been noted.
class NumberedSites {
public:
  /// All numbers in the table are smaller.
  static constexpr uint32_t kEnd = 1u << 12;

  void add(const AccessSite *site) { sites[site->number] = site; }
  const AccessSite *operator[](uint32_t number) const { return sites[number]; }

private:
  std::vector<const AccessSite *> sites =
      std::vector<const AccessSite *>(kEnd, nullptr);
};

/// The same as long as one access says it all: the only one, or the last of
/// several of which each happened before the next, and conflicts with whatever
/// an earlier one conflicts with. Most cells of global memory are no more.
/// Fetching them takes most of the time of an access: they are one word, in
/// which not all epochs have room.
class SoleAccess {
public:
  SoleAccess() = default;
  /// Nobody's if the epoch, or the number of the site, has no room.
  SoleAccess(Epoch epoch, uint32_t site) {
    if (LLVM_LIKELY(epoch.block() < 1u << kBlockBits &&
                    epoch.time() < 1u << kTimeBits &&
                    site < NumberedSites::kEnd))
      bits = ((uint64_t(epoch.block()) << Epoch::kThreadBits | epoch.thread())
                  << kTimeBits |
              epoch.time())
                 << kSiteBits |
             site;
  }
  /// False if it belongs to no thread.
  explicit operator bool() const { return bits != 0; }
  Epoch epoch() const {
    const uint64_t thread = bits >> (kTimeBits + kSiteBits);
    return Epoch(thread >> Epoch::kThreadBits,
                 thread & ((1u << Epoch::kThreadBits) - 1),
                 bits >> kSiteBits & ((1u << kTimeBits) - 1));
  }
  uint32_t site() const { return bits & (NumberedSites::kEnd - 1); }

private:
  static constexpr unsigned kSiteBits = 12, kTimeBits = 20;
  static constexpr unsigned kBlockBits =
      64 - kSiteBits - kTimeBits - Epoch::kThreadBits;
  static_assert(NumberedSites::kEnd == 1u << kSiteBits);

  uint64_t bits = 0;
};

/// What is known of one page of memory. What every access needs lies in one
/// cache line.
class alignas(64) ShadowPage {
public:
  static constexpr unsigned kLog2Bytes = 12;
  static constexpr unsigned kBytes = 1 << kLog2Bytes;
  static constexpr unsigned kMaxCellLog2 = 3;

private:
  uint64_t generation = 0;
  unsigned cellLog2 = kMaxCellLog2;
  bool hasNeededCells = false; ///< Then it gets them at once.
  std::unique_ptr<ShadowCell[]> cells;
  std::unique_ptr<SoleAccess[]> soles; ///< If there are any, instead of cells.

public:
  /// The block whose workgroup memory this is, as in epochs; 0 for others, and
  /// `kPrivate` for stacks.
  uint32_t owner = 0;
  static constexpr uint32_t kPrivate = UINT32_MAX;
  PageBits<kBytes> addressable;
  PageBits<kBytes> initialised;

  /// Gives the cells of an access of `bytes` bytes at `offset`, as current
  /// ones: cells of another generation are forgotten, cells that are larger
  /// than the access are split.
  void prepareCells(uint64_t currentGeneration, unsigned offset, unsigned bytes,
                    const NumberedSites &sites) {
    if (generation != currentGeneration || soles ||
        ((offset | bytes) & cellMask()))
      renewCells(currentGeneration, offset | bytes, sites);
  }
  unsigned getCellLog2() const { return cellLog2; }
  /// The one cell that an access is to if it is to all of one that is current;
  /// null else, or if the page has sole accesses instead.
  ShadowCell *findWholeCell(uint64_t currentGeneration, unsigned offset,
                            unsigned bytes) {
    return isWhole(currentGeneration, offset, bytes) && !soles
               ? &cells[offset >> cellLog2]
               : nullptr;
  }
  /// The same where the page has sole accesses. A page of global memory without
  /// current cells gets them now.
  SoleAccess *findSole(uint64_t currentGeneration, unsigned offset,
                       unsigned bytes) {
    if (generation != currentGeneration)
      startSoles(currentGeneration, bytes);
    return isWhole(currentGeneration, offset, bytes) && soles
               ? &soles[offset >> cellLog2]
               : nullptr;
  }
  ShadowCell &getCell(unsigned offset) { return cells[offset >> cellLog2]; }

  /// The set of `cell`, null if it has none.
  AccessSet *getSet(const ShadowCell &cell) {
    return isSet(cell) ? sets[cell.setNumber].get() : nullptr;
  }
  /// Notes that its reads at `time` by threads of the page's owner are enough,
  /// and that it has no others: until it changes, one more tells nothing.
  void setEnough(ShadowCell &cell, uint32_t time) {
    if (owner != 0)
      cell.read = Epoch(0, kSetThread, time);
  }
  /// Whether that was noted for this time.
  static bool isEnough(const ShadowCell &cell, uint32_t time) {
    return isSet(cell) && cell.read.time() == time;
  }
  /// The same, made with the read of the cell as its one entry if there is one.
  AccessSet &makeSet(ShadowCell &cell);
  /// Forgets reads and atomic accesses of the cell.
  void clearSet(ShadowCell &cell);

private:
  unsigned cellMask() const { return (1u << cellLog2) - 1; }
  bool isWhole(uint64_t currentGeneration, unsigned offset,
               unsigned bytes) const {
    return generation == currentGeneration && bytes == 1u << cellLog2 &&
           offset % bytes == 0;
  }
  void renewCells(uint64_t currentGeneration, unsigned alignment,
                  const NumberedSites &sites);
  void startSoles(uint64_t currentGeneration, unsigned bytes);
  void replaceSoles(const NumberedSites &sites);

  // In place of the last read: the epoch of a thread that cannot be, since
  // block 0 stands for no thread, and 0 or the time of `setEnough`.
  static constexpr uint32_t kSetThread = 1;
  static bool isSet(const ShadowCell &cell) {
    return cell.read && cell.read.block() == 0;
  }

  std::vector<std::unique_ptr<AccessSet>> sets;
  std::vector<uint32_t> freeSets;
};

/// A piece of memory with a name.
struct MemoryRegion {
  uintptr_t begin;
  size_t bytes;
  /// "input #0", "a buffer of 64 bytes", "workgroup buffer #1".
  std::string name;
  /// For workgroup memory the block it belongs to, as in epochs; else 0.
  uint32_t block = 0;

  uintptr_t end() const { return begin + bytes; }
};

/// All memory that kernels may access, byte by byte. Everything else is out of
/// bounds.
class ShadowMemory {
public:
  /// Declares memory, which replaces what was there.
  void add(MemoryRegion region, bool initialised);
  void remove(const void *begin);

  /// The same for a buffer on a stack, of which there are many for a short
  /// time: it has no name here.
  void addPrivate(uintptr_t begin, size_t bytes);
  void removePrivate(uintptr_t begin, size_t bytes);
  /// Gives it one.
  void addName(MemoryRegion region);

  /// The page of `address`; null if nothing on it was ever declared.
  ShadowPage *find(uintptr_t address) {
    uintptr_t number = address >> ShadowPage::kLog2Bytes;
    CacheLine &line = cache[number % kCacheLines];
    if (LLVM_LIKELY(line.number == number))
      return line.page;
    return findSlow(number, line);
  }

  /// Marks as written what is declared of these bytes.
  void setInitialised(uintptr_t address, size_t bytes);
  void resetInitialised(uintptr_t address, size_t bytes);
  /// How many bytes in front are written.
  size_t countInitialised(uintptr_t address, size_t bytes);

  /// The region that holds `address`, or the one closest to it; null if there
  /// are none.
  const MemoryRegion *getNearestRegion(uintptr_t address) const;
  const MemoryRegion *getRegion(uintptr_t address) const;

private:
  static constexpr size_t kCacheLines = 4096;
  struct CacheLine {
    uintptr_t number = 0; // The page at address 0 is never declared.
    ShadowPage *page = nullptr;
  };

  ShadowPage *findSlow(uintptr_t number, CacheLine &line);
  /// Calls `action(page, offset, count)` for the pages of a range that exist,
  /// or for all, which are made then.
  template <typename Fn>
  void forEachPiece(uintptr_t address, size_t bytes, bool make, Fn &&action);

  llvm::DenseMap<uintptr_t, std::unique_ptr<ShadowPage>> pages;
  std::vector<CacheLine> cache = std::vector<CacheLine>(kCacheLines);
  std::map<uintptr_t, MemoryRegion> regions;
};

} // namespace mlir::scan::emulator

#endif // SCAN_LIB_EXECUTION_EMULATOR_SHADOWMEMORY_H
