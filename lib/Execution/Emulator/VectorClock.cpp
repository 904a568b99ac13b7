//===- VectorClock.cpp - Who knows of what others have done ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorClock.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

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

void VectorClock::addThread(Block &block, ThreadTime known) {
  if (known.time < block.before)
    return;
  for (ThreadTime &old : block.threads)
    if (old.thread == known.thread) {
      old.time = std::max(old.time, known.time);
      return;
    }
  block.threads.push_back(known);
}

bool VectorClock::covers(Epoch epoch) const {
  const Block *block = find(epoch.block());
  if (!block)
    return false;
  if (epoch.time() < block->before)
    return true;
  return llvm::any_of(block->threads, [&](ThreadTime known) {
    return known.thread == epoch.thread() && epoch.time() <= known.time;
  });
}

uint32_t VectorClock::getTime(uint32_t number, uint32_t thread) const {
  const Block *block = find(number);
  if (!block)
    return 0;
  uint32_t time = block->before ? block->before - 1 : 0;
  for (ThreadTime known : block->threads)
    if (known.thread == thread)
      time = std::max(time, known.time);
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
    Block &ours = findOrAdd(theirs.number);
    for (ThreadTime known : theirs.threads)
      addThread(ours, known);
  }
}
