//===- CellDriver.cpp - Looks for recurrences that are lowered wrongly ----===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cell.h"
#include "Driver.h"
#include "Driver/InputSpec.h"
#include "FuzzDriver.h"
#include "GraphRun.h"
#include "Scan/InitAll/InitAll.h"
#include "TargetDraw.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;
namespace json = llvm::json;

/// Recurrences that one child runs.
static constexpr uint64_t kCellsPerChild = 40;
/// Cases of a recurrence with static extents, and of each one in the emulator
/// and behind passes.
static constexpr uint64_t kStaticCellCases = 12, kEmulatedCellCases = 25,
                          kPipelineCases = 3;

namespace {
class CellDriver : public FuzzDriver {
public:
  CellDriver(const FuzzOptions &options, llvm::raw_ostream &out,
             llvm::raw_fd_ostream &err)
      : FuzzDriver(options, kCellsPerChild, out, err) {}

private:
  void print(uint64_t index) override {
    out << "// cell " << index << "\n"
        << printCell(makeCell(options.seed, index));
  }
  uint64_t takeBatch(uint64_t begin) override;
  json::Object runCase(uint64_t index, MLIRContext &context,
                       ChildStatus &status) override;
  bool takeCase(uint64_t index, const json::Object &result) override;
  void takeEnd(uint64_t index, const Outcome &outcome,
               const ChildStatus &status) override {
    failedCase = options.onlyCase.value_or(status.testCase);
    fail(index, outcome);
  }
  void reportFailure(uint64_t index, Outcome &outcome, StringRef) override;
  void printCounts() override {
    out << ", " << cases << " recurrences, " << calls << " cases, " << emulated
        << " of them in the emulator, " << failures.size() << " failures";
  }
  void addCounts(json::Object &summary) override {
    summary["programs"] = cases;
    summary["cases"] = calls;
    summary["emulated"] = emulated;
    summary["failures"] = failures.size();
  }
  uint64_t countCases(const Cell &cell) const;
  GraphPlan makePlan(uint64_t index, const Cell &cell) const;
  /// The data of a case.
  static uint64_t getSeed(uint64_t index, uint64_t number) {
    return index + (number << 32);
  }
  std::string makeTest(uint64_t index, const Cell &cell,
                       const Outcome &outcome);

  /// Cases of programs that were given to children, that were run, and that the
  /// emulator has run.
  uint64_t givenCalls = 0, calls = 0, emulated = 0;
  /// Which case of a program has failed.
  uint64_t failedCase = 0;
};
} // namespace

uint64_t CellDriver::countCases(const Cell &cell) const {
  return cell.isDynamic ? options.casesPerProgram
                        : std::min(options.casesPerProgram, kStaticCellCases);
}

uint64_t CellDriver::takeBatch(uint64_t begin) {
  uint64_t end = begin;
  while (end < begin + kCellsPerChild && givenCalls < options.count) {
    givenCalls += countCases(makeCell(options.seed, end));
    ++end;
    if (options.onlyProgram)
      givenCalls = options.count;
  }
  return end;
}

json::Object CellDriver::runCase(uint64_t index, MLIRContext &context,
                                 ChildStatus &status) {
  Cell cell = makeCell(options.seed, index);
  uint64_t first = options.onlyCase.value_or(0);
  uint64_t last = options.onlyCase ? first + 1 : countCases(cell);
  std::vector<SmallVector<HostArray>> arguments;
  for (uint64_t i = first; i < last; ++i)
    arguments.push_back(
        makeCellArguments(makeCellCase(cell, options.seed, index, i),
                          getSeed(index, i), context));
  GraphPlan plan = makePlan(index, cell);
  json::Object result = toJSON(runText(printCell(cell), std::move(arguments),
                                       plan, options.fault, context, status));
  result["cases"] = last - first;
  result["emulated"] =
      llvm::is_contained(plan.targets, "emulator")
          ? std::min<uint64_t>(last - first, kEmulatedCellCases)
          : 0;
  result["case"] = first + status.testCase;
  return result;
}

bool CellDriver::takeCase(uint64_t index, const json::Object &result) {
  Outcome outcome = fromJSON(result);
  calls += result.getInteger("cases").value_or(0);
  emulated += result.getInteger("emulated").value_or(0);
  failedCase = result.getInteger("case").value_or(0);
  if (outcome.kind != Outcome::Pass)
    fail(index, outcome);
  return true;
}

GraphPlan CellDriver::makePlan(uint64_t index, const Cell &cell) const {
  GraphPlan plan;
  // What lowers recurrences knows of no segments.
  plan.pipelines = {
      "scan-expand-recurrence-segments,convert-recurrence-to-loops",
      "scan-expand-recurrence-segments,convert-recurrence-to-loops,"
      "scan-fold-equal-operands,canonicalize,cse",
      "scan-expand-recurrence-segments,convert-recurrence-to-scans",
      "scan-raise-recurrence,scan-fold-equal-operands,canonicalize"};
  // The interpreter does not know what loops over parts are made of.
  if (cell.isScheduled())
    plan.pipelines.clear();
  if (!options.passes.empty())
    plan.pipelines = {options.passes};
  plan.pipelineCases = kPipelineCases;
  plan.emulatorCases = kEmulatedCellCases;
  plan.emulatorSeed = index;
  for (const std::string &target : options.targets)
    if (target != "emulator" || options.targets.size() == 1 ||
        fuzz::Random(options.seed + 1, index).chance(options.emulatorShare))
      plan.targets.push_back(target);
  return plan;
}

std::string CellDriver::makeTest(uint64_t index, const Cell &cell,
                                 const Outcome &outcome) {
  std::string text, inputs;
  llvm::raw_string_ostream os(text);
  os << "// " << describe(outcome)
     << "\n// Found by scan-fuzz --cells --seed=" << options.seed
     << " --only-program=" << index << " --only-case=" << failedCase
     << " and made smaller.\n";
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  for (const HostArray &array :
       makeCellArguments(cell, getSeed(index, failedCase), context))
    inputs += " --input=" + printInputSpec(array);
  if (findExecutionTarget(outcome.target))
    os << "// RUN: scan-run %s " << printTargetOptions(outcome.target, index)
       << " --compare=reference --tolerance=0" << inputs << "\n";
  else if (outcome.target != kCleanUp)
    os << "// RUN: scan-run %s" << inputs << " > %t.before\n"
       << "// RUN: scan-opt %s --pass-pipeline='builtin.module("
       << outcome.target << ")' | scan-run -" << inputs << " > %t.after\n"
       << "// RUN: diff %t.before %t.after\n";
  os << "\n" << printCell(cell);
  return text;
}

void CellDriver::reportFailure(uint64_t index, Outcome &outcome, StringRef) {
  Cell cell = makeCellCase(makeCell(options.seed, index), options.seed, index,
                           failedCase);
  GraphPlan plan = makePlan(index, cell);
  // Only what failed is run again.
  if (findExecutionTarget(outcome.target)) {
    plan.pipelines.clear();
    plan.targets = {outcome.target};
  } else if (outcome.target != kCleanUp) {
    plan.targets.clear();
    bool isFirst = plan.pipelines.front() == outcome.target;
    plan.pipelines.assign(isFirst ? 1 : 2, outcome.target);
  }
  GreedySearch<Cell> search(
      cell,
      [&](const Cell &candidate) {
        return failsAgain(
            outcome, timeout, [&](MLIRContext &context, ChildStatus &status) {
              return runText(
                  printCell(candidate),
                  {makeCellArguments(candidate, getSeed(index, failedCase),
                                     context)},
                  plan, options.fault, context, status);
            });
      },
      options.shrinkSeconds);
  search.repeat([&] { search.applySteps(simplifyCell); });
  out << "FAILED: cell " << index << ", case " << failedCase << ": "
      << describe(outcome) << "\n";
  printTest("cell", index, makeTest(index, cell, outcome));
}

LogicalResult fuzz::runCells(const FuzzOptions &options, llvm::raw_ostream &out,
                             llvm::raw_fd_ostream &err) {
  registerScanPasses();
  registerTransformsPasses();
  return CellDriver(options, out, err).run();
}
