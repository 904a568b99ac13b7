//===- Scheduler.cpp - Threads, warps and blocks of a launch --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scheduler.h"
#include "IR/Divisions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <utility>

using namespace mlir::scan::emulator;

/// Blocks are drawn at random from so many of the next ones.
static constexpr size_t kBlockWindow = 4096;
/// The steps of a quantum if it is not random: enough to hardly ever matter,
/// and a thread that spins still lets the others run.
static constexpr uint64_t kInOrderQuantum = 1 << 16;
/// With Schedule::Random a quantum has at most 2 to the power of this many
/// steps.
static constexpr unsigned kRandomQuantumLog2 = 12;

/// Workgroup memory has pages of its own: the checker keeps books by the page.
static constexpr unsigned kSharedStorageAlignment = ShadowPage::kBytes;
/// What dynamic workgroup memory is aligned to.
static constexpr unsigned kDynamicAlignment = 128;

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

std::string mlir::scan::emulator::describe(const Thread &thread) {
  return "block " + formatDim(thread.block->id) + ", thread " +
         formatDim(thread.id);
}

void Scheduler::fail(const llvm::Twine &message) {
  if (error.empty())
    error = (llvm::Twine("kernel '") + kernel->name + "': " + message).str();
}

void Scheduler::failHere(const char *site, const char *message) {
  fail(describe(*running) + ": " + site + ": " + message);
  running->fiber->suspend();
}

void Scheduler::count(const AccessSite *site, const char *address,
                      size_t bytes) {
  ThreadBlock &block = *running->block;
  const unsigned warp = running->warp();
  const size_t offset = address - block.shared;
  const bool isShared =
      offset < size_t(dynamicSharedOffset + dynamicSharedBytes);
  if (!counters->access(block.requests[warp], running->lane(), running->steps,
                        site, isShared ? offset : uintptr_t(address), bytes,
                        isShared))
    return;
  uint64_t fewest = UINT64_MAX;
  for (const Thread &lane : getWarp(block, warp))
    if (lane.state == ThreadState::Ready)
      fewest = std::min(fewest, lane.steps);
  counters->flushBefore(block.requests[warp], fewest);
  if (fewest == running->steps)
    return;
  // The lane waits for those that are behind.
  loseTurn();
}

void Scheduler::met(ThreadBlock &block, llvm::MutableArrayRef<Thread> threads) {
  for (Thread &thread : threads)
    thread.steps = 0;
  if (!counters)
    return;
  for (unsigned warp = threads.front().warp(); warp <= threads.back().warp();
       ++warp)
    counters->flush(block.requests[warp]);
}

void Scheduler::park() {
  settleQuantum();
  parked = running;
  running->fiber->suspend();
}

void Scheduler::stopHere() {
  fail(checker->getError());
  running->fiber->suspend();
}

void Scheduler::addDeferredError() {
  const std::string &deferred = checker->getDeferredError();
  // A race says more: who has written, or will.
  if (deferred.empty() || checker->hasFoundRace())
    return;
  std::string consequence = std::move(error);
  error.clear();
  fail(deferred + (consequence.empty() ? "" : "; then ") + consequence);
}

std::string Scheduler::describeWait() const {
  const AccessSite *site = running->lastRead;
  if (!site)
    return "";
  std::string text = std::string(", after ") + site->text + " had read ";
  const char *address = running->lastReadAddress;
  uint64_t value = 0;
  std::memcpy(&value, address, std::min<size_t>(site->bytes, sizeof(value)));
  text += checker
              ? checker->describeAddress(reinterpret_cast<uintptr_t>(address),
                                         site->elementBytes)
              : "memory";
  return text + ", which holds 0x" + llvm::utohexstr(value, /*LowerCase=*/true);
}

void Scheduler::assertionFailed() {
  failHere("assertion", message ? message : "failed");
}

void Scheduler::divisionFailed(const char *site, bool isZero) {
  failHere(site, isZero ? kDivisionByZero.data() : kDivisionOverflow.data());
}

//===----------------------------------------------------------------------===//
// Private memory
//===----------------------------------------------------------------------===//

void Scheduler::beginPrivate(const PrivateBuffer &buffer) {
  if (!checker)
    return;
  endPrivate(buffer.begin);
  checker->addPrivate(buffer);
  running->buffers.push_back(buffer);
}

void Scheduler::endPrivate(const char *begin) {
  if (!checker)
    return;
  auto buffer =
      llvm::find_if(running->buffers, [&](const PrivateBuffer &other) {
        return other.begin == begin;
      });
  if (buffer == running->buffers.end())
    return;
  checker->removePrivate(*buffer);
  running->buffers.erase(buffer);
}

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

Scheduler::Scheduler(const EmulatorOptions &options)
    : options(options), random(options.seed) {
  this->options.residentBlocks = std::max(1u, options.residentBlocks);
  if (options.checkMemory)
    checker = std::make_unique<MemoryChecker>();
  if (options.countAccesses)
    counters = std::make_unique<Counters>(statistics);
}

/// Stacks of runtimes that are gone: a run often lasts no longer than it takes
/// to map them.
static thread_local std::vector<std::unique_ptr<Fiber>> spareFibers;
static constexpr size_t kMaxSpareFibers = 4096;

Scheduler::~Scheduler() {
  for (std::unique_ptr<Fiber> &fiber : fibers)
    if (spareFibers.size() < kMaxSpareFibers)
      spareFibers.push_back(std::move(fiber));
}

void Scheduler::addHostBlock(void *memory, void *block, size_t bytes) {
  hostBlocks[memory] = block;
  if (checker)
    checker->addBuffer(memory, bytes,
                       ("a buffer of " + llvm::Twine(bytes) + " bytes").str(),
                       /*initialised=*/false);
}

void *Scheduler::takeHostBlock(void *memory) {
  auto it = hostBlocks.find(memory);
  if (it == hostBlocks.end())
    return nullptr;
  void *block = it->second;
  hostBlocks.erase(it);
  if (checker)
    checker->removeBuffer(memory);
  return block;
}

bool Scheduler::launch(const KernelDescriptor &newKernel, Dim3 grid, Dim3 block,
                       int64_t newDynamicSharedBytes, void **newArguments) {
  if (!error.empty())
    return false;
  kernel = &newKernel;
  if (!checkLaunch(grid, block, newDynamicSharedBytes))
    return false;
  arguments = newArguments;
  gridDim = grid;
  blockDim = block;
  dynamicSharedOffset =
      llvm::alignTo(kernel->sharedLayoutBytes, kDynamicAlignment);
  dynamicSharedBytes = newDynamicSharedBytes;
  // Each launch has its own order, which does not depend on what ran before.
  random = Random(options.seed * 0x100000001B3u + statistics.launches);
  ++statistics.launches;
  stepsLeft = options.stepBudget ? options.stepBudget : UINT64_MAX;
  blocksDrawn = 0;
  blocksToStart.clear();
  ready.clear();
  quantumExpired.clear();
  readyHead = 0;
  parked = nullptr;
  if (checker)
    checker->startLaunch(*kernel, arguments, grid, block);

  blocks.resize(std::min<int64_t>(options.residentBlocks, grid.count()));
  for (ThreadBlock &resident : blocks) {
    int64_t number;
    if (drawBlock(number))
      startBlock(resident, number);
  }

  while (Thread *thread = takeReady()) {
    if (!run(*thread) || !error.empty())
      break;
    ThreadBlock &ranBlock = *thread->block;
    if (ranBlock.live == 0) {
      met(ranBlock, ranBlock.threads);
      if (checker)
        checker->endBlock(ranBlock.clock);
      int64_t number;
      if (drawBlock(number))
        startBlock(ranBlock, number);
    }
  }

  if (counters)
    counters->endLaunch();
  if (checker) {
    addDeferredError();
    for (ThreadBlock &resident : blocks)
      checker->endBlock(resident.clock);
  }
  // After an error the fibers of the other threads are left as they are.
  freeFibers.clear();
  for (std::unique_ptr<Fiber> &fiber : fibers)
    freeFibers.push_back(fiber.get());
  running = nullptr;
  return error.empty();
}

bool Scheduler::drawBlock(int64_t &number) {
  const int64_t count = gridDim.count();
  if (options.schedule != Schedule::Random) {
    if (blocksDrawn == count)
      return false;
    number = options.schedule == Schedule::InOrder ? blocksDrawn
                                                   : count - 1 - blocksDrawn;
    ++blocksDrawn;
    return true;
  }
  while (blocksToStart.size() < kBlockWindow && blocksDrawn < count)
    blocksToStart.push_back(blocksDrawn++);
  if (blocksToStart.empty())
    return false;
  std::swap(blocksToStart[random.below(blocksToStart.size())],
            blocksToStart.back());
  number = blocksToStart.back();
  blocksToStart.pop_back();
  return true;
}

void Scheduler::startBlock(ThreadBlock &block, int64_t number) {
  block.id = {number % gridDim.x, number / gridDim.x % gridDim.y,
              number / gridDim.x / gridDim.y};
  const unsigned count = blockDim.count();
  block.threads.resize(count);
  block.live = block.runnable = count;
  block.atBarrier = 0;
  block.atShuffle.assign(llvm::divideCeil(count, kLanesPerWarp), 0);
  block.requests.clear();
  block.mbarriers.clear();
  block.requests.resize(block.atShuffle.size());
  const size_t sharedBytes = dynamicSharedOffset + dynamicSharedBytes;
  block.sharedStorage.resize(
      llvm::alignTo(sharedBytes, kSharedStorageAlignment) +
      kSharedStorageAlignment);
  block.shared = reinterpret_cast<char *>(
      llvm::alignTo(reinterpret_cast<uintptr_t>(block.sharedStorage.data()),
                    kSharedStorageAlignment));
  poisonMemory(block.shared, sharedBytes);
  if (checker && !checker->startBlock(block.clock, number, block.shared,
                                      dynamicSharedOffset, dynamicSharedBytes))
    fail(checker->getError());
  for (unsigned i = 0; i < count; ++i) {
    Thread &thread = block.threads[i];
    thread.block = &block;
    thread.index = i;
    thread.id = {i % blockDim.x, i / blockDim.x % blockDim.y,
                 i / blockDim.x / blockDim.y};
    thread.state = ThreadState::Ready;
    thread.site = nullptr;
    thread.mbarrier = nullptr;
    thread.fiber = nullptr;
    thread.lastRead = nullptr;
    thread.buffers.clear();
    thread.copies.clear();
    thread.copyGroups = 0;
    thread.steps = 0;
    thread.clock.start(block.clock, i);
    ready.push_back(&thread);
  }
}

//===----------------------------------------------------------------------===//
// Quanta
//===----------------------------------------------------------------------===//

Thread *Scheduler::takeReady() {
  if (options.schedule == Schedule::InOrder) {
    if (readyHead == ready.size())
      return std::exchange(parked, nullptr);
    Thread *thread = ready[readyHead++];
    // Forget what has been taken once it is most of the list.
    if (readyHead > 1024 && readyHead > ready.size() / 2) {
      ready.erase(ready.begin(), ready.begin() + readyHead);
      readyHead = 0;
    }
    return thread;
  }
  if (ready.empty()) {
    if (quantumExpired.empty())
      return std::exchange(parked, nullptr);
    ready.swap(quantumExpired);
  }
  if (options.schedule == Schedule::Random)
    std::swap(ready[random.below(ready.size())], ready.back());
  Thread *thread = ready.back();
  ready.pop_back();
  return thread;
}

void Scheduler::prefetchNext() const {
  if (readyHead == ready.size())
    return;
  const Thread *next = ready.back();
  if (options.schedule == Schedule::InOrder) {
    next = ready[readyHead];
  } else if (options.schedule == Schedule::Random) {
    Random ahead = random;
    next = ready[ahead.below(ready.size())];
  }
  if (next->fiber)
    next->fiber->prefetch();
}

void Scheduler::makeReady(Thread &thread) {
  thread.state = ThreadState::Ready;
  thread.site = nullptr;
  ++thread.block->runnable;
  ready.push_back(&thread);
}

void Scheduler::threadMain(void *scheduler) {
  auto *self = static_cast<Scheduler *>(scheduler);
  self->kernel->entry(self->arguments);
  self->running->state = ThreadState::Exited;
}

bool Scheduler::run(Thread &thread) {
  running = &thread;
  if (!thread.fiber) {
    if (freeFibers.empty()) {
      std::unique_ptr<Fiber> fiber;
      if (spareFibers.empty()) {
        fiber = Fiber::create();
      } else {
        fiber = std::move(spareFibers.back());
        spareFibers.pop_back();
      }
      if (!fiber) {
        fail("no memory for the stack of thread number " +
             llvm::Twine(fibers.size() + 1) +
             " that is suspended; try fewer resident blocks");
        return false;
      }
      freeFibers.push_back(fiber.get());
      fibers.push_back(std::move(fiber));
    }
    thread.fiber = freeFibers.back();
    freeFibers.pop_back();
    thread.fiber->start(threadMain, this);
    ++statistics.threads;
  }
  startQuantum();
  prefetchNext();
  thread.fiber->resume();
  settleQuantum();
  if (thread.state == ThreadState::Exited) {
    if (checker)
      for (const AsyncCopy &copy : thread.copies)
        checker->endCopy(copy.target);
    freeFibers.push_back(thread.fiber);
    thread.fiber = nullptr;
    --thread.block->live;
    --thread.block->runnable;
    if (thread.block->live == 0)
      checkCopies(*thread.block);
    checkProgress(*thread.block);
  }
  return true;
}

void Scheduler::startQuantum() {
  uint64_t steps = kInOrderQuantum;
  if (options.schedule == Schedule::Random) {
    // Short quanta as often as long ones.
    const uint64_t bits = random.next();
    const unsigned log2 = (bits >> 32) * (kRandomQuantumLog2 + 1) >> 32;
    steps = 1 + (bits & ((uint64_t(1) << log2) - 1));
  }
  turnSteps = stepsUntilTurn = std::min(steps, stepsLeft);
}

void Scheduler::settleQuantum() {
  stepsLeft -= turnSteps - stepsUntilTurn;
  turnSteps = stepsUntilTurn;
}

void Scheduler::endTurn(const char *site) {
  settleQuantum();
  if (stepsLeft == 0) {
    fail(describe(*running) + " was at " + site +
         " when the launch had used up its budget of " +
         llvm::Twine(options.stepBudget) + " steps" + describeWait() +
         "; raise the step budget if the kernel does not loop for ever");
    running->fiber->suspend();
  }
  loseTurn();
}

void Scheduler::loseTurn() {
  settleQuantum();
  (options.schedule == Schedule::Adversarial ? quantumExpired : ready)
      .push_back(running);
  running->fiber->suspend();
}
