//===- OneTileSchedule.cpp - Rows that a block holds whole ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneTileSchedule.h"
#include "IR/OperandMemory.h"
#include "IR/StepsRange.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;

/// Registers of a thread for what getWordsPerStep counts.
static constexpr int64_t kTileRegisters = 64;
/// So many threads may have all of these registers.
static constexpr int64_t kMaxTileThreads = 512;
static constexpr int64_t kMaxTileItems = 8;

int64_t mlir::scan::getWordsPerStep(KernelOp kernel) {
  auto getWords = [](Type type) {
    return llvm::divideCeil(getStorageBytes(type), 4);
  };
  int64_t words = 0;
  for (auto [input, map] :
       llvm::zip_equal(kernel.getInputs(), kernel.getInputMaps()))
    if (map.isFunctionOfDim(kernel.getDim()))
      words += KernelOp::getNumElements(input, map) *
               getWords(getElementTypeOrSelf(input.getType()));
  for (Type type : kernel.getLeafTypes())
    words += 2 * getWords(type);
  return words;
}

std::optional<ScheduleAttr>
mlir::scan::getOneTileSchedule(MLIRContext *context, int64_t extent,
                               int64_t wordsPerStep) {
  int64_t items = kMaxTileItems;
  while (items > 1 && items * wordsPerStep > kTileRegisters)
    items /= 2;
  int64_t threads = 32;
  while (threads < kMaxTileThreads && threads * items < extent)
    threads *= 2;
  while (items > 1 && threads * items / 2 >= extent)
    items /= 2;
  auto schedule = ScheduleAttr::get(context, Strategy::Row, threads, items);
  if (!isOneTile(extent, schedule))
    return std::nullopt;
  return schedule;
}

bool mlir::scan::isOneTile(int64_t extent, ScheduleAttr schedule) {
  return schedule.getStrategy() == Strategy::Row && !schedule.isGridWide() &&
         schedule.getRows() == 1 && !ShapedType::isDynamic(extent) &&
         extent >= 1 && extent <= schedule.getTileSteps();
}

bool mlir::scan::isScannedInOneTile(KernelOp kernel, ScheduleAttr schedule) {
  int64_t extent = kernel.getStaticDomainShape()[kernel.getDim()];
  if (!ShapedType::isDynamic(extent))
    return isOneTile(extent, schedule);
  StepsRange range = getStepsRange(kernel);
  return range.isLimited() &&
         isOneTile(std::max<int64_t>(range.most, 1), schedule);
}

int64_t mlir::scan::getTiledExtent(KernelOp kernel, ScheduleAttr schedule) {
  int64_t extent = kernel.getStaticDomainShape()[kernel.getDim()];
  StepsRange range = getStepsRange(kernel);
  if (!ShapedType::isDynamic(extent) || !range.isLimited())
    return extent;
  return std::clamp<int64_t>(range.most, 1, schedule.getTileSteps());
}
