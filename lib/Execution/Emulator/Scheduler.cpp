//===- Scheduler.cpp - Threads, warps and blocks of a launch --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scheduler.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <utility>

using namespace mlir::scan::emulator;

// Limits of all NVIDIA GPUs that the project targets (CUDA C++ Programming
// Guide, table "Technical Specifications per Compute Capability").
static constexpr int64_t kMaxThreadsPerBlock = 1024;
static constexpr int64_t kMaxBlockDimZ = 64;
static constexpr int64_t kMaxGridDimX = 2147483647;
static constexpr int64_t kMaxGridDimYZ = 65535;
/// What a kernel may declare; more has to be asked for at launch.
static constexpr int64_t kMaxStaticSharedBytes = 48 * 1024;
static constexpr int64_t kMaxSharedBytes = 227 * 1024;

/// Blocks are drawn at random from so many of the next ones.
static constexpr size_t kBlockWindow = 4096;
/// The steps of a turn with Schedule::InOrder: enough to hardly ever matter,
/// and a thread that spins still lets the others run.
static constexpr uint64_t kInOrderTurn = 1 << 16;
/// With Schedule::Random a turn has at most 2 to the power of this many steps.
static constexpr unsigned kRandomTurnLog2 = 12;

/// Workgroup memory has pages of its own: the checker keeps books by the page.
static constexpr unsigned kSharedAlignment = ShadowPage::kBytes;
/// What dynamic workgroup memory is aligned to.
static constexpr unsigned kDynamicAlignment = 128;

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static std::string describe(const Thread &thread) {
  return "block " + formatDim(thread.block->id) + ", thread " +
         formatDim(thread.id);
}

static std::string describeState(const Thread &thread) {
  std::string text = "thread " + formatDim(thread.id);
  switch (thread.state) {
  case ThreadState::Ready:
    return text + " is elsewhere";
  case ThreadState::AtBarrier:
  case ThreadState::AtShuffle:
    return text + " waits at " + thread.site;
  case ThreadState::Exited:
    return text + " has exited";
  }
  return text;
}

void Scheduler::fail(const llvm::Twine &message) {
  if (error.empty())
    error = (llvm::Twine("kernel '") + kernel->name + "': " + message).str();
}

void Scheduler::failHere(const char *site, const char *message) {
  fail(describe(*running) + ": " + site + ": " + message);
  running->fiber->suspend();
}

void Scheduler::park() {
  settleTurn();
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

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

Scheduler::Scheduler(const EmulatorOptions &options)
    : options(options), random(options.seed) {
  this->options.residentBlocks = std::max(1u, options.residentBlocks);
  if (options.checkMemory)
    checker = std::make_unique<MemoryChecker>();
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

bool Scheduler::checkLaunch(Dim3 grid, Dim3 block, int64_t dynamicSharedBytes) {
  auto within = [](int64_t value, int64_t limit) {
    return value >= 1 && value <= limit;
  };
  if (!within(grid.x, kMaxGridDimX) || !within(grid.y, kMaxGridDimYZ) ||
      !within(grid.z, kMaxGridDimYZ)) {
    fail("the grid " + formatDim(grid) + " is out of range: expected 1 to " +
         formatDim({kMaxGridDimX, kMaxGridDimYZ, kMaxGridDimYZ}));
    return false;
  }
  if (!within(block.x, kMaxThreadsPerBlock) ||
      !within(block.y, kMaxThreadsPerBlock) ||
      !within(block.z, kMaxBlockDimZ) || block.count() > kMaxThreadsPerBlock) {
    fail("the block " + formatDim(block) + " is out of range: expected 1 to " +
         llvm::Twine(kMaxThreadsPerBlock) + " threads, and at most " +
         llvm::Twine(kMaxBlockDimZ) + " along z");
    return false;
  }
  Dim3 known = {kernel->knownBlockSize[0], kernel->knownBlockSize[1],
                kernel->knownBlockSize[2]};
  if (known.x != 0 &&
      (known.x != block.x || known.y != block.y || known.z != block.z)) {
    fail("the block " + formatDim(block) + " is not the kernel's " +
         "known_block_size " + formatDim(known));
    return false;
  }
  if (kernel->sharedBytes > kMaxStaticSharedBytes) {
    fail("the kernel declares " + llvm::Twine(kernel->sharedBytes) +
         " bytes of workgroup memory; at most " +
         llvm::Twine(kMaxStaticSharedBytes) + " can be declared");
    return false;
  }
  if (dynamicSharedBytes < 0 ||
      kernel->sharedBytes + dynamicSharedBytes > kMaxSharedBytes) {
    fail("the launch asks for " + llvm::Twine(dynamicSharedBytes) +
         " bytes of dynamic workgroup memory beside " +
         llvm::Twine(kernel->sharedBytes) +
         " declared ones; expected at most " + llvm::Twine(kMaxSharedBytes) +
         " in sum");
    return false;
  }
  return true;
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
  readyHead = 0;
  parked = nullptr;
  if (checker)
    checker->startLaunch(*kernel, arguments, grid, block);

  blocks.resize(std::min<int64_t>(options.residentBlocks, grid.count()));
  for (Block &resident : blocks) {
    int64_t number;
    if (drawBlock(number))
      startBlock(resident, number);
  }

  while (Thread *thread = takeReady()) {
    if (!run(*thread) || !error.empty())
      break;
    Block &ranBlock = *thread->block;
    if (ranBlock.live == 0) {
      if (checker)
        checker->endBlock(ranBlock.clock);
      int64_t number;
      if (drawBlock(number))
        startBlock(ranBlock, number);
    }
  }

  if (checker) {
    addDeferredError();
    for (Block &resident : blocks)
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
  if (options.schedule == Schedule::InOrder) {
    if (blocksDrawn == count)
      return false;
    number = blocksDrawn++;
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

void Scheduler::startBlock(Block &block, int64_t number) {
  block.id = {number % gridDim.x, number / gridDim.x % gridDim.y,
              number / gridDim.x / gridDim.y};
  const unsigned count = blockDim.count();
  block.threads.resize(count);
  block.live = block.runnable = count;
  block.atBarrier = 0;
  block.atShuffle.assign(llvm::divideCeil(count, kWarpSize), 0);
  const size_t sharedBytes = dynamicSharedOffset + dynamicSharedBytes;
  block.sharedStorage.resize(llvm::alignTo(sharedBytes, kSharedAlignment) +
                             kSharedAlignment);
  block.shared = reinterpret_cast<char *>(
      llvm::alignTo(reinterpret_cast<uintptr_t>(block.sharedStorage.data()),
                    kSharedAlignment));
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
    thread.fiber = nullptr;
    thread.lastRead = nullptr;
    thread.clock.start(block.clock, i);
    ready.push_back(&thread);
  }
}

//===----------------------------------------------------------------------===//
// Turns
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
  if (ready.empty())
    return std::exchange(parked, nullptr);
  std::swap(ready[random.below(ready.size())], ready.back());
  Thread *thread = ready.back();
  ready.pop_back();
  return thread;
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
  startTurn();
  thread.fiber->resume();
  settleTurn();
  if (thread.state == ThreadState::Exited) {
    freeFibers.push_back(thread.fiber);
    thread.fiber = nullptr;
    --thread.block->live;
    --thread.block->runnable;
    checkProgress(*thread.block);
  }
  return true;
}

void Scheduler::startTurn() {
  uint64_t steps =
      options.schedule == Schedule::InOrder
          ? kInOrderTurn
          : 1 + random.below(uint64_t(1) << random.below(kRandomTurnLog2 + 1));
  turnSteps = stepsUntilTurn = std::min(steps, stepsLeft);
}

void Scheduler::settleTurn() {
  stepsLeft -= turnSteps - stepsUntilTurn;
  turnSteps = stepsUntilTurn;
}

void Scheduler::endTurn(const char *site) {
  settleTurn();
  if (stepsLeft == 0) {
    fail(describe(*running) + " was at " + site +
         " when the launch had used up its budget of " +
         llvm::Twine(options.stepBudget) + " steps" + describeWait() +
         "; raise the step budget if the kernel does not loop for ever");
    running->fiber->suspend();
  }
  ready.push_back(running);
  running->fiber->suspend();
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void Scheduler::barrier(const char *site) {
  step(site);
  Block &block = *running->block;
  running->state = ThreadState::AtBarrier;
  running->site = site;
  ++block.atBarrier;
  // The thread queues up like the others: who comes last does not run first.
  --block.runnable;
  tryCompleteBarrier(block);
  checkProgress(block);
  running->fiber->suspend();
}

void Scheduler::tryCompleteBarrier(Block &block) {
  if (block.atBarrier != block.threads.size())
    return;
  const char *site = block.threads.front().site;
  if (llvm::any_of(block.threads,
                   [&](const Thread &t) { return t.site != site; }))
    return;
  ++statistics.barriers;
  block.atBarrier = 0;
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
  if (width < 1 || width > int32_t(kWarpSize))
    failHere(site, "the width of a shuffle has to be from 1 to 32");
  if (int32_t(running->lane()) >= width)
    failHere(site, "a lane that is not below the width of a shuffle must not "
                   "execute it: it is not a member of the shuffle on NVIDIA "
                   "hardware");
  if (offset < 0 || offset >= int32_t(kWarpSize))
    failHere(site, "the offset of a shuffle has to be from 0 to 31: NVIDIA "
                   "hardware takes the low five bits only");
  if (mode == ShuffleMode::Up && width != int32_t(kWarpSize))
    failHere(site, "a shuffle up of a width other than 32 finds no lane in "
                   "range on NVIDIA hardware");

  Block &block = *running->block;
  running->state = ThreadState::AtShuffle;
  running->site = site;
  running->shuffle = {mode, bits, offset, width, {}};
  ++block.atShuffle[running->warp()];
  --block.runnable;
  tryCompleteShuffle(block, running->warp());
  checkProgress(block);
  // `running` is another thread by the time that this one is resumed, and
  // then this one again.
  running->fiber->suspend();
  return running->shuffle.result;
}

/// The lanes of `warp` that exist, fewer than 32 in the last warp of a block
/// whose size is not a multiple of 32.
static llvm::MutableArrayRef<Thread> getWarp(Block &block, unsigned warp) {
  return llvm::MutableArrayRef<Thread>(block.threads)
      .drop_front(warp * kWarpSize)
      .take_front(kWarpSize);
}

void Scheduler::tryCompleteShuffle(Block &block, unsigned warp) {
  const int32_t width = running->shuffle.width;
  llvm::MutableArrayRef<Thread> lanes = getWarp(block, warp).take_front(width);
  if (block.atShuffle[warp] < lanes.size())
    return;
  for (const Thread &lane : lanes)
    if (lane.state != ThreadState::AtShuffle || lane.site != running->site ||
        lane.shuffle.width != width)
      return;
  for (Thread &lane : lanes)
    lane.shuffle.result = exchange(lane);
  ++statistics.shuffles;
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
  poisonMemory(&result.bits, sizeof(result.bits));
  result.valid = source >= 0 && source < shuffle.width;
  // A lane in range that the block is too small to have is valid to the
  // hardware, which looks at numbers only; its value is undefined.
  const Block &block = *thread.block;
  size_t index = thread.index - lane + source;
  if (result.valid && index < block.threads.size())
    result.bits = block.threads[index].shuffle.bits;
  return result;
}

//===----------------------------------------------------------------------===//
// Divergence
//===----------------------------------------------------------------------===//

void Scheduler::checkProgress(const Block &block) {
  if (block.runnable != 0 || block.live == 0)
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
  for (const Thread &other : llvm::ArrayRef(thread.block->threads)
                                 .drop_front(thread.warp() * kWarpSize)
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
           " of the same warp); all lanes below " +
           "the width of a shuffle have to execute it");
    return true;
  }
  return false;
}
