//===- BarriersAndShuffles.cpp - Where threads wait for each other --------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Barriers, of blocks and of warps, and shuffles of the scheduler, and what is
// wrong where threads disagree on them.
//
//===----------------------------------------------------------------------===//

#include "Scheduler.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::scan::emulator;

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void Scheduler::barrier(const char *site) {
  step(site);
  ThreadBlock &block = *running->block;
  running->state = ThreadState::AtBarrier;
  running->site = site;
  ++block.atBarrier;
  // The thread is queued like the others: the last to arrive does not run
  // first.
  --block.runnable;
  tryCompleteBarrier(block);
  checkProgress(block);
  running->fiber->suspend();
}

void Scheduler::tryCompleteBarrier(ThreadBlock &block) {
  if (block.atBarrier != block.threads.size())
    return;
  const char *site = block.threads.front().site;
  if (llvm::any_of(block.threads,
                   [&](const Thread &t) { return t.site != site; }))
    return;
  ++statistics.barriers;
  block.atBarrier = 0;
  met(block, block.threads);
  if (checker)
    checker->barrier(block.clock);
  for (Thread &thread : block.threads)
    makeReady(thread);
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

ShuffleResult Scheduler::shuffle(const char *site, ShuffleMode mode,
                                 uint64_t bits, int32_t offset, int32_t width) {
  step(site);
  // The lowering to NVVM takes the value only for what the hardware does with
  // it, which is not always what the operation promises. Where the two differ
  // neither is the right answer.
  if (width < 1 || width > int32_t(kLanesPerWarp))
    failHere(site, "the width of a shuffle has to be from 1 to 32");
  if (int32_t(running->lane()) >= width)
    failHere(site, "a lane that is not below the width of a shuffle must not "
                   "execute it: it is not a member of the shuffle on NVIDIA "
                   "hardware");
  if (offset < 0 || offset >= int32_t(kLanesPerWarp))
    failHere(site, "the offset of a shuffle has to be from 0 to 31: NVIDIA "
                   "hardware takes the low five bits only");
  if (mode == ShuffleMode::Up && width != int32_t(kLanesPerWarp))
    failHere(site, "a shuffle up of a width other than 32 finds no lane in "
                   "range on NVIDIA hardware");

  running->shuffle = {mode, bits, offset, width, {}};
  waitForWarp(site);
  return running->shuffle.result;
}

/// The lanes of a warp synchronize as for a shuffle whose result is not used.
void Scheduler::syncWarp(const char *site) {
  step(site);
  running->shuffle = {ShuffleMode::Xor, 0, 0, int32_t(kLanesPerWarp), {}};
  running->shuffle.ordersMemory = true;
  waitForWarp(site);
}

void Scheduler::waitForWarp(const char *site) {
  ThreadBlock &block = *running->block;
  running->state = ThreadState::AtShuffle;
  running->site = site;
  ++block.atShuffle[running->warp()];
  --block.runnable;
  tryCompleteShuffle(block, running->warp());
  checkProgress(block);
  // `running` is another thread by the time that this one is resumed, and
  // then this one again.
  running->fiber->suspend();
}

void Scheduler::tryCompleteShuffle(ThreadBlock &block, unsigned warp) {
  const int32_t width = running->shuffle.width;
  llvm::MutableArrayRef<Thread> lanes = getWarp(block, warp).take_front(width);
  if (block.atShuffle[warp] < lanes.size())
    return;
  for (const Thread &lane : lanes)
    if (lane.state != ThreadState::AtShuffle || lane.site != running->site ||
        lane.shuffle.width != width)
      return;
  if (running->shuffle.ordersMemory) {
    if (checker) {
      llvm::SmallVector<ThreadClock *, kLanesPerWarp> clocks;
      for (Thread &lane : lanes)
        clocks.push_back(&lane.clock);
      checker->syncWarp(clocks);
    }
  } else {
    for (Thread &lane : lanes)
      lane.shuffle.result = exchange(lane);
    ++statistics.shuffles;
  }
  met(block, lanes);
  block.atShuffle[warp] -= lanes.size();
  for (Thread &lane : lanes)
    makeReady(lane);
}

ShuffleResult Scheduler::exchange(const Thread &thread) const {
  const PendingShuffle &shuffle = thread.shuffle;
  int32_t lane = thread.lane();
  int32_t source = 0;
  switch (shuffle.mode) {
  case ShuffleMode::Xor:
    source = lane ^ shuffle.offset;
    break;
  case ShuffleMode::Up:
    source = lane - shuffle.offset;
    break;
  case ShuffleMode::Down:
    source = lane + shuffle.offset;
    break;
  case ShuffleMode::Idx:
    source = shuffle.offset;
    break;
  }
  ShuffleResult result;
  result.valid = source >= 0 && source < shuffle.width;
  // A lane in range that the block is too small to have is valid to the
  // hardware, which looks at numbers only; its value is undefined.
  const ThreadBlock &block = *thread.block;
  size_t index = thread.index - lane + source;
  if (result.valid && index < block.threads.size())
    result.bits = block.threads[index].shuffle.bits;
  else
    poisonMemory(&result.bits, sizeof(result.bits));
  return result;
}

//===----------------------------------------------------------------------===//
// Divergence
//===----------------------------------------------------------------------===//

static std::string describeState(const Thread &thread) {
  std::string text = "thread " + formatDim(thread.id);
  switch (thread.state) {
  case ThreadState::Ready:
    return text + " is elsewhere";
  case ThreadState::AtBarrier:
  case ThreadState::AtShuffle:
  case ThreadState::AtMBarrier:
    return text + " waits at " + thread.site;
  case ThreadState::Exited:
    return text + " has exited";
  }
  return text;
}

void Scheduler::checkProgress(const ThreadBlock &block) {
  if (block.runnable != 0 || block.live == 0)
    return;
  // What the others wait for may be what comes after an mbarrier.
  if (reportMBarrierDeadlock(block))
    return;
  for (const Thread &thread : block.threads)
    if (thread.state == ThreadState::AtShuffle &&
        reportDivergentShuffle(thread))
      return;
  // Without such a shuffle all that have not exited wait at barriers.
  auto isAtBarrier = [](const Thread &thread) {
    return thread.state == ThreadState::AtBarrier;
  };
  const Thread &waiting = *llvm::find_if(block.threads, isAtBarrier);
  const Thread &other = *llvm::find_if(block.threads, [&](const Thread &t) {
    return !isAtBarrier(t) || t.site != waiting.site;
  });
  fail(describe(waiting) + " waits at " + waiting.site + ", but " +
       describeState(other) +
       "; all threads of a block have to execute the same barrier");
}

bool Scheduler::reportDivergentShuffle(const Thread &thread) {
  for (const Thread &other :
       llvm::ArrayRef(thread.block->threads)
           .drop_front(size_t(thread.warp()) * kLanesPerWarp)
           .take_front(thread.shuffle.width)) {
    bool together =
        other.state == ThreadState::AtShuffle && other.site == thread.site;
    if (together && other.shuffle.width == thread.shuffle.width)
      continue;
    std::string what = describe(thread) + " waits at " + thread.site + ", but ";
    if (together)
      fail(what + "thread " + formatDim(other.id) + " asks for the width " +
           llvm::Twine(other.shuffle.width) + " instead of " +
           llvm::Twine(thread.shuffle.width) +
           "; all lanes of a shuffle have to agree on its width");
    else
      fail(what + describeState(other) + " (lane " + llvm::Twine(other.lane()) +
           " of the same warp); all lanes " +
           (thread.shuffle.ordersMemory ? "of a warp have to meet there"
                                        : "below the width of a shuffle have "
                                          "to execute it"));
    return true;
  }
  return false;
}
