//===- OpenMPLibraries.h - The run-time libraries of OpenMP -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads of a team come from a library of OpenMP that is in the process, as
// two of them would compute on each processor otherwise: idle threads of both
// libraries keep looking for work for a while. Frameworks load GNU's at any
// time; without it, it is LLVM's, which this library finds itself.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_EXECUTION_OPENMPLIBRARIES_H
#define SCAN_LIB_EXECUTION_OPENMPLIBRARIES_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <string>

namespace mlir::scan {

/// What is called of libomp.
struct LLVMOpenMP {
  int32_t (*getGlobalThread)(void *location) = nullptr;
  void (*pushNumThreads)(void *location, int32_t thread,
                         int32_t count) = nullptr;
  void (*forkCall)(void *location, int32_t count, void *body, ...) = nullptr;
  int (*getMaxThreads)() = nullptr;
  int (*getNumThreads)() = nullptr;
  int (*inParallel)() = nullptr;
  std::string reason; ///< Why it cannot be used; empty if it can.
};

/// The libomp of this process, which is loaded if there is none.
const LLVMOpenMP &getLLVMOpenMP();

/// What is called of libgomp.
struct GNUOpenMP {
  void (*parallel)(void (*body)(void *), void *arguments, unsigned count,
                   unsigned flags) = nullptr;
  int (*getThread)() = nullptr;
  int (*getNumThreads)() = nullptr;
  int (*inParallel)() = nullptr;
};

/// The libgomp of this process; null if there is none.
const GNUOpenMP *findGNUOpenMP();

/// Whether libgomp can have a team: its threads do not exist in a child of
/// fork, where it would wait for them.
bool canForkGNUOpenMP();

} // namespace mlir::scan

#endif // SCAN_LIB_EXECUTION_OPENMPLIBRARIES_H
