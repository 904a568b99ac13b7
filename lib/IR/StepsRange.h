//===- StepsRange.h - Between which extents a kernel runs -------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the host chooses by the extent of the scanned dimension, a kernel is
// run with some extents only, although its types say nothing. The discardable
// attribute `scan.steps_range` of a `scan.kernel` promises which: it is
// `array<i64: LEAST, MOST>`, both included, or `array<i64: LEAST>`. Whoever
// adds it runs the kernel under that condition. Without it all that a lowering
// loses is what it could have done for the extents in the range. Where passes
// find out later that the extent is one outside of the range, the kernel is not
// run at all; it stays valid. `scan.scans_range` says the same of the number of
// scans: the product of the other extents.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_STEPSRANGE_H
#define SCAN_LIB_IR_STEPSRANGE_H

#include "Scan/IR/ScanDialect.h"
#include <limits>

namespace mlir::scan {

inline constexpr llvm::StringLiteral kStepsRangeAttrName = "scan.steps_range";
inline constexpr llvm::StringLiteral kScansRangeAttrName = "scan.scans_range";

/// Extents of the scanned dimension, in steps, or numbers of scans.
struct StepsRange {
  static constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();
  int64_t least = 0, most = kUnlimited;

  bool contains(int64_t steps) const { return least <= steps && steps <= most; }
  bool isLimited() const { return most != kUnlimited; }
  /// "steps <= 1024", "steps >= 1025", "1025 <= steps <= 4096".
  std::string describe() const;
};

/// The static extent, or what the attribute promises, or all extents.
StepsRange getStepsRange(KernelOp kernel);

/// True if the attribute says when the kernel is run.
inline bool hasStepsRange(KernelOp kernel) {
  return kernel->hasAttr(kStepsRangeAttrName);
}

void setStepsRange(KernelOp kernel, StepsRange range);

/// What the attribute promises of the number of scans, or all numbers.
StepsRange getScansRange(KernelOp kernel);
void setScansRange(KernelOp kernel, StepsRange range);

namespace impl {
/// Emits an error unless `attribute`, of one of these names, is such an
/// attribute and `op` a kernel.
LogicalResult verifyRange(Operation *op, NamedAttribute attribute);
} // namespace impl

} // namespace mlir::scan

#endif // SCAN_LIB_IR_STEPSRANGE_H
