//===- TimeModel.cpp - How long the parts of a kernel take ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constants are measured, and come with the GPU (Calibration.h).
// `benchmark/gpu/sweep.py --report` says what this model makes of measured
// schedules: how far predictions are off, and how much slower than the fastest
// the chosen ones are.
//
//===----------------------------------------------------------------------===//

#include "TimeModel.h"
#include "Plan/KernelPlan.h"
#include "RowCost.h"
#include "SplitStatesCost.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan;

static constexpr int64_t kLanes = 32;

/// Of the registers that a thread can have, estimates reach this part without
/// spilling. Where there are as many as a thread can have at all, the compiler
/// computes values again first.
static constexpr double kRegisterMargin = 0.92, kRegisterMarginOfMost = 1.15;

/// The same where columns take as many as a thread can have: what was computed
/// of a tile waits for other warps in registers.
static constexpr double kRegisterMarginOfColumns = 0.85;

/// States of so many words are combined over the warps of a block at a cost
/// that the constants include; each further word takes so many instructions
/// per warp that is walked over: it is read and combined.
static constexpr double kFewStateWords = 8, kWarpWalkInstructions = 2.5;

/// Of a walk over totals of columns, for each warp: a load and a comparison.
static constexpr double kColumnWalkInstructions = 2;

/// Tiles of columns that are walked there and back take so many times what one
/// takes besides its items: there, only a part of the states is combined.
static constexpr double kWalksThereAndBack = 1.5;

/// How much longer the instructions of such a block take that is alone on a
/// multiprocessor, where nothing runs while its warps wait for each other.
static constexpr double kAloneThereAndBack = 1.03;

/// Instructions that a narrow element takes less where it comes in a word with
/// its neighbours: half of a load or a store, with its address, and one for two
/// conversions.
static constexpr double kPackedInstructions = 2.5;

/// Loads that a block waits for until it has found the head flags between which
/// its chunk of packed sequences lies: some hundred flags come at a time.
static constexpr double kLoadsOfSearch = 4;

/// Tiles that a look-back reads at a time: one for each lane of a warp.
static constexpr double kTilesInWindow = 32;

/// Nanoseconds until the workspace of tiles of columns is zero.
static constexpr double kWorkspaceOfColumns = 700;

/// Nanoseconds that a look-back takes for each column of a thread beyond two.
static constexpr double kLookOfVector = 250;

/// Loads that a warp with a role waits for in a tile that no bulk copy loads:
/// rows of 2048 linear pairs in tiles of 6144 took 1.85 us each on an H200.
static constexpr double kLoadsOfPartialTile = 2;

/// Nanoseconds that the warp which publishes takes to mark the segment offsets
/// of a tile, and for each step of it: packed sums of 2^28 in tiles of 3,840 to
/// 10,752 steps on an H200.
static constexpr double kMarkOfTile = 1000, kMarkOfStep = 0.15;

/// Nanoseconds of a stage more where they are marked in between (512 x 24).
static constexpr double kMarkOfStage = 500;

/// A multiprocessor moves so many times as much of a row's only tile of a block
/// as of one tile after the other: all of it is on its way at once.
static constexpr double kAllOnItsWay = 1.25;

/// Warps of a block of columns: those of smaller ones hide less.
static constexpr double kWarpsOfBlock = 8;

double mlir::scan::getPartOfLineCost(double partialLine, double bytes) {
  return 1 + partialLine * std::max(0.0, std::log2(kLineBytes / bytes));
}

namespace {
class TimeModel {
public:
  TimeModel(const KernelPlan &plan, const KernelFacts &facts,
            const Estimate &estimate, const GPUModel &gpu);

  Times get(double most) const;

private:
  double getGridOverlap() const;
  double getOverlap() const;
  /// Blocks that a multiprocessor runs at a time.
  double getResident() const {
    return std::min(double(estimate.occupancy.blocksPerSM), blocksPerSM);
  }
  double getMemoryTime() const;
  double getSpillInstructions() const;
  double getShuffleInstructions() const;
  double getWarpWalkInstructions() const;
  double getTileInstructions() const;
  double getArithmeticTime() const;
  double getInstructions() const;
  double getLatency() const;
  double getGroups() const;
  double getTilesUnderWay() const;
  double getGridLatency(double tile) const;
  double getStageLatency() const;
  double getRolesLatency() const;

  const KernelPlan &plan;
  const KernelFacts &facts;
  ScheduleAttr schedule;
  const Estimate &estimate;
  const Chip &chip;
  const Calibration &measured;
  /// Of a copy, in bytes per nanosecond.
  double bandwidth;
  bool isColumn, hasSegmentOffsets = false;
  RowCost row;
  /// Of kernels in which lanes share states.
  std::optional<SplitStatesCost> split;
  double items, warps;
  /// Threads that share the states of one scan.
  double sharing;
  /// Waves of blocks that a multiprocessor runs one after the other, and
  /// blocks of the busiest one.
  double waves, blocksPerSM;
  /// Words of the varying inputs, and of all varying operands, per
  /// independent scan and step.
  double inputWords = 0, words = 0;
};
} // namespace

TimeModel::TimeModel(const KernelPlan &plan, const KernelFacts &facts,
                     const Estimate &estimate, const GPUModel &gpu)
    : plan(plan), facts(facts), schedule(plan.schedule), estimate(estimate),
      chip(gpu.chip), measured(gpu.calibration),
      bandwidth(gpu.getReachableBandwidth()),
      isColumn(schedule.getStrategy() == Strategy::Column),
      row(RowCost::get(plan, facts, estimate)),
      items(double(schedule.getItems()) *
            (isColumn ? schedule.getVector() : 1)),
      warps(std::max(1.0, (schedule.isWarpSpecialized()
                               ? schedule.getThreadsPerScan()
                               : schedule.getThreads()) /
                              32.0)),
      sharing(schedule.getThreadsPerState()) {
  double blocks = estimate.blocks;
  double concurrency = double(estimate.occupancy.blocksPerSM) * chip.numSMs;
  waves = std::max(1.0, blocks / concurrency);
  blocksPerSM = std::max(1.0, blocks / chip.numSMs);
  // Short blocks follow each other without a gap. With others, some
  // multiprocessors are done before the last ones.
  if (estimate.tilesPerBlock > 2 &&
      (!schedule.isOneTilePerBlock() || schedule.sharesStates())) {
    waves = std::ceil(waves);
    blocksPerSM = std::ceil(blocksPerSM);
  }
  for (const OperandPlan &input : plan.inputs)
    hasSegmentOffsets |= input.access == OperandPlan::Access::SegmentOffsets;
  for (const KernelFacts::Operand &operand : facts.operands)
    if (operand.isVarying) {
      words += operand.words;
      inputWords += operand.isInput ? operand.words : 0;
    }
  if (plan.kind == KernelKind::SplitStates)
    split =
        SplitStatesCost::get(plan, facts, gpu, words, warps * getResident());
}

double TimeModel::getMemoryTime() const {
  double ofOne = measured.bandwidthOfOneSM * bandwidth / chip.numSMs *
                 (plan.kind == KernelKind::GridRow ? kAllOnItsWay : 1);
  // As fast as all multiprocessors, and as the busiest one. Of chunks, the
  // longest one is moved after the others.
  return row.accesses * estimate.longestChunk *
         std::max(estimate.traffic / bandwidth,
                  estimate.traffic / estimate.blocks * blocksPerSM / ofOne);
}

/// Of a thread, for one of its items.
double TimeModel::getInstructions() const {
  if (split)
    return split->step;
  double count = facts.instructions + measured.wordInstructions * words;
  if (plan.kind == KernelKind::CheckpointedColumn) {
    count += double(facts.firstWalk.instructions);
    for (const KernelFacts::Operand &operand : facts.operands)
      if (operand.isInFirstWalk)
        count += measured.wordInstructions * double(operand.words);
  }
  // Narrow elements of neighbouring columns come in words.
  if (isColumn && schedule.getVector() > 1)
    for (const KernelFacts::Operand &operand : facts.operands)
      if (operand.isVarying && operand.elementBytes < 4 * operand.words)
        count -= kPackedInstructions * double(operand.words);
  if (schedule.getStrategy() == Strategy::Row) {
    bool isStatic = facts.isExtentStatic && facts.isBatchStatic;
    count += measured.sharedInstructions * words;
    if (schedule.getRows() > 1 && !isStatic)
      count += measured.dynamicInstructions * words;
  }
  // Lanes are neighbours along the scan in rows, across it in others.
  bool isRow = schedule.getStrategy() == Strategy::Row;
  for (const KernelFacts::Operand &operand : facts.operands)
    if (operand.isVarying &&
        operand.isContiguousInScan != operand.isContiguousAcross &&
        operand.isContiguousInScan != isRow)
      count += measured.scatteredInstructions /
               (isColumn ? schedule.getVector() : 1);
  return count;
}

/// Of a thread, for one of its tiles: registers that it cannot have are stored
/// and loaded again.
double TimeModel::getSpillInstructions() const {
  // Those that are admitted do not spill.
  if (plan.kind == KernelKind::CheckpointedColumn || schedule.getWarps() != 1)
    return 0;
  int64_t available = getAvailableRegisters(chip, schedule.getThreads());
  double margin = kRegisterMargin;
  if (available == chip.maxRegistersPerThread)
    margin = isColumn && plan.kind != KernelKind::GridColumn
                 ? kRegisterMarginOfColumns
                 : kRegisterMarginOfMost;
  return measured.spillInstructions *
         std::max<double>(0, estimate.registers - margin * available);
}

/// Of a thread, for one of its tiles: lanes of a warp that share a scan combine
/// their states in as many steps as doubling takes.
double TimeModel::getShuffleInstructions() const {
  double lanes = 1;
  if (schedule.getStrategy() == Strategy::Row)
    lanes = std::min<double>(kLanes, schedule.getThreads() /
                                         double(schedule.getRows()));
  else if (isColumn)
    lanes = std::max<double>(1, kLanes / schedule.getLanes());
  return measured.shuffleInstructions * facts.stateWords *
         std::log2(std::max(1.0, lanes));
}

/// Of a thread, for one of its tiles: it walks over the totals of the other
/// warps that share its scan. With columns it does so for each of its own: it
/// combines their states, and keeps the one before its warp.
double TimeModel::getWarpWalkInstructions() const {
  if (schedule.getStrategy() == Strategy::Sequential || plan.warpTotals == 0)
    return 0;
  double ofColumns = 0;
  if (isColumn)
    ofColumns = warps * (kColumnWalkInstructions +
                         schedule.getVector() *
                             double(facts.stateWords + facts.carriedWords));
  return ofColumns +
         warps * kWarpWalkInstructions *
             std::max(0.0, double(facts.stateWords) - kFewStateWords);
}

/// Of a thread, for one of its tiles, without those of spills. Rows and columns
/// are unrolled over the items of a tile, which therefore takes no more than
/// all of the code has, where ptxas has said how much that is.
double TimeModel::getTileInstructions() const {
  // A first walk has a part of the states.
  double walks =
      plan.kind == KernelKind::CheckpointedColumn ? kWalksThereAndBack : 1;
  double count = items * getInstructions() +
                 walks * ((split ? split->chunk : measured.tileInstructions) +
                          getShuffleInstructions() + getWarpWalkInstructions());
  count += row.instructions;
  if (plan.codeInstructions == 0 ||
      schedule.getStrategy() == Strategy::Sequential)
    return count;
  return std::min(count, double(plan.codeInstructions));
}

double TimeModel::getArithmeticTime() const {
  double perTile = warps * (split ? split->code : 1) *
                   (getTileInstructions() + getSpillInstructions());
  // States that a thread walks side by side depend on each other no more than
  // other warps do. An operator may need no state at all.
  double states = std::max(1.0, facts.carriedWords / sharing);
  // What gates compute of the elements of a thread does not depend on each
  // other either, and takes most of the time of a backward pass.
  if (plan.kind == KernelKind::CheckpointedColumn)
    states = std::max(states, items);
  // Lanes that share a scan have nothing else to wait for.
  double resident =
      warps * getResident() *
      (split ? states : std::pow(states, measured.parallelStates));
  double rate =
      measured.issueRate * resident / (resident + measured.halfRateWarps);
  bool isAlone =
      plan.kind == KernelKind::CheckpointedColumn && getResident() < 2;
  return blocksPerSM * estimate.tilesPerBlock * perTile / rate *
         (isAlone ? kAloneThereAndBack : 1);
}

/// Of tiles of the grid, the groups of scans that are side by side; and how
/// many tiles of one group are under way at a time.
double TimeModel::getGroups() const {
  return std::max(1.0, double(facts.batch) / schedule.getScansPerBlock());
}
double TimeModel::getTilesUnderWay() const {
  double concurrency = double(estimate.occupancy.blocksPerSM) * chip.numSMs;
  return std::min(concurrency, double(estimate.blocks)) / getGroups();
}

/// Of tiles of the grid, each of which takes `tile` by itself.
double TimeModel::getGridLatency(double tile) const {
  double tiles = estimate.blocks / getGroups();
  double underWay = getTilesUnderWay();
  double windows =
      std::max(0.0, std::min(tiles, underWay) - 1) / kTilesInWindow;
  double look = measured.lookBack + measured.lookBackWindow * windows +
                (underWay > kTilesInWindow ? measured.secondLookBack : 0) +
                kLookOfVector * std::max(0.0, schedule.getVector() - 2.0);
  double latency =
      std::max(waves * (measured.ticket + measured.load + tile + look),
               tiles * measured.chain);
  return plan.kind == KernelKind::GridColumn ? latency + kWorkspaceOfColumns
                                             : latency;
}

double TimeModel::getStageLatency() const {
  double latency = measured.stage +
                   measured.stageItem * items * facts.instructions +
                   (hasSegmentOffsets ? kMarkOfStage : 0);
  double held = getResident() * estimate.sharedBytes + estimate.bytesInFlight;
  return held <= chip.sharedPerSM + measured.spareCacheBytes
             ? latency
             : latency * measured.crowdedStage;
}

/// Of the tiles of a warp-specialized kernel's block but the first one, which
/// comes on top of all (`get`): what the slowest role takes, as the others do
/// not wait. The last tile of a row is loaded by the threads that scan it, if
/// it is partial.
double TimeModel::getRolesLatency() const {
  double turn = items * (measured.turnInstruction * facts.instructions +
                         measured.turnWord * words);
  double mark = hasSegmentOffsets
                    ? kMarkOfTile + kMarkOfStep * double(estimate.tileSteps)
                    : 0;
  double slowest = std::max({measured.found / plan.waitingTiles,
                             measured.lookBackOfWarp, turn, mark});
  double partial = facts.extent % estimate.tileSteps == 0
                       ? 0
                       : double(facts.batch) / estimate.blocks;
  return (estimate.tilesPerBlock - 1) * slowest +
         partial * (kLoadsOfPartialTile * measured.load + turn);
}

double TimeModel::getLatency() const {
  double tiles = estimate.tilesPerBlock;
  if (schedule.isWarpSpecialized())
    return getRolesLatency();
  if (schedule.isPersistent())
    return (tiles + measured.fillStages) * getStageLatency();
  if (split)
    return waves * (split->start + tiles * split->latency);
  if (schedule.getStrategy() == Strategy::Sequential)
    return waves * (measured.load +
                    tiles * std::max(measured.load, items * measured.step *
                                                        facts.carriedWords));
  double tile = measured.tile + measured.warp * warps +
                measured.item * items * facts.stateWords;
  if (schedule.isGridWide())
    return getGridLatency(tile);
  if (plan.prefetches) {
    double search =
        schedule.splitsSegments() ? kLoadsOfSearch * measured.load : 0;
    double walks = plan.kind == KernelKind::CheckpointedColumn ? 2 : 1;
    return row.latency * waves * walks *
           (search + measured.load + tile +
            (tiles - 1) * std::max(measured.load, tile));
  }
  return row.latency * waves * tiles * (measured.load + tile);
}

/// How often the blocks of tiles of columns that a multiprocessor runs at a
/// time double, as far as some load or store while others compute: blocks of
/// one wave do the same at the same time, and the more tiles of the same
/// columns are under way, the more they wait for each other.
double TimeModel::getGridOverlap() const {
  double blocks = getResident() * std::min(1.0, warps / kWarpsOfBlock);
  double apart = std::max(0.0, 1 - getTilesUnderWay() / kTilesInWindow);
  return std::log2(std::max(1.0, blocks)) * (1 - 1 / waves) * apart;
}

double TimeModel::getOverlap() const {
  if (plan.kind == KernelKind::GridColumn)
    return measured.overlap * (1 + measured.overlapOfTwo * getGridOverlap());
  if (split)
    return split->overlap;
  if (schedule.isOneTilePerBlock() || plan.kind == KernelKind::Sequential)
    return measured.overlap;
  if (row.overlap)
    return *row.overlap;
  if (schedule.isWarpSpecialized())
    return measured.overlapRoles;
  if (schedule.isPersistent() ||
      (estimate.tilesPerBlock > 1 && plan.prefetches))
    return measured.overlapPrefetch;
  return measured.overlap *
         (1 + measured.overlapOfTwo * std::log2(getResident()));
}

Times TimeModel::get(double most) const {
  // Together they take as long as the longest, but for rounding.
  constexpr double margin = 1 + 1e-9;
  double start = row.block * measured.block;
  Times times = {getMemoryTime(), std::max(getLatency(), blocksPerSM * start),
                 0, std::numeric_limits<double>::infinity(), 0};
  if (std::max(times.memory, times.latency) > margin * most)
    return times;
  times.arithmetic = getArithmeticTime();
  if (times.arithmetic > margin * most)
    return times;
  double p = getOverlap();
  times.total =
      std::pow(std::pow(times.memory, p) + std::pow(times.latency, p) +
                   std::pow(times.arithmetic, p),
               1 / p);
  if (schedule.isWarpSpecialized())
    times.total += measured.firstTile;
  times.tileInstructions = getTileInstructions();
  return times;
}

Times mlir::scan::estimateTimes(const KernelPlan &plan,
                                const KernelFacts &facts,
                                const Estimate &estimate, const GPUModel &gpu,
                                double most) {
  return TimeModel(plan, facts, estimate, gpu).get(most);
}
