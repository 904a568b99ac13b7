//===- SplitStatesCost.cpp - The time of lanes that share states ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitStatesCost.h"

using namespace mlir;
using namespace mlir::scan;

/// Cycles from an instruction of a warp to the next one where no other warp is
/// there: steps depend on each other, and their parts do not. The same where
/// what a step needs comes from shared memory (StateTiles), and how many chunks
/// are on their way from memory then; without sums over scans, where most of
/// the time goes by from chunk to chunk, for which the next one waits; and of
/// walks there and back, where it waits for its checkpoint, too. Those without
/// sums were fitted to Mamba with 16 states on an H200, 256 to 32,768 scans.
static constexpr double kCyclesPerInstruction = 3.3;
static constexpr double kTiledCyclesPerInstruction = 1.7, kChunksInFlight = 2;
static constexpr double kForwardCyclesPerInstruction = 1, kChunkCycles = 680;
static constexpr double kBackCyclesPerInstruction = 1.2, kBackChunkCycles = 600;

/// Warps of a multiprocessor take so many times as long where chunks have more
/// than 16 steps: their loop is as long as its cache for instructions.
static constexpr double kLongChunk = 1.3;
static constexpr int64_t kMostStepsOfChunk = 16;

/// Nanoseconds for each tile of a scan over the grid until the last one knows
/// the state before it.
static constexpr double kLookOfTile = 200;

/// The same for each warp of a block that shares the steps of its scans.
static constexpr double kTotalsOfWarp = 50;

static constexpr double kSplitOverlap = 3;

/// Values of a step that lanes exchange, roughly.
static constexpr double kSharedValues = 2;

/// Instructions for each word of a reduction output that is added up over scans
/// at each step: half of the values are exchanged.
static constexpr double kAddedOverScans = 4;

/// Instructions of a chunk beside those of its steps. Without sums over scans,
/// where chunks come through shared memory, there are more, and a step has that
/// part of what operations take elsewhere: sums are fused, and exponentials are
/// short (FoldedExponentials).
static constexpr double kChunkInstructions = 40, kForwardChunk = 130,
                        kForwardStep = 0.45;

/// Words of reduction outputs that scans side by side share at each step.
static double countAddedWords(const KernelFacts &facts) {
  double added = 0;
  for (const KernelOperands::Reduction &reduction : facts.reductions)
    added += reduction.isPerStep && reduction.isShared ? reduction.words : 0;
  return added;
}

SplitStatesCost SplitStatesCost::get(const KernelPlan &plan,
                                     const KernelFacts &facts,
                                     const GPUModel &gpu, double words,
                                     double warps) {
  const Calibration &measured = gpu.calibration;
  ScheduleAttr schedule = plan.schedule;
  int64_t items = schedule.getItems();
  bool isTiled = plan.stages > 1, isBack = plan.checkpointBytes != 0;
  bool isForward = isTiled && !isBack && facts.reductions.empty();
  SplitStatesCost cost;
  // Besides its part, what lanes exchange at each step.
  cost.step = (facts.walk.instructions * (isForward ? kForwardStep : 1) +
               measured.wordInstructions * words +
               kAddedOverScans * countAddedWords(facts)) /
                  double(schedule.getThreadsPerState()) +
              measured.shuffleInstructions * kSharedValues;
  cost.chunk = isForward ? kForwardChunk : kChunkInstructions;
  bool isLong = isForward && items > kMostStepsOfChunk && warps > 1;
  cost.code = isLong ? kLongChunk : 1;
  cost.start = measured.load;
  if (schedule.isGridWide())
    cost.start += measured.load + kLookOfTile * schedule.getBlocks();
  else if (schedule.getWarps() != 1)
    cost.start += kTotalsOfWarp * schedule.getWarps();
  double walks = isBack ? 2 : 1;
  double load = walks * measured.load / (isTiled ? kChunksInFlight : 1);
  double perInstruction = kCyclesPerInstruction, perChunk = 0;
  if (isForward) {
    perInstruction = kForwardCyclesPerInstruction * cost.code;
    perChunk = kChunkCycles;
  } else if (isTiled && isBack) {
    perInstruction = kBackCyclesPerInstruction;
    perChunk = walks * kBackChunkCycles;
  } else if (isTiled) {
    perInstruction = kTiledCyclesPerInstruction;
  }
  double cycles = double(items) * cost.step * perInstruction + perChunk;
  cost.latency = std::max(load, cycles / gpu.chip.clock);
  cost.overlap = kSplitOverlap;
  return cost;
}
