//===- ScheduleLegality.h - Which schedules a kernel can have ---*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PLAN_SCHEDULELEGALITY_H
#define SCAN_LIB_PLAN_SCHEDULELEGALITY_H

#include "Scan/IR/ScanDialect.h"

namespace mlir::scan {

/// What of a schedule the conversion does not support, and what to use instead.
struct UnsupportedPart {
  std::string found;
  StringRef instead;
};
std::optional<UnsupportedPart> getUnsupportedPart(ScheduleAttr schedule);
/// What keeps bulk copies from loading the tiles of `kernel` under `schedule`,
/// which has stages, as the end of "expected ..., for stages"; empty if nothing
/// does.
std::string getBulkCopyProblem(KernelOp kernel, ScheduleAttr schedule);
/// What keeps blocks from sharing the steps of scans of `kernel`, of which
/// lanes share the states (sequential over the grid), in the same way.
std::string getTilesOfStatesProblem(KernelOp kernel);
/// Emits an error at `kernel` if there is such a part.
LogicalResult checkIsSupported(KernelOp kernel, ScheduleAttr schedule);

/// Emits an error at `kernel` if under `schedule` it cannot do with `limit`
/// bytes of shared memory per thread block; `where`, which may be empty, says
/// what has that limit (" for sm_90").
LogicalResult checkSharedMemory(KernelOp kernel, ScheduleAttr schedule,
                                int64_t limit, const Twine &where);

} // namespace mlir::scan

#endif // SCAN_LIB_PLAN_SCHEDULELEGALITY_H
