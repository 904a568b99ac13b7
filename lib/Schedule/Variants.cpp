//===- Variants.cpp - Several schedules for one scan ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Samples the plane of steps and batch sizes, both on a logarithmic scale. The
// winners of a coarse sample are rated on a fine one; the plane is then cut
// once or twice, straight through, so that the best schedule of each part costs
// the least in sum over its samples. The schedule that would be chosen without
// a choice is always among them, and to be slower than that one counts many
// times: a cut is for extents where another schedule wins and does no harm.
//
//===----------------------------------------------------------------------===//

#include "Variants.h"
#include "CostModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan;

/// How much faster a variant makes the kernel where it is used, in the
/// geometric mean, or it is not worth the time to compile it.
static constexpr double kWorthwhile = 1.1;

/// The part of all samples that a variant has to be for.
static constexpr double kSmallestPart = 0.1;

/// The range of dynamic extents: from a row that one warp reads at once to more
/// than a billion elements in all. Where neighbours in memory are neighbouring
/// scans, the innermost dimension is not scanned, and has a few of them. What
/// moves less than a megabyte takes the time of a launch, however it is done.
static constexpr int64_t kFewestSteps = 16, kMostSteps = int64_t(1) << 26;
static constexpr int64_t kFewestColumns = 16, kLargestBatch = int64_t(1) << 24;
static constexpr double kFewestBytes = double(int64_t(1) << 20);
static constexpr double kMostBytes = double(int64_t(1) << 34);

/// How many times it counts that a variant is slower than the schedule that
/// would be used alone, beyond what the model can tell apart.
static constexpr double kHarm = 10;
static constexpr double kDistinct = 1.05;

/// From sample to sample, to find schedules; to find limits the factor is two.
static constexpr unsigned kCoarse = 4;

namespace {
/// A part of the plane of samples: from `begin` to before `end` in steps, in
/// batch sizes.
struct Part {
  std::array<size_t, 2> begin, end;
};

/// A schedule for a part of the plane, by number, and what it costs there.
struct Choice {
  size_t schedule = 0;
  double cost = 0;
};

/// A part that is cut at sample `at` of an axis.
struct Cut {
  unsigned axis;
  size_t at;
  Part low, high;
};

/// Variants, what they cost in sum over all samples, and how many samples the
/// variant for the fewest is for.
struct Plan {
  SmallVector<Variant> variants;
  double cost;
  int64_t smallestPart;
};

/// Finds the variants of one kernel.
class VariantSearch {
public:
  VariantSearch(KernelOp kernel, const GPUModel &gpu)
      : kernel(kernel), gpu(gpu) {}

  SmallVector<Variant> run();

private:
  bool listSamples();
  KernelFacts getFacts(size_t step, size_t batch) const;
  void findSchedules(ScheduleAttr usual);
  void rateSchedules();
  double getSum(ArrayRef<double> sums, const Part &part) const;
  double getCost(size_t schedule, const Part &part) const;
  Choice choose(const Part &part) const;
  ExtentCondition getCondition(const Cut &cut, bool isBelow) const;
  int64_t countSamples(const Part &part) const;
  /// Calls `visit` with each way to cut `part` in two.
  void forEachCut(const Part &part,
                  llvm::function_ref<void(const Cut &)> visit) const;

  KernelOp kernel;
  const GPUModel &gpu;
  /// Samples of steps and of batch sizes.
  std::array<SmallVector<int64_t>, 2> samples;
  llvm::SetVector<ScheduleAttr> schedules;
  /// The sums over all samples below and left of one: of costs, per schedule,
  /// and of ones. A cost is the logarithm of the time over that of the best
  /// schedule, with the harm that is done. The usual schedule is the first.
  SmallVector<SmallVector<double>> costs;
  SmallVector<double> counts;
};
} // namespace

static bool isInRange(const KernelFacts &facts) {
  double bytes = facts.getCompulsoryBytes();
  return bytes >= kFewestBytes && bytes <= kMostBytes;
}

/// Lists what the extents may be; false if there is nothing to choose by.
bool VariantSearch::listSamples() {
  KernelFacts facts = KernelFacts::get(kernel);
  if (facts.isExtentStatic && facts.isBatchStatic)
    return false;
  auto list = [](int64_t first, int64_t last, bool isStatic) {
    SmallVector<int64_t> values = {first};
    while (!isStatic && values.back() * 2 <= last)
      values.push_back(values.back() * 2);
    return values;
  };
  bool isAcross = llvm::any_of(facts.operands, [](const auto &operand) {
    return operand.isVarying && operand.isContiguousAcross;
  });
  samples = {list(facts.isExtentStatic ? facts.extent : kFewestSteps,
                  kMostSteps, facts.isExtentStatic),
             list(std::max<int64_t>(
                      isAcross && !facts.isBatchStatic ? kFewestColumns : 1,
                      facts.staticBatch),
                  kLargestBatch, facts.isBatchStatic)};
  return samples[0].size() * samples[1].size() > 1;
}

KernelFacts VariantSearch::getFacts(size_t step, size_t batch) const {
  return KernelFacts::get(kernel, {samples[0][step], samples[1][batch]});
}

/// Collects what is best somewhere.
void VariantSearch::findSchedules(ScheduleAttr usual) {
  schedules.insert(usual);
  for (size_t step = 0; step < samples[0].size(); step += kCoarse)
    for (size_t batch = 0; batch < samples[1].size(); batch += kCoarse) {
      KernelFacts facts = getFacts(step, batch);
      if (isInRange(facts))
        schedules.insert(rankSchedules(kernel, facts, gpu).front().schedule);
    }
}

void VariantSearch::rateSchedules() {
  size_t width = samples[1].size() + 1;
  SmallVector<double> zeros((samples[0].size() + 1) * width, 0);
  costs.assign(schedules.size(), zeros);
  counts = zeros;
  SmallVector<double> times(schedules.size());
  for (size_t step = 0; step < samples[0].size(); ++step)
    for (size_t batch = 0; batch < samples[1].size(); ++batch) {
      KernelFacts facts = getFacts(step, batch);
      bool isSampled = isInRange(facts);
      if (isSampled)
        for (auto [time, schedule] : llvm::zip_equal(times, schedules)) {
          auto candidate = rateSchedule(kernel, facts, schedule, gpu);
          time = candidate ? candidate->getRank()
                           : std::numeric_limits<double>::max();
        }
      double best = isSampled ? *llvm::min_element(times) : 1;
      size_t at = (step + 1) * width + batch + 1;
      auto add = [&](SmallVector<double> &sums, double value) {
        sums[at] =
            value + sums[at - 1] + sums[at - width] - sums[at - width - 1];
      };
      for (size_t i = 0; i < schedules.size(); ++i) {
        double harm = std::max(0.0, std::log(times[i] / times[0] / kDistinct));
        add(costs[i], isSampled ? std::log(times[i] / best) + kHarm * harm : 0);
      }
      add(counts, isSampled);
    }
}

double VariantSearch::getSum(ArrayRef<double> sums, const Part &part) const {
  size_t width = samples[1].size() + 1;
  auto at = [&](size_t step, size_t batch) {
    return sums[step * width + batch];
  };
  return at(part.end[0], part.end[1]) - at(part.begin[0], part.end[1]) -
         at(part.end[0], part.begin[1]) + at(part.begin[0], part.begin[1]);
}

double VariantSearch::getCost(size_t schedule, const Part &part) const {
  return getSum(costs[schedule], part);
}

Choice VariantSearch::choose(const Part &part) const {
  // Another one than the usual has to be worth it.
  Choice usual = {0, getCost(0, part)};
  Choice best = usual;
  best.cost -= std::log(kWorthwhile) * countSamples(part);
  for (size_t i = 1; i < schedules.size(); ++i)
    if (double cost = getCost(i, part); cost < best.cost)
      best = {i, cost};
  return best.schedule == 0 ? usual : best;
}

void VariantSearch::forEachCut(
    const Part &part, llvm::function_ref<void(const Cut &)> visit) const {
  for (unsigned axis : {0, 1})
    for (size_t at = part.begin[axis] + 1; at < part.end[axis]; ++at) {
      Cut cut = {axis, at, part, part};
      cut.low.end[axis] = cut.high.begin[axis] = at;
      visit(cut);
    }
}

int64_t VariantSearch::countSamples(const Part &part) const {
  return getSum(counts, part);
}

ExtentCondition VariantSearch::getCondition(const Cut &cut,
                                            bool isBelow) const {
  return {cut.axis == 0, isBelow, samples[cut.axis][cut.at]};
}

SmallVector<Variant> VariantSearch::run() {
  ScheduleAttr usual = chooseSchedule(kernel, gpu);
  if (!listSamples())
    return {{usual, std::nullopt}};
  findSchedules(usual);
  rateSchedules();

  Part all = {{0, 0}, {samples[0].size(), samples[1].size()}};
  Plan one = {{{usual, std::nullopt}}, getCost(0, all), countSamples(all)};
  Plan two = one, three = one;
  int64_t fewest = std::ceil(kSmallestPart * one.smallestPart);
  auto consider = [&](Plan &best, ArrayRef<Part> parts, const Plan &plan) {
    if (plan.cost >= best.cost)
      return;
    int64_t smallest = one.smallestPart;
    for (const Part &part : parts)
      smallest = std::min(smallest, countSamples(part));
    if (smallest < fewest)
      return;
    best = plan;
    best.smallestPart = smallest;
  };
  forEachCut(all, [&](const Cut &cut) {
    Choice below = choose(cut.low), above = choose(cut.high);
    consider(two, {cut.low, cut.high},
             {{{schedules[below.schedule], getCondition(cut, true)},
               {schedules[above.schedule], std::nullopt}},
              below.cost + above.cost,
              0});
    for (bool isBelow : {true, false}) {
      const Choice &first = isBelow ? below : above;
      forEachCut(isBelow ? cut.high : cut.low, [&](const Cut &inner) {
        Choice second = choose(inner.low), third = choose(inner.high);
        consider(three, {isBelow ? cut.low : cut.high, inner.low, inner.high},
                 {{{schedules[first.schedule], getCondition(cut, isBelow)},
                   {schedules[second.schedule], getCondition(inner, true)},
                   {schedules[third.schedule], std::nullopt}},
                  first.cost + second.cost + third.cost,
                  0});
      });
    }
  });

  const Plan *best = &one;
  for (const Plan *plan : {&two, &three}) {
    size_t more = plan->variants.size() - best->variants.size();
    double gain = best->cost - plan->cost;
    if (gain >= more * std::log(kWorthwhile) * plan->smallestPart)
      best = plan;
  }
  return best->variants;
}

SmallVector<Variant> mlir::scan::chooseVariants(KernelOp kernel,
                                                const GPUModel &gpu) {
  return VariantSearch(kernel, gpu).run();
}

const Variant &mlir::scan::chooseVariant(ArrayRef<Variant> variants,
                                         int64_t steps, int64_t batch) {
  return *llvm::find_if(variants, [&](const Variant &variant) {
    return !variant.condition || variant.condition->holds(steps, batch);
  });
}

std::string mlir::scan::describe(const ExtentCondition &condition) {
  return (Twine(condition.isOnSteps ? "steps" : "batch") +
          (condition.isBelow ? " < " : " >= ") + Twine(condition.limit))
      .str();
}
