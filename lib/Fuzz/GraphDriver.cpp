//===- GraphDriver.cpp - Looks for passes that change numbers -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Driver/InputSpec.h"
#include "FuzzDriver.h"
#include "GraphRun.h"
#include "Scan/InitAll/InitAll.h"
#include "TargetDraw.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;
namespace json = llvm::json;

/// Graphs that one child runs, and calls of each.
static constexpr uint64_t kGraphsPerChild = 20, kCallsOfGraph = 3;

namespace {
/// A graph, and calls of which at least one fails.
struct GraphCall {
  Graph graph;
  SmallVector<GraphCase> cases;
};

class GraphDriver : public FuzzDriver {
public:
  GraphDriver(const FuzzOptions &options, llvm::raw_ostream &out,
              llvm::raw_fd_ostream &err)
      : FuzzDriver(options, kGraphsPerChild, out, err) {}

private:
  void print(uint64_t index) override {
    out << "// graph " << index << "\n"
        << printGraph(makeGraphOrModel(options.seed, index));
  }
  json::Object runCase(uint64_t index, MLIRContext &context,
                       ChildStatus &status) override;
  bool takeCase(uint64_t index, const json::Object &result) override;
  void reportFailure(uint64_t index, Outcome &outcome, StringRef) override;
  void printCounts() override {
    out << ", " << cases << " graphs, " << kCallsOfGraph << " cases of each, "
        << failures.size() << " failures";
  }
  void addCounts(json::Object &summary) override {
    summary["programs"] = cases;
    summary["failures"] = failures.size();
  }
  std::string makeTest(uint64_t index, const GraphCall &call,
                       const Outcome &outcome);
};
} // namespace

static SmallVector<GraphCase> makeCases(const Graph &graph, uint64_t seed,
                                        uint64_t index) {
  SmallVector<GraphCase> cases;
  for (uint64_t i = 0; i < kCallsOfGraph; ++i)
    cases.push_back({makeGraphExtents(graph, seed, index, i),
                     fuzz::Random(seed, (index << 8) + i).next()});
  return cases;
}

json::Object GraphDriver::runCase(uint64_t index, MLIRContext &context,
                                  ChildStatus &status) {
  Graph graph = makeGraphOrModel(options.seed, index);
  return toJSON(runGraph(graph, makeGraphPlan(options, index),
                         makeCases(graph, options.seed, index), options.fault,
                         context, status));
}

bool GraphDriver::takeCase(uint64_t index, const json::Object &result) {
  Outcome outcome = fromJSON(result);
  if (outcome.kind != Outcome::Pass)
    fail(index, outcome);
  return true;
}

std::string GraphDriver::makeTest(uint64_t index, const GraphCall &call,
                                  const Outcome &outcome) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "// " << describe(outcome)
     << "\n// Found by scan-fuzz --graphs --seed=" << options.seed
     << " --only-program=" << index << " and made smaller.\n";
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string inputs;
  for (const HostArray &array :
       makeGraphArguments(call.graph, call.cases.front().extents,
                          call.cases.front().seed, context))
    inputs += " --input=" + printInputSpec(array);
  if (findExecutionTarget(outcome.target))
    os << "// RUN: scan-run %s " << printTargetOptions(outcome.target, index)
       << " --compare=reference --tolerance=0" << inputs << "\n";
  else if (outcome.target != kCleanUp)
    os << "// RUN: scan-run %s" << inputs << " > %t.before\n"
       << "// RUN: scan-opt %s --pass-pipeline='builtin.module("
       << outcome.target << ")' | scan-run -" << inputs << " > %t.after\n"
       << "// RUN: diff %t.before %t.after\n";
  os << "\n" << printGraph(call.graph);
  return text;
}

/// Makes the graph smaller for as long as it fails in the same way, prints it.
void GraphDriver::reportFailure(uint64_t index, Outcome &outcome, StringRef) {
  GraphCall call;
  call.graph = makeGraphOrModel(options.seed, index);
  call.cases = makeCases(call.graph, options.seed, index);
  GraphPlan plan = makeGraphPlan(options, index);
  // Only what failed is run again.
  plan.alsoDynamic = false;
  call.graph.hasDynamicArguments = outcome.hasDynamicArguments;
  if (findExecutionTarget(outcome.target)) {
    plan.pipelines.clear();
    llvm::erase_if(plan.targets, [&](const std::string &target) {
      return target != outcome.target;
    });
  } else if (outcome.target != kCleanUp) {
    plan.targets.clear();
    bool isFirst = plan.pipelines.front() == outcome.target;
    plan.pipelines.assign(isFirst ? 1 : 2, outcome.target);
  }
  GreedySearch<GraphCall> search(
      call,
      [&](const GraphCall &candidate) {
        return failsAgain(
            outcome, timeout, [&](MLIRContext &context, ChildStatus &status) {
              return runGraph(candidate.graph, plan, candidate.cases,
                              options.fault, context, status);
            });
      },
      options.shrinkSeconds);
  search.keepOne(&GraphCall::cases);
  search.repeat([&] {
    search.applySteps([](GraphCall &smaller, size_t step) {
      return simplifyGraph(smaller.graph, smaller.cases.front().extents, step);
    });
  });
  out << "FAILED: graph " << index << ": " << describe(outcome)
      << (call.graph.hasDynamicArguments ? " (with dynamic arguments)" : "")
      << "\n";
  printTest("graph", index, makeTest(index, call, outcome));
}

LogicalResult fuzz::runGraphs(const FuzzOptions &options,
                              llvm::raw_ostream &out,
                              llvm::raw_fd_ostream &err) {
  registerScanPasses();
  registerTransformsPasses();
  return GraphDriver(options, out, err).run();
}
