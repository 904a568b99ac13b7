//===- KernelPlan.cpp - What a scheduled kernel will be -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelPlan.h"
#include "LookBack/GridWorkspace.h"
#include "OneTileSchedule.h"
#include "Primitives/BlockScan.h"
#include "Primitives/ColumnScan.h"
#include "Primitives/OneTileScan.h"
#include "RegisterEstimate.h"
#include "Tile/SegmentMasks.h"

using namespace mlir;
using namespace mlir::scan;

/// Tiles of a persistent kernel whose inputs are in shared memory: one is
/// scanned, one waits for the state before it, one is stored.
static constexpr int64_t kPipelineStages = 3;

/// Words per thread that the next tile of a row may take up in registers.
static constexpr int64_t kMaxPrefetchedWords = 16;

static KernelKind getKind(KernelOp kernel, ScheduleAttr schedule,
                          int64_t extent) {
  // Otherwise it is split into one kernel for each direction.
  if (kernel.isBidirectional() && isOneTile(extent, schedule))
    return KernelKind::Bidirectional;
  switch (schedule.getStrategy()) {
  case Strategy::Sequential:
    return KernelKind::Sequential;
  case Strategy::Row:
    if (schedule.isPersistent())
      return KernelKind::PersistentRow;
    return schedule.isGridWide() ? KernelKind::GridRow : KernelKind::Row;
  case Strategy::Column:
    return schedule.isGridWide() ? KernelKind::GridColumn : KernelKind::Column;
  }
  llvm_unreachable("unknown strategy");
}

namespace {
class Planner {
public:
  Planner(KernelOp kernel, ScheduleAttr schedule, int64_t sharedLimit)
      : kernel(kernel), schedule(schedule), sharedLimit(sharedLimit),
        extent(kernel.getStaticDomainShape()[kernel.getDim()]) {
    plan.kind = getKind(kernel, schedule, extent);
    plan.schedule = schedule;
    plan.vector = schedule.getVector();
  }

  KernelPlan take();

private:
  /// What a kernel of these kinds needs is placed in the order in which the
  /// emitters allocate it.
  void addRegion(StringRef name, int64_t bytes) {
    if (bytes == 0)
      return;
    plan.regions.push_back({name, plan.sharedBytes, bytes});
    plan.sharedBytes += bytes;
  }
  void addGridRegions(int64_t states);
  void planRow();
  OperandPlan planOperand(Value operand, AffineMap map, bool isReduction,
                          bool isOffsets, int64_t tiles, int64_t &room);
  bool prefetches();

  KernelOp kernel;
  ScheduleAttr schedule;
  int64_t sharedLimit, extent;
  KernelPlan plan;
};
} // namespace

void Planner::addGridRegions(int64_t states) {
  addRegion("tickets", GridWorkspace::getSharedBytes());
  addRegion("states before tiles", SharedStates::getBytes(kernel, states));
  plan.descriptorBytes = getDescriptorBytes(kernel, schedule);
  // Aggregate and prefix are written, and the prefix of the tile before is
  // read.
  constexpr int64_t descriptors = 3;
  plan.lookBackBytes =
      descriptors * plan.descriptorBytes + RowStarts::getReadBytes(kernel);
}

OperandPlan Planner::planOperand(Value operand, AffineMap map, bool isReduction,
                                 bool isOffsets, int64_t tiles, int64_t &room) {
  OperandPlan result;
  if (isOffsets) {
    result.access = OperandPlan::Access::SegmentOffsets;
    return result;
  }
  if (isReduction || !map.isFunctionOfDim(kernel.getDim())) {
    result.access = OperandPlan::Access::Invariant;
    return result;
  }
  result.layout =
      TransposeLayout::get(operand, map, kernel.getDim(), schedule.getThreads(),
                           schedule.getItems());
  int64_t bytes = tiles * result.layout.getBytes();
  plan.wantedSharedBytes += bytes;
  if (bytes == 0 || bytes > room)
    return result;
  room -= bytes;
  result.access = OperandPlan::Access::Transposed;
  addRegion("tiles", bytes);
  return result;
}

/// A block that walks many tiles reads the next one while it combines, where
/// registers can hold both.
bool Planner::prefetches() {
  if (schedule.getRows() != 1 ||
      (!ShapedType::isDynamic(extent) && extent < 2 * schedule.getTileSteps()))
    return false;
  int64_t bytes = 0;
  for (auto [input, map, operand] :
       llvm::zip_equal(kernel.getInputs(), kernel.getInputMaps(), plan.inputs))
    if (operand.access == OperandPlan::Access::Direct ||
        operand.access == OperandPlan::Access::Transposed)
      bytes += schedule.getItems() * KernelOp::getNumElements(input, map) *
               getStorageBytes(getElementTypeOrSelf(input.getType()));
  return llvm::divideCeil(bytes, 4) <= kMaxPrefetchedWords;
}

void Planner::planRow() {
  bool isPersistent = plan.kind == KernelKind::PersistentRow;
  if (isPersistent) {
    plan.stages = kPipelineStages;
    // The offsets of one more tile are looked up ahead.
    plan.maskStages = kPipelineStages + 1;
  } else if (plan.kind == KernelKind::Row) {
    plan.maskStages = 2;
  }
  // What the states before tiles are read of is written in the next tile.
  if (schedule.isGridWide())
    addGridRegions(isPersistent ? 2 : 1);
  addRegion("warp totals",
            plan.kind == KernelKind::Bidirectional
                ? OneTileScan::getSharedBytes(kernel, schedule, extent)
                : BlockScan::getSharedBytes(kernel, schedule));
  int64_t masks = RowStarts::getSharedBytes(kernel, schedule, plan.maskStages);
  plan.requiredSharedBytes = plan.sharedBytes + masks;
  plan.wantedSharedBytes = plan.requiredSharedBytes;

  int64_t room = sharedLimit - plan.requiredSharedBytes;
  for (auto [number, input, map] :
       llvm::enumerate(kernel.getInputs(), kernel.getInputMaps()))
    plan.inputs.push_back(planOperand(input, map, /*isReduction=*/false,
                                      kernel.isSegmentOffsets(number),
                                      plan.stages, room));
  for (auto [number, output, map] :
       llvm::enumerate(kernel.getOutputs(), kernel.getOutputMaps()))
    plan.outputs.push_back(planOperand(output, map, kernel.isReduction(number),
                                       /*isOffsets=*/false, /*tiles=*/1, room));
  addRegion("segment masks", masks);
  // How much a launch may ask for is not known where the kernel is emitted.
  if (isPersistent)
    plan.requiredSharedBytes = plan.wantedSharedBytes;
  plan.prefetches =
      isPersistent || (plan.kind == KernelKind::Row && prefetches());
}

KernelPlan Planner::take() {
  switch (plan.kind) {
  case KernelKind::Sequential:
    plan.prefetches = true;
    return std::move(plan);
  case KernelKind::Row:
  case KernelKind::GridRow:
  case KernelKind::PersistentRow:
  case KernelKind::Bidirectional:
    planRow();
    return std::move(plan);
  case KernelKind::Column:
  case KernelKind::GridColumn:
    if (plan.kind == KernelKind::GridColumn)
      addGridRegions(schedule.getScansPerBlock());
    addRegion("warp totals", ColumnScan::getSharedBytes(kernel, schedule));
    plan.prefetches = plan.kind == KernelKind::Column;
    plan.requiredSharedBytes = plan.wantedSharedBytes = plan.sharedBytes;
    return std::move(plan);
  }
  llvm_unreachable("unknown kind of kernel");
}

KernelPlan KernelPlan::get(KernelOp kernel, ScheduleAttr schedule,
                           int64_t sharedLimit) {
  KernelPlan plan = Planner(kernel, schedule, sharedLimit).take();
  plan.registers = estimateRegisters(kernel, plan);
  return plan;
}

KernelPlan KernelPlan::get(KernelOp kernel, ScheduleAttr schedule) {
  return get(kernel, schedule,
             schedule.isPersistent() ? kDynamicSharedLimit
                                     : kStaticSharedLimit);
}

static StringRef stringifyKernelKind(KernelKind kind) {
  switch (kind) {
  case KernelKind::Sequential:
    return "sequential";
  case KernelKind::Row:
    return "row";
  case KernelKind::GridRow:
    return "grid-row";
  case KernelKind::PersistentRow:
    return "persistent-row";
  case KernelKind::Bidirectional:
    return "bidirectional";
  case KernelKind::Column:
    return "column";
  case KernelKind::GridColumn:
    return "grid-column";
  }
  llvm_unreachable("unknown kind of kernel");
}

DictionaryAttr KernelPlan::getAttr(MLIRContext *context) const {
  Builder b(context);
  SmallVector<Attribute> places;
  for (const SharedRegion &region : regions)
    places.push_back(b.getDictionaryAttr(
        {b.getNamedAttr("name", b.getStringAttr(region.name)),
         b.getNamedAttr("bytes", b.getI64IntegerAttr(region.bytes))}));
  return b.getDictionaryAttr(
      {b.getNamedAttr("kernel", b.getStringAttr(stringifyKernelKind(kind))),
       b.getNamedAttr("tile_steps",
                      b.getI64IntegerAttr(schedule.getTileSteps())),
       b.getNamedAttr("stages", b.getI64IntegerAttr(stages)),
       b.getNamedAttr("prefetches", b.getBoolAttr(prefetches)),
       b.getNamedAttr("shared_regions", b.getArrayAttr(places)),
       b.getNamedAttr("descriptor_bytes", b.getI64IntegerAttr(descriptorBytes)),
       b.getNamedAttr("look_back_bytes", b.getI64IntegerAttr(lookBackBytes))});
}
