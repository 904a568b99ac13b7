//===- BulkCopies.cpp - Copies that complete on an mbarrier ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bulk copy is under way from where a thread begins it until the phase of its
// mbarrier completes. Its bytes arrive as late as they can, so that a thread
// that does not wait finds none: when a thread waits and the phase lacks
// nothing else. With Schedule::InOrder they arrive at once.
//
//===----------------------------------------------------------------------===//

#include "Scheduler.h"
#include <cstring>

using namespace mlir::scan::emulator;

/// What sizes and addresses of bulk copies have to be multiples of.
static constexpr unsigned kBulkAlignment = 16;

bool Scheduler::beginBulkCopy(const BulkCopy &copy, const char *address) {
  const char *site = copy.write->text;
  MBarrier *barrier = findMBarrier(site, address);
  if (!barrier)
    return false;
  if (copy.bytes <= 0 || copy.bytes % kBulkAlignment != 0) {
    failAt(site, "expected a positive multiple of " +
                     llvm::Twine(kBulkAlignment) + " bytes, found " +
                     llvm::Twine(copy.bytes));
    return false;
  }
  if (!checkAligned(site, "source", copy.source, kBulkAlignment) ||
      !checkAligned(site, "target", copy.target, kBulkAlignment))
    return false;
  if (isWorkgroup(*running->block, copy.source, 1)) {
    failAt(site, "expected a source in global memory");
    return false;
  }
  barrier->copies.push_back(copy);
  BulkCopy &begun = barrier->copies.back();
  begun.thread = running->index;
  if (checker && !checker->beginBulkCopy(running->clock, running->buffers,
                                         begun, barrier->clock)) {
    fail(checker->getError());
    return false;
  }
  if (!isWorkgroup(*running->block, copy.target, copy.bytes)) {
    failAt(site, "expected a target in workgroup memory");
    return false;
  }
  if (counters)
    counters->readBulk(copy.read, reinterpret_cast<uintptr_t>(copy.source),
                       copy.bytes);
  poisonMemory(copy.target, copy.bytes);
  if (options.schedule == Schedule::InOrder && !deliverAll(*barrier))
    return false;
  return tryCompletePhase(*barrier);
}

void Scheduler::bulkCopy(const BulkCopy &copy, const char *address) {
  takeTurn(copy.write->text);
  if (!beginBulkCopy(copy, address))
    running->fiber->suspend();
  if (checker && checker->takeUnwrittenNote())
    park();
}

bool Scheduler::deliverAll(MBarrier &barrier) {
  for (const BulkCopy &copy : barrier.copies) {
    std::memcpy(copy.target, copy.source, copy.bytes);
    if (checker)
      checker->endBulkCopy(copy, barrier.clock);
    if (!addTransactions(barrier, copy.write->text, -int64_t(copy.bytes)))
      return false;
  }
  if (barrier.copies.empty())
    return true;
  barrier.lastCopy = barrier.copies.back();
  barrier.copyPhases = barrier.phase + 1;
  barrier.copies.clear();
  return true;
}

void Scheduler::proxyFence() {
  if (checker)
    checker->proxyFence(running->clock);
}

bool Scheduler::checkCopies(const ThreadBlock &block, const MBarrier &barrier) {
  const bool isUnderWay = !barrier.copies.empty();
  if (!isUnderWay && barrier.copyPhases <= barrier.waitedPhases)
    return true;
  const BulkCopy &copy = isUnderWay ? barrier.copies.front() : barrier.lastCopy;
  fail(describe(block.threads[copy.thread]) + ": " + copy.write->text +
       ": the copy may still be under way when " +
       (block.live == 0 ? "the block ends"
                        : "its mbarrier is initialised "
                          "again") +
       ": nobody has waited for the mbarrier at " +
       describeWorkgroup(block, barrier.address));
  return false;
}

void Scheduler::checkCopies(const ThreadBlock &block) {
  for (const auto &[address, barrier] : block.mbarriers)
    if (!checkCopies(block, barrier))
      return;
}
