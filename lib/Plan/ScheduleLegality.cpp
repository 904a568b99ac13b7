//===- ScheduleLegality.cpp - Which schedules a kernel can have -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleLegality.h"
#include "KernelPlan.h"

using namespace mlir;
using namespace mlir::scan;

std::optional<UnsupportedPart>
mlir::scan::getUnsupportedPart(ScheduleAttr schedule) {
  int64_t rowThreads = schedule.getThreadsPerScan();
  if (schedule.getStrategy() == Strategy::Row && rowThreads % kWarpSize != 0 &&
      !llvm::isPowerOf2_64(rowThreads))
    return UnsupportedPart{
        ("rows of " + Twine(rowThreads) + " threads each").str(),
        "threads that are a power of two"};
  return std::nullopt;
}

LogicalResult mlir::scan::checkIsSupported(KernelOp kernel,
                                           ScheduleAttr schedule) {
  if (kernel.hasSegmentOffsets() && schedule.getStrategy() != Strategy::Row)
    return kernel.emitOpError()
           << "expected the strategy row for a kernel with lists of segment "
              "offsets, "
              "found "
           << stringifyStrategy(schedule.getStrategy())
           << "; read flags instead, as "
              "--scan-fuse-segment-offsets=max-scans=0 leaves "
              "them";
  std::optional<UnsupportedPart> part = getUnsupportedPart(schedule);
  if (!part)
    return success();
  return kernel.emitOpError()
         << "expected a schedule that a GPU kernel can follow, found "
         << part->found << ", which is not supported; use " << part->instead;
}

LogicalResult mlir::scan::checkSharedMemory(KernelOp kernel,
                                            ScheduleAttr schedule,
                                            int64_t limit, const Twine &where) {
  int64_t bytes = KernelPlan::get(kernel, schedule, limit).requiredSharedBytes;
  if (bytes <= limit)
    return success();
  InFlightDiagnostic diagnostic =
      kernel.emitOpError() << "expected a schedule with at most " << limit
                           << " bytes of shared memory per block" << where
                           << ", found " << schedule.getThreads() << " threads";
  if (schedule.getStrategy() == Strategy::Column)
    return diagnostic << " in " << schedule.getLanes() << " lanes with "
                      << schedule.getVector() << " columns each, which take "
                      << bytes << " bytes; lower threads, lanes or vector";
  return diagnostic << " with " << schedule.getItems() << " items, which take "
                    << bytes << " bytes; lower threads or items";
}
