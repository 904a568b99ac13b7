//===- RowCost.h - What blocks that walk rows take --------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the time model that is about kernels with a thread block for each
// row, or for some rows, where several threads share a row and states are not
// wide.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_SCHEDULE_ROWCOST_H
#define SCAN_LIB_SCHEDULE_ROWCOST_H

#include "Estimate.h"
#include <optional>

namespace mlir::scan {

/// Neutral for other kernels.
struct RowCost {
  /// What its accesses take, in the time of those of a block whose threads make
  /// few loads at a time, of long parts of a row.
  double accesses = 1;
  /// What counts of the latency of tiles, and of the start of a block.
  double latency = 1, block = 1;
  /// Instructions of a thread and tile that pass on states.
  double instructions = 0;
  /// How well what a tile waits for hides behind the rest: the exponent of the
  /// norm of the times.
  std::optional<double> overlap;

  static RowCost get(const KernelPlan &plan, const KernelFacts &facts,
                     const Estimate &estimate);
};

} // namespace mlir::scan

#endif // SCAN_LIB_SCHEDULE_ROWCOST_H
