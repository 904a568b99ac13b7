//===- VectorClock.h - Who knows of what others have done -------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Time as the race detector counts it. Each thread has a clock. A barrier sets
// the clocks of a whole block to a value that none of them had, so that what
// most threads know of a block is one number: everything before its last
// barrier. A warp that meets has such a number of its own. Only acquire and
// release make threads of a warp know different things.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_EXECUTION_EMULATOR_VECTORCLOCK_H
#define SCAN_LIB_EXECUTION_EMULATOR_VECTORCLOCK_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace mlir::scan::emulator {

/// A thread and a value of its clock, in one word. Blocks are numbered from 1
/// in the order in which they start.
class Epoch {
public:
  static constexpr unsigned kTimeBits = 28, kThreadBits = 10, kBlockBits = 26;
  static constexpr uint32_t kMaxTime = (1u << kTimeBits) - 1;
  /// Numbers from here on stand for copies, which have clocks of their own.
  static constexpr uint32_t kFirstCopyBlock = 1u << (kBlockBits - 1);
  static constexpr uint32_t kMaxBlock = kFirstCopyBlock - 1;

  Epoch() = default;
  Epoch(uint32_t block, uint32_t thread, uint32_t time)
      : bits(uint64_t(block) << (kThreadBits + kTimeBits) |
             uint64_t(thread) << kTimeBits | time) {}

  /// False for the epoch of no thread.
  explicit operator bool() const { return bits != 0; }
  uint32_t block() const { return bits >> (kThreadBits + kTimeBits); }
  uint32_t thread() const {
    return bits >> kTimeBits & ((1u << kThreadBits) - 1);
  }
  uint32_t time() const { return bits & kMaxTime; }
  bool isCopy() const { return block() >= kFirstCopyBlock; }
  bool isSameThread(Epoch other) const {
    return (bits ^ other.bits) >> kTimeBits == 0;
  }
  bool operator==(Epoch other) const { return bits == other.bits; }

private:
  uint64_t bits = 0;
};

/// For each thread up to which value of its clock the owner knows what it has
/// done.
class VectorClock {
public:
  bool isEmpty() const { return blocks.empty(); }
  void clear() { blocks.clear(); }

  /// Whether what happened at `epoch` is known.
  bool covers(Epoch epoch) const;
  /// The time up to which that thread is known; 0 if it is not.
  uint32_t getTime(uint32_t block, uint32_t thread) const;
  bool knows(uint32_t block) const { return find(block) != nullptr; }

  /// Adds all that `other` knows.
  void join(const VectorClock &other);
  /// Adds what all threads of a block did before time `before`.
  void addBlock(uint32_t block, uint32_t before);
  /// Adds what one thread did up to and with `epoch`.
  void addThread(Epoch epoch);

private:
  struct ThreadTime {
    uint32_t thread, time;
  };
  struct Block {
    uint32_t number;
    /// What any of its threads did before this time is known,
    uint32_t before;
    /// and of these threads, by ascending number, what they did up to a later
    /// one. Where warps wait for each other at mbarriers these can be many.
    llvm::SmallVector<ThreadTime, 1> threads;
  };
  const Block *find(uint32_t number) const;
  Block &findOrAdd(uint32_t number);
  /// The place of the thread, or where it would be.
  static const ThreadTime *findThread(const Block &block, uint32_t thread);
  static void addThread(Block &block, ThreadTime known);
  static void addThreads(Block &block, llvm::ArrayRef<ThreadTime> known);

  llvm::SmallVector<Block, 0> blocks; ///< By ascending number.
};

} // namespace mlir::scan::emulator

#endif // SCAN_LIB_EXECUTION_EMULATOR_VECTORCLOCK_H
