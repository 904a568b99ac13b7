//===- ScheduleLegality.cpp - Which schedules a kernel can have -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleLegality.h"
#include "IR/Divisions.h"
#include "KernelPlan.h"
#include "SegmentChunks.h"
#include "StateSplit.h"

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
  if (schedule.getStrategy() == Strategy::Sequential && schedule.getRows() != 1)
    return UnsupportedPart{
        ("blocks of " + Twine(schedule.getRows()) +
         " rows with the strategy sequential, whose threads have a lane each")
            .str(),
        "one row"};
  return std::nullopt;
}

/// Whether the lanes that share a scan can have equal parts of its states.
static LogicalResult checkSharedStates(KernelOp kernel, ScheduleAttr schedule) {
  int64_t sharing = schedule.getThreadsPerState();
  auto expect = [&]() {
    return kernel.emitOpError()
           << "expected a kernel whose states " << sharing
           << " threads can share, for the strategy sequential with "
           << schedule.getLanes() << " lanes";
  };
  if (kernel.getOrder() == Order::Sequential)
    return expect() << ", found the order sequential, in which threads may not "
                       "add up what they have; leave out lanes";
  std::optional<StateSplit> split = StateSplit::get(kernel);
  if (!split)
    return expect()
           << ": one that was unrolled over a dimension, has an init, computes "
              "the same for each index and joins the results by sums only; "
              "leave out lanes";
  if (split->parts % sharing != 0)
    return expect() << ", found " << split->parts
                    << " equal parts of its states; use at least "
                    << kWarpSize / split->parts << " lanes";
  if (!schedule.walksTilesTwice())
    return success();
  if (std::string problem = getTilesOfStatesProblem(kernel); !problem.empty())
    return kernel.emitOpError()
           << "expected " << problem << ", for the strategy sequential with "
           << (schedule.isGridWide()
                   ? "scope = grid; leave out scope and blocks"
                   : "warps that share the steps of a scan; "
                     "leave out warps");
  return success();
}

std::string mlir::scan::getTilesOfStatesProblem(KernelOp kernel) {
  if (kernel.isBidirectional())
    return "leaves of one direction";
  // Before the first step of a tile there is no state to combine.
  if (hasUnsafeOperation(kernel.getCombine()))
    return "a combine region without operations that may fail, such as "
           "divisions of integers";
  return "";
}

std::string mlir::scan::getBulkCopyProblem(KernelOp kernel,
                                           ScheduleAttr schedule) {
  for (auto [number, input, map] :
       llvm::enumerate(kernel.getInputs(), kernel.getInputMaps())) {
    auto describe = [&, number = number](StringRef expected) {
      return (expected + " (input " + Twine(number) + ")").str();
    };
    if (kernel.isSegmentOffsets(number))
      continue;
    if (kernel.isGathered(number))
      return describe("no gathered inputs");
    if (!map.isFunctionOfDim(kernel.getDim()))
      continue;
    if (kernel.getShift(number) != 0)
      return describe("no shifted inputs");
    TransposeLayout layout =
        TransposeLayout::get(input, map, kernel.getDim(),
                             schedule.getThreadsPerScan(), schedule.getItems());
    if (!isContiguousAlong(input, map, kernel.getDim()))
      return describe("inputs that are contiguous along the scan dimension");
    // These need no transposition, and so have no buffer.
    if (layout.slots == 0)
      return describe("more than one element of each input for a thread") +
             ", found one with " + std::to_string(schedule.getItems()) +
             " items";
    int64_t bytes = layout.length * layout.elementBytes;
    if (bytes != kMaxVectorBytes || layout.group != 0)
      return describe("an odd number of vectors of 16 bytes of each input for "
                      "a thread") +
             ", found " + std::to_string(layout.perThread * bytes) +
             " bytes with " + std::to_string(schedule.getItems()) + " items";
  }
  for (unsigned number = 0; number < kernel.getOutputs().size(); ++number)
    if (kernel.isReduction(number))
      return ("no reduction outputs (output " + Twine(number) + ")").str();
  return "";
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
  if (schedule.sharesStates() && failed(checkSharedStates(kernel, schedule)))
    return failure();
  if (std::string expected;
      schedule.splitsSegments() && !SegmentChunks::get(kernel, &expected))
    return kernel.emitOpError()
           << "expected " << expected
           << ", for the strategy column with blocks that share the steps of "
              "packed sequences; leave out blocks";
  if (schedule.isWarpSpecialized())
    if (std::string problem = getBulkCopyProblem(kernel, schedule);
        !problem.empty())
      return kernel.emitOpError()
             << "expected " << problem
             << ", for the bulk copies of a schedule with stages; change items "
                "or leave out stages";
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
  // A kernel is planned for any GPU: one with less may have too little.
  if (bytes <= limit && limit < getSharedLimit(schedule))
    bytes = KernelPlan::get(kernel, schedule).sharedBytes;
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
