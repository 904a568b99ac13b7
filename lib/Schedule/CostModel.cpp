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
#include "Plan/KernelPlan.h"
#include "Plan/OneTileSchedule.h"
#include "Plan/ScheduleLegality.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan;

/// Of the registers that a thread can have, so many are left free by the
/// choice: the estimate is not exact, and spilling is worse than anything.
static constexpr double kRegisterMargin = 0.8;
/// Columns of dynamic extents are the exception: the estimate is what the
/// compiler would like to have for addresses, which it computes again before it
/// spills. With up to twice of what there is, kernels were slower by a fourth
/// to a half, on an H200.
static constexpr double kSpillPenalty = 4;
static constexpr double kAddressPenalty = 0.6;
static constexpr double kMostAddresses = 2;

/// With extents that are only assumed, a schedule that wastes traffic has to
/// win clearly: with other extents it loses by the waste.
static constexpr double kGuessPenalty = 4;

/// Tiles of the grid need a workspace, and win little over one block where
/// there are but so few steps and points for each multiprocessor.
static constexpr double kLittlePenalty = 1.15;
static constexpr double kLittle = 256;

/// Rows side by side are for short ones.
static constexpr int64_t kFewTiles = 4;

/// What tiles tell each other and read of lists of starts may be this part of
/// the floor at most.
static constexpr double kMaxStartsPart = 0.0195;

/// What tiles of columns tell each other may be this part of the floor at most.
static constexpr double kMaxToldPart = 0.01;

/// Estimates tell times apart that differ by this factor.
static constexpr double kDistinct = 1.02;

/// A row that takes more than one tile of the usual block.
static constexpr int64_t kLongRow = 128 * 16;

/// Items of a thread, of long rows of narrow elements.
static constexpr unsigned kMostNarrowItems = 16;

/// Bytes of the widest access.
static constexpr int64_t kMaxAccessBytes = 16;

namespace {
/// Lists the schedules that are worth an estimate.
class Candidates {
public:
  Candidates(KernelOp kernel, const KernelFacts &facts, const Target &target)
      : kernel(kernel), facts(facts), target(target) {}

  SmallVector<Candidate> take() {
    if (addBothWays())
      return std::move(candidates);
    addSequential();
    if (kernel.getOrder() != Order::Sequential) {
      addRows();
      addColumns();
    }
    return std::move(candidates);
  }

private:
  void add(ScheduleAttr schedule);
  bool addBothWays();
  void addSequential();
  void addRows();
  void addColumns();

  KernelOp kernel;
  const KernelFacts &facts;
  const Target &target;
  SmallVector<Candidate> candidates;
};
} // namespace

std::optional<Candidate> mlir::scan::rateSchedule(KernelOp kernel,
                                                  const KernelFacts &facts,
                                                  ScheduleAttr schedule,
                                                  const Target &target) {
  if (getUnsupportedPart(schedule) ||
      (kernel.hasSegmentOffsets() && schedule.getStrategy() != Strategy::Row))
    return std::nullopt;
  int64_t limit = getSharedLimit(schedule, target);
  KernelPlan plan = KernelPlan::get(kernel, schedule, limit);
  if (plan.wantedSharedBytes > limit)
    return std::nullopt;
  Estimate estimate = estimateSchedule(plan, facts, target);
  int64_t available = std::min(target.maxRegistersPerThread,
                               target.registersPerSM / schedule.getThreads());
  bool maySpill = estimate.registers > kRegisterMargin * available;
  if (schedule.isGridWide() && schedule.getStrategy() == Strategy::Column &&
      double(plan.lookBackBytes) * estimate.blocks >
          kMaxToldPart * estimate.floor)
    return std::nullopt;
  if (schedule.isOneTilePerBlock() && kernel.hasSegmentOffsets() &&
      double(plan.lookBackBytes) * estimate.blocks >
          kMaxStartsPart * estimate.floor)
    return std::nullopt;
  bool isGuess = facts.isExtentAssumed || facts.arePointsAssumed;
  double penalty =
      isGuess && estimate.traffic > 1.05 * estimate.floor ? kGuessPenalty : 1;
  if (schedule.isOneTilePerBlock() &&
      double(facts.points) * facts.extent < kLittle * target.numSMs)
    penalty *= kLittlePenalty;
  bool isStatic = facts.isExtentStatic && facts.arePointsStatic;
  bool isColumn = schedule.getStrategy() == Strategy::Column;
  double taken = double(estimate.registers) / available;
  if (maySpill && isColumn && !isStatic && taken <= kMostAddresses)
    penalty *= std::exp(kAddressPenalty * (taken - kRegisterMargin));
  else if (maySpill)
    penalty *= kSpillPenalty * taken;
  return Candidate{schedule, estimate, penalty};
}

void Candidates::add(ScheduleAttr schedule) {
  if (std::optional<Candidate> candidate =
          rateSchedule(kernel, facts, schedule, target))
    candidates.push_back(*candidate);
}

/// The schedule under which a kernel that scans both ways reads its inputs
/// once; false if there is none. Under any other it is split.
bool Candidates::addBothWays() {
  if (!kernel.isBidirectional() || kernel.getOrder() == Order::Sequential)
    return false;
  std::optional<ScheduleAttr> schedule = getOneTileSchedule(
      kernel.getContext(), kernel.getStaticDomainShape()[kernel.getDim()],
      getWordsPerStep(kernel));
  if (schedule && KernelPlan::get(kernel, *schedule).wantedSharedBytes <=
                      kStaticSharedLimit)
    add(*schedule);
  return !candidates.empty();
}

void Candidates::addSequential() {
  for (unsigned threads : {128, 64, 32})
    for (unsigned items : {16, 8, 4, 2, 1}) {
      if (!facts.isExtentAssumed && items > 1 && items > facts.extent)
        continue;
      add(ScheduleAttr::get(kernel.getContext(), Strategy::Sequential, threads,
                            items));
    }
}

void Candidates::addRows() {
  auto addRow = [&](unsigned threads, unsigned items, unsigned rows,
                    Scope scope) {
    add(ScheduleAttr::get(kernel.getContext(), Strategy::Row, threads, items,
                          rows, /*lanes=*/32, /*vector=*/1, scope));
  };
  // Long rows of narrow elements were faster in small blocks: 0.94 of a copy
  // with 64 threads of 16 items where 128 reached 0.85, and 256 of 24 items
  // 0.81, on an H200. A single warp was not.
  bool isNarrow = llvm::all_of(facts.operands, [](const auto &operand) {
    return !operand.isVarying || operand.elementBytes < 4;
  });
  SmallVector<unsigned> sizes = {128, 256, 512, 64, 32};
  bool isLongAndNarrow = isNarrow && facts.extent > kLongRow;
  if (isLongAndNarrow)
    sizes = {64, 128, 256, 512, 32};
  for (unsigned threads : sizes)
    for (unsigned items : {16, 8, 24, 12, 4, 2, 1}) {
      // No larger tile than the row.
      int64_t half = int64_t(threads) * items / 2;
      if (threads == 32 && 2 * half < facts.extent && items > 1)
        continue;
      bool isTooLarge = !facts.isExtentAssumed && half >= facts.extent;
      bool isTooMuch = isLongAndNarrow && items > kMostNarrowItems;
      if ((!isTooLarge && !isTooMuch) || (threads == 32 && items == 1))
        addRow(threads, items, 1, Scope::Block);
      if (half < facts.extent)
        addRow(threads, items, 1, Scope::Grid);
    }
  // Blocks that take many large tiles by turns, one per multiprocessor.
  for (unsigned threads : {512, 640, 384, 256})
    for (unsigned items : {24, 32, 20, 16, 12, 8})
      if (facts.points * facts.extent > target.numSMs * threads * items)
        add(ScheduleAttr::get(kernel.getContext(), Strategy::Row, threads,
                              items,
                              /*rows=*/1, /*lanes=*/32, /*vector=*/1,
                              Scope::Grid, /*blocks=*/target.numSMs));
  // Short rows side by side.
  for (unsigned threads : {128, 256})
    for (unsigned items : {8, 4, 2, 1, 16})
      for (unsigned rows = 2; rows <= threads; rows *= 2) {
        int64_t tile = int64_t(threads) / rows * items;
        if (!facts.isExtentAssumed && tile / 2 < facts.extent &&
            tile * kFewTiles > facts.extent)
          addRow(threads, items, rows, Scope::Block);
      }
}

void Candidates::addColumns() {
  if (facts.points < 2)
    return;
  int64_t widest = 1;
  for (const KernelFacts::Operand &operand : facts.operands)
    if (operand.isVarying && operand.isContiguousAcross)
      widest = std::max(widest, operand.elementBytes);
  // Only columns add up over lanes: with sums they are worth a try however much
  // a thread then holds.
  SmallVector<unsigned> itemCounts = {8, 4, 16, 2};
  if (!facts.sums.empty()) {
    widest = std::min(widest, kMaxAccessBytes);
    itemCounts.push_back(1);
  }
  // Neighbouring columns come in one access only where rows keep them aligned.
  std::optional<unsigned> inner = getInnerDim(kernel);
  int64_t columns = inner ? kernel.getStaticDomainShape()[*inner] : 1;
  auto mayBeWide = [&](unsigned vector) {
    return ShapedType::isDynamic(columns) || columns % vector == 0;
  };
  for (unsigned lanes : {32, 16, 8})
    for (unsigned vector = 1;
         vector * widest <= kMaxAccessBytes && mayBeWide(vector); vector *= 2)
      for (unsigned threads : {256, 512, 128})
        for (unsigned items : itemCounts)
          for (Scope scope : {Scope::Block, Scope::Grid}) {
            int64_t across = int64_t(lanes) * vector;
            if (across > facts.points && across > 8)
              continue;
            // Columns are shared only where there are too few to go round.
            bool isFew = facts.points <= (target.numSMs - 1) * across;
            int64_t half = int64_t(threads) / lanes * items / 2;
            if (scope == Scope::Grid && (!isFew || half >= facts.extent))
              continue;
            add(ScheduleAttr::get(kernel.getContext(), Strategy::Column,
                                  threads, items, /*rows=*/1, lanes, vector,
                                  scope));
          }
}

SmallVector<Candidate> mlir::scan::rankSchedules(KernelOp kernel,
                                                 const KernelFacts &facts,
                                                 const Target &target) {
  SmallVector<Candidate> listed = Candidates(kernel, facts, target).take();
  // Of those that are as good as the best, the one that was listed first.
  double best = std::numeric_limits<double>::max();
  for (const Candidate &candidate : listed)
    best = std::min(best, candidate.getRank());
  auto getKey = [&](size_t i) {
    return std::pair(std::max(listed[i].getRank(), kDistinct * best), i);
  };
  auto order = llvm::to_vector(llvm::seq<size_t>(0, listed.size()));
  llvm::sort(order, [&](size_t a, size_t b) { return getKey(a) < getKey(b); });
  SmallVector<Candidate> ranked;
  for (size_t i : order)
    ranked.push_back(listed[i]);
  return ranked;
}

ScheduleAttr mlir::scan::chooseSchedule(KernelOp kernel, const Target &target) {
  return rankSchedules(kernel, KernelFacts::get(kernel), target)
      .front()
      .schedule;
}

LogicalResult mlir::scan::checkSchedule(KernelOp kernel, ScheduleAttr schedule,
                                        const Target &target) {
  if (failed(checkIsSupported(kernel, schedule)))
    return failure();
  int64_t threads = schedule.getThreads();
  if (threads > target.maxThreadsPerBlock)
    return kernel.emitOpError()
           << "expected a schedule of at most " << target.maxThreadsPerBlock
           << " threads per block for " << target.chip << ", found " << threads;
  if (kernel.getOrder() == Order::Sequential &&
      schedule.getStrategy() != Strategy::Sequential)
    return kernel.emitOpError()
           << "expected the strategy sequential for the order sequential, "
              "found "
           << stringifyStrategy(schedule.getStrategy());
  return checkSharedMemory(kernel, schedule, getSharedLimit(schedule, target),
                           " for " + target.chip);
}
