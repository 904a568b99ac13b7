//===- HostThreads.cpp - The threads of compiled host code ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled code calls the functions of libomp's interface for compilers: one
// forks with the outlined body of the parallel region, and another one, called
// by each thread in the body, says which iterations are its own. These stand in
// for them, so that a region that stays on one thread costs a call, whether or
// not there is a libomp; only for a team they call a library of OpenMP, with a
// body of their own.
//
//===----------------------------------------------------------------------===//

#include "Scan/Execution/HostThreads.h"
#include "HostThreadSymbols.h"
#include "OpenMPLibraries.h"
#include "mlir/IR/Diagnostics.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstdlib>

using namespace mlir;
using namespace mlir::scan;

namespace {

/// The body of a parallel region, as compilers outline it.
using Body = void (*)(int32_t *thread, int32_t *bound, void *arguments);

/// The part of a thread in the region that it is in.
struct TeamPlace {
  int32_t number = 0, count = 1;
};

} // namespace

static thread_local TeamPlace place;
static std::atomic<bool> teamExists{false};

/// What the environment variable `name` says, if it is there and a number.
static std::optional<unsigned> readNumber(const char *name) {
  const char *text = std::getenv(name);
  unsigned number = 0;
  if (!text || StringRef(text).getAsInteger(10, number))
    return std::nullopt;
  return number;
}

static constexpr const char *kThreadsVariable = "SCAN_NUM_THREADS";
static constexpr const char *kWorkVariable = "SCAN_THREAD_WORK";

static std::atomic<unsigned> &getWantedThreads() {
  static std::atomic<unsigned> count{readNumber(kThreadsVariable).value_or(1)};
  return count;
}

bool mlir::scan::findThreadLibrary(std::string &reason) {
  reason = getLLVMOpenMP().reason;
  return reason.empty();
}

void mlir::scan::warnWithoutThreadLibrary(Location location) {
  static std::atomic<bool> isSaid{false};
  std::string reason;
  if (!findThreadLibrary(reason) && !isSaid.exchange(true))
    emitWarning(location) << reason;
}

void mlir::scan::setHostThreads(unsigned count) { getWantedThreads() = count; }

unsigned mlir::scan::getHostThreads() {
  unsigned count = getWantedThreads();
  if (count == 1 || !getLLVMOpenMP().reason.empty())
    return 1;
  return count != 0 ? count : std::max(getLLVMOpenMP().getMaxThreads(), 1);
}

HostThreadCode mlir::scan::getHostThreadCode(Location location) {
  for (const char *name : {kThreadsVariable, kWorkVariable})
    if (const char *text = std::getenv(name); text && !readNumber(name))
      emitWarning(location)
          << "expected the environment variable " << name
          << " to be a number, found '" << text << "', which is ignored";
  return {getWantedThreads() != 1, readNumber(kWorkVariable)};
}

/// What each thread of libomp's team runs.
static void runPlace(int32_t *thread, int32_t *bound, Body body,
                     void *arguments) {
  TeamPlace before = place;
  place = {*bound, getLLVMOpenMP().getNumThreads()};
  body(thread, bound, arguments);
  place = before;
}

namespace {
/// What each thread of libgomp's team runs.
struct GNURegion {
  const GNUOpenMP &library;
  Body body;
  void *arguments;

  static void run(void *region) {
    auto &[library, body, arguments] = *static_cast<GNURegion *>(region);
    TeamPlace before = place;
    int32_t number = library.getThread();
    place = {number, library.getNumThreads()};
    body(&number, &number, arguments);
    place = before;
  }
};
} // namespace

/// Whether this thread may have a team of several threads; then it is the only
/// one, until it says that the team is gone. `gnu` may be null.
static bool acquireTeam(unsigned count, const GNUOpenMP *gnu) {
  if (count == 1 || place.count != 1 || (gnu && gnu->inParallel()) ||
      getLLVMOpenMP().inParallel())
    return false;
  return !teamExists.exchange(true, std::memory_order_acquire);
}

static void forkCallIf(void *location, int32_t, Body body, int32_t condition,
                       void *arguments) {
  unsigned count = condition ? getHostThreads() : 1;
  const GNUOpenMP *gnu = count != 1 ? findGNUOpenMP() : nullptr;
  if (!acquireTeam(count, gnu)) {
    int32_t zero = 0;
    TeamPlace before = place;
    place = TeamPlace();
    body(&zero, &zero, arguments);
    place = before;
    return;
  }
  if (gnu && canForkGNUOpenMP()) {
    GNURegion region{*gnu, body, arguments};
    gnu->parallel(&GNURegion::run, &region, count, /*flags=*/0);
  } else {
    const LLVMOpenMP &library = getLLVMOpenMP();
    library.pushNumThreads(location, library.getGlobalThread(location), count);
    library.forkCall(location, 2, reinterpret_cast<void *>(&runPlace), body,
                     arguments);
  }
  teamExists.store(false, std::memory_order_release);
}

static int32_t getGlobalThread(void *) { return place.number; }

/// The iterations [lower, upper] of a loop in equal parts, in order.
static void beginStaticLoop(void *, int32_t, int32_t, int32_t *isLast,
                            uint64_t *lower, uint64_t *upper, int64_t *stride,
                            int64_t increment, int64_t) {
  assert(increment == 1 && "loops are counted by 1");
  (void)increment;
  uint64_t begin = *lower, count = *upper - *lower + 1;
  uint64_t number = place.number, places = place.count;
  *stride = count;
  *isLast = number + 1 == places;
  uint64_t first = count / places * number + std::min(count % places, number);
  uint64_t size = count / places + (number < count % places);
  *lower = begin + first;
  *upper = begin + first + size - 1;
}

static void endStaticLoop(void *, int32_t) {}

void mlir::scan::addThreadSymbols(std::vector<JITSymbol> &symbols) {
  auto add = [&](StringRef name, auto *function) {
    symbols.push_back({name, reinterpret_cast<void *>(function)});
  };
  add("__kmpc_fork_call_if", &forkCallIf);
  add("__kmpc_global_thread_num", &getGlobalThread);
  add("__kmpc_for_static_init_8u", &beginStaticLoop);
  add("__kmpc_for_static_fini", &endStaticLoop);
}
