//===- Variants.cpp - Several schedules for one scan ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Divides the plane of steps and batch sizes, both on a logarithmic scale, into
// cells. The schedules that are best in some of them are rated in all of them.
// Then the plane is cut straight through, its parts again, and so on: of all
// ways to make k parts of it that way, dynamic programming finds the one whose
// parts, each with one schedule, cost the least in sum over the cells.
//
//===----------------------------------------------------------------------===//

#include "Variants.h"
#include "CostModel.h"
#include "IR/StepsRange.h"
#include "mlir/IR/Threading.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::scan;

/// The range of dynamic extents; where neighbours in memory are neighbouring
/// scans, the innermost dimension is not scanned, and has a few of them. What
/// moves more is not on a GPU.
static constexpr int64_t kMostSteps = int64_t(1) << 30;
static constexpr int64_t kFewestColumns = 4, kLargestBatch = int64_t(1) << 24;
static constexpr double kMostBytes = double(int64_t(1) << 35);

/// From cell to cell. Tiles make a difference from one power of two to the next
/// one along the scan; the batch size is a matter of filling the GPU.
static constexpr int64_t kStepsFactor = 2, kBatchFactor = 4;

/// Along the scan the best schedule is looked for in every so many cells; in
/// those between, only where it is not the same on both sides.
static constexpr size_t kSearched = 4;

/// A cell costs the logarithm of the time over that of the best schedule there,
/// and what is beyond this factor again so many times: no extents should be far
/// from the best. The model can not tell apart what differs by less.
static constexpr double kFar = 1.2, kFarAgain = 3, kAlike = 1.03;

/// What moves fewer bytes mostly takes the time of a launch; what moves more is
/// seldom, and so are scans of fewer steps. They count less.
static constexpr double kFewBytes = double(int64_t(1) << 20);
static constexpr double kManyBytes = double(int64_t(1) << 33);
static constexpr int64_t kFewSteps = 4;
static constexpr double kSeldom = 0.3;

/// Far more than what rounding makes of the number of parts that are
/// worthwhile.
static constexpr double kRounding = 1e-3;

/// As if it took so many times the best time, where a schedule cannot be.
static constexpr double kImpossible = 1e4;

/// Instructions of a kernel: those of any, and so many for each operation of
/// the scan's regions and each element of a thread. VariantLimits::worthwhile
/// is for a kernel of up to the usual number.
static constexpr double kFixedInstructions = 600, kPerOperation = 4;
static constexpr double kUsualInstructions = 1500;

/// Threads that search at a time, each of which plans schedules for itself.
static constexpr unsigned kMostRaters = 4;

namespace {
/// The cells of an axis: extents up to `last`, from behind those of the cell
/// before, and the extents at which it is rated.
struct AxisCell {
  int64_t last;
  SmallVector<int64_t, 2> rated;
};

/// A part of the plane: from `begin` to before `end` in cells of steps, of
/// batch sizes.
struct Part {
  std::array<size_t, 2> begin, end;
};

/// Finds the variants of one kernel.
class VariantSearch {
public:
  VariantSearch(KernelOp kernel, const GPUModel &gpu);

  VariantTree run(const VariantLimits &limits);

private:
  void listSteps(StepsRange range);
  void listCells();
  void
  forEachBatch(function_ref<void(size_t batch, ScheduleRater &rater)> visit);
  void findSchedules();
  double rateCell(size_t step, size_t batch, ScheduleRater &rater,
                  MutableArrayRef<double> cellCosts) const;
  void rateSchedules();
  void setPrices(double worthwhile);
  void findParts(unsigned mostVariants);
  double getCost(const Part &part, unsigned schedule) const;
  float getLeastCost(const Part &part) const;
  double getSum(const Part &part, unsigned column) const;
  unsigned chooseSchedule(const Part &part) const;
  unsigned countParts(const Part &part) const;
  /// The least cost of `part` in `count` parts.
  float getLeast(const Part &part, unsigned count) const {
    return least[getIndex(part) * mostParts + count - 1];
  }

  size_t getIndex(const Part &part) const;
  /// The parts, smaller ones before those that they are cut out of.
  template <typename Visit> void forEachPart(Visit visit) const;
  /// Calls `visit` with each way to cut `part` in two: the axis, the cell
  /// before which it is cut, and both halves.
  template <typename Visit>
  void forEachCut(const Part &part, Visit visit) const;
  VariantTree makeTree(const Part &part, unsigned count);
  void placeLimit(const Part &part, VariantTree &tree);

  KernelOp kernel;
  /// One for each thread: they keep what they have computed.
  SmallVector<std::unique_ptr<ScheduleRater>> raters;
  std::array<SmallVector<AxisCell>, 2> cells;
  llvm::SetVector<ScheduleAttr> schedules;
  /// Of each cell, per schedule, the sum of costs over all cells below and left
  /// of it; and at last that of the least cost of each of these cells.
  SmallVector<double> sums;
  /// How much all cells count.
  double total = 0;
  /// Per schedule, what its compilation counts beside the cells that it is for.
  SmallVector<double> prices;
  /// Per part, the least cost of it in one, two ... parts.
  SmallVector<float> least;
  unsigned mostParts = 1;
};
} // namespace

VariantSearch::VariantSearch(KernelOp kernel, const GPUModel &gpu)
    : kernel(kernel) {
  unsigned threads =
      std::min(kernel.getContext()->getNumThreads(), kMostRaters);
  for (unsigned i = 0; i < threads; ++i)
    raters.push_back(std::make_unique<ScheduleRater>(kernel, gpu));
}

/// Calls `visit` for each cell of batch sizes, at the same time for as many as
/// there are raters.
void VariantSearch::forEachBatch(
    function_ref<void(size_t batch, ScheduleRater &rater)> visit) {
  parallelFor(kernel.getContext(), 0, raters.size(), [&](size_t first) {
    for (size_t batch = first; batch < cells[1].size(); batch += raters.size())
      visit(batch, *raters[first]);
  });
}

/// Bytes within which a kernel may be used.
static bool isInRange(const KernelFacts &facts) {
  return facts.getCompulsoryBytes() <= kMostBytes;
}

/// The cells of extents that the kernel is run with.
void VariantSearch::listSteps(StepsRange range) {
  for (int64_t last = 1; last <= kMostSteps; last *= kStepsFactor) {
    if (last < range.least)
      continue;
    bool isLast = last >= range.most;
    last = std::min(last, range.most);
    cells[0].push_back({last, {last}});
    // Between powers of two the last tile is not full.
    if (last > 2 && last / 4 * 3 >= range.least)
      cells[0].back().rated.push_back(last / 4 * 3);
    if (isLast)
      return;
  }
  // The range is beyond all that the model is asked about.
  if (cells[0].empty())
    cells[0].push_back({range.least, {range.least}});
}

void VariantSearch::listCells() {
  KernelFacts facts = raters.front()->getFacts();
  if (facts.isExtentStatic)
    cells[0].push_back({facts.extent, {facts.extent}});
  else
    listSteps(getStepsRange(kernel));
  if (facts.isBatchStatic) {
    cells[1].push_back({facts.batch, {facts.batch}});
    return;
  }
  bool isAcross = llvm::any_of(facts.operands, [](const auto &operand) {
    return operand.isVarying && operand.isContiguousAcross;
  });
  int64_t first =
      std::max<int64_t>(isAcross ? kFewestColumns : 1, facts.staticBatch);
  StepsRange scans = getScansRange(kernel);
  first = std::max(first, scans.least);
  cells[1].push_back({first, {first}});
  for (int64_t last = first * kBatchFactor;
       last <= kLargestBatch && cells[1].back().last < scans.most;
       last *= kBatchFactor)
    cells[1].push_back({last, {std::min(last / 2, scans.most)}});
}

/// Collects what is best somewhere.
void VariantSearch::findSchedules() {
  size_t steps = cells[0].size(), batches = cells[1].size();
  SmallVector<ScheduleAttr> best(steps * batches);
  forEachBatch([&](size_t batch, ScheduleRater &rater) {
    auto search = [&](size_t step) {
      KernelFacts facts = rater.getFacts(
          {cells[0][step].rated.back(), cells[1][batch].rated.front()});
      // Something has to be best.
      bool isFirst = step == 0 && batch == 0;
      if (isFirst || isInRange(facts))
        best[step * batches + batch] = rater.getBest(facts).schedule;
    };
    for (size_t step = 0; step < steps; step += kSearched)
      search(step);
    for (size_t step = 0; step < steps; ++step) {
      size_t before = step / kSearched * kSearched;
      size_t after = std::min(before + kSearched, steps - 1);
      bool isBetween = step != before;
      if (isBetween && (after == step || best[before * batches + batch] !=
                                             best[after * batches + batch]))
        search(step);
    }
  });
  for (ScheduleAttr schedule : best)
    if (schedule)
      schedules.insert(schedule);
  // What was measured is the best of the few cells around.
  for (const MeasuredSchedules::Measured &measured :
       raters.front()->getMeasured().getAll())
    schedules.insert(measured.schedule);
}

/// Sets `cellCosts` to the cost of each schedule in a cell; returns how much
/// the cell counts.
double VariantSearch::rateCell(size_t step, size_t batch, ScheduleRater &rater,
                               MutableArrayRef<double> cellCosts) const {
  double all = 0;
  SmallVector<double> times(schedules.size());
  ArrayRef<int64_t> rated = cells[0][step].rated;
  for (int64_t steps : rated)
    for (int64_t scans : cells[1][batch].rated) {
      KernelFacts facts = rater.getFacts({steps, scans});
      if (!isInRange(facts))
        continue;
      double best = std::numeric_limits<double>::max();
      for (auto [time, schedule] : llvm::zip_equal(times, schedules)) {
        auto candidate = rater.rate(facts, schedule);
        time = candidate ? candidate->estimate.nanoseconds : 0;
        if (candidate)
          best = std::min(best, time);
      }
      double bytes = facts.getCompulsoryBytes();
      bool isSeldom =
          bytes < kFewBytes || bytes > kManyBytes || steps < kFewSteps;
      double count = (isSeldom ? kSeldom : 1) / rated.size();
      all += count;
      for (auto [cost, time] : llvm::zip_equal(cellCosts, times)) {
        double ratio = time > 0 ? time / best : kImpossible;
        if (ratio > kAlike)
          cost += count * (std::log(ratio) +
                           kFarAgain * std::max(0.0, std::log(ratio / kFar)));
      }
    }
  return all;
}

void VariantSearch::rateSchedules() {
  size_t steps = cells[0].size(), batches = cells[1].size();
  size_t width = batches + 1, number = schedules.size() + 1;
  SmallVector<double> counts(steps * batches);
  sums.assign((steps + 1) * width * number, 0);
  auto getSums = [&](size_t step, size_t batch) {
    return MutableArrayRef(sums).slice((step * width + batch) * number, number);
  };
  // Of each cell alone at first.
  forEachBatch([&](size_t batch, ScheduleRater &rater) {
    for (size_t step = 0; step < steps; ++step) {
      MutableArrayRef<double> costs = getSums(step + 1, batch + 1);
      counts[step * batches + batch] =
          rateCell(step, batch, rater, costs.drop_back());
      costs.back() = *llvm::min_element(costs.drop_back());
    }
  });
  total = std::accumulate(counts.begin(), counts.end(), 0.0);
  for (size_t step = 1; step <= steps; ++step)
    for (size_t batch = 1; batch <= batches; ++batch)
      for (auto [sum, below, left, both] : llvm::zip_equal(
               getSums(step, batch), getSums(step, batch - 1),
               getSums(step - 1, batch), getSums(step - 1, batch - 1)))
        sum += below + left - both;
}

/// The time of a compilation grows with the number of instructions: a kernel
/// of twice the usual number has to gain twice as much (its logarithm).
void VariantSearch::setPrices(double worthwhile) {
  int64_t operations = 0;
  kernel->walk([&](Operation *op) { operations += op != kernel; });
  for (ScheduleAttr schedule : schedules) {
    // Threads that share states have a part of each element.
    double elements = double(schedule.getItems()) * schedule.getVector() /
                      schedule.getThreadsPerState();
    double instructions =
        kFixedInstructions + kPerOperation * elements * operations;
    prices.push_back(std::log(worthwhile) * total *
                     std::max(instructions / kUsualInstructions, 1.0));
  }
}

/// The sum of a column of `sums` over the cells of `part`.
double VariantSearch::getSum(const Part &part, unsigned column) const {
  auto sum = [&](size_t step, size_t batch) {
    return sums[(step * (cells[1].size() + 1) + batch) *
                    (schedules.size() + 1) +
                column];
  };
  return sum(part.end[0], part.end[1]) - sum(part.begin[0], part.end[1]) -
         sum(part.end[0], part.begin[1]) + sum(part.begin[0], part.begin[1]);
}

/// What `part` costs with one schedule, given by number.
double VariantSearch::getCost(const Part &part, unsigned schedule) const {
  return getSum(part, schedule) + prices[schedule];
}

/// What `part` costs with the schedule that costs the least.
float VariantSearch::getLeastCost(const Part &part) const {
  double least = std::numeric_limits<double>::max();
  for (unsigned number = 0; number < schedules.size(); ++number)
    least = std::min(least, getCost(part, number));
  return least;
}

/// That schedule, by number.
unsigned VariantSearch::chooseSchedule(const Part &part) const {
  std::pair<double, unsigned> best = {std::numeric_limits<double>::max(), 0};
  for (unsigned number = 0; number < schedules.size(); ++number)
    best = std::min(best, {getCost(part, number), number});
  return best.second;
}

/// In how many parts `part` may be at the most, or 0 if it is none: each of its
/// sides within the plane is a cut that has another part beyond it.
unsigned VariantSearch::countParts(const Part &part) const {
  unsigned sides = 0;
  for (unsigned axis : {0, 1})
    sides += (part.begin[axis] > 0) + (part.end[axis] < cells[axis].size());
  return mostParts - std::min(mostParts, sides);
}

/// Intervals are numbered by their ends, then by their beginnings.
size_t VariantSearch::getIndex(const Part &part) const {
  auto number = [](size_t begin, size_t end) {
    return end * (end - 1) / 2 + begin;
  };
  size_t batches = cells[1].size() * (cells[1].size() + 1) / 2;
  return number(part.begin[0], part.end[0]) * batches +
         number(part.begin[1], part.end[1]);
}

template <typename Visit> void VariantSearch::forEachPart(Visit visit) const {
  size_t steps = cells[0].size(), batches = cells[1].size();
  for (size_t length = 1; length <= steps; ++length)
    for (size_t width = 1; width <= batches; ++width)
      for (size_t step = 0; step + length <= steps; ++step)
        for (size_t batch = 0; batch + width <= batches; ++batch)
          visit({{step, batch}, {step + length, batch + width}});
}

template <typename Visit>
void VariantSearch::forEachCut(const Part &part, Visit visit) const {
  for (unsigned axis : {0, 1})
    for (size_t at = part.begin[axis] + 1; at < part.end[axis]; ++at) {
      Part below = part, above = part;
      below.end[axis] = above.begin[axis] = at;
      visit(axis, at, below, above);
    }
}

void VariantSearch::findParts(unsigned mostVariants) {
  auto countIntervals = [](size_t number) { return number * (number + 1) / 2; };
  mostParts = mostVariants;
  double leastPrice = *llvm::min_element(prices);
  least.resize(countIntervals(cells[0].size()) *
               countIntervals(cells[1].size()) * mostParts);
  forEachPart([&](const Part &part) {
    unsigned most = countParts(part);
    if (most == 0)
      return;
    float *costs = &least[getIndex(part) * mostParts];
    std::fill_n(costs, most, getLeastCost(part));
    // With the best schedule in each cell, so many parts cost no less.
    double room = costs[0] - getSum(part, schedules.size());
    unsigned worthwhile = most;
    if (leastPrice > 0)
      worthwhile = std::clamp(room / leastPrice + kRounding, 1.0, double(most));
    if (worthwhile == 1)
      return;
    forEachCut(part, [&](unsigned, size_t, const Part &below,
                         const Part &above) {
      const float *low = &least[getIndex(below) * mostParts];
      const float *high = &least[getIndex(above) * mostParts];
      for (unsigned first = 0; first + 1 < worthwhile; ++first)
        for (unsigned second = 0; first + second + 1 < worthwhile; ++second)
          costs[first + second + 1] =
              std::min(costs[first + second + 1], low[first] + high[second]);
    });
    std::fill(costs + worthwhile, costs + most, costs[worthwhile - 1]);
  });
}

/// Batch sizes are rated between the ends of their cells, of which the last one
/// is a power of two, as many are in programs: where the model says so for most
/// extents of `part`, it belongs to what is above the cut of `tree`. That is
/// asked where lanes share states above it: as many registers as these take,
/// they need scans enough, and the times of both sides are measured.
void VariantSearch::placeLimit(const Part &part, VariantTree &tree) {
  ScheduleRater &rater = *raters.front();
  int64_t batch = tree.condition.limit - 1;
  double gain = 0;
  for (size_t step = part.begin[0]; step < part.end[0]; ++step) {
    int64_t steps = cells[0][step].rated.front();
    KernelFacts facts = rater.getFacts({steps, batch});
    if (!isInRange(facts))
      continue;
    auto below = rater.rate(facts, tree.below->find(steps, batch).schedule);
    auto above = rater.rate(facts, tree.above->find(steps, batch).schedule);
    // Where a schedule cannot be, nothing else counts.
    if (!above || !above->schedule.sharesStates())
      return;
    gain += below ? std::log(below->estimate.nanoseconds /
                             above->estimate.nanoseconds)
                  : std::log(kImpossible);
  }
  if (gain > 0)
    tree.condition.limit = batch;
}

/// The best tree of `count` leaves at most.
VariantTree VariantSearch::makeTree(const Part &part, unsigned count) {
  float cost = getLeast(part, count);
  VariantTree tree;
  forEachCut(part, [&](unsigned axis, size_t at, const Part &below,
                       const Part &above) {
    for (unsigned first = 1; first < count; ++first) {
      if (tree.below ||
          getLeast(below, first) + getLeast(above, count - first) > cost)
        continue;
      // Where fewer do the same, there are fewer.
      if (getLeastCost(part) <= cost)
        continue;
      tree.condition = {axis == 0, cells[axis][at - 1].last + 1};
      tree.below = std::make_unique<VariantTree>(makeTree(below, first));
      tree.above =
          std::make_unique<VariantTree>(makeTree(above, count - first));
    }
  });
  if (!tree.below)
    tree.schedule = schedules[chooseSchedule(part)];
  else if (!tree.condition.isOnSteps)
    placeLimit(part, tree);
  return tree;
}

VariantTree VariantSearch::run(const VariantLimits &limits) {
  listCells();
  Part all = {{0, 0}, {cells[0].size(), cells[1].size()}};
  findSchedules();
  if (schedules.size() == 1)
    return VariantTree(schedules[0]);
  rateSchedules();
  setPrices(limits.worthwhile);
  findParts(limits.most);
  return makeTree(all, limits.most);
}

VariantTree mlir::scan::chooseVariants(KernelOp kernel, const GPUModel &gpu,
                                       const VariantLimits &limits) {
  if (std::optional<VariantTree> tiles = chooseTileVariants(kernel, limits))
    return std::move(*tiles);
  return VariantSearch(kernel, gpu).run(limits);
}

ScheduleAttr mlir::scan::chooseSchedule(KernelOp kernel, const GPUModel &gpu) {
  if (kernel.hasPureBufferSemantics())
    return chooseVariants(kernel, gpu, {/*most=*/1}).schedule;
  ScheduleRater rater(kernel, gpu);
  return rater.getBest(rater.getFacts()).schedule;
}
