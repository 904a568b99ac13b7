//===- Estimate.cpp - How fast a schedule would be ------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a launch moves and what fits on a multiprocessor. Times are
// TimeModel.cpp's.
//
//===----------------------------------------------------------------------===//

#include "Estimate.h"
#include "Plan/KernelPlan.h"
#include "TimeModel.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::scan;

/// Registers come in portions of 8 per thread; a multiprocessor hands out
/// shared memory after a reserve of 1 KiB per block.
static constexpr int64_t kRegisterUnit = 8;
static constexpr int64_t kSharedReserve = 1024;

/// So many steps more than its share are in the longest chunk of packed
/// sequences, which are taken to have a mean of 512.
static constexpr int64_t kStepsBeyondShare = 512;

Occupancy Occupancy::get(const Chip &chip, int64_t threads, int64_t registers,
                         int64_t sharedBytes) {
  // What a thread cannot have is spilled.
  registers = std::min(registers, chip.maxRegistersPerThread);
  int64_t perBlock = threads * llvm::alignTo(registers, kRegisterUnit);
  std::pair<int64_t, StringRef> limits[] = {
      {chip.maxThreadsPerSM / threads, "threads"},
      {chip.maxBlocksPerSM, "blocks"},
      {chip.registersPerSM / perBlock, "registers"},
      {chip.sharedPerSM / (sharedBytes + kSharedReserve), "shared memory"}};
  Occupancy occupancy = {limits[0].first, limits[0].second};
  for (auto [blocks, limit] : limits)
    if (blocks < occupancy.blocksPerSM)
      occupancy = {blocks, limit};
  // One block always runs: its registers spill if they have to.
  occupancy.blocksPerSM = std::max<int64_t>(1, occupancy.blocksPerSM);
  return occupancy;
}

int64_t mlir::scan::getAvailableRegisters(const Chip &chip, int64_t threads) {
  return std::min<int64_t>(
      chip.maxRegistersPerThread,
      llvm::alignDown(chip.registersPerSM / threads, kRegisterUnit));
}

int64_t mlir::scan::getSharedLimit(ScheduleAttr schedule, const Chip &chip) {
  return std::min(getSharedLimit(schedule), chip.maxSharedPerBlock);
}

/// How many times a launch adds to one element of a reduction output in memory.
static double countAdditions(const Calibration &calibration,
                             const KernelFacts &facts,
                             const KernelOperands::Reduction &reduction,
                             ScheduleAttr schedule, double blocks) {
  double batch = facts.batch;
  bool isColumn = schedule.getStrategy() == Strategy::Column;
  double across = double(schedule.getLanes()) * schedule.getVector();
  if (reduction.isPerStep) {
    double additions = batch * facts.extent;
    if (!reduction.isShared)
      return additions;
    // Lanes add up what neighbouring scans have.
    return isColumn || schedule.sharesStates()
               ? additions / std::min(across, batch)
               : additions * calibration.sameAddress;
  }
  double warps = std::max<double>(1, schedule.getThreads() / 32.0);
  switch (schedule.getStrategy()) {
  case Strategy::Sequential:
    return batch;
  case Strategy::Row:
    return blocks * std::max<double>(warps, schedule.getRows());
  case Strategy::Column:
    return blocks * warps * (reduction.isShared ? 1 : across);
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
    return schedule.getLanes();
  case Strategy::Row:
    return 1;
  case Strategy::Column:
    return schedule.getScansPerBlock();
  }
  llvm_unreachable("unknown strategy");
}

/// Of a run of bytes, a line at least, how much lies in lines that it shares
/// with its neighbours: where rows do not begin with a line, those at both
/// ends, which together hold about one. Rows of a dynamic extent begin
/// anywhere.
static double getPartialLines(const KernelFacts &facts,
                              const KernelFacts::Operand &operand, double run) {
  double bytes = double(facts.extent) * operand.elementBytes;
  bool isAligned = facts.isExtentStatic && std::fmod(bytes, kLineBytes) == 0;
  return facts.batch == 1 || isAligned ? 0 : kLineBytes / run;
}

/// What is moved beside a run of neighbouring scans, since its first and its
/// last sector hold others, too: in bytes, the mean over all rows.
static double getOverrun(const KernelFacts::Operand &operand, double run) {
  constexpr int64_t sector = kSectorBytes;
  if (operand.rowBytes)
    return run >= operand.rowBytes
               ? 0
               : double(sector - std::gcd(operand.rowBytes, sector));
  // Of innermost extents that are not known, half are no multiples of a sector.
  constexpr double kOddRows = 0.5;
  return kOddRows * double(sector - operand.elementBytes);
}

/// The part of what is moved for an operand that is of use: of the sectors, and
/// of what the memory does best.
static double getUsefulPart(const Calibration &calibration,
                            const KernelFacts &facts,
                            const KernelFacts::Operand &operand,
                            ScheduleAttr schedule) {
  int64_t stepsAcross = getStepsAcross(schedule);
  // What a warp reads of it side by side.
  double run = operand.elementBytes;
  if (operand.isContiguousInScan)
    run *= std::min(stepsAcross, facts.extent);
  else if (operand.isContiguousAcross)
    run *= std::min(getScansAcross(schedule), facts.batch);
  // Whole rows follow each other.
  if (operand.isContiguousInScan && stepsAcross >= facts.extent)
    return 1;
  bool isAlongRow =
      operand.isContiguousInScan && schedule.getStrategy() == Strategy::Row;
  double partialLine =
      isAlongRow ? calibration.partialRowLine : calibration.partialLine;
  // Warps that walk neighbouring scans share their sectors in the first-level
  // cache; tiles of columns are those of other blocks.
  double wanted = 1;
  if (operand.isContiguousAcross && schedule.getStrategy() == Strategy::Column)
    wanted = run / (run + getOverrun(operand, run));
  if (run >= kLineBytes)
    return isAlongRow
               ? 1 / (1 + partialLine * getPartialLines(facts, operand, run))
               : wanted;
  double sectors = std::max(kSectorBytes, run);
  return wanted * run / sectors / getPartOfLineCost(partialLine, sectors);
}

Estimate mlir::scan::estimateSchedule(const KernelPlan &plan,
                                      const KernelFacts &facts,
                                      const GPUModel &gpu, double most) {
  ScheduleAttr schedule = plan.schedule;
  int64_t tileSteps = schedule.getTileSteps();
  int64_t scansPerBlock = schedule.getScansPerBlock();
  Estimate estimate = {};
  estimate.compulsory = facts.getCompulsoryBytes();
  for (const KernelFacts::Operand &operand : facts.operands) {
    double part = operand.isVarying
                      ? getUsefulPart(gpu.calibration, facts, operand, schedule)
                      : 1;
    estimate.traffic += operand.bytes / part;
  }

  bool isGrid = schedule.isGridWide();
  int64_t tiles = llvm::divideCeil(facts.extent, tileSteps);
  int64_t groups = llvm::divideCeil(facts.batch, scansPerBlock);
  estimate.tileSteps = tileSteps;
  estimate.tilesPerBlock = isGrid ? 1 : std::max<int64_t>(1, tiles);
  estimate.blocks = std::max<int64_t>(1, isGrid ? groups * tiles : groups);
  if (schedule.walksTilesTwice()) {
    // Of a tile's chunks each is walked twice, by a warp of its own or by those
    // of a block.
    int64_t blocks = isGrid ? schedule.getBlocks() : 1;
    estimate.blocks = std::max<int64_t>(1, groups * blocks);
    estimate.tilesPerBlock =
        2 * std::max<int64_t>(
                1, llvm::divideCeil(tiles, blocks * schedule.getWarps()));
  }
  if (schedule.splitsSegments()) {
    int64_t blocks = schedule.getBlocks();
    int64_t share =
        std::max<int64_t>(1, llvm::divideCeil(facts.extent, blocks));
    int64_t steps = std::min(facts.extent, share + kStepsBeyondShare);
    estimate.blocks = std::max<int64_t>(1, groups * blocks);
    estimate.tilesPerBlock =
        std::max<int64_t>(1, llvm::divideCeil(steps, tileSteps));
    estimate.longestChunk = std::max(1.0, double(steps) / double(share));
  }
  int64_t parts = estimate.blocks;
  if (schedule.isPersistent()) {
    estimate.blocks = std::min<int64_t>(parts, schedule.getBlocks());
    estimate.tilesPerBlock = llvm::divideCeil(parts, estimate.blocks);
  }
  estimate.traffic += double(estimate.blocks) * plan.lookBackBytes;
  if (plan.checkpointBytes != 0) {
    // Written by the first walk, and read by the one back, which reads inputs
    // again.
    estimate.traffic += 2.0 * plan.checkpointBytes * scansPerBlock *
                        double(estimate.blocks) * tiles;
    for (const KernelFacts::Operand &operand : facts.operands)
      if (plan.kind == KernelKind::CheckpointedColumn
              ? operand.isInFirstWalk
              : operand.isInput && operand.isVarying)
        estimate.traffic +=
            operand.bytes /
            getUsefulPart(gpu.calibration, facts, operand, schedule);
  }
  // The operands have each reduction once. Every addition reads and writes.
  for (const KernelOperands::Reduction &reduction : facts.reductions)
    estimate.traffic += 2 * reduction.elementBytes *
                        countAdditions(gpu.calibration, facts, reduction,
                                       schedule, double(estimate.blocks));
  estimate.registers = plan.registers;
  estimate.sharedBytes = plan.sharedBytes;
  estimate.wantedSharedBytes = plan.wantedSharedBytes;
  estimate.occupancy = Occupancy::get(gpu.chip, schedule.getThreads(),
                                      estimate.registers, estimate.sharedBytes);

  double bandwidth = gpu.getReachableBandwidth();
  double stepsInTile = std::min(tileSteps, facts.extent);
  double inFlight = facts.getInputBytes() * stepsInTile *
                    std::min(scansPerBlock, facts.batch) *
                    std::max<int64_t>(1, plan.prefetchDistance);
  // With so many nine tenths of the speed are reached.
  estimate.bytesNeeded = 9 * gpu.calibration.halfSpeedInFlight * bandwidth *
                         gpu.calibration.load / gpu.chip.numSMs;
  estimate.bytesInFlight =
      inFlight * std::clamp(double(estimate.blocks) / gpu.chip.numSMs, 1.0,
                            double(estimate.occupancy.blocksPerSM));

  Times times =
      estimateTimes(plan, facts, estimate, gpu, most - gpu.calibration.launch);
  estimate.nanoseconds = gpu.calibration.launch + times.total;
  estimate.tileInstructions = times.tileInstructions;
  estimate.codeInstructions = plan.codeInstructions;
  estimate.lowerBoundNanoseconds =
      gpu.calibration.launch + estimate.compulsory / bandwidth;
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
