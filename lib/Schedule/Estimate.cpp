//===- Estimate.cpp - How fast a schedule would be ------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers were fitted to what ptxas says of them. Times are TimeModel.cpp's.
//
//===----------------------------------------------------------------------===//

#include "Estimate.h"
#include "Plan/KernelPlan.h"
#include "TimeModel.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::scan;

/// With this part of bandwidth times latency in flight the memory runs at half
/// of its speed, and with more at x / (x + part): for what is said of bytes in
/// flight.
static constexpr double kHalfOfLatency = 0.32;

/// Lanes that add to the same element of memory wait for each other: as if each
/// moved so many times the bytes.
static constexpr double kSameAddress = 8;

/// Registers for addresses where strides are dynamic: in a row for each item,
/// in columns in all.
static constexpr int64_t kDynamicPerItem = 3;
static constexpr int64_t kDynamicColumn = 30;

/// Registers for the address of a sum; and one for each item that is on its way
/// there.
static constexpr int64_t kPerSum = 6;

/// Registers of an item of a row for each word of its state, or of its inputs;
/// for whether a sequence starts at it; and what is around a tile at the least.
static constexpr double kStatePerItem = 1.1;
static constexpr double kStartPerItem = 1.2;
static constexpr int64_t kLeastAround = 8;

/// Words of inputs per thread up to which the fit counts a prefetched tile.
static constexpr int64_t kMaxPrefetchedWords = 16;

/// States that rows side by side take more than one row: the one before a row
/// is not the one before the tile.
static constexpr int64_t kRowsSideBySide = 4;

/// Registers come in portions of 8 per thread; a multiprocessor hands out
/// shared memory after a reserve of 1 KiB per block.
static constexpr int64_t kRegisterUnit = 8;
static constexpr int64_t kSharedReserve = 1024;

Occupancy Occupancy::get(const Target &target, int64_t threads,
                         int64_t registers, int64_t sharedBytes) {
  // What a thread cannot have is spilled.
  registers = std::min(registers, target.maxRegistersPerThread);
  int64_t perBlock = threads * llvm::alignTo(registers, kRegisterUnit);
  std::pair<int64_t, StringRef> limits[] = {
      {target.maxThreadsPerSM / threads, "threads"},
      {target.maxBlocksPerSM, "blocks"},
      {target.registersPerSM / perBlock, "registers"},
      {target.sharedPerSM / (sharedBytes + kSharedReserve), "shared memory"}};
  Occupancy occupancy = {limits[0].first, limits[0].second};
  for (auto [blocks, limit] : limits)
    if (blocks < occupancy.blocksPerSM)
      occupancy = {blocks, limit};
  // One block always runs: its registers spill if they have to.
  occupancy.blocksPerSM = std::max<int64_t>(1, occupancy.blocksPerSM);
  return occupancy;
}

int64_t mlir::scan::getSharedLimit(ScheduleAttr schedule,
                                   const Target &target) {
  return schedule.isPersistent() ? target.maxSharedPerBlock
                                 : target.staticSharedPerBlock;
}

/// 32-bit registers for the varying elements of one step of `vector`
/// neighbouring points, which come in one access.
static int64_t countWords(const KernelFacts &facts, int64_t vector,
                          bool isInput) {
  int64_t words = 0;
  for (const KernelFacts::Operand &operand : facts.operands)
    if (operand.isVarying && operand.isInput == isInput)
      words += vector == 1 ? operand.words
                           : llvm::divideCeil(vector * operand.elementBytes, 4);
  return words;
}

/// Registers of the totals that a thread keeps of sums, and of what it adds up
/// over lanes.
static int64_t countSumWords(const KernelFacts &facts, ScheduleAttr schedule) {
  bool isColumn = schedule.getStrategy() == Strategy::Column;
  int64_t kept = 0, exchanged = 0;
  for (const KernelFacts::Sum &sum : facts.sums) {
    if (!sum.isPerStep)
      kept +=
          sum.words * (isColumn && !sum.isShared ? schedule.getVector() : 1);
    else if (isColumn && sum.isShared)
      exchanged += sum.words *
                   std::clamp<int64_t>(schedule.getLanes() / 2 / sum.elements,
                                       1, schedule.getItems());
  }
  // With several groups to a warp, each has the state before it besides, and
  // there is nothing to spare.
  if (isColumn && schedule.getLanes() < 32 && !facts.sums.empty())
    exchanged += facts.stateWords;
  int64_t sums = facts.sums.size();
  return kept + exchanged + (kPerSum + schedule.getItems()) * sums;
}

/// How many times a launch adds to the elements of one point of a sum in
/// memory.
static double countAdditions(const KernelFacts &facts,
                             const KernelFacts::Sum &sum, ScheduleAttr schedule,
                             double blocks) {
  double points = facts.points;
  bool isColumn = schedule.getStrategy() == Strategy::Column;
  double across = double(schedule.getLanes()) * schedule.getVector();
  if (sum.isPerStep) {
    double additions = points * facts.extent;
    if (!sum.isShared)
      return additions;
    return isColumn ? additions / std::min(across, points)
                    : additions * kSameAddress;
  }
  double warps = std::max<double>(1, schedule.getThreads() / 32.0);
  switch (schedule.getStrategy()) {
  case Strategy::Sequential:
    return points;
  case Strategy::Row:
    return blocks * std::max<double>(warps, schedule.getRows());
  case Strategy::Column:
    return blocks * warps * (sum.isShared ? 1 : across);
  }
  llvm_unreachable("unknown strategy");
}

int64_t mlir::scan::estimateRegisters(const KernelFacts &facts,
                                      ScheduleAttr schedule) {
  int64_t items = schedule.getItems(), vector = schedule.getVector();
  int64_t state = facts.stateWords;
  int64_t inputs = countWords(facts, vector, /*isInput=*/true);
  int64_t outputs = countWords(facts, vector, /*isInput=*/false);
  // Addresses and counters: two registers for each array; more where strides
  // are not known, since addresses are then computed before the loops.
  int64_t base = 20 + 2 * static_cast<int64_t>(facts.operands.size()) +
                 countSumWords(facts, schedule);
  bool isDynamic = !facts.isExtentStatic || !facts.arePointsStatic;
  switch (schedule.getStrategy()) {
  case Strategy::Sequential:
    // A chunk and the one after it.
    return base + 2 * items * inputs + 2 * facts.carriedWords + outputs;
  case Strategy::Row: {
    // A tile with its states and the one after it; a tile alone where it is
    // large, with more around it where narrow elements are unpacked in a loop.
    // Where blocks take tiles by turns, one tile in registers, one on its way,
    // and some of the states.
    bool isNarrow = llvm::any_of(facts.operands, [](const auto &operand) {
      return operand.isVarying && operand.elementBytes < 4 * operand.words;
    });
    bool isWalk =
        !schedule.isGridWide() && schedule.getTileSteps() < facts.extent;
    // With wide elements, a walk keeps a part of the states besides.
    double partOfTile = !isWalk ? 4.0 / 3 : isNarrow ? 1.77 : 2.8;
    int64_t words = items * inputs * partOfTile;
    if (schedule.isPersistent())
      words = items * (2 * inputs + state / 2.0);
    else if (items * inputs <= kMaxPrefetchedWords)
      words = items * (2 * inputs + state);
    // Of one tile of the grid, states that are wider than the inputs, and
    // starts.
    double perItem = kStatePerItem * std::max(inputs, state) +
                     (facts.hasSegmentOffsets ? kStartPerItem : 0);
    if (schedule.isOneTilePerBlock())
      words = std::max<int64_t>(words, kLeastAround + items * perItem);
    if (isDynamic)
      words += kDynamicPerItem * items;
    words += 3 * state;
    if (schedule.getRows() > 1)
      words += kRowsSideBySide * state;
    return base + words + outputs;
  }
  case Strategy::Column:
    if (isDynamic)
      base += kDynamicColumn;
    // A tile and the next one, if there is one, and the states around it.
    if (!schedule.isGridWide())
      inputs *= 2;
    return base + items * inputs + vector * (3 * state + facts.carriedWords) +
           outputs;
  }
  llvm_unreachable("unknown strategy");
}

/// Neighbouring steps, and neighbouring scans, that a warp reads at a time.
static int64_t getStepsAcross(ScheduleAttr schedule) {
  return schedule.getStrategy() == Strategy::Column ? 1
                                                    : schedule.getTileSteps();
}
static int64_t getScansAcross(ScheduleAttr schedule) {
  switch (schedule.getStrategy()) {
  case Strategy::Sequential:
    return 32;
  case Strategy::Row:
    return 1;
  case Strategy::Column:
    return schedule.getScansPerBlock();
  }
  llvm_unreachable("unknown strategy");
}

/// The part of what is moved for an operand that is of use: of the sectors, and
/// of what the memory does best.
static double getUsefulPart(const KernelFacts &facts,
                            const KernelFacts::Operand &operand,
                            ScheduleAttr schedule) {
  int64_t stepsAcross = getStepsAcross(schedule);
  // What a warp reads of it side by side.
  double run = operand.elementBytes;
  if (operand.isContiguousInScan)
    run *= std::min(stepsAcross, facts.extent);
  else if (operand.isContiguousAcross)
    run *= std::min(getScansAcross(schedule), facts.points);
  // Whole rows follow each other.
  if (operand.isContiguousInScan && stepsAcross >= facts.extent)
    run = kLineBytes;
  if (run >= kLineBytes)
    return 1;
  double sectors = std::max(kSectorBytes, run);
  return run / sectors / getPartOfLineCost(sectors);
}

Estimate mlir::scan::estimateSchedule(const KernelPlan &plan,
                                      const KernelFacts &facts,
                                      const Target &target) {
  ScheduleAttr schedule = plan.schedule;
  int64_t tileSteps = schedule.getTileSteps();
  int64_t scansPerBlock = schedule.getScansPerBlock();
  Estimate estimate = {};
  estimate.floor = facts.getFloor();
  for (const KernelFacts::Operand &operand : facts.operands) {
    double part =
        operand.isVarying ? getUsefulPart(facts, operand, schedule) : 1;
    estimate.traffic += operand.bytes / part;
  }

  bool isGrid = schedule.isGridWide();
  int64_t tiles = llvm::divideCeil(facts.extent, tileSteps);
  int64_t groups = llvm::divideCeil(facts.points, scansPerBlock);
  estimate.tileSteps = tileSteps;
  estimate.tilesPerBlock = isGrid ? 1 : std::max<int64_t>(1, tiles);
  estimate.blocks = std::max<int64_t>(1, isGrid ? groups * tiles : groups);
  int64_t parts = estimate.blocks;
  if (schedule.isPersistent()) {
    estimate.blocks = std::min<int64_t>(parts, schedule.getBlocks());
    estimate.tilesPerBlock = llvm::divideCeil(parts, estimate.blocks);
  }
  estimate.traffic += double(estimate.blocks) * plan.lookBackBytes;
  // The operands have each sum once. Every addition reads and writes.
  for (const KernelFacts::Sum &sum : facts.sums)
    estimate.traffic +=
        2 * sum.elementBytes *
        countAdditions(facts, sum, schedule, double(estimate.blocks));
  estimate.registers = estimateRegisters(facts, schedule);
  estimate.sharedBytes = plan.sharedBytes;
  estimate.wantedSharedBytes = plan.wantedSharedBytes;
  estimate.occupancy = Occupancy::get(target, schedule.getThreads(),
                                      estimate.registers, estimate.sharedBytes);

  double bandwidth = getReachableBandwidth(target);
  double stepsInTile = std::min(tileSteps, facts.extent);
  double inFlight = facts.getInputBytes() * stepsInTile *
                    std::min(scansPerBlock, facts.points);
  // With so many nine tenths of the speed are reached.
  estimate.bytesNeeded =
      9 * kHalfOfLatency * bandwidth * kLoadLatency / target.numSMs;
  estimate.bytesInFlight =
      inFlight * std::clamp(double(estimate.blocks) / target.numSMs, 1.0,
                            double(estimate.occupancy.blocksPerSM));

  Times times = estimateTimes(plan, facts, estimate, target);
  estimate.nanoseconds = getLaunchLatency() + times.total;
  estimate.floorNanoseconds = getLaunchLatency() + estimate.floor / bandwidth;
  if (times.memory >= std::max(times.latency, times.arithmetic))
    estimate.bound = "memory";
  else if (times.arithmetic >= times.latency)
    estimate.bound = "arithmetic";
  else if (estimate.bytesInFlight < estimate.bytesNeeded)
    estimate.bound = "too little in flight";
  else
    estimate.bound = "latency";
  return estimate;
}
