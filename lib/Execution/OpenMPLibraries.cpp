//===- OpenMPLibraries.cpp - The run-time libraries of OpenMP -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenMPLibraries.h"

#include <atomic>
#include <cstdlib>
#ifdef __linux__
#include <dlfcn.h>
#include <pthread.h>
#endif

using namespace mlir;
using namespace mlir::scan;

#ifdef __linux__

/// Whether the library has a function of that name, which `function` becomes.
template <typename Function>
static bool findFunction(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

static void *findLibomp() {
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
  if (dladdr(reinterpret_cast<void *>(&findLibomp), &self) && self.dli_fname) {
    std::string path = self.dli_fname;
    path.resize(path.find_last_of('/') + 1);
    if (void *handle =
            dlopen((path + "libomp.so.5").c_str(), RTLD_NOW | RTLD_LOCAL))
      return handle;
  }
  return dlopen("libomp.so.5", RTLD_NOW | RTLD_LOCAL);
}

static LLVMOpenMP loadLibomp() {
  LLVMOpenMP library;
  void *handle = findLibomp();
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
    isComplete &= findFunction(handle, name, function);
  };
  find(library.getGlobalThread, "__kmpc_global_thread_num");
  find(library.pushNumThreads, "__kmpc_push_num_threads");
  find(library.forkCall, "__kmpc_fork_call");
  find(library.getMaxThreads, "omp_get_max_threads");
  find(library.getNumThreads, "omp_get_num_threads");
  find(library.inParallel, "omp_in_parallel");
  if (!isComplete)
    library.reason = "expected the run-time library of OpenMP to be that of "
                     "LLVM, libomp.so.5, found one without its functions; "
                     "SCAN_LIBOMP may name another; one thread is used";
  return library;
}

static std::atomic<bool> isForked{false};

static const GNUOpenMP *loadGNUOpenMP() {
  // A handle that stays: nobody may unload what threads run in.
  void *handle = dlopen("libgomp.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!handle)
    return nullptr;
  static GNUOpenMP library;
  static bool isComplete =
      findFunction(handle, "GOMP_parallel", library.parallel) &&
      findFunction(handle, "omp_get_thread_num", library.getThread) &&
      findFunction(handle, "omp_get_num_threads", library.getNumThreads) &&
      findFunction(handle, "omp_in_parallel", library.inParallel) &&
      pthread_atfork(nullptr, nullptr, [] { isForked = true; }) == 0;
  return isComplete ? &library : nullptr;
}

const GNUOpenMP *mlir::scan::findGNUOpenMP() {
  static std::atomic<const GNUOpenMP *> found{nullptr};
  if (const GNUOpenMP *library = found)
    return library;
  const GNUOpenMP *library = loadGNUOpenMP();
  found = library;
  return library;
}

bool mlir::scan::canForkGNUOpenMP() { return !isForked; }

#else

static LLVMOpenMP loadLibomp() {
  LLVMOpenMP library;
  library.reason = "threads are not supported on this system; one is used";
  return library;
}
const GNUOpenMP *mlir::scan::findGNUOpenMP() { return nullptr; }
bool mlir::scan::canForkGNUOpenMP() { return false; }

#endif

const LLVMOpenMP &mlir::scan::getLLVMOpenMP() {
  static const LLVMOpenMP library = loadLibomp();
  return library;
}
