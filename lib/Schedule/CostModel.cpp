//===- CostModel.cpp - Which schedule suits a scan ------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists the schedules that a kernel may have on a chip, estimates each, and
// takes the fastest.
//
//===----------------------------------------------------------------------===//

#include "CostModel.h"
#include "Candidates.h"
#include "Plan/KernelPlan.h"
#include "Plan/OneTileSchedule.h"
#include "Plan/ScheduleLegality.h"
#include "SpillLimits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::scan;

/// Look-back traffic and reads of segment offsets, and look-back traffic of
/// columns, may be these parts of the compulsory traffic at most.
static constexpr double kMaxOffsetsPart = 0.0195, kMaxColumnPart = 0.0195;

/// Without segment offsets, that of rows may be this part of it. Of
/// wide states tiles are small, since registers do not hold more, and one block
/// alone is far slower.
static constexpr double kMaxLookBackPart = 0.01;
static constexpr double kMaxWideLookBackPart = 0.08;

/// Tiles of the grid that have a descriptor in the workspace, at most; of
/// extents between those that variants are rated for there are twice as many.
static constexpr int64_t kMostTiles = int64_t(1) << 19;

/// How many times the registers that a kernel takes at the least are about as
/// few. Before sm_90 addresses take some more.
static constexpr double kAboutAsFew = 1.1, kAboutAsFewOfOld = 1;

/// A schedule that was measured to be the best one is so many times faster than
/// anything can be, so that it outweighs what variants cost.
static constexpr double kMeasuredIsFaster = 1e9;

ScheduleAttr ScheduleRater::getSchedule(Strategy strategy, unsigned threads,
                                        unsigned items, unsigned rows,
                                        unsigned lanes, unsigned vector,
                                        Scope scope, unsigned blocks,
                                        unsigned stages, unsigned warps) {
  auto pack = [](uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    assert(a >> 16 == 0 && b >> 16 == 0 && c >> 16 == 0 && d >> 16 == 0);
    return a << 48 | b << 32 | c << 16 | d;
  };
  uint64_t kind =
      (uint64_t(warps) * 4 + uint64_t(strategy)) * 2 + (scope == Scope::Grid);
  ScheduleAttr &schedule = schedules[{pack(kind, threads, items, rows),
                                      pack(stages, lanes, vector, blocks)}];
  if (!schedule)
    schedule =
        ScheduleAttr::get(kernel.getContext(), strategy, threads, items, rows,
                          lanes, vector, scope, blocks, stages, warps);
  return schedule;
}

void ScheduleRater::admitSpills() {
  double factor =
      gpu.chip.computeCapability < 90 ? kAboutAsFewOfOld : kAboutAsFew;
  mostSpilling = std::max(mostSpilling, factor * leastRejected);
}

std::optional<Candidate> ScheduleRater::rate(const KernelFacts &facts,
                                             ScheduleAttr schedule,
                                             double most) {
  auto [entry, isNew] = plans.try_emplace(schedule);
  std::optional<KernelPlan> &plan = entry->second;
  if (isNew && !getUnsupportedPart(schedule) &&
      (!kernel.hasSegmentOffsets() ||
       schedule.getStrategy() == Strategy::Row) &&
      (!schedule.isWarpSpecialized() ||
       getBulkCopyProblem(kernel, schedule).empty())) {
    int64_t limit = getSharedLimit(schedule, gpu.chip);
    plan = KernelPlan::get(kernel, schedule, limit, operands);
    if (plan->wantedSharedBytes > limit)
      plan.reset();
  }
  if (!plan)
    return std::nullopt;
  // What ptxas said comes before what is estimated.
  const ResourceEntry *known = measured.setResources(*plan);
  bool spills = known ? known->spilledBytes > 0 && !isSmallest(*plan)
                      : mustSpill(*plan, facts, gpu.chip);
  if (spills && plan->mostRegisters > mostSpilling) {
    leastRejected = std::min(leastRejected, double(plan->mostRegisters));
    return std::nullopt;
  }
  const MeasuredSchedules::Measured *best = measured.find(facts);
  bool isMeasuredBest = best && best->schedule == schedule;
  Estimate estimate = estimateSchedule(
      *plan, facts, gpu,
      isMeasuredBest ? std::numeric_limits<double>::infinity() : most);
  estimate.areRegistersKnown = known != nullptr;
  if (most < std::numeric_limits<double>::infinity() && estimate.isCutShort())
    return std::nullopt;
  double lookBackBytes = double(plan->lookBackBytes) * estimate.blocks;
  // Where lanes share states there are few tiles.
  bool hasManyTiles = schedule.isGridWide() && !schedule.sharesStates();
  if (hasManyTiles && estimate.blocks * estimate.tilesPerBlock > kMostTiles)
    return std::nullopt;
  if (hasManyTiles && schedule.isOneTilePerBlock()) {
    double mostPart =
        kernel.hasSegmentOffsets()                   ? kMaxOffsetsPart
        : facts.stateWords > kWideStateWords         ? kMaxWideLookBackPart
        : schedule.getStrategy() == Strategy::Column ? kMaxColumnPart
                                                     : kMaxLookBackPart;
    if (lookBackBytes > mostPart * estimate.compulsory)
      return std::nullopt;
  }
  if (isMeasuredBest)
    estimate.nanoseconds = estimate.lowerBoundNanoseconds / kMeasuredIsFaster;
  return Candidate{schedule, estimate};
}

/// Candidates in the order in which they were listed.
static SmallVector<Candidate>
listCandidates(ScheduleRater &rater, const KernelFacts &facts, bool onlyBest) {
  SmallVector<Candidate> listed = Candidates(rater, facts, onlyBest).take();
  // It may be one that the model does not consider.
  if (const auto *known = rater.getMeasured().find(facts)) {
    ScheduleAttr schedule = known->schedule;
    std::optional<Candidate> candidate = rater.rate(facts, schedule);
    if (candidate && llvm::none_of(listed, [&](const Candidate &other) {
          return other.schedule == schedule;
        }))
      listed.push_back(*candidate);
  }
  return listed;
}

/// Nanoseconds within which candidates are as good as the best.
static double getGoodTime(ArrayRef<Candidate> listed) {
  double best = std::numeric_limits<double>::max();
  for (const Candidate &candidate : listed)
    best = std::min(best, candidate.estimate.nanoseconds);
  return kDistinct * best;
}

Candidate ScheduleRater::getBest(const KernelFacts &facts) {
  SmallVector<Candidate> listed =
      listCandidates(*this, facts, /*onlyBest=*/true);
  double good = getGoodTime(listed);
  // Extents of zero give times that are no numbers, to every schedule.
  return *llvm::find_if(listed, [&](const Candidate &candidate) {
    return !(candidate.estimate.nanoseconds > good);
  });
}

SmallVector<Candidate> ScheduleRater::rank(const KernelFacts &facts) {
  SmallVector<Candidate> listed =
      listCandidates(*this, facts, /*onlyBest=*/false);
  // Of those that are as good as the best, the one that was listed first.
  double good = getGoodTime(listed);
  auto getKey = [&](size_t i) {
    return std::pair(std::max(listed[i].estimate.nanoseconds, good), i);
  };
  auto order = llvm::to_vector(llvm::seq<size_t>(0, listed.size()));
  llvm::sort(order, [&](size_t a, size_t b) { return getKey(a) < getKey(b); });
  SmallVector<Candidate> ranked;
  for (size_t i : order)
    ranked.push_back(listed[i]);
  return ranked;
}

LogicalResult mlir::scan::checkSchedule(KernelOp kernel, ScheduleAttr schedule,
                                        const GPUModel &gpu) {
  if (failed(checkIsSupported(kernel, schedule)))
    return failure();
  int64_t threads = schedule.getThreads();
  if (threads > gpu.chip.maxThreadsPerBlock)
    return kernel.emitOpError()
           << "expected a schedule of at most " << gpu.chip.maxThreadsPerBlock
           << " threads per block for " << gpu.chip.name << ", found "
           << threads;
  if (schedule.isWarpSpecialized() &&
      gpu.chip.computeCapability < kBulkCopyCapability)
    return kernel.emitOpError()
           << "expected a GPU with bulk copies, of sm_90 or later, for a "
              "schedule with stages, found "
           << gpu.chip.name << "; leave out stages";
  if (kernel.getOrder() == Order::Sequential && !schedule.keepsOrder())
    return kernel.emitOpError()
           << "expected the strategy sequential, or row with as many rows as "
              "threads, for the order sequential, found "
           << stringifyStrategy(schedule.getStrategy());
  return checkSharedMemory(kernel, schedule, getSharedLimit(schedule, gpu.chip),
                           " for " + gpu.chip.name);
}
