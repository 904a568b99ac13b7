//===- CompactionIndices.h - Places that differ -----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_ANALYSIS_COMPACTIONINDICES_H
#define SCAN_LIB_ANALYSIS_COMPACTIONINDICES_H

#include "Scan/IR/ScanDialect.h"

namespace mlir::scan {

/// The places of a stream compaction, which an output of a kernel has: where a
/// flag is, they count the flags before it, or up to it, and elsewhere they are
/// negative.
struct CompactionPlaces {
  KernelOp kernel;
  /// The number of the output, and what `store` yields for it.
  unsigned output;
  Value stored;
  /// The flag and its count, in `store`.
  Value flag, count;
  /// Whether counts are those of the flags before a step, and begin at zero.
  bool isFromZero;
  /// Up to how many steps no two places of a line that are not negative are
  /// equal: counts are integers of so many bits.
  /// std::numeric_limits<int64_t>::max() for any number of steps.
  int64_t mostSteps;
};

/// Those that `index` has along dimension `dim`, if it has any.
std::optional<CompactionPlaces> findCompaction(Value index, int64_t dim);

} // namespace mlir::scan

#endif // SCAN_LIB_ANALYSIS_COMPACTIONINDICES_H
