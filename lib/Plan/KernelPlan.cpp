//===- KernelPlan.cpp - What a scheduled kernel will be -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelPlan.h"
#include "ColumnCheckpoints.h"
#include "IR/ScatteredOutputs.h"
#include "KernelOperands.h"
#include "LookBackWindow.h"
#include "OneTileSchedule.h"
#include "RegisterEstimate.h"
#include "StateCheckpoints.h"
#include "StateTiles.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;

/// Tiles of a persistent kernel whose inputs are in shared memory: one is
/// scanned, one waits for the state before it, one is stored.
static constexpr int64_t kPipelineStages = 3;

/// With so many stages a warp-specialized kernel loads two tiles ahead, not
/// one. Of a prototype in CUDA on an H200, sums of 2^28 f32 in tiles of 192 x
/// 36: 0.951 of a copy with 8 stages, of which 5 wait; 0.925 with 4.
static constexpr int64_t kStagesOfTwoAhead = 6;

/// Words per thread that the next tile of a row may take up in registers; of
/// threads with a row each, of which a multiprocessor often has few.
static constexpr int64_t kMaxPrefetchedWords = 16, kMaxPrefetchedOfWalk = 48;

/// Words per thread that a tile of a row may take up where one loop walks full
/// and partial tiles: with more there are not enough registers for that.
static constexpr int64_t kMaxMergedWords = 64;

/// How often a tile accesses a descriptor at the least: aggregate and prefix
/// are written, and the prefix of the tile before is read.
static constexpr int64_t kDescriptorAccesses = 3;

static KernelKind getKind(KernelOp kernel, ScheduleAttr schedule) {
  // Otherwise it is split into one kernel for each direction.
  if (kernel.isBidirectional() &&
      isOneTile(getTiledExtent(kernel, schedule), schedule))
    return schedule.getStrategy() == Strategy::Column
               ? KernelKind::BidirectionalColumn
               : KernelKind::Bidirectional;
  if (keepsCheckpoints(kernel, schedule))
    return KernelKind::CheckpointedColumn;
  switch (schedule.getStrategy()) {
  case Strategy::Sequential:
    return schedule.sharesStates() ? KernelKind::SplitStates
                                   : KernelKind::Sequential;
  case Strategy::Row:
    if (schedule.isWarpSpecialized())
      return KernelKind::WarpSpecializedRow;
    if (schedule.isPersistent())
      return KernelKind::PersistentRow;
    return schedule.isGridWide() ? KernelKind::GridRow : KernelKind::Row;
  case Strategy::Column:
    return schedule.isGridWide() ? KernelKind::GridColumn : KernelKind::Column;
  }
  llvm_unreachable("unknown strategy");
}

static int64_t countSegmentOffsets(KernelOp kernel) {
  return kernel.hasSegmentOffsets()
             ? llvm::count(*kernel.getSegmentOffsets(), true)
             : 0;
}

namespace {
class Planner {
public:
  Planner(KernelOp kernel, ScheduleAttr schedule, int64_t sharedLimit)
      : kernel(kernel), schedule(schedule), sharedLimit(sharedLimit),
        extent(kernel.getStaticDomainShape()[kernel.getDim()]) {
    plan.kind = getKind(kernel, schedule);
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
  int64_t getTileBytes();
  void planTickets();
  void planLookBack(int64_t tilesAtATime);
  void planLookBackOfParts();
  void planTotalsOfParts();
  void planWarpTotals();
  void planRow();
  void planStateTiles();
  void planCheckpoints();
  OperandPlan planOperand(Value operand, AffineMap map, bool isReduction,
                          bool isOffsets, int64_t tiles, int64_t &room);
  /// Threads whose items are in a tile.
  int64_t getMovingThreads() {
    return schedule.getThreadsPerScan() * schedule.getRows();
  }
  void planStages();
  OperandPlan planOutput(unsigned number, int64_t &room);
  int64_t countLoadedWords();
  void planWalk();

  KernelOp kernel;
  ScheduleAttr schedule;
  int64_t sharedLimit, extent;
  KernelPlan plan;
};
} // namespace

/// About how many bytes a tile reads of its segment offsets besides
/// the offsets that belong to it.
static int64_t getOffsetSearchBytes(KernelOp kernel) {
  constexpr int64_t each = 112;
  return each * countSegmentOffsets(kernel);
}

/// Bytes that a tile moves besides its look-back traffic.
int64_t Planner::getTileBytes() {
  int64_t bytes = 0;
  auto add = [&](Value operand, AffineMap map, int64_t elementBytes) {
    if (map.isFunctionOfDim(kernel.getDim()))
      bytes += KernelOp::getNumElements(operand, map) * elementBytes;
  };
  auto getBytes = [](Value operand) {
    return getStorageBytes(getElementTypeOrSelf(operand.getType()));
  };
  for (auto [number, input, map] :
       llvm::enumerate(kernel.getInputs(), kernel.getInputMaps()))
    // Of segment offsets each step has a flag.
    add(input, map, kernel.isSegmentOffsets(number) ? 1 : getBytes(input));
  for (auto [output, map] :
       llvm::zip_equal(kernel.getOutputs(), kernel.getOutputMaps()))
    add(output, getWrittenMap(map, kernel.getDim()), getBytes(output));
  return bytes * schedule.getTileSteps();
}

void Planner::planTickets() {
  addRegion("tickets", alignShared((kFirstTicketWords + plan.nextTickets) *
                                   int64_t(sizeof(int64_t))));
}

/// Where lanes share states, each lane publishes the states of its parts, and
/// looks back for them, tile by tile.
void Planner::planLookBackOfParts() {
  std::optional<StateSplit> split = StateSplit::get(kernel);
  // Else the schedule is not a legal one.
  if (!split)
    return;
  planTickets();
  plan.descriptor = DescriptorLayout(kernel, *split);
  plan.descriptorBytes =
      plan.descriptor.bytes * split->parts * schedule.getScansPerBlock();
  plan.firstLookBackTiles = 1;
  plan.lookBackBytes = kDescriptorAccesses * plan.descriptorBytes;
  plan.requiredSharedBytes = plan.wantedSharedBytes = plan.sharedBytes;
}

/// Warps that share the steps of a scan leave what they add up to for each
/// other.
void Planner::planTotalsOfParts() {
  std::optional<StateSplit> split = StateSplit::get(kernel);
  if (!split)
    return;
  int64_t states =
      schedule.getThreads() * (split->parts / schedule.getThreadsPerState());
  int64_t bytes = 0;
  for (unsigned leaf = 0; leaf < split->sameLeavesPerPart; ++leaf)
    bytes += alignShared(
        states *
        getStorageBytes(kernel.getLeafTypes()[split->getLeaf(0, leaf)]));
  addRegion("warp totals", bytes);
  plan.requiredSharedBytes = plan.wantedSharedBytes = plan.sharedBytes;
}

void Planner::planLookBack(int64_t tilesAtATime) {
  plan.statesBeforeTiles = tilesAtATime * schedule.getScansPerBlock();
  planTickets();
  addRegion("states before tiles",
            getSharedStateBytes(kernel, plan.statesBeforeTiles));
  plan.descriptor = DescriptorLayout(kernel);
  if (plan.kind == KernelKind::GridRow && plan.parksStates())
    plan.parkedStates = kWarpSize;
  addRegion("parked states", getSharedStateBytes(kernel, plan.parkedStates));
  plan.descriptorBytes = plan.descriptor.bytes * schedule.getScansPerBlock();
  // Columns look only at the tile just before: where blocks of many other
  // columns ran in between, it has its prefix.
  plan.firstLookBackTiles =
      plan.kind == KernelKind::GridColumn
          ? 1
          : getFirstLookBackTiles(kernel, schedule, plan.descriptor,
                                  getTileBytes(), getOffsetSearchBytes(kernel));
  plan.lookBackBytes =
      kDescriptorAccesses * plan.descriptorBytes + getOffsetSearchBytes(kernel);
}

/// The totals of the warps that share a scan; none if one warp has all of it.
void Planner::planWarpTotals() {
  // A tile's totals are read while those of the next one are written.
  constexpr int64_t phases = 2;
  int64_t warps = schedule.getThreads() / kWarpSize;
  if (plan.kind == KernelKind::Bidirectional ||
      plan.kind == KernelKind::BidirectionalColumn)
    // Each leaf belongs to one of the directions, and there is one tile.
    plan.warpTotals =
        getTiledExtent(kernel, schedule) * warps > schedule.getTileSteps()
            ? warps * schedule.getScansPerBlock()
            : 0;
  else if (schedule.getStrategy() == Strategy::Column)
    plan.warpTotals =
        warps > 1 ? phases * warps * schedule.getScansPerBlock() : 0;
  else if (plan.kind == KernelKind::WarpSpecializedRow)
    // Those of a tile are read until it is stored.
    plan.warpTotals = plan.stages * schedule.getThreadsPerScan() / kWarpSize;
  else
    plan.warpTotals =
        schedule.getThreadsPerScan() > kWarpSize ? phases * warps : 0;
  // Blocks that share steps of packed sequences can share columns as well.
  int64_t ways = schedule.splitsSegments() ? 2 : 1;
  addRegion("warp totals", ways * getSharedStateBytes(kernel, plan.warpTotals));
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
  result.layout = TransposeLayout::get(operand, map, kernel.getDim(),
                                       getMovingThreads(), schedule.getItems());
  int64_t bytes = tiles * result.layout.getBytes();
  plan.wantedSharedBytes += bytes;
  if (bytes == 0 || bytes > room)
    return result;
  room -= bytes;
  result.access = OperandPlan::Access::Transposed;
  addRegion("tiles", bytes);
  return result;
}

/// The 32-bit words that a thread loads of a tile.
int64_t Planner::countLoadedWords() {
  int64_t bytes = 0;
  for (auto [input, map, operand] :
       llvm::zip_equal(kernel.getInputs(), kernel.getInputMaps(), plan.inputs))
    if (operand.access == OperandPlan::Access::Direct ||
        operand.access == OperandPlan::Access::Transposed)
      bytes += schedule.getItems() * KernelOp::getNumElements(input, map) *
               getStorageBytes(getElementTypeOrSelf(input.getType()));
  return llvm::divideCeil(bytes, 4);
}

/// A block that walks many tiles reads the next one while it combines, where
/// registers can hold both. Where they cannot, a tile has so much code that
/// there should be no second copy of it for partial tiles: for it to be masked
/// in full ones, too, takes little beside it, except of reductions.
void Planner::planWalk() {
  int64_t steps = schedule.getTileSteps();
  bool isDynamic = ShapedType::isDynamic(extent);
  bool isInOrder = kernel.getOrder() == Order::Sequential;
  int64_t words = countLoadedWords();
  bool isWide =
      words > (isInOrder ? kMaxPrefetchedOfWalk : kMaxPrefetchedWords);
  plan.prefetches = (schedule.getRows() == 1 || isInOrder) && !isWide &&
                    (isDynamic || extent >= 2 * steps);
  plan.mergesPartialTiles =
      isWide && words <= kMaxMergedWords && !kernel.hasReductions() &&
      !kernel.getOutputs().empty() &&
      (isDynamic ||
       (extent >= steps && (schedule.getRows() > 1 || extent % steps != 0)));
}

/// The tiles of a block that are in shared memory at a time.
void Planner::planStages() {
  if (plan.kind == KernelKind::Row) {
    plan.maskStages = 2;
  } else if (plan.kind == KernelKind::PersistentRow) {
    plan.stages = kPipelineStages;
    // The segment offsets of one more tile are prefetched.
    plan.maskStages = kPipelineStages + 1;
    plan.nextTickets = 2;
  } else if (plan.kind == KernelKind::WarpSpecializedRow) {
    plan.stages = plan.maskStages = plan.nextTickets = schedule.getStages();
    // The longer a tile may wait, the less often it has to; a second one on
    // its way pays off where there are many.
    plan.prefetchDistance = plan.stages >= kStagesOfTwoAhead ? 2 : 1;
    plan.waitingTiles = plan.stages - 1 - plan.prefetchDistance;
    plan.barriersPerStage = kBarriersPerStage + kernel.hasSegmentOffsets();
  }
}

/// An output is transposed in the buffer slot of an input of its shape, of
/// which no other output is: a thread has read all elements of its items when
/// it leaves results in their place.
OperandPlan Planner::planOutput(unsigned number, int64_t &room) {
  Value output = kernel.getOutputs()[number];
  AffineMap map = kernel.getOutputMaps()[number];
  bool isReduction = kernel.isReduction(number);
  if (plan.kind == KernelKind::WarpSpecializedRow && !isReduction &&
      isContiguousAlong(output, map, kernel.getDim()))
    for (auto [index, input, inputMap] :
         llvm::enumerate(kernel.getInputs(), kernel.getInputMaps())) {
      auto isTaken = [&, index = index](const OperandPlan &other) {
        return other.sharedInput == index;
      };
      // Also where there is no room for it: how much is wanted is the same.
      if (plan.inputs[index].layout.slots == 0 ||
          getElementTypeOrSelf(input.getType()) !=
              getElementTypeOrSelf(output.getType()) ||
          KernelOp::getNumElements(input, inputMap) !=
              KernelOp::getNumElements(output, map) ||
          llvm::any_of(plan.outputs, isTaken))
        continue;
      return {OperandPlan::Access::Transposed, plan.inputs[index].layout,
              unsigned(index)};
    }
  return planOperand(output, map, isReduction, /*isOffsets=*/false,
                     /*tiles=*/1, room);
}

void Planner::planRow() {
  bool isPersistent = schedule.isPersistent();
  bool isWarpSpecialized = plan.kind == KernelKind::WarpSpecializedRow;
  planStages();
  // What the states before tiles are read of is written in the next tile.
  if (schedule.isGridWide())
    planLookBack(/*tilesAtATime=*/isWarpSpecialized ? plan.stages
                 : isPersistent                     ? 2
                                                    : 1);
  if (isWarpSpecialized)
    addRegion("mbarriers", alignShared(plan.stages * plan.barriersPerStage *
                                       int64_t(sizeof(int64_t))));
  planWarpTotals();
  if (isWarpSpecialized)
    plan.sharedBytes = llvm::alignTo(plan.sharedBytes, kBulkCopyAlignment);
  plan.maskWords = countMaskWords(schedule.getTileSteps());
  int64_t masks =
      countSegmentOffsets(kernel) *
      alignShared(plan.maskStages * plan.maskWords * (kMaskWordBits / 8));
  plan.requiredSharedBytes = plan.sharedBytes + masks;
  plan.wantedSharedBytes = plan.requiredSharedBytes;

  int64_t room = sharedLimit - plan.requiredSharedBytes;
  for (auto [number, input, map] :
       llvm::enumerate(kernel.getInputs(), kernel.getInputMaps())) {
    if (kernel.isGathered(number)) {
      plan.inputs.emplace_back().access = OperandPlan::Access::Gathered;
      continue;
    }
    plan.inputs.push_back(planOperand(input, map, /*isReduction=*/false,
                                      kernel.isSegmentOffsets(number),
                                      plan.stages, room));
  }
  for (unsigned number = 0; number < kernel.getOutputs().size(); ++number)
    plan.outputs.push_back(planOutput(number, room));
  addRegion("segment masks", masks);
  // How much a launch may ask for is not known where the kernel is emitted.
  if (isPersistent)
    plan.requiredSharedBytes = plan.wantedSharedBytes;
  if (plan.kind == KernelKind::Row)
    planWalk();
  else
    plan.prefetches = isPersistent;
}

void Planner::planStateTiles() {
  std::optional<StateTiles> tiles =
      StateTiles::get(kernel, schedule, sharedLimit - plan.sharedBytes);
  if (!tiles)
    return;
  plan.stages = StateTiles::kSlots;
  addRegion("tiles", tiles->bytes);
  plan.wantedSharedBytes = plan.sharedBytes;
}

void Planner::planCheckpoints() {
  if (plan.kind == KernelKind::CheckpointedColumn)
    plan.checkpointBytes = ColumnCheckpoints::get(kernel)->bytes;
  else if (std::optional<StateSplit> split = StateSplit::get(kernel))
    plan.checkpointBytes = StateCheckpoints::get(kernel, *split).bytes;
}

KernelPlan Planner::take() {
  switch (plan.kind) {
  case KernelKind::Sequential:
  case KernelKind::SplitStates:
    plan.prefetches = true;
    if (plan.kind == KernelKind::SplitStates) {
      if (schedule.isGridWide())
        planLookBackOfParts();
      else if (schedule.getWarps() != 1)
        planTotalsOfParts();
      planStateTiles();
      if (kernel.isBidirectional())
        planCheckpoints();
    }
    return std::move(plan);
  case KernelKind::Row:
  case KernelKind::GridRow:
  case KernelKind::PersistentRow:
  case KernelKind::WarpSpecializedRow:
  case KernelKind::Bidirectional:
    planRow();
    return std::move(plan);
  case KernelKind::BidirectionalColumn:
  case KernelKind::CheckpointedColumn:
  case KernelKind::Column:
  case KernelKind::GridColumn:
    if (plan.kind == KernelKind::CheckpointedColumn)
      planCheckpoints();
    if (plan.kind == KernelKind::GridColumn)
      planLookBack(/*tilesAtATime=*/1);
    if (schedule.splitsSegments())
      addRegion("segment borders",
                alignShared((schedule.getBlocks() + 1) * sizeof(int64_t)));
    planWarpTotals();
    plan.prefetches = plan.kind == KernelKind::Column ||
                      plan.kind == KernelKind::CheckpointedColumn;
    plan.requiredSharedBytes = plan.wantedSharedBytes = plan.sharedBytes;
    return std::move(plan);
  }
  llvm_unreachable("unknown kind of kernel");
}

KernelPlan KernelPlan::get(KernelOp kernel, ScheduleAttr schedule,
                           int64_t sharedLimit,
                           const KernelOperands &operands) {
  KernelPlan plan = Planner(kernel, schedule, sharedLimit).take();
  RegisterEstimate registers = estimateRegisters(kernel, plan, operands);
  plan.registers = registers.usual;
  plan.mostRegisters = registers.most;
  return plan;
}

KernelPlan KernelPlan::get(KernelOp kernel, ScheduleAttr schedule,
                           int64_t sharedLimit) {
  return get(kernel, schedule, sharedLimit, KernelOperands::get(kernel));
}

KernelPlan KernelPlan::get(KernelOp kernel, ScheduleAttr schedule) {
  return get(kernel, schedule, getSharedLimit(schedule));
}

SmallVector<unsigned> mlir::scan::getBatchDims(KernelOp kernel) {
  SmallVector<int64_t> contiguous(kernel.getDomainRank(), 0);
  for (OpOperand &operand : kernel->getOpOperands()) {
    Value value = operand.get();
    AffineMap map = kernel.getIndexingMap(operand);
    // Values that are read or written in every step of the scan count.
    if (!isa<MemRefType>(value.getType()) ||
        !map.isFunctionOfDim(kernel.getDim()))
      continue;
    int64_t bytes = KernelOp::getNumElements(value, map) *
                    getStorageBytes(getElementTypeOrSelf(value.getType()));
    for (unsigned dim = 0; dim < kernel.getDomainRank(); ++dim)
      if (isContiguousAlong(value, map, dim))
        contiguous[dim] += bytes;
  }
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim < kernel.getDomainRank(); ++dim)
    if (dim != kernel.getDim())
      dims.push_back(dim);
  moveContiguousLast(dims, contiguous);
  return dims;
}

std::optional<unsigned> mlir::scan::getInnerDim(KernelOp kernel) {
  SmallVector<unsigned> dims = getBatchDims(kernel);
  return dims.empty() ? std::nullopt : std::optional(dims.back());
}
