//===- TimeModel.cpp - How long the parts of a kernel take ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constants were fitted to what was measured on an NVIDIA H200: 1,411
// schedules of 75 programs at their extents by benchmark/gpu/sweep.py, and the
// chosen ones of benchmark/gpu/run.py. `sweep.py --report` says what this model
// makes of such a measurement: how far predictions are off, and how much slower
// than the fastest of the measured schedules the chosen ones are.
//
//===----------------------------------------------------------------------===//

#include "TimeModel.h"
#include "Plan/KernelPlan.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan;

/// Until a kernel runs, and from its last store to its end.
static constexpr double kLaunchLatency = 2600;

/// Of the peak bandwidth, what a copy reaches.
static constexpr double kReachableBandwidth = 0.9;

/// One multiprocessor reaches so many times its share of the bandwidth.
static constexpr double kReachOfOne = 1.6;

/// What a run of half a line costs more than whole lines, and one of a quarter
/// once more: neighbours come from other blocks, mostly soon enough to be found
/// in the L2.
static constexpr double kPartOfLine = 0.16;

/// What a barrier and what comes before it takes per warp of the block; a tile
/// besides; and per item and word of the state, which are combined one after
/// the other.
static constexpr double kWarpLatency = 3;
static constexpr double kTileLatency = 10;
static constexpr double kItemLatency = 3.5;

/// From one block to the next that a multiprocessor is given: what tiny blocks
/// are bound by.
static constexpr double kBlockLatency = 75;

/// From step to step of a thread that walks alone, per carried word.
static constexpr double kStepLatency = 12;

/// To draw the number of a tile and to publish its state; to look back, once, a
/// second time where more tiles are under way than the 32 of a window, and for
/// each further window; and from tile to tile of a row, when each waits for the
/// one before it only.
static constexpr double kTicketLatency = 740;
static constexpr double kLookLatency = 100;
static constexpr double kSecondLookLatency = 250;
static constexpr double kWindowLatency = 85;
static constexpr double kTilesInWindow = 32;
static constexpr double kChainLatency = 3;

/// A round of a block that takes tiles by turns; and per item and instruction
/// of the regions. Its first and its last tiles are in rounds that do but a
/// part.
static constexpr double kRoundLatency = 1300;
static constexpr double kRoundItemLatency = 2;
static constexpr double kFillRounds = 1.6;

/// Bytes of cache that are left beside the largest shared memory of a
/// multiprocessor. Loads that are on their way take their room in the cache;
/// where shared memory leaves too little, a round takes so many times longer.
static constexpr double kLeastCache = 28 * 1024;
static constexpr double kCrowdedRound = 1.35;

/// Instructions per nanosecond of a multiprocessor, for one warp each: four a
/// cycle at some 1.85 GHz; with so many warps half of that.
static constexpr double kIssueRate = 4 * 1.85;
static constexpr double kHalfOfWarps = 6.5;

/// Instructions of a thread for a word that is read or written; through shared
/// memory; for a tile; and per word for addresses of rows side by side where
/// strides are dynamic, which are computed for each item.
static constexpr double kWordInstructions = 0.6;
static constexpr double kSharedInstructions = 0.4;
static constexpr double kTileInstructions = 3;
static constexpr double kDynamicInstructions = 20;

/// The cache serves one line a cycle: a warp whose lanes read a line each keeps
/// it busy for as long as so many instructions take.
static constexpr double kScatteredInstructions = 32;

/// How far memory, arithmetic and waiting overlap: times add up like sides of a
/// triangle, (a^p + b^p)^(1/p), 1 if one comes after the other and more if they
/// go on at the same time. Blocks that load a tile ahead keep the memory busy
/// while they combine; of others, each doubling of those that share a
/// multiprocessor adds a part.
static constexpr double kOverlap = 1.12;
static constexpr double kOverlapOfTwo = 0.22;
static constexpr double kOverlapAhead = 1.65;

double mlir::scan::getLaunchLatency() { return kLaunchLatency; }

double mlir::scan::getReachableBandwidth(const Target &target) {
  return target.bandwidth * kReachableBandwidth;
}

double mlir::scan::getPartOfLineCost(double bytes) {
  return 1 + kPartOfLine * std::max(0.0, std::log2(kLineBytes / bytes));
}

namespace {
class TimeModel {
public:
  TimeModel(const KernelPlan &plan, const KernelFacts &facts,
            const Estimate &estimate, const Target &target);

  Times get() const;

private:
  double getOverlap() const;
  /// Blocks that a multiprocessor runs at a time.
  double getResident() const {
    return std::min(double(estimate.occupancy.blocksPerSM), blocksPerSM);
  }
  double getMemoryTime() const;
  double getArithmeticTime() const;
  double getInstructions() const;
  double getLatency() const;
  double getGridLatency(double tile) const;
  double getRoundLatency() const;

  const KernelPlan &plan;
  const KernelFacts &facts;
  ScheduleAttr schedule;
  const Estimate &estimate;
  const Target &target;
  bool isColumn;
  double items, warps;
  /// Rounds of blocks that a multiprocessor runs one after the other, and
  /// blocks of the busiest one.
  double waves, blocksPerSM;
  /// Words of the varying inputs, and of all varying operands, per point and
  /// step.
  double inputWords = 0, words = 0;
};
} // namespace

TimeModel::TimeModel(const KernelPlan &plan, const KernelFacts &facts,
                     const Estimate &estimate, const Target &target)
    : plan(plan), facts(facts), schedule(plan.schedule), estimate(estimate),
      target(target), isColumn(schedule.getStrategy() == Strategy::Column),
      items(double(schedule.getItems()) *
            (isColumn ? schedule.getVector() : 1)),
      warps(std::max(1.0, schedule.getThreads() / 32.0)) {
  double blocks = estimate.blocks;
  double concurrency = double(estimate.occupancy.blocksPerSM) * target.numSMs;
  waves = std::max(1.0, blocks / concurrency);
  blocksPerSM = std::max(1.0, blocks / target.numSMs);
  // Short blocks follow each other without a gap. With others, some
  // multiprocessors are done before the last ones.
  bool isShort = estimate.tilesPerBlock <= 2 || schedule.isOneTilePerBlock();
  if (!isShort) {
    waves = std::ceil(waves);
    blocksPerSM = std::ceil(blocksPerSM);
  }
  for (const KernelFacts::Operand &operand : facts.operands)
    if (operand.isVarying) {
      words += operand.words;
      inputWords += operand.isInput ? operand.words : 0;
    }
}

double TimeModel::getMemoryTime() const {
  double bandwidth = getReachableBandwidth(target);
  double ofOne = kReachOfOne * bandwidth / target.numSMs;
  // As fast as all multiprocessors, and as the busiest one.
  return std::max(estimate.traffic / bandwidth,
                  estimate.traffic / estimate.blocks * blocksPerSM / ofOne);
}

/// Of a thread, for one of its items.
double TimeModel::getInstructions() const {
  double count = facts.instructions + kWordInstructions * words;
  if (schedule.getStrategy() == Strategy::Row) {
    bool isStatic = facts.isExtentStatic && facts.arePointsStatic;
    count += kSharedInstructions * words;
    if (schedule.getRows() > 1 && !isStatic)
      count += kDynamicInstructions * words;
  }
  // Lanes are neighbours along the scan in rows, across it in others.
  bool isRow = schedule.getStrategy() == Strategy::Row;
  for (const KernelFacts::Operand &operand : facts.operands)
    if (operand.isVarying &&
        operand.isContiguousInScan != operand.isContiguousAcross &&
        operand.isContiguousInScan != isRow)
      count += kScatteredInstructions / (isColumn ? schedule.getVector() : 1);
  return count;
}

double TimeModel::getArithmeticTime() const {
  double perTile = warps * (items * getInstructions() + kTileInstructions);
  double resident = warps * getResident();
  double rate = kIssueRate * resident / (resident + kHalfOfWarps);
  return blocksPerSM * estimate.tilesPerBlock * perTile / rate;
}

/// Of tiles of the grid, each of which takes `tile` by itself.
double TimeModel::getGridLatency(double tile) const {
  double across = schedule.getScansPerBlock();
  double rows = std::max(1.0, facts.points / across);
  double tiles = estimate.blocks / rows;
  double concurrency = double(estimate.occupancy.blocksPerSM) * target.numSMs;
  double underWay = std::min(concurrency, double(estimate.blocks)) / rows;
  double windows =
      std::max(0.0, std::min(tiles, underWay) - 1) / kTilesInWindow;
  double look = kLookLatency + kWindowLatency * windows +
                (underWay > kTilesInWindow ? kSecondLookLatency : 0);
  return std::max(waves * (kTicketLatency + kLoadLatency + tile + look),
                  tiles * kChainLatency);
}

double TimeModel::getRoundLatency() const {
  double latency =
      kRoundLatency + kRoundItemLatency * items * facts.instructions;
  double held = getResident() * estimate.sharedBytes + estimate.bytesInFlight;
  return held <= target.sharedPerSM + kLeastCache ? latency
                                                  : latency * kCrowdedRound;
}

double TimeModel::getLatency() const {
  double tiles = estimate.tilesPerBlock;
  if (schedule.isPersistent())
    return (tiles + kFillRounds) * getRoundLatency();
  if (schedule.getStrategy() == Strategy::Sequential)
    return waves * (kLoadLatency +
                    tiles * std::max(kLoadLatency, items * kStepLatency *
                                                       facts.carriedWords));
  double tile = kTileLatency + kWarpLatency * warps +
                kItemLatency * items * facts.stateWords;
  if (schedule.isGridWide())
    return getGridLatency(tile);
  if (plan.prefetches)
    return waves *
           (kLoadLatency + tile + (tiles - 1) * std::max(kLoadLatency, tile));
  return waves * tiles * (kLoadLatency + tile);
}

double TimeModel::getOverlap() const {
  if (schedule.isOneTilePerBlock() ||
      schedule.getStrategy() == Strategy::Sequential)
    return kOverlap;
  if (schedule.isPersistent() ||
      (estimate.tilesPerBlock > 1 && plan.prefetches))
    return kOverlapAhead;
  return kOverlap * (1 + kOverlapOfTwo * std::log2(getResident()));
}

Times TimeModel::get() const {
  double latency = std::max(getLatency(), blocksPerSM * kBlockLatency);
  Times times = {getMemoryTime(), latency, getArithmeticTime(), 0};
  double p = getOverlap();
  times.total =
      std::pow(std::pow(times.memory, p) + std::pow(times.latency, p) +
                   std::pow(times.arithmetic, p),
               1 / p);
  return times;
}

Times mlir::scan::estimateTimes(const KernelPlan &plan,
                                const KernelFacts &facts,
                                const Estimate &estimate,
                                const Target &target) {
  return TimeModel(plan, facts, estimate, target).get();
}
