//===- BlockPlan.h - What a block does of a recurrence ----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels are planned to be whose thread blocks compute whole rows of a
// scan.recurrence. The emitter writes it beside the kernel, the manifest and
// --scan-explain read it there.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PLAN_BLOCKPLAN_H
#define SCAN_LIB_PLAN_BLOCKPLAN_H

#include "mlir/IR/BuiltinAttributes.h"

namespace mlir::scan {

/// Reductions of so many points at most are unrolled.
constexpr int64_t kMostUnrolled = 256;
/// So many at most of all rows of a batch tile.
constexpr int64_t kMostUnrolledRows = 2048;
/// The same where nothing stays in registers.
constexpr int64_t kMostUnrolledLoads = 64;
/// How many indices of the batch dimensions a block computes together at most.
constexpr int64_t kMostRows = 16;
/// How many steps ahead rows of inputs are loaded, unless a schedule says so.
constexpr int64_t kPrefetchedSteps = 2;

struct BlockPlan {
  /// Of a block.
  int64_t threads = 0;
  /// The batch tile: how many indices of the batch dimensions a block computes
  /// together.
  int64_t rows = 1;
  /// Bytes of shared memory: states and what a step computes.
  int64_t sharedBytes = 0;
  /// Buffers of each block that lie in global memory: they are too large for
  /// shared memory, or their extents are dynamic.
  int64_t temporaries = 0;
  /// What a step reads and none writes, *weights*: the 32-bit registers of each
  /// thread and the bytes of shared memory that hold them over all steps; how
  /// many of them each step reads from global memory, and the bytes of those
  /// that are known: there is no room for them, or their extents are dynamic.
  int64_t weightRegisters = 0;
  int64_t weightBytes = 0;
  int64_t streamedWeights = 0, streamedBytes = 0;
  /// Inputs whose rows are loaded `prefetchedSteps` steps ahead.
  int64_t prefetchedRows = 0;
  int64_t prefetchedSteps = kPrefetchedSteps;
  /// Loops and branches of a step that one thread does.
  int64_t oneThread = 0;

  /// As `scan.plan` of a kernel (docs/manifest.md, `plan`).
  DictionaryAttr getAttr(MLIRContext *context) const;
  /// Nothing if the plan is that of another kind of kernel.
  static std::optional<BlockPlan> get(DictionaryAttr attr);

  /// How many registers a thread of a block of `threads` that computes `rows`
  /// together has for what stays in them over all steps.
  static int64_t getRegisterBudget(int64_t threads, int64_t rows);
  /// Of reductions that are not unrolled: how many points' loads are in flight
  /// at a time.
  static int64_t getReductionStrip(int64_t rows) { return rows > 4 ? 8 : 16; }
};

} // namespace mlir::scan

#endif // SCAN_LIB_PLAN_BLOCKPLAN_H
