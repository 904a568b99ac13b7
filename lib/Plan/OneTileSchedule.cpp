//===- OneTileSchedule.cpp - Scans that a block holds whole ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneTileSchedule.h"
#include "IR/OperandMemory.h"
#include "IR/StepsRange.h"
#include "KernelOperands.h"
#include "KernelPlan.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::scan;

/// So many threads of a block may have all of the registers that tiles take.
static constexpr int64_t kMaxTileThreads = 512;

/// Registers of a thread for the words of its items, and the most items.
static constexpr int64_t kRowRegisters = 64, kMaxRowItems = 8;
static constexpr int64_t kColumnRegisters = 64, kMaxColumnItems = 16;

/// Threads of a block of columns, if some columns less make it so small.
static constexpr int64_t kUsualColumnThreads = 256;

/// Bytes of neighbouring columns that a block reads at one step: a sector; or
/// half of one where a block cannot hold more. The block of the next columns,
/// which runs at the same time, reads the other half.
static constexpr int64_t kSectorBytes = 32, kLeastColumnBytes = 16;

/// Calls `callback` for each input and output that varies along the scan
/// dimension.
static void
forVarying(KernelOp kernel,
           function_ref<void(Value, AffineMap, const Twine &)> callback) {
  auto visit = [&](ValueRange operands, ArrayRef<AffineMap> maps,
                   const char *what) {
    for (auto [i, operand, map] : llvm::enumerate(operands, maps))
      if (map.isFunctionOfDim(kernel.getDim()))
        callback(operand, map, what + Twine(i));
  };
  visit(kernel.getInputs(), kernel.getInputMaps(), "input #");
  visit(kernel.getOutputs(), kernel.getOutputMaps(), "output #");
}

std::string mlir::scan::findScattered(KernelOp kernel) {
  std::string found;
  forVarying(kernel, [&](Value operand, AffineMap map, const Twine &name) {
    if (found.empty() && !isContiguousAlong(operand, map, kernel.getDim()))
      found = name.str();
  });
  return found;
}

/// Whether neighbours along `dim` are neighbours in memory, in all operands
/// that vary along it and along the scan dimension; there has to be one.
static bool liesAlong(KernelOp kernel, unsigned dim) {
  bool all = true, any = false;
  forVarying(kernel, [&](Value operand, AffineMap map, const Twine &) {
    if (!map.isFunctionOfDim(dim))
      return;
    any = true;
    all &= isContiguousAlong(operand, map, dim);
  });
  return all && any;
}

/// Of a row: the inputs, and the states before and behind each step.
static int64_t getRowWords(ArrayRef<KernelOp> kernels) {
  int64_t words = 0;
  for (KernelOp kernel : kernels) {
    for (auto [input, map] :
         llvm::zip_equal(kernel.getInputs(), kernel.getInputMaps()))
      if (map.isFunctionOfDim(kernel.getDim()))
        words += KernelOp::getNumElements(input, map) *
                 getWords(getElementTypeOrSelf(input.getType()));
    for (Type type : kernel.getLeafTypes())
      words += 2 * getWords(type);
  }
  return words;
}

/// Of a column: the inputs, once each, and those leaves that a walk carries;
/// what one of the kernels reads of another stays in registers.
static int64_t getColumnWords(ArrayRef<KernelOp> kernels) {
  llvm::SmallSetVector<std::pair<Value, AffineMap>, 8> inputs;
  int64_t words = 0;
  for (KernelOp kernel : kernels) {
    for (auto [input, map] :
         llvm::zip_equal(kernel.getInputs(), kernel.getInputMaps()))
      if (map.isFunctionOfDim(kernel.getDim()) &&
          !llvm::is_contained(kernels, input.getDefiningOp<KernelOp>()))
        inputs.insert({input, map});
    for (auto [type, isCarried] :
         llvm::zip_equal(kernel.getLeafTypes(), kernel.getCarriedLeaves()))
      words += isCarried ? getWords(type) : 0;
  }
  for (auto [input, map] : inputs)
    words += KernelOp::getNumElements(input, map) *
             getWords(getElementTypeOrSelf(input.getType()));
  return words;
}

std::optional<TileNeeds> mlir::scan::getTileNeeds(ArrayRef<KernelOp> kernels) {
  TileNeeds needs;
  if (llvm::all_of(kernels, [](KernelOp kernel) {
        return findScattered(kernel).empty();
      })) {
    needs.words = getRowWords(kernels);
    return needs;
  }
  KernelOp first = kernels.front();
  auto areAlong = [&](unsigned dim) {
    return dim != first.getDim() && llvm::all_of(kernels, [&](KernelOp kernel) {
             return liesAlong(kernel, dim);
           });
  };
  if (llvm::none_of(llvm::seq<unsigned>(0, first.getDomainRank()), areAlong))
    return std::nullopt;
  needs.isColumn = true;
  needs.words = getColumnWords(kernels);
  needs.leastBytes = std::numeric_limits<int64_t>::max();
  for (KernelOp kernel : kernels)
    forVarying(kernel, [&](Value operand, AffineMap map, const Twine &) {
      int64_t bytes = KernelOp::getNumElements(operand, map) *
                      getStorageBytes(getElementTypeOrSelf(operand.getType()));
      needs.leastBytes = std::min(needs.leastBytes, bytes);
    });
  return needs;
}

std::optional<ScheduleAttr>
mlir::scan::getOneTileSchedule(MLIRContext *context, int64_t extent,
                               const TileNeeds &needs) {
  if (extent < 1)
    return std::nullopt;
  int64_t items = needs.isColumn ? kMaxColumnItems : kMaxRowItems;
  int64_t registers = needs.isColumn ? kColumnRegisters : kRowRegisters;
  while (items > 1 && items * needs.words > registers)
    items /= 2;
  // Groups of as many threads as there are scans side by side.
  int64_t groups = llvm::PowerOf2Ceil(llvm::divideCeil(extent, items));
  int64_t lanes = needs.isColumn ? kWarpSize : 1;
  auto narrow = [&](int64_t threads, int64_t bytes) {
    while (lanes > 1 && groups * lanes > threads &&
           lanes / 2 * needs.leastBytes >= bytes)
      lanes /= 2;
  };
  narrow(kUsualColumnThreads, kSectorBytes);
  narrow(kMaxTileThreads, kLeastColumnBytes);
  groups = std::max(groups, kWarpSize / lanes);
  int64_t threads = groups * lanes;
  if (threads > kMaxTileThreads)
    return std::nullopt;
  while (items > 1 && groups * items / 2 >= extent)
    items /= 2;
  if (!needs.isColumn)
    return ScheduleAttr::get(context, Strategy::Row, threads, items);
  return ScheduleAttr::get(context, Strategy::Column, threads, items,
                           /*rows=*/1, lanes, /*vector=*/1, Scope::Block);
}

std::optional<ScheduleAttr> mlir::scan::getOneTileSchedule(KernelOp kernel,
                                                           int64_t extent) {
  // Of what lies in no order at all, rows are as good as columns.
  std::optional<TileNeeds> needs = getTileNeeds(kernel);
  if (!needs)
    needs = {/*isColumn=*/false, getRowWords(kernel)};
  std::optional<ScheduleAttr> schedule =
      getOneTileSchedule(kernel.getContext(), extent, *needs);
  if (schedule &&
      KernelPlan::get(kernel, *schedule).wantedSharedBytes > kStaticSharedLimit)
    return std::nullopt;
  return schedule;
}

bool mlir::scan::isOneTile(int64_t extent, ScheduleAttr schedule) {
  return schedule.getStrategy() != Strategy::Sequential &&
         !schedule.isGridWide() && schedule.getRows() == 1 &&
         !ShapedType::isDynamic(extent) && extent >= 1 &&
         extent <= schedule.getTileSteps();
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
