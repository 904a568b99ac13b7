//===- TimeModel.h - How long the parts of a kernel take --------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIB_SCAN_SCHEDULE_TIMEMODEL_H
#define LIB_SCAN_SCHEDULE_TIMEMODEL_H

#include "Estimate.h"

namespace mlir::scan {

/// Of the time between the start of a kernel's first block and the end of its
/// last one: what each of these would take if there were nothing else, and what
/// they take together. Nanoseconds.
struct Times {
  double memory, latency, arithmetic;
  double total;
  /// Instructions of a thread for a tile, without those of spills; none where
  /// the total is infinite.
  double tileInstructions;
};

/// How many times the bytes that a warp reads side by side, `bytes` of them in
/// whole sectors, take of the memory's time because they are no whole line, if
/// each halving costs `partialLine` of it.
double getPartOfLineCost(double partialLine, double bytes);

/// The hardware fetches memory in sectors of so many bytes, and is at its best
/// with whole lines.
inline constexpr double kSectorBytes = 32;
inline constexpr double kLineBytes = 128;

/// The times of a kernel of which `estimate` has the tiles, the blocks, the
/// occupancy and the traffic. Where one of them alone takes more than `most`,
/// the total is infinite.
Times estimateTimes(const KernelPlan &plan, const KernelFacts &facts,
                    const Estimate &estimate, const GPUModel &gpu, double most);

} // namespace mlir::scan

#endif // LIB_SCAN_SCHEDULE_TIMEMODEL_H
