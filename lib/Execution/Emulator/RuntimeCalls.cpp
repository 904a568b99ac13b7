//===- RuntimeCalls.cpp - What compiled kernels call ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names and signatures are the contract with --convert-gpu-to-fibers.
//
//===----------------------------------------------------------------------===//

#include "Scan/Execution/HostRuntime.h"
#include "Scheduler.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Alignment.h"

using namespace mlir::scan;
using namespace mlir::scan::emulator;

SCAN_EMULATOR_TLS thread_local Scheduler
    *mlir::scan::emulator::activeScheduler = nullptr;

//===----------------------------------------------------------------------===//
// Called by kernels
//===----------------------------------------------------------------------===//

static int64_t select(Dim3 dim, int32_t which) {
  return which == 0 ? dim.x : which == 1 ? dim.y : dim.z;
}

static int64_t threadId(int32_t which) {
  return select(activeScheduler->self().id, which);
}

static int64_t blockId(int32_t which) {
  return select(activeScheduler->self().block->id, which);
}

static int64_t blockDim(int32_t which) {
  return select(activeScheduler->getBlockDim(), which);
}

static int64_t gridDim(int32_t which) {
  return select(activeScheduler->getGridDim(), which);
}

static int64_t linearThreadId() { return activeScheduler->self().index; }

static void *sharedMemory() { return activeScheduler->self().block->shared; }

static void *dynamicSharedMemory() {
  return activeScheduler->getDynamicSharedMemory();
}

static int64_t dynamicSharedBytes() {
  return activeScheduler->getDynamicSharedBytes();
}

static void barrier(const char *site) { activeScheduler->barrier(site); }

static ShuffleResult shuffle(const char *site, int32_t mode, uint64_t bits,
                             int32_t offset, int32_t width) {
  return activeScheduler->shuffle(site, static_cast<ShuffleMode>(mode), bits,
                                  offset, width);
}

static void syncWarp(const char *site) { activeScheduler->syncWarp(site); }

static void step(const char *site) { activeScheduler->step(site); }

static void checkAccess(const AccessSite *site, const char *address) {
  activeScheduler->access(site, address, site->bytes);
}

static void accessIf(const AccessSite *site, const char *address,
                     int32_t condition) {
  if (condition != 0)
    activeScheduler->access(site, address, site->bytes);
}

static void accessRange(const AccessSite *site, const char *address,
                        int64_t bytes) {
  activeScheduler->access(site, address, bytes);
}

static void atomicAccess(const AccessSite *site, const char *address) {
  activeScheduler->atomicAccess(site, address);
}

static void asyncCopy(const AccessSite *read, const AccessSite *write,
                      char *target, const char *source, uint64_t targetBytes,
                      uint64_t sourceBytes) {
  activeScheduler->asyncCopy(
      {read, write, target, source, targetBytes, sourceBytes});
}

static void asyncGroup() { activeScheduler->asyncGroup(); }

static void asyncWait(uint64_t groups) { activeScheduler->asyncWait(groups); }

static void mbarrierInit(const AccessSite *site, char *address, int32_t count) {
  activeScheduler->mbarrierInit(site, address, count);
}

static void mbarrierArrive(const char *site, char *address, int32_t bytes) {
  activeScheduler->mbarrierArrive(site, address, bytes);
}

static void mbarrierWait(const char *site, char *address, int32_t parity) {
  activeScheduler->mbarrierWait(site, address, parity);
}

static void bulkCopy(const AccessSite *read, const AccessSite *write,
                     char *target, const char *source, char *barrier,
                     int32_t bytes) {
  activeScheduler->bulkCopy({read, write, target, source, bytes}, barrier);
}

static void proxyFence() { activeScheduler->proxyFence(); }

static void fence(const AccessSite *site) { activeScheduler->fence(site); }

static void divisionFails(const char *site, int32_t isZero) {
  activeScheduler->divisionFailed(site, isZero != 0);
}

static void beginPrivate(const char *name, const char *begin, int64_t bytes) {
  activeScheduler->beginPrivate({begin, static_cast<size_t>(bytes), name});
}

static void endPrivate(const char *begin) {
  activeScheduler->endPrivate(begin);
}

//===----------------------------------------------------------------------===//
// Called by the host's code
//===----------------------------------------------------------------------===//

/// The function of HostRuntime for `name`.
template <typename FunctionT>
static FunctionT *getHostFunction(llvm::StringRef name) {
  for (const JITSymbol &symbol : HostRuntime::getSymbols())
    if (symbol.name == name)
      return reinterpret_cast<FunctionT *>(symbol.address);
  llvm_unreachable("the host's runtime has all functions");
}

static int hostPuts(const char *text) {
  static auto *const puts = getHostFunction<int(const char *)>("puts");
  return puts(text);
}

[[noreturn]] static void hostAbort() {
  static auto *const abort = getHostFunction<void()>("abort");
  abort();
  llvm_unreachable("the host's abort does not return");
}

static void launch(const KernelDescriptor *kernel, int64_t gridX, int64_t gridY,
                   int64_t gridZ, int64_t blockX, int64_t blockY,
                   int64_t blockZ, int64_t dynamicSharedBytes,
                   void **arguments) {
  if (activeScheduler->launch(*kernel, {gridX, gridY, gridZ},
                              {blockX, blockY, blockZ}, dynamicSharedBytes,
                              arguments))
    return;
  // What the host would do next relies on what the kernel has not done.
  hostPuts(activeScheduler->getError().c_str());
  hostAbort();
}

//===----------------------------------------------------------------------===//
// Called by both
//===----------------------------------------------------------------------===//

/// Memory that is never written is recognised when it is read. Programs rely on
/// the alignment (kHostAlignment in GPUToFibers.cpp); nothing else is within as
/// many bytes around.
static void *allocate(size_t bytes) {
  constexpr size_t alignment = 64;
  static auto *hostMalloc = getHostFunction<void *(size_t)>("malloc");
  const size_t more = bytes > SIZE_MAX - 2 * alignment ? 0 : 2 * alignment;
  char *block = static_cast<char *>(hostMalloc(bytes + more));
  char *memory = block +
                 llvm::offsetToAlignment(reinterpret_cast<uintptr_t>(block) + 1,
                                         llvm::Align(alignment)) +
                 1;
  poisonMemory(memory, bytes);
  activeScheduler->addHostBlock(memory, block, bytes);
  return memory;
}

static void release(void *memory) {
  static auto *hostFree = getHostFunction<void(void *)>("free");
  hostFree(activeScheduler->takeHostBlock(memory));
}

static void hostWrite(const char *address, int64_t bytes) {
  if (MemoryChecker *checker = activeScheduler->getChecker())
    checker->hostWrites(address, bytes);
}

/// The text of an assertion that is about to fail.
static int print(const char *text) {
  if (!activeScheduler->isInKernel())
    return hostPuts(text);
  activeScheduler->setMessage(text);
  return 0;
}

static void giveUp() {
  if (!activeScheduler->isInKernel())
    hostAbort();
  activeScheduler->assertionFailed();
}

std::vector<JITSymbol> mlir::scan::emulator::getRuntimeSymbols() {
  std::vector<JITSymbol> symbols = HostRuntime::getSymbols();
  auto define = [&](llvm::StringRef name, auto *function) {
    llvm::erase_if(symbols,
                   [&](const JITSymbol &other) { return other.name == name; });
    symbols.push_back({name, reinterpret_cast<void *>(function)});
  };
  define("scan_emulator_thread_id", threadId);
  define("scan_emulator_block_id", blockId);
  define("scan_emulator_block_dim", blockDim);
  define("scan_emulator_grid_dim", gridDim);
  define("scan_emulator_linear_thread_id", linearThreadId);
  define("scan_emulator_shared_memory", sharedMemory);
  define("scan_emulator_dynamic_shared_memory", dynamicSharedMemory);
  define("scan_emulator_dynamic_shared_bytes", dynamicSharedBytes);
  define("scan_emulator_barrier", barrier);
  define("scan_emulator_shuffle", shuffle);
  define("scan_emulator_sync_warp", syncWarp);
  define("scan_emulator_step", step);
  define("scan_emulator_launch", launch);
  define("scan_emulator_access", checkAccess);
  define("scan_emulator_access_if", accessIf);
  define("scan_emulator_access_range", accessRange);
  define("scan_emulator_atomic_access", atomicAccess);
  define("scan_emulator_fence", fence);
  define("scan_emulator_async_copy", asyncCopy);
  define("scan_emulator_async_group", asyncGroup);
  define("scan_emulator_async_wait", asyncWait);
  define("scan_emulator_mbarrier_init", mbarrierInit);
  define("scan_emulator_mbarrier_arrive", mbarrierArrive);
  define("scan_emulator_mbarrier_wait", mbarrierWait);
  define("scan_emulator_bulk_copy", bulkCopy);
  define("scan_emulator_proxy_fence", proxyFence);
  define("scan_emulator_division_fails", divisionFails);
  define("scan_emulator_begin_private", beginPrivate);
  define("scan_emulator_end_private", endPrivate);
  define("scan_emulator_host_write", hostWrite);
  define("malloc", allocate);
  define("free", release);
  define("puts", print);
  define("abort", giveUp);
  return symbols;
}

//===----------------------------------------------------------------------===//
// FiberRuntime
//===----------------------------------------------------------------------===//

void mlir::scan::emulator::poisonMemory(void *memory, size_t bytes) {
  auto *byte = static_cast<unsigned char *>(memory);
  for (size_t i = 0; i < bytes; ++i)
    byte[i] = i % 2 == 0 ? kPoison & 0xFF : kPoison >> 8;
}

FiberRuntime::FiberRuntime(const EmulatorOptions &options)
    : scheduler(std::make_unique<Scheduler>(options)) {}

FiberRuntime::~FiberRuntime() = default;

bool FiberRuntime::launch(const KernelDescriptor &kernel, Dim3 grid, Dim3 block,
                          int64_t dynamicSharedBytes, void **arguments) {
  Scope scope(*this);
  return scheduler->launch(kernel, grid, block, dynamicSharedBytes, arguments);
}

const std::string &FiberRuntime::getError() const {
  return scheduler->getError();
}

void FiberRuntime::addInput(const void *begin, size_t bytes, std::string name) {
  if (MemoryChecker *checker = scheduler->getChecker())
    checker->addBuffer(begin, bytes, std::move(name), /*initialised=*/true);
}

size_t FiberRuntime::countWritten(const void *begin, size_t bytes) {
  MemoryChecker *checker = scheduler->getChecker();
  return checker ? checker->countInitialised(begin, bytes) : bytes;
}

const EmulatorStatistics &FiberRuntime::getStatistics() const {
  return scheduler->getStatistics();
}

FiberRuntime::Scope::Scope(FiberRuntime &runtime) : previous(activeScheduler) {
  activeScheduler = runtime.scheduler.get();
}

FiberRuntime::Scope::~Scope() { activeScheduler = previous; }
