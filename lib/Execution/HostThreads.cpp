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
// not there is a libomp; only for a team they call libomp, with a body of their
// own.
//
//===----------------------------------------------------------------------===//

#include "Scan/Execution/HostThreads.h"
#include "HostThreadSymbols.h"
#include "mlir/IR/Diagnostics.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstdlib>
#ifdef __linux__
#include <dlfcn.h>
#endif

using namespace mlir;
using namespace mlir::scan;

namespace {

/// The body of a parallel region, as compilers outline it.
using Body = void (*)(int32_t *thread, int32_t *bound, void *arguments);

/// What is called of libomp.
struct ThreadLibrary {
  int32_t (*getGlobalThread)(void *location) = nullptr;
  void (*pushNumThreads)(void *location, int32_t thread,
                         int32_t count) = nullptr;
  void (*forkCall)(void *location, int32_t count, void *body, ...) = nullptr;
  int (*getMaxThreads)() = nullptr;
  int (*getNumThreads)() = nullptr;
  /// Of all libraries of OpenMP in the process.
  SmallVector<int (*)(), 2> inParallel;
  std::string reason; ///< Why it cannot be used; empty if it can.
};

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

#ifdef __linux__

static void *findLibrary() {
  // A process must not have two libraries of this kind, each of which would
  // make threads for all processors: one that is there already is taken,
  // Intel's too.
  for (const char *name : {"libomp.so.5", "libomp.so", "libiomp5.so"})
    if (void *handle = dlopen(name, RTLD_NOW | RTLD_NOLOAD))
      return handle;
  if (const char *path = std::getenv("SCAN_LIBOMP"))
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
  // Beside this library, where a package for Python has its own.
  Dl_info self;
  if (dladdr(reinterpret_cast<void *>(&findLibrary), &self) && self.dli_fname) {
    std::string path = self.dli_fname;
    path.resize(path.find_last_of('/') + 1);
    if (void *handle =
            dlopen((path + "libomp.so.5").c_str(), RTLD_NOW | RTLD_LOCAL))
      return handle;
  }
  return dlopen("libomp.so.5", RTLD_NOW | RTLD_LOCAL);
}

static ThreadLibrary loadLibrary() {
  ThreadLibrary library;
  void *handle = findLibrary();
  if (!handle) {
    const char *error = dlerror();
    library.reason =
        std::string("expected the run-time library of OpenMP, libomp.so.5 "
                    "(Debian: apt-get install libomp5-19; or its path in "
                    "SCAN_LIBOMP); one thread is used: ") +
        (error ? error : "not found");
    return library;
  }
  bool isComplete = true;
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        dlsym(handle, name));
    isComplete &= function != nullptr;
  };
  int (*inParallel)() = nullptr;
  find(library.getGlobalThread, "__kmpc_global_thread_num");
  find(library.pushNumThreads, "__kmpc_push_num_threads");
  find(library.forkCall, "__kmpc_fork_call");
  find(library.getMaxThreads, "omp_get_max_threads");
  find(library.getNumThreads, "omp_get_num_threads");
  find(inParallel, "omp_in_parallel");
  if (!isComplete) {
    library.reason = "expected the run-time library of OpenMP to be that of "
                     "LLVM, libomp.so.5, found one without its functions; "
                     "SCAN_LIBOMP may name another; one thread is used";
    return library;
  }
  library.inParallel.push_back(inParallel);
  return library;
}

/// That of GNU's library, which a framework may have loaded at any time.
static bool isInForeignRegion() {
  void *handle = dlopen("libgomp.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!handle)
    return false;
  auto *inParallel =
      reinterpret_cast<int (*)()>(dlsym(handle, "omp_in_parallel"));
  bool isInside = inParallel && inParallel() != 0;
  dlclose(handle);
  return isInside;
}

#else

static ThreadLibrary loadLibrary() {
  ThreadLibrary library;
  library.reason = "threads are not supported on this system; one is used";
  return library;
}
static bool isInForeignRegion() { return false; }

#endif

static const ThreadLibrary &getLibrary() {
  static const ThreadLibrary library = loadLibrary();
  return library;
}

bool mlir::scan::findThreadLibrary(std::string &reason) {
  reason = getLibrary().reason;
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
  if (count == 1 || !getLibrary().reason.empty())
    return 1;
  return count != 0 ? count : std::max(getLibrary().getMaxThreads(), 1);
}

HostThreadCode mlir::scan::getHostThreadCode(Location location) {
  for (const char *name : {kThreadsVariable, kWorkVariable})
    if (const char *text = std::getenv(name); text && !readNumber(name))
      emitWarning(location)
          << "expected the environment variable " << name
          << " to be a number, found '" << text << "', which is ignored";
  return {getWantedThreads() != 1, readNumber(kWorkVariable)};
}

/// What each thread of a team runs.
static void runPlace(int32_t *thread, int32_t *bound, Body body,
                     void *arguments) {
  TeamPlace before = place;
  place = {*bound, getLibrary().getNumThreads()};
  body(thread, bound, arguments);
  place = before;
}

/// Whether this thread may have a team of several threads; then it is the only
/// one, until it says that the team is gone.
static bool acquireTeam(unsigned count) {
  if (count == 1 || place.count != 1 || isInForeignRegion())
    return false;
  for (auto *isInParallel : getLibrary().inParallel)
    if (isInParallel())
      return false;
  return !teamExists.exchange(true, std::memory_order_acquire);
}

static void forkCallIf(void *location, int32_t, Body body, int32_t condition,
                       void *arguments) {
  unsigned count = condition ? getHostThreads() : 1;
  if (!acquireTeam(count)) {
    int32_t zero = 0;
    TeamPlace before = place;
    place = TeamPlace();
    body(&zero, &zero, arguments);
    place = before;
    return;
  }
  const ThreadLibrary &library = getLibrary();
  library.pushNumThreads(location, library.getGlobalThread(location), count);
  library.forkCall(location, 2, reinterpret_cast<void *>(&runPlace), body,
                   arguments);
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
