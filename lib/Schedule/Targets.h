//===- Targets.h - What GPU chips offer -------------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_SCHEDULE_TARGETS_H
#define SCAN_LIB_SCHEDULE_TARGETS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace mlir::scan {

/// A GPU architecture.
struct Target {
  llvm::StringRef chip;
  int64_t warpSize;
  int64_t maxThreadsPerBlock;
  int64_t maxThreadsPerSM;
  int64_t maxBlocksPerSM;
  /// 32-bit registers of one multiprocessor, and the most that one thread gets.
  int64_t registersPerSM;
  int64_t maxRegistersPerThread;
  /// Bytes that a block has without asking the driver for more; those that it
  /// can ask for; those of the whole multiprocessor.
  int64_t staticSharedPerBlock;
  int64_t maxSharedPerBlock;
  int64_t sharedPerSM;
  /// Multiprocessors and memory bandwidth (bytes per nanosecond) of a frequent
  /// product with this architecture.
  int64_t numSMs;
  int64_t bandwidth;
};

/// The target for `chip` ("sm_90"; a feature suffix as in "sm_90a" is allowed),
/// or null if it is not known.
const Target *findTarget(llvm::StringRef chip);

/// The names of all known chips, for diagnostics: "sm_75, sm_80, ...".
std::string listTargets();

} // namespace mlir::scan

#endif // SCAN_LIB_SCHEDULE_TARGETS_H
