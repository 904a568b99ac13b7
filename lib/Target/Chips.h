//===- Chips.h - The GPUs that programs are compiled for --------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one table of GPUs: code generation reads the PTX version of a chip, the
// choice of schedules its limits and speeds. What was measured of a chip is in
// lib/Schedule/Chips.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_CHIPS_H
#define SCAN_LIB_TARGET_CHIPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::scan {

/// A GPU architecture, and the product that stands for it.
struct Chip {
  /// As ptxas calls it: "sm_90".
  llvm::StringLiteral name;
  /// major * 10 + minor.
  unsigned computeCapability;
  /// The PTX ISA version written for it, major * 10 + minor: old enough for
  /// old drivers, new enough for every instruction that kernels use.
  unsigned ptxIsa;

  /// Limits of a multiprocessor.
  int64_t maxThreadsPerSM, maxBlocksPerSM;
  /// Bytes of shared memory that a thread block can ask the driver for, and
  /// those of the multiprocessor.
  int64_t maxSharedPerBlock, sharedPerSM;

  /// A frequent product with this architecture: its multiprocessors, the clock
  /// that they boost to in GHz, and the peak memory bandwidth in bytes per
  /// nanosecond.
  llvm::StringLiteral product;
  int64_t numSMs;
  double clock;
  int64_t bandwidth;

  /// The same on every chip so far. 32-bit registers.
  int64_t maxThreadsPerBlock = 1024;
  int64_t registersPerSM = 65536;
  int64_t maxRegistersPerThread = 255;
};

/// Every chip that `--chip` accepts, oldest first.
llvm::ArrayRef<Chip> getKnownChips();

/// The chip called `name`; null if there is none.
const Chip *lookupChip(llvm::StringRef name);

/// The same for a name that may end in a feature suffix, as in "sm_90a": chips
/// with architecture-specific features have the limits of those without.
const Chip *lookupChipWithFeatures(llvm::StringRef name);

/// The newest known chip whose PTX a GPU of this compute capability (major * 10
/// + minor) runs; null if it is too old.
const Chip *lookupNewestChip(unsigned computeCapability);

/// "sm_75, sm_80, ...", for diagnostics.
std::string getKnownChipNames();

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_CHIPS_H
