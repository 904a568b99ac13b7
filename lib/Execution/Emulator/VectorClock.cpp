//===- VectorClock.cpp - Who knows of what others have done ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorClock.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <iterator>

using namespace mlir::scan::emulator;

const VectorClock::Block *VectorClock::find(uint32_t number) const {
  const Block *it = llvm::partition_point(
      blocks, [&](const Block &block) { return block.number < number; });
  return it != blocks.end() && it->number == number ? it : nullptr;
}

VectorClock::Block &VectorClock::findOrAdd(uint32_t number) {
  Block *it = llvm::partition_point(
      blocks, [&](const Block &block) { return block.number < number; });
  if (it != blocks.end() && it->number == number)
    return *it;
  return *blocks.insert(it, Block{number, 0, {}});
}

const VectorClock::ThreadTime *VectorClock::findThread(const Block &block,
                                                       uint32_t thread) {
  return llvm::partition_point(block.threads, [&](const ThreadTime &known) {
    return known.thread < thread;
  });
}

void VectorClock::addThread(Block &block, ThreadTime known) {
  if (known.time < block.before)
    return;
  auto *old = const_cast<ThreadTime *>(findThread(block, known.thread));
  if (old != block.threads.end() && old->thread == known.thread)
    old->time = std::max(old->time, known.time);
  else
    block.threads.insert(old, known);
}

/// Mostly the threads are the same ones.
void VectorClock::addThreads(Block &block, llvm::ArrayRef<ThreadTime> known) {
  llvm::SmallVector<ThreadTime, 0> added;
  ThreadTime *old = block.threads.begin();
  for (ThreadTime time : known) {
    if (time.time < block.before)
      continue;
    while (old != block.threads.end() && old->thread < time.thread)
      ++old;
    if (old != block.threads.end() && old->thread == time.thread)
      old->time = std::max(old->time, time.time);
    else
      added.push_back(time);
  }
  if (added.empty())
    return;
  llvm::SmallVector<ThreadTime, 1> merged;
  merged.reserve(block.threads.size() + added.size());
  std::merge(block.threads.begin(), block.threads.end(), added.begin(),
             added.end(), std::back_inserter(merged),
             [](ThreadTime a, ThreadTime b) { return a.thread < b.thread; });
  block.threads = std::move(merged);
}

bool VectorClock::covers(Epoch epoch) const {
  const Block *block = find(epoch.block());
  if (!block)
    return false;
  if (epoch.time() < block->before)
    return true;
  const ThreadTime *known = findThread(*block, epoch.thread());
  return known != block->threads.end() && known->thread == epoch.thread() &&
         epoch.time() <= known->time;
}

uint32_t VectorClock::getTime(uint32_t number, uint32_t thread) const {
  const Block *block = find(number);
  if (!block)
    return 0;
  uint32_t time = block->before ? block->before - 1 : 0;
  const ThreadTime *known = findThread(*block, thread);
  if (known != block->threads.end() && known->thread == thread)
    time = std::max(time, known->time);
  return time;
}

void VectorClock::addBlock(uint32_t number, uint32_t before) {
  Block &block = findOrAdd(number);
  if (before <= block.before)
    return;
  block.before = before;
  llvm::erase_if(block.threads,
                 [&](ThreadTime known) { return known.time < before; });
}

void VectorClock::addThread(Epoch epoch) {
  addThread(findOrAdd(epoch.block()), {epoch.thread(), epoch.time()});
}

void VectorClock::join(const VectorClock &other) {
  for (const Block &theirs : other.blocks) {
    addBlock(theirs.number, theirs.before);
    addThreads(findOrAdd(theirs.number), theirs.threads);
  }
}
