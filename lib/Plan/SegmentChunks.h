//===- SegmentChunks.h - Steps of packed sequences by blocks ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No state crosses the start of a packed sequence. Thread blocks can therefore
// share the steps of a scan without telling each other anything: each takes a
// chunk of them that begins at a head flag. Which kernels that is right for is
// decided here: the schedule is legal for no others.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PLAN_SEGMENTCHUNKS_H
#define SCAN_LIB_PLAN_SEGMENTCHUNKS_H

#include "Scan/IR/ScanDialect.h"

namespace mlir::scan {

/// The head flag of a kernel whose steps blocks can share.
struct SegmentChunks {
  /// What the load region yields as the flag, an i1: where it is true, the
  /// states before the step reach neither the states behind it nor an output.
  Value flag;
  /// The inputs that it is computed from, each of one element for a step.
  SmallVector<unsigned> inputs;
  /// The operations of the load region that compute it from these, in order.
  SmallVector<Operation *> operations;

  /// The flag of `kernel`; none if it has no such flag, and then `expected`, if
  /// given, is what a kernel should have.
  static std::optional<SegmentChunks> get(KernelOp kernel,
                                          std::string *expected = nullptr);
};

} // namespace mlir::scan

#endif // SCAN_LIB_PLAN_SEGMENTCHUNKS_H
