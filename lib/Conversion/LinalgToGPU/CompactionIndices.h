//===- CompactionIndices.h - Places that differ -----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_LINALGTOGPU_COMPACTIONINDICES_H
#define SCAN_LIB_CONVERSION_LINALGTOGPU_COMPACTIONINDICES_H

#include "Scan/IR/ScanDialect.h"

namespace mlir::scan {

/// If `index` has places of a stream compaction along dimension `dim`, up to
/// how many steps no two of a line are equal that are not negative: they count
/// the flags before each flag, in integers of so many bits, and are negative
/// where no flag is. std::numeric_limits<int64_t>::max() for any number of
/// steps.
std::optional<int64_t> getDistinctPlaces(Value index, int64_t dim);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_LINALGTOGPU_COMPACTIONINDICES_H
