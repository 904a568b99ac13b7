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
#include "IR/StepsRange.h"
#include "Plan/ColumnCheckpoints.h"
#include "Plan/KernelPlan.h"
#include "Plan/OneTileSchedule.h"
#include "Plan/ScheduleLegality.h"
#include "SpillLimits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::scan;

/// Rows side by side are for short ones.
static constexpr int64_t kFewTiles = 4;

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

/// Estimates tell times apart that differ by this factor.
static constexpr double kDistinct = 1.02;

/// Items of a thread, of rows of narrow elements; of others they are fewer.
static constexpr unsigned kMostNarrowItems = 32;

/// Of warp-specialized kernels: tiles of a row and of a multiprocessor at the
/// least, on average; stages, of which
/// fewer leave a look-back too little time and more bring nothing; and bytes
/// that a thread loads at most: linear pairs with 28 items of 8 bytes took 1.15
/// times as long as with 20; and those of a step of narrow elements.
static constexpr int64_t kFewestTilesOfRow = 16, kFewestRatedStages = 4,
                         kMostRatedStages = 10, kMostBytesOfThread = 176,
                         kMostBytesOfNarrow = 8;
static constexpr double kFewestTilesOfSM = 0.75;

/// Bytes of the widest access.
static constexpr int64_t kMaxAccessBytes = 16;

/// How many times the registers that a kernel takes at the least are about as
/// few.
static constexpr double kAboutAsFew = 1.1;

/// A schedule that was measured to be the best one is so many times faster than
/// anything can be, so that it outweighs what variants cost.
static constexpr double kMeasuredIsFaster = 1e9;

namespace {
/// Lists the schedules that are worth an estimate.
class Candidates {
public:
  /// With `onlyBest`, those are left out that cannot be the best, nor as good.
  Candidates(ScheduleRater &rater, const KernelFacts &facts, bool onlyBest)
      : rater(rater), kernel(rater.getKernel()), facts(facts),
        gpu(rater.getGPU()), onlyBest(onlyBest) {}

  SmallVector<Candidate> take() {
    if (addBidirectional())
      return std::move(candidates);
    // Without such lanes one that computes states again would be split.
    if (kernel.isBidirectional() && rater.getSplit()) {
      addEvenIfSpilling([&] { addSharedStates(); });
      return std::move(candidates);
    }
    // The same of columns.
    if (kernel.isBidirectional() && ColumnCheckpoints::get(kernel)) {
      addEvenIfSpilling([&] { addColumns(); });
      return std::move(candidates);
    }
    addSequential();
    addThreadPerRow();
    if (kernel.getOrder() != Order::Sequential) {
      addRows();
      addColumns();
    }
    return std::move(candidates);
  }

private:
  void add(ScheduleAttr schedule);
  void addEvenIfSpilling(function_ref<void()> addAll);
  bool addBidirectional();
  void addSequential();
  void addSharedStates();
  void addThreadPerRow();
  void addRows();
  void addWarpSpecialized();
  void addColumns();

  ScheduleRater &rater;
  KernelOp kernel;
  const KernelFacts &facts;
  const GPUModel &gpu;
  bool onlyBest;
  /// Who takes more nanoseconds is left out.
  double most = std::numeric_limits<double>::infinity();
  SmallVector<Candidate> candidates;
};
} // namespace

ScheduleAttr ScheduleRater::getSchedule(Strategy strategy, unsigned threads,
                                        unsigned items, unsigned rows,
                                        unsigned lanes, unsigned vector,
                                        Scope scope, unsigned blocks,
                                        unsigned stages) {
  auto pack = [](uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    assert(a >> 16 == 0 && b >> 16 == 0 && c >> 16 == 0 && d >> 16 == 0);
    return a << 48 | b << 32 | c << 16 | d;
  };
  uint64_t kind = uint64_t(strategy) * 2 + (scope == Scope::Grid);
  ScheduleAttr &schedule = schedules[{pack(kind, threads, items, rows),
                                      pack(stages, lanes, vector, blocks)}];
  if (!schedule)
    schedule = ScheduleAttr::get(kernel.getContext(), strategy, threads, items,
                                 rows, lanes, vector, scope, blocks, stages);
  return schedule;
}

void ScheduleRater::admitSpills() {
  mostSpilling = std::max(mostSpilling, kAboutAsFew * leastRejected);
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
  if (schedule.isGridWide() &&
      estimate.blocks * estimate.tilesPerBlock > kMostTiles)
    return std::nullopt;
  if (schedule.isOneTilePerBlock()) {
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

void Candidates::add(ScheduleAttr schedule) {
  std::optional<Candidate> candidate = rater.rate(facts, schedule, most);
  if (!candidate)
    return;
  if (onlyBest)
    most = std::min(most, kDistinct * candidate->estimate.nanoseconds);
  candidates.push_back(*candidate);
}

/// Where all schedules that `addAll` adds may spill, those are added that are
/// estimated to take about the fewest registers: estimates of such kernels are
/// high rather than low.
void Candidates::addEvenIfSpilling(function_ref<void()> addAll) {
  rater.forgetRejected();
  addAll();
  if (!candidates.empty())
    return;
  rater.admitSpills();
  addAll();
}

/// The schedule under which a bidirectional kernel reads its inputs
/// once; false if there is none. Under any other it is split.
bool Candidates::addBidirectional() {
  StepsRange range = getStepsRange(kernel);
  if (!kernel.isBidirectional() || kernel.getOrder() == Order::Sequential ||
      !range.isLimited())
    return false;
  // Without extents it has to be right for all of them.
  int64_t extent =
      facts.isExtentAssumed ? range.most : std::min(facts.extent, range.most);
  if (!facts.isExtentStatic)
    extent = std::max<int64_t>(extent, 1);
  if (std::optional<ScheduleAttr> schedule = getOneTileSchedule(kernel, extent))
    add(*schedule);
  return !candidates.empty();
}

void Candidates::addSequential() {
  for (unsigned threads : {128, 64, 32})
    for (unsigned items : {16, 8, 4, 2, 1}) {
      if (!facts.isExtentAssumed && items > 1 && items > facts.extent)
        continue;
      add(rater.getSchedule(Strategy::Sequential, threads, items));
    }
  addSharedStates();
}

void Candidates::addSharedStates() {
  const std::optional<StateSplit> &split = rater.getSplit();
  if (!split || kernel.getOrder() == Order::Sequential)
    return;
  bool isForward = !kernel.isBidirectional() && facts.reductions.empty() &&
                   llvm::none_of(facts.operands, [](const auto &operand) {
                     return !operand.isInput && operand.words > 1;
                   });
  // The fewer lanes share a scan, the less they have to exchange. Warps have
  // nothing to do with each other: blocks of one are divided the most evenly.
  for (unsigned lanes : {16, 8, 4, 2, 1})
    for (unsigned threads : {32, 64, 128, 256})
      for (unsigned items : {4, 8, 16, 32}) {
        unsigned sharing = kWarpSize / lanes;
        // A lane with many states had 8 steps in less time than 4, whatever the
        // number of scans; sums over scans, and outputs of each state, leave no
        // registers for them.
        unsigned own = split->parts / sharing;
        if (isForward && own >= 8 && items * own < 64)
          continue;
        if (split->parts % sharing == 0 && items % sharing == 0)
          add(rater.getSchedule(Strategy::Sequential, threads, items,
                                /*rows=*/1, lanes));
      }
}

/// Where time is innermost in memory, and steps have one order.
void Candidates::addThreadPerRow() {
  if (kernel.getOrder() != Order::Sequential)
    return;
  for (unsigned threads : {32, 64, 128})
    for (unsigned items : {16, 32, 8, 4}) {
      if (!facts.isExtentAssumed && items > facts.extent)
        continue;
      add(rater.getSchedule(Strategy::Row, threads, items, /*rows=*/threads));
    }
}

void Candidates::addRows() {
  auto addRow = [&](unsigned threads, unsigned items, unsigned rows,
                    Scope scope) {
    add(rater.getSchedule(Strategy::Row, threads, items, rows, /*lanes=*/32,
                          /*vector=*/1, scope));
  };
  // More items of narrow elements come in as many loads.
  bool isNarrow = llvm::all_of(facts.operands, [](const auto &operand) {
    return !operand.isVarying || operand.elementBytes < 4;
  });
  for (unsigned threads : {128, 256, 512, 64, 32})
    for (unsigned items : {16, 8, 32, 24, 12, 4, 2, 1}) {
      bool isForNarrow = items == kMostNarrowItems;
      if (isForNarrow && !isNarrow)
        continue;
      // No larger tile than the row.
      int64_t half = int64_t(threads) * items / 2;
      if (threads == 32 && 2 * half < facts.extent && items > 1)
        continue;
      bool isTooLarge = !facts.isExtentAssumed && half >= facts.extent;
      if (!isTooLarge || (threads == 32 && items == 1))
        addRow(threads, items, 1, Scope::Block);
      if (half < facts.extent && !isForNarrow)
        addRow(threads, items, 1, Scope::Grid);
    }
  // Persistent kernels: one block per multiprocessor, tiles scheduled
  // dynamically.
  for (unsigned threads : {512, 640, 384, 256})
    for (unsigned items : {24, 32, 20, 16, 12, 8})
      if (facts.batch * facts.extent > gpu.chip.numSMs * threads * items)
        add(rater.getSchedule(Strategy::Row, threads, items, /*rows=*/1,
                              /*lanes=*/32, /*vector=*/1, Scope::Grid,
                              /*blocks=*/gpu.chip.numSMs));
  addWarpSpecialized();
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

/// Persistent kernels whose warps have roles, with as many stages as shared
/// memory has room for. Where rows have few tiles, the last one of each, which
/// threads load, is too large a part.
void Candidates::addWarpSpecialized() {
  if (gpu.chip.computeCapability < kBulkCopyCapability)
    return;
  // Bytes of a step that are copied to shared memory. Those of results are
  // mostly in their place.
  int64_t bytes = 0, widest = 1;
  for (const KernelFacts::Operand &operand : facts.operands)
    if (operand.isVarying && operand.isInput) {
      bytes += operand.elementBytes;
      widest = std::max(widest, operand.elementBytes);
    }
  if (bytes == 0)
    return;
  // Of those that are estimated alike the first one is taken. Tiles of 320
  // threads are ahead of others in sums and linear pairs; 2x2 matrices of 2^22
  // took 1.08 times as long as with 384.
  for (unsigned threads : {320, 256, 384, 512, 576, 192})
    for (unsigned vectors : {7, 5, 3, 9}) {
      if (threads == 320 && bytes > kMostBytesOfNarrow)
        continue;
      int64_t items = vectors * kMaxAccessBytes / widest;
      int64_t steps = int64_t(threads) * items;
      // Of more flags than a word has bits lanes read the same banks.
      if (items == 0 || items * bytes > kMostBytesOfThread ||
          (kernel.hasSegmentOffsets() && items > kMaskWordBits) ||
          facts.extent < kFewestTilesOfRow * steps ||
          facts.batch * facts.extent <
              kFewestTilesOfSM * gpu.chip.numSMs * steps)
        continue;
      // The rest of shared memory may take a stage.
      int64_t fit = gpu.chip.maxSharedPerBlock / (steps * bytes);
      for (int64_t stages : {fit, fit - 1})
        if (stages >= kFewestRatedStages)
          add(rater.getSchedule(
              Strategy::Row, threads + ScheduleAttr::kRoleThreads, items,
              /*rows=*/1, /*lanes=*/32, /*vector=*/1, Scope::Grid,
              /*blocks=*/gpu.chip.numSMs, std::min(stages, kMostRatedStages)));
    }
}

void Candidates::addColumns() {
  bool isBack = kernel.isBidirectional();
  if (facts.batch < 2 && !isBack)
    return;
  int64_t widest = 1;
  for (const KernelFacts::Operand &operand : facts.operands)
    if (operand.isVarying && operand.isContiguousAcross)
      widest = std::max(widest, operand.elementBytes);
  // Elements wider than an access, as those of unrolled kernels are, come in
  // several: one column at a time is a candidate always.
  widest = std::min(widest, kMaxAccessBytes);
  // Neighbouring columns come in one access only where rows keep them aligned.
  std::optional<unsigned> inner = getInnerDim(kernel);
  int64_t columns = inner ? kernel.getStaticDomainShape()[*inner] : 1;
  // Columns that are walked there and back are many. Of the derivatives of
  // RG-LRU and Griffin on an H100, kernels with fewer lanes than a warp has
  // were slower, by 1.04 times and up to 3.
  unsigned lanesBack = 32;
  while (!ShapedType::isDynamic(columns) && lanesBack > 8 &&
         lanesBack >= 2 * columns)
    lanesBack /= 2;
  // Such kernels take many registers: of 192 threads there is room for two
  // blocks where there is for one of 256.
  SmallVector<unsigned> threadsOfColumns = {256, 512, 128};
  if (isBack)
    threadsOfColumns.push_back(192);
  auto mayBeVectorized = [&](unsigned vector) {
    return ShapedType::isDynamic(columns) || columns % vector == 0;
  };
  for (unsigned lanes : {32, 16, 8})
    for (unsigned vector = 1;
         vector * widest <= kMaxAccessBytes && mayBeVectorized(vector);
         vector *= 2)
      for (unsigned threads : threadsOfColumns)
        // One item each is what is left for states that fill the registers.
        for (unsigned items : {8, 4, 16, 2, 1})
          for (Scope scope : {Scope::Block, Scope::Grid}) {
            if (isBack && (scope == Scope::Grid || lanes != lanesBack))
              continue;
            int64_t across = int64_t(lanes) * vector;
            // A block has neighbours in memory: half of it would be idle.
            bool isIdle =
                !ShapedType::isDynamic(columns) && across >= 2 * columns;
            if (!isBack && (across > facts.batch || isIdle) && across > 8)
              continue;
            // Blocks share columns only where there are too few for all blocks.
            bool isFew = facts.batch <= (gpu.chip.numSMs - 1) * across;
            int64_t half = int64_t(threads) / lanes * items / 2;
            if (scope == Scope::Grid && (!isFew || half >= facts.extent))
              continue;
            add(rater.getSchedule(Strategy::Column, threads, items,
                                  /*rows=*/1, lanes, vector, scope));
          }
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
