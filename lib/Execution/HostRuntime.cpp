//===- HostRuntime.cpp - What compiled host code calls --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Execution/HostRuntime.h"
#include "HostThreadSymbols.h"
#include "Scan/Reference/HostArray.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <csetjmp>
#include <cstdlib>
#include <cstring>
#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

using namespace mlir;
using namespace mlir::scan;

/// The run that compiled code on this thread belongs to.
static thread_local HostRuntime *current = nullptr;

/// Blocks from this size on come from the system page by page.
static constexpr size_t largeBlock = 1 << 17;
/// From here on it is worthwhile to ask for large pages.
static constexpr size_t hugeBlock = 1 << 22;
/// What large blocks are aligned to: pages. Most arrays of others begin a few
/// bytes behind the start of one. If results began a few more bytes behind it,
/// loads would lie where the stores of the iteration before do, modulo a page,
/// and wait for these: a cell over columns took 1.8 times as long.
static constexpr size_t largeAlignment = 4096;

void mlir::scan::preferLargePages(void *data, size_t size) {
#ifdef __linux__
  if (size < hugeBlock)
    return;
  // Whole pages; those at both ends may hold something else.
  static const uintptr_t page = sysconf(_SC_PAGESIZE);
  uintptr_t begin = llvm::alignTo(reinterpret_cast<uintptr_t>(data), page);
  uintptr_t end = (reinterpret_cast<uintptr_t>(data) + size) / page * page;
  // Where the system has no large pages it stays as it is.
  (void)madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

static void *runtimeMalloc(size_t size) { return current->allocate(size); }
/// LLVM makes it of `malloc` and a fill with zeros.
static void *runtimeCalloc(size_t count, size_t size) {
  return current->allocateZeros(count, size);
}
static void *runtimeAllocateResult(int64_t index, int64_t size,
                                   int64_t alignment) {
  return current->allocateResult(index, size, alignment);
}
static void runtimeFree(void *block) { current->release(block); }
static int runtimePuts(const char *text) {
  current->print(text);
  return 0;
}
[[noreturn]] static void runtimeAbort() { current->giveUp(); }

std::vector<JITSymbol> HostRuntime::getSymbols() {
  std::vector<JITSymbol> symbols = {
      {"malloc", reinterpret_cast<void *>(&runtimeMalloc)},
      {"calloc", reinterpret_cast<void *>(&runtimeCalloc)},
      {"free", reinterpret_cast<void *>(&runtimeFree)},
      {"scan.allocate_result",
       reinterpret_cast<void *>(&runtimeAllocateResult)},
      {"puts", reinterpret_cast<void *>(&runtimePuts)},
      {"abort", reinterpret_cast<void *>(&runtimeAbort)}};
  addThreadSymbols(symbols);
  return symbols;
}

HostRuntime::~HostRuntime() {
  releaseAll();
  trimKept(0);
}

void HostRuntime::trimKept(size_t limit) {
  while (bytesKept > limit) {
    auto [block, size] = *kept.begin();
    kept.erase(kept.begin());
    bytesKept -= size;
    std::free(block);
  }
}

/// Memory for std::free.
static void *allocateFresh(size_t size, size_t alignment) {
  if (alignment <= alignof(std::max_align_t))
    return std::malloc(size);
  void *block = nullptr;
  if (posix_memalign(&block, alignment, size) != 0)
    return nullptr;
  preferLargePages(block, size);
  return block;
}

void *HostRuntime::allocateResult(size_t index, size_t size, size_t alignment) {
  if (index < destinations.size() && !checked) {
    Destination destination = destinations[index];
    if (destination.data && destination.size == size &&
        reinterpret_cast<uintptr_t>(destination.data) % alignment == 0)
      return destination.data;
  }
  return allocate(size, alignment);
}

void *HostRuntime::allocate(size_t size, size_t alignment) {
  size = std::max<size_t>(size, 1);
  // Large blocks may be used for any purpose later.
  alignment = std::max(alignment, size < largeBlock ? alignof(std::max_align_t)
                                                    : largeAlignment);
  void *block = nullptr;
  if (size >= largeBlock) {
    for (auto [candidate, candidateSize] : kept)
      if (candidateSize >= size && candidateSize - size <= size / 4 &&
          reinterpret_cast<uintptr_t>(candidate) % alignment == 0)
        if (!block || candidateSize < kept[block])
          block = candidate;
    if (block) {
      size = kept[block];
      kept.erase(block);
      bytesKept -= size;
    }
  }
  size_t limit = getMemoryLimit();
  if (!block && size <= limit && bytesInUse <= limit - size) {
    block = allocateFresh(size, alignment);
    if (!block) {
      trimKept(0);
      block = allocateFresh(size, alignment);
    }
  }
  if (!block) {
    message = ("out of memory: " + Twine(size) + " bytes requested with " +
               Twine(bytesInUse) + " in use, expected at most " + Twine(limit))
                  .str();
    giveUp();
  }
  if (checked)
    std::memset(block, 0xFF, size);
  blocks[block] = size;
  bytesInUse += size;
  peakBytes = std::max(peakBytes, bytesInUse);
  return block;
}

void *HostRuntime::allocateZeros(size_t count, size_t size) {
  // A product that overflows becomes more than is allowed.
  size_t bytes = llvm::SaturatingMultiply(count, size);
  void *block = allocate(bytes);
  return std::memset(block, 0, bytes);
}

void HostRuntime::release(void *block) {
  auto it = blocks.find(block);
  if (it == blocks.end()) {
    strayFrees += block != nullptr;
    return;
  }
  size_t size = it->second;
  blocks.erase(it);
  bytesInUse -= size;
  if (checked) {
    std::memset(block, 0xFF, size);
    freed.push_back(block);
    return;
  }
  if (size < largeBlock)
    return std::free(block);
  kept[block] = size;
  bytesKept += size;
}

HostBlock HostRuntime::detach(void *block, size_t limit) {
  auto it = blocks.find(block);
  if (it == blocks.end() || it->second > limit)
    return nullptr;
  HostBlock detached(block, HostBlockDeleter{pool, it->second});
  bytesInUse -= it->second;
  blocks.erase(it);
  return detached;
}

void HostRuntime::keep(void *block, size_t size) {
  if (size < largeBlock || size > peakBytes)
    return std::free(block);
  // Blocks of earlier runs, of other sizes perhaps, make room for those of the
  // last one.
  trimKept(peakBytes - size);
  kept[block] = size;
  bytesKept += size;
}

void HostRuntime::releaseAll() {
  while (!blocks.empty())
    release(blocks.begin()->first);
  for (void *block : freed)
    std::free(block);
  freed.clear();
  // What an earlier run with larger arrays has left.
  trimKept(peakBytes);
}

std::string HostRuntime::describeMemoryErrors(ArrayRef<void *> results) const {
  size_t count = 0, bytes = 0;
  for (auto [block, size] : blocks)
    if (!llvm::is_contained(results, block)) {
      ++count;
      bytes += size;
    }
  std::string text;
  if (count != 0)
    text = ("does not free " + Twine(count) + " arrays of " + Twine(bytes) +
            " bytes together")
               .str();
  if (strayFrees != 0)
    text += ((text.empty() ? "frees " : ", and frees ") + Twine(strayFrees) +
             " times what it has not allocated or has freed before")
                .str();
  return text;
}

void HostRuntime::giveUp() {
  std::longjmp(*static_cast<std::jmp_buf *>(jumpBuffer), 1);
}

LogicalResult HostRuntime::run(llvm::function_ref<void()> body,
                               std::string &error) {
  message.clear();
  peakBytes = strayFrees = 0;
  std::jmp_buf buffer;
  HostRuntime *previous = current;
  current = this;
  jumpBuffer = &buffer;
  bool gaveUp = setjmp(buffer) != 0;
  if (!gaveUp)
    body();
  jumpBuffer = nullptr;
  current = previous;
  if (!gaveUp)
    return success();
  error = message.empty() ? "the program stopped itself" : message;
  releaseAll();
  return failure();
}

//===----------------------------------------------------------------------===//
// Runtimes of several threads
//===----------------------------------------------------------------------===//

std::unique_ptr<HostRuntime> HostRuntimePool::acquire() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!idle.empty()) {
      std::unique_ptr<HostRuntime> runtime = std::move(idle.back());
      idle.pop_back();
      return runtime;
    }
  }
  auto runtime = std::make_unique<HostRuntime>();
  runtime->pool = weak_from_this();
  return runtime;
}

void HostRuntimePool::release(std::unique_ptr<HostRuntime> runtime) {
  std::lock_guard<std::mutex> lock(mutex);
  idle.push_back(std::move(runtime));
}

void HostRuntimePool::release(void *block, size_t size) {
  std::lock_guard<std::mutex> lock(mutex);
  // The last one is the next to run.
  if (idle.empty())
    return std::free(block);
  idle.back()->keep(block, size);
}

void HostBlockDeleter::operator()(void *block) const {
  if (std::shared_ptr<HostRuntimePool> owner = pool.lock())
    return owner->release(block, size);
  std::free(block);
}
