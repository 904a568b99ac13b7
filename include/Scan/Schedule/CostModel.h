//===- CostModel.h - Which schedule suits a scan ----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_SCHEDULE_COSTMODEL_H
#define SCAN_SCHEDULE_COSTMODEL_H

#include "Scan/IR/ScanDialect.h"
#include "Scan/Schedule/Targets.h"

namespace mlir::scan {

/// What the cost model knows about a kernel. Extents are assumed where they
/// are dynamic; tensors are taken to be row-major.
struct KernelFacts {
  /// Extent of the scan dimension, and product of the others.
  int64_t extent, points;
  bool isExtentStatic, arePointsStatic;
  /// Bytes read and bytes moved in either direction per point and step.
  int64_t bytesRead, bytesMoved;
  /// Of the bytes moved, those of operands whose neighbours along the scan
  /// dimension, or along one other dimension, are neighbours in memory.
  int64_t bytesContiguousInScan, bytesContiguousAcross;
  /// 32-bit registers for the input elements of one step, and for one state.
  int64_t inputWords, stateWords;

  static KernelFacts get(KernelOp kernel);
};

/// Chooses a schedule for `kernel` on `target`.
ScheduleAttr chooseSchedule(KernelOp kernel, const Target &target);

/// Emits an error at `kernel` if its schedule breaks a limit of `target`.
LogicalResult checkSchedule(KernelOp kernel, ScheduleAttr schedule,
                            const Target &target);

} // namespace mlir::scan

#endif // SCAN_SCHEDULE_COSTMODEL_H
