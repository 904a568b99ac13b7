//===- HostThreads.h - The threads of compiled host code --------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that is compiled with threads, for this process, asks these functions
// for a team of threads; they get it from the run-time library of OpenMP,
// libomp, which is found when it is first needed. At most one call at a time
// has a team: calls that overlap in time, and calls out of a parallel region of
// OpenMP, run on their own thread alone, so that there are never more threads
// than were asked for.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_EXECUTION_HOSTTHREADS_H
#define SCAN_EXECUTION_HOSTTHREADS_H

#include "mlir/IR/Location.h"
#include <optional>
#include <string>

namespace mlir::scan {

/// How many threads a team has from now on, in this process; 0: as many as
/// OpenMP says, which is OMP_NUM_THREADS, or one per processor that this
/// process may run on. At first it is what the environment variable
/// SCAN_NUM_THREADS says, or 1. Results do not depend on it. May be called by
/// any thread.
void setHostThreads(unsigned count);
/// The number that was set, or that of OpenMP in the place of 0. It is 1 where
/// there is no libomp.
unsigned getHostThreads();

/// How code is compiled.
struct HostThreadCode {
  /// Whether it has parallel regions, which it has unless the number of threads
  /// is 1. What has none stays on one thread later, too.
  bool threads = false;
  /// From which work on a kernel is divided, as `thread-work` of
  /// --convert-scan-to-loops; none: its default. The environment variable
  /// SCAN_THREAD_WORK says it.
  std::optional<unsigned> threadWork;
};
/// Warns at `location` of environment variables that are no numbers.
HostThreadCode getHostThreadCode(Location location);

/// Whether libomp can be used. If it cannot, `reason` is a sentence that says
/// why, and what to do.
bool findThreadLibrary(std::string &reason);
/// Warns at `location`, once in a process, if it cannot.
void warnWithoutThreadLibrary(Location location);

} // namespace mlir::scan

#endif // SCAN_EXECUTION_HOSTTHREADS_H
