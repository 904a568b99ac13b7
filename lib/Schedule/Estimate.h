//===- Estimate.h - How fast a schedule would be ----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model of a GPU that is good enough to rank schedules. A scan is bound by
// memory; what keeps it from the memory's speed is one of these:
//
//   * sectors of which only a part is used;
//   * too few bytes in flight to cover the memory's latency (Little's law:
//   bytes
//     in flight = bandwidth times latency);
//   * a chain of tiles, or steps, each of which waits for the one before;
//   * a last wave of blocks that leaves most of the GPU idle;
//   * arithmetic.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_SCHEDULE_ESTIMATE_H
#define SCAN_LIB_SCHEDULE_ESTIMATE_H

#include "Calibration.h"
#include "KernelFacts.h"
#include "Plan/KernelPlan.h"
#include <cmath>
#include <limits>

namespace mlir::scan {

/// Registers that each of so many threads of a block can have.
int64_t getAvailableRegisters(const Chip &chip, int64_t threads);

/// Bytes of shared memory that a block may have: what a kernel can declare, or,
/// if the kernel is persistent, what its launch can ask for.
int64_t getSharedLimit(ScheduleAttr schedule, const Chip &chip);

/// How many blocks a multiprocessor runs at a time, and why no more.
struct Occupancy {
  int64_t blocksPerSM;
  /// "registers", "shared memory", "threads", "blocks".
  StringRef limit;

  static Occupancy get(const Chip &chip, int64_t threads, int64_t registers,
                       int64_t sharedBytes);
};

struct Estimate {
  /// Steps of the scan dimension that a block handles at a time, and how many
  /// such tiles it handles one after the other.
  int64_t tileSteps, tilesPerBlock;
  int64_t blocks;
  /// Where these share the steps of packed sequences: those of the longest
  /// chunk for each of a share.
  double longestChunk = 1;
  /// Registers per thread, roughly; shared memory per block, in bytes.
  int64_t registers, sharedBytes;
  /// Whether ptxas said how many registers there are.
  bool areRegistersKnown;
  /// Instructions of a thread for a tile, but for those of spills; and those of
  /// the kernel's code, which are the most that a tile takes, or 0 where ptxas
  /// has not said it.
  double tileInstructions;
  int64_t codeInstructions;
  /// The same if there were no limit: what finds no room is accessed in a
  /// slower order, and times leave that out.
  int64_t wantedSharedBytes;
  Occupancy occupancy;
  /// Bytes of loads that wait at a time on a busy multiprocessor, and how many
  /// it takes to reach nine tenths of the memory's speed.
  double bytesInFlight, bytesNeeded;
  /// Bytes that the memory moves, with what is wasted of sectors.
  double traffic, compulsory;
  /// With the start of the kernel.
  double nanoseconds, lowerBoundNanoseconds;
  /// What the time is spent on: "memory", "too little in flight" (of loads, to
  /// keep the memory busy), "latency", "arithmetic".
  StringRef bound;

  /// Whether it was plain at once that it takes longer than was asked for.
  bool isCutShort() const { return std::isinf(nanoseconds); }
  double getFractionOfLowerBound() const {
    return lowerBoundNanoseconds / nanoseconds;
  }
};

/// An estimate of `plan`; cut short where it plainly takes more than `most`
/// nanoseconds.
Estimate
estimateSchedule(const KernelPlan &plan, const KernelFacts &facts,
                 const GPUModel &gpu,
                 double most = std::numeric_limits<double>::infinity());

} // namespace mlir::scan

#endif // SCAN_LIB_SCHEDULE_ESTIMATE_H
