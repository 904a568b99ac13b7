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
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;
namespace json = llvm::json;

/// Recurrences that one child runs.
static constexpr uint64_t kBatch = 40;

namespace {
class CellDriver : public FuzzDriver {
public:
  CellDriver(const FuzzOptions &options, llvm::raw_ostream &out,
             llvm::raw_fd_ostream &err)
      : FuzzDriver(options, kBatch, out, err) {}

private:
  void print(uint64_t index) override {
    out << "// cell " << index << "\n"
        << printCell(makeCell(options.seed, index));
  }
  json::Object runCase(uint64_t index, MLIRContext &context,
                       ChildStatus &status) override {
    return toJSON(runCell(makeCell(options.seed, index), index, makePlan(),
                          context, status));
  }
  bool takeCase(uint64_t index, const json::Object &result) override {
    Outcome outcome = fromJSON(result);
    if (outcome.kind != Outcome::Pass)
      fail(index, outcome);
    return true;
  }
  void reportFailure(uint64_t index, Outcome &outcome, StringRef) override;
  void printCounts() override {
    out << ", " << cases << " recurrences, " << failures.size() << " failures";
  }
  void addCounts(json::Object &summary) override {
    summary["programs"] = cases;
    summary["failures"] = failures.size();
  }
  GraphPlan makePlan() const;
  Outcome runCell(const Cell &cell, uint64_t index, const GraphPlan &plan,
                  MLIRContext &context, ChildStatus &status) {
    return runText(printCell(cell), {makeCellArguments(cell, index, context)},
                   plan, options.fault, context, status);
  }
  std::string makeTest(uint64_t index, const Cell &cell,
                       const Outcome &outcome);
};
} // namespace

GraphPlan CellDriver::makePlan() const {
  GraphPlan plan;
  // What lowers recurrences knows of no segments.
  plan.pipelines = {
      "scan-expand-recurrence-segments,convert-recurrence-to-loops",
      "scan-expand-recurrence-segments,convert-recurrence-to-loops,"
      "canonicalize,cse",
      "scan-expand-recurrence-segments,convert-recurrence-to-scans",
      "scan-raise-recurrence,canonicalize"};
  if (!options.passes.empty())
    plan.pipelines = {options.passes};
  // The emulator runs code of GPUs, whose pipelines refuse recurrences.
  for (const std::string &target : options.targets)
    if (target != "emulator" || options.targets.size() == 1)
      plan.targets.push_back(target);
  return plan;
}

std::string CellDriver::makeTest(uint64_t index, const Cell &cell,
                                 const Outcome &outcome) {
  std::string text, inputs;
  llvm::raw_string_ostream os(text);
  os << "// " << describe(outcome)
     << "\n// Found by scan-fuzz --cells --seed=" << options.seed
     << " --only-program=" << index << " and made smaller.\n";
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  for (const HostArray &array : makeCellArguments(cell, index, context))
    inputs += " --input=" + printInputSpec(array);
  if (findExecutionTarget(outcome.target))
    os << "// RUN: scan-run %s --target=" << outcome.target
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
  Cell cell = makeCell(options.seed, index);
  GraphPlan plan = makePlan();
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
              return runCell(candidate, index, plan, context, status);
            });
      },
      options.shrinkSeconds);
  search.repeat([&] { search.applySteps(simplifyCell); });
  out << "FAILED: cell " << index << ": " << describe(outcome) << "\n";
  printTest("cell", index, makeTest(index, cell, outcome));
}

LogicalResult fuzz::runCells(const FuzzOptions &options, llvm::raw_ostream &out,
                             llvm::raw_fd_ostream &err) {
  registerScanPasses();
  registerTransformsPasses();
  return CellDriver(options, out, err).run();
}
