//===- SplitStatesCost.h - The time of lanes that share states --*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the time model that is about kernels in which the lanes of a warp
// share the states of scans (KernelKind::SplitStates), and walk the steps in
// chunks.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_SCHEDULE_SPLITSTATESCOST_H
#define SCAN_LIB_SCHEDULE_SPLITSTATESCOST_H

#include "Estimate.h"

namespace mlir::scan {

struct SplitStatesCost {
  /// Instructions of a lane for a step, and for a chunk besides.
  double step, chunk;
  /// How many times as long warps take for what the cache for instructions has
  /// not.
  double code;
  /// Nanoseconds before the first chunk, and those that a warp takes for a
  /// chunk where there is no other one.
  double start, latency;
  /// How well what a walk waits for hides behind the rest: the exponent of the
  /// norm of the times.
  double overlap;

  /// `words` are those of all varying operands for each scan and step, and
  /// `warps` run on a multiprocessor at a time.
  static SplitStatesCost get(const KernelPlan &plan, const KernelFacts &facts,
                             const GPUModel &gpu, double words, double warps);
};

} // namespace mlir::scan

#endif // SCAN_LIB_SCHEDULE_SPLITSTATESCOST_H
