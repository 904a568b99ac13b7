//===- RowCost.cpp - What blocks that walk rows take ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constants were fitted to the 1,229 faster ones of 1,820 schedules of 69
// programs on an H200 (benchmark/results/NVIDIA-H200.md, "Rows").
//
//===----------------------------------------------------------------------===//

#include "RowCost.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan;

static constexpr double kOverlap = 2.6, kLatency = 1.4, kBlock = 0.79;

/// Instructions for each word of a state, as many for few items as for many.
static constexpr double kInstructionsOfWord = 45;

/// In the programs of the fit states had no more than so many words. Wider ones
/// are bound by arithmetic, for which nothing is to be mended here.
static constexpr int64_t kMostWords = 4;

/// Loads of 16 bytes that a thread makes at a time without delay, and what a
/// doubling costs, as stores of other warps wait behind them: where it
/// prefetches the next of several tiles, and where there is one tile.
static constexpr double kBytesOfLoad = 16;
static constexpr double kPrefetchedLoads = 4, kMorePrefetchedLoads = 0.08;
static constexpr double kLoadsOfOneTile = 2, kMoreLoadsOfOneTile = 0.04;

/// Bytes of a tile of a row that follow each other in memory, and what half as
/// many cost, where rows have several tiles: more rows are read at a time.
static constexpr double kLongRun = 4096, kShorterRun = 0.024;

/// How often `ratio` has doubled from one.
static double countDoublings(double ratio) {
  return std::log2(std::max(1.0, ratio));
}

static double getAccesses(const KernelPlan &plan, const KernelFacts &facts,
                          const Estimate &estimate) {
  double loads = 0, run = kLongRun;
  for (const KernelFacts::Operand &operand : facts.operands) {
    if (!operand.isInput || !operand.isVarying)
      continue;
    loads += std::ceil(double(plan.schedule.getItems()) *
                       double(operand.elementBytes) / kBytesOfLoad);
    run = std::min(run,
                   double(estimate.tileSteps) * double(operand.elementBytes));
  }
  if (estimate.tilesPerBlock == 1)
    return 1 + kMoreLoadsOfOneTile * countDoublings(loads / kLoadsOfOneTile);
  return (1 + kMorePrefetchedLoads * countDoublings(loads / kPrefetchedLoads)) *
         (1 + kShorterRun * countDoublings(kLongRun / run));
}

RowCost RowCost::get(const KernelPlan &plan, const KernelFacts &facts,
                     const Estimate &estimate) {
  RowCost cost;
  if (plan.kind != KernelKind::Row || plan.schedule.getThreadsPerScan() == 1 ||
      facts.stateWords > kMostWords)
    return cost;
  cost.accesses = getAccesses(plan, facts, estimate);
  cost.latency = kLatency;
  cost.block = kBlock;
  cost.instructions = kInstructionsOfWord * double(facts.stateWords);
  cost.overlap = kOverlap;
  return cost;
}
