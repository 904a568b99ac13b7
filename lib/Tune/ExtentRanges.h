//===- ExtentRanges.h - The extents to measure at ---------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TUNE_EXTENTRANGES_H
#define SCAN_LIB_TUNE_EXTENTRANGES_H

#include "Schedule/TuningPlan.h"
#include <string>
#include <vector>

namespace mlir::scan {

/// All combinations of the numbers in `ranges`, of which each is "NAME=N" or
/// "NAME=A:B", which stands for A, 2 A, 4 A and so on up to B; those of the
/// last range change first. The error is one line.
llvm::Expected<std::vector<std::vector<ExtentNumber>>>
expandExtents(ArrayRef<std::string> ranges);

} // namespace mlir::scan

#endif // SCAN_LIB_TUNE_EXTENTRANGES_H
