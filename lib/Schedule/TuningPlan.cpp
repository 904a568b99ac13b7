//===- TuningPlan.cpp - What is worth a measurement -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TuningPlan.h"
#include "Analysis/ExtentTable.h"
#include "CostModel.h"
#include "KernelHash.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace mlir;
using namespace mlir::scan;

/// So many schedules are measured of those that the model takes for the best.
static constexpr size_t kBest = 8;

/// Schedules that the model takes for so many times slower than the best are
/// not measured: it is seldom wrong by that much, and they take long.
static constexpr double kFarSlower = 12;

namespace {
/// Extents of one function, as numbers.
class KnownExtents {
public:
  KnownExtents(FunctionOpInterface function)
      : function(function), table(function) {}

  llvm::Error assume(ArrayRef<ExtentNumber> extents);
  llvm::Expected<int64_t> evaluate(const SymbolicPolynomial &quantity);
  llvm::Expected<SmallVector<int64_t>> getShape(unsigned argument);
  llvm::Expected<SmallVector<int64_t>> getDomain(KernelOp kernel);

private:
  SymbolicPolynomial substitute(const SymbolicPolynomial &quantity) const;
  std::string listNames();

  FunctionOpInterface function;
  ExtentTable table;
  DenseMap<SymbolicPolynomial::Symbol, int64_t> numbers;
};
} // namespace

static llvm::Error fail(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

SymbolicPolynomial
KnownExtents::substitute(const SymbolicPolynomial &quantity) const {
  return quantity.substitute(
      [&](SymbolicPolynomial::Symbol symbol) -> std::optional<int64_t> {
        auto number = numbers.find(symbol);
        if (number == numbers.end())
          return std::nullopt;
        return number->second;
      });
}

/// The dynamic extents of arguments that have no number yet, "arg0_d0,
/// arg0_d1".
std::string KnownExtents::listNames() {
  SmallVector<std::string> names;
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto shaped = dyn_cast<ShapedType>(type);
    for (unsigned dim = 0; shaped && dim < shaped.getRank(); ++dim) {
      SymbolicPolynomial extent =
          substitute(table.getExtent(function.getArgument(number), dim));
      if (!extent.getConstant())
        names.push_back(table.toString(extent));
    }
  }
  // Several arguments may have the same extent.
  std::set<std::string> seen;
  llvm::erase_if(names, [&](const std::string &name) {
    return !seen.insert(name).second;
  });
  return llvm::join(names, ", ");
}

llvm::Error KnownExtents::assume(ArrayRef<ExtentNumber> extents) {
  for (const ExtentNumber &extent : extents) {
    std::optional<SymbolicPolynomial> quantity = table.lookup(extent.name);
    if (!quantity)
      return fail("expected the name of an extent of @" + function.getName() +
                  ", such as arg0_d1 (dimension 1 of argument 0), found '" +
                  extent.name + "'; without a number are: " + listNames());
    if (auto symbol = quantity->getAsSymbol())
      numbers.try_emplace(*symbol, extent.value);
    SymbolicPolynomial value = substitute(*quantity);
    if (value != SymbolicPolynomial(extent.value))
      return fail("expected the extent " + extent.name + " of @" +
                  function.getName() + " to be " + table.toString(value) +
                  ", found " + Twine(extent.value));
  }
  return llvm::Error::success();
}

llvm::Expected<int64_t>
KnownExtents::evaluate(const SymbolicPolynomial &quantity) {
  std::optional<llvm::DynamicAPInt> value = substitute(quantity).getConstant();
  if (value && *value >= 0 && *value <= std::numeric_limits<int64_t>::max())
    return int64_t(*value);
  if (std::string names = listNames(); !names.empty())
    return fail(
        "expected numbers for all dynamic extents of the arguments of @" +
        function.getName() + "; give " + names + " with --extents");
  return fail(
      "expected extents that follow from those of the arguments, found " +
      table.toString(substitute(quantity)) + " in @" + function.getName());
}

llvm::Expected<SmallVector<int64_t>> KnownExtents::getShape(unsigned argument) {
  SmallVector<int64_t> shape;
  Value value = function.getArgument(argument);
  auto type = dyn_cast<ShapedType>(value.getType());
  for (unsigned dim = 0; type && dim < type.getRank(); ++dim) {
    llvm::Expected<int64_t> extent = evaluate(table.getExtent(value, dim));
    if (!extent)
      return extent.takeError();
    shape.push_back(*extent);
  }
  return shape;
}

llvm::Expected<SmallVector<int64_t>> KnownExtents::getDomain(KernelOp kernel) {
  SmallVector<int64_t> shape;
  for (unsigned dim = 0; dim < kernel.getDomainRank(); ++dim) {
    auto [operand, of] = kernel.getDomainDimSource(dim);
    llvm::Expected<int64_t> extent =
        evaluate(table.getExtent(operand->get(), of));
    if (!extent)
      return extent.takeError();
    shape.push_back(*extent);
  }
  return shape;
}

/// The schedules that are worth a measurement.
static SmallVector<ScheduleAttr> chooseSchedules(ArrayRef<Candidate> ranked) {
  SmallVector<ScheduleAttr> chosen;
  std::set<std::tuple<Strategy, Scope, bool>> kinds;
  double best = ranked.front().estimate.nanoseconds;
  for (const Candidate &candidate : ranked) {
    ScheduleAttr schedule = candidate.schedule;
    bool isNew = kinds
                     .emplace(schedule.getStrategy(), schedule.getScope(),
                              schedule.isPersistent())
                     .second;
    if (chosen.size() < kBest ||
        (isNew && candidate.estimate.nanoseconds <= kFarSlower * best))
      chosen.push_back(schedule);
  }
  return chosen;
}

llvm::Expected<TuningPlan> TuningPlan::get(FunctionOpInterface function,
                                           StringRef chip,
                                           ArrayRef<ExtentNumber> extents) {
  const GPUModel &gpu = *lookupGPUModel(chip);
  TuningPlan plan;
  KnownExtents known(function);
  if (llvm::Error error = known.assume(extents))
    return std::move(error);
  for (unsigned argument = 0; argument < function.getNumArguments();
       ++argument) {
    llvm::Expected<SmallVector<int64_t>> shape = known.getShape(argument);
    if (!shape)
      return shape.takeError();
    plan.argumentShapes.push_back(std::move(*shape));
  }
  SmallVector<KernelOp> kernels;
  function->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
  for (KernelOp kernel : kernels) {
    llvm::Expected<SmallVector<int64_t>> domain = known.getDomain(kernel);
    if (!domain)
      return domain.takeError();
    KernelFacts::Question question = {(*domain)[kernel.getDim()], 1};
    for (auto [dim, extent] : llvm::enumerate(*domain))
      if (dim != kernel.getDim())
        question.batch = *question.batch * extent;
    // As the choice of a schedule sees these numbers.
    KernelFacts facts = KernelFacts::get(kernel, question);
    Kernel &planned = plan.kernels.emplace_back();
    planned.hash = getKernelHash(kernel);
    planned.steps = facts.extent;
    planned.batch = facts.batch;
    if (ScheduleAttr schedule = kernel.getScheduleAttr()) {
      planned.schedules = {schedule};
      planned.reason = "the program gives its schedule";
      continue;
    }
    planned.schedules = chooseSchedules(ScheduleRater(kernel, gpu).rank(facts));
    // Numbers that were drawn are no offsets.
    if (kernel.hasSegmentOffsets())
      planned.reason =
          "it has segment offsets, on whose values its time depends";
    else if (planned.schedules.size() == 1)
      planned.reason = "there is one schedule that it may have";
  }
  return plan;
}
