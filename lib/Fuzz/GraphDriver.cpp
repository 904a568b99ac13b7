//===- GraphDriver.cpp - Looks for passes that change numbers -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Driver/InputSpec.h"
#include "GraphRun.h"
#include "Scan/InitAll/InitAll.h"
#include "WorkerProtocol.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;
namespace json = llvm::json;

/// Graphs that one child runs, and calls of each.
static constexpr uint64_t kBatch = 20, kCases = 3;

namespace {
class GraphDriver {
public:
  GraphDriver(const FuzzOptions &options, llvm::raw_ostream &out,
              llvm::raw_fd_ostream &err)
      : options(options), out(out), err(err),
        start(std::chrono::steady_clock::now()) {}
  LogicalResult run();

private:
  using Body = llvm::function_ref<Outcome(MLIRContext &, ChildStatus &,
                                          llvm::raw_ostream &)>;
  Outcome runChild(Body body);
  uint64_t runBatch(uint64_t begin, uint64_t end);
  void fail(uint64_t index, Outcome outcome);
  std::string printTest(uint64_t index, const Graph &graph,
                        const GraphCase &call, const Outcome &outcome);
  double getSeconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  }
  bool isOver() const {
    return failures >= options.maxFailures ||
           (options.minutes && getSeconds() > *options.minutes * 60);
  }
  void printSummary(uint64_t next);

  const FuzzOptions &options;
  llvm::raw_ostream &out;
  llvm::raw_fd_ostream &err;
  std::chrono::steady_clock::time_point start;
  uint64_t graphs = 0;
  unsigned failures = 0;
};
} // namespace

static SmallVector<GraphCase> makeCases(const Graph &graph, uint64_t seed,
                                        uint64_t index) {
  SmallVector<GraphCase> cases;
  for (uint64_t i = 0; i < kCases; ++i)
    cases.push_back({makeGraphExtents(graph, seed, index, i),
                     fuzz::Random(seed, (index << 8) + i).next()});
  return cases;
}

/// Runs `body` in a child to its end. Its outcome is that of the last thing
/// that it did.
Outcome GraphDriver::runChild(Body body) {
  Child child;
  bool hasStarted =
      child.start([&](ChildStatus &status, llvm::raw_ostream &os) {
        DialectRegistry registry;
        registerAllDialects(registry);
        MLIRContext context(registry, MLIRContext::Threading::DISABLED);
        printOutcome(body(context, status, os), os);
      });
  if (!hasStarted)
    return {Outcome::Error, "fork", "cannot start a process"};
  std::vector<std::string> lines;
  while (true) {
    Child::State state = child.poll(200, lines);
    if (state == Child::State::Finished)
      return lines.empty() ? Outcome() : parseOutcome(lines.back());
    if (state == Child::State::Crashed)
      return {Outcome::Crash, child.getStatus().stage, child.describeEnd()};
    if (child.getStepSeconds() > options.timeout) {
      std::string stage = child.getStatus().stage;
      child.kill();
      return {Outcome::Timeout, stage, "no answer"};
    }
  }
}

/// Runs the graphs from `begin` on, up to the first that fails; returns which
/// one comes next.
uint64_t GraphDriver::runBatch(uint64_t begin, uint64_t end) {
  // In memory that outlives a child that dies.
  Child child;
  uint64_t next = begin;
  std::vector<std::string> lines;
  Outcome outcome;
  bool hasStarted =
      child.start([&](ChildStatus &status, llvm::raw_ostream &os) {
        DialectRegistry registry;
        registerAllDialects(registry);
        MLIRContext context(registry, MLIRContext::Threading::DISABLED);
        for (uint64_t i = begin; i < end; ++i) {
          status.program = i;
          ++status.steps;
          Graph graph = makeGraph(options.seed, i);
          printOutcome(runGraph(graph, makeGraphPlan(options, i),
                                makeCases(graph, options.seed, i),
                                options.plant, context, status),
                       os);
          os.flush();
        }
      });
  if (!hasStarted) {
    err << "scan-fuzz: error: cannot start a process\n";
    failures = options.maxFailures;
    return end;
  }
  size_t read = 0;
  while (true) {
    Child::State state = child.poll(200, lines);
    for (; read < lines.size(); ++read) {
      ++graphs;
      ++next;
      Outcome result = parseOutcome(lines[read]);
      if (result.kind != Outcome::Pass)
        fail(next - 1, result);
    }
    if (state == Child::State::Finished || isOver())
      return end;
    if (state == Child::State::Running &&
        child.getStepSeconds() <= options.timeout)
      continue;
    const ChildStatus &status = child.getStatus();
    ++graphs;
    if (state == Child::State::Crashed)
      fail(next, {Outcome::Crash, status.stage, child.describeEnd(),
                  status.hasDynamicArguments});
    else
      fail(next, {Outcome::Timeout, status.stage, "no answer",
                  status.hasDynamicArguments});
    return next + 1;
  }
}

std::string GraphDriver::printTest(uint64_t index, const Graph &graph,
                                   const GraphCase &call,
                                   const Outcome &outcome) {
  std::string text;
  llvm::raw_string_ostream os(text);
  std::string message = outcome.message;
  llvm::replace(message, '\n', ' ');
  os << "// " << outcome.target << ": " << stringifyOutcome(outcome.kind)
     << ": " << message
     << "\n// Found by scan-fuzz --graphs --seed=" << options.seed
     << " --only-program=" << index << " and made smaller.\n";
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string inputs;
  for (const HostArray &array :
       makeGraphArguments(graph, call.extents, call.seed, context))
    inputs += " --input=" + printInputSpec(array);
  if (findExecutionTarget(outcome.target))
    os << "// RUN: scan-run %s --target=" << outcome.target
       << " --compare=reference --tolerance=0" << inputs << "\n";
  else
    os << "// RUN: scan-run %s" << inputs << " > %t.before\n"
       << "// RUN: scan-opt %s --pass-pipeline='builtin.module("
       << outcome.target << ")' | scan-run -" << inputs << " > %t.after\n"
       << "// RUN: diff %t.before %t.after\n";
  os << "\n" << printGraph(graph);
  return text;
}

/// Makes the graph smaller for as long as it fails in the same way, prints it.
void GraphDriver::fail(uint64_t index, Outcome outcome) {
  if (failures >= options.maxFailures)
    return;
  ++failures;
  Graph graph = makeGraph(options.seed, index);
  SmallVector<GraphCase> cases = makeCases(graph, options.seed, index);
  GraphPlan plan = makeGraphPlan(options, index);
  // Only what failed is run again.
  plan.alsoDynamic = false;
  graph.hasDynamicArguments = outcome.hasDynamicArguments;
  if (findExecutionTarget(outcome.target)) {
    plan.pipelines.clear();
    llvm::erase_if(plan.targets, [&](const std::string &target) {
      return target != outcome.target;
    });
  } else {
    plan.targets.clear();
    bool isFirst = plan.pipelines.front() == outcome.target;
    plan.pipelines.assign(isFirst ? 1 : 2, outcome.target);
  }
  auto isSame = [&](const Graph &candidate, ArrayRef<GraphCase> calls) {
    Outcome next = runChild([&](MLIRContext &context, ChildStatus &status,
                                llvm::raw_ostream &) {
      return runGraph(candidate, plan, calls, options.plant, context, status);
    });
    if (next.kind != outcome.kind || next.target != outcome.target)
      return false;
    outcome = next;
    return true;
  };
  auto begin = std::chrono::steady_clock::now();
  auto isTimeOver = [&] {
    std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - begin;
    return elapsed.count() > options.shrinkSeconds;
  };
  GraphCase call = cases.front();
  for (const GraphCase &candidate : cases)
    if (!isTimeOver() && isSame(graph, {candidate})) {
      call = candidate;
      break;
    }
  bool hasProgress = options.shrinkSeconds > 0;
  while (hasProgress && !isTimeOver()) {
    hasProgress = false;
    for (size_t step = 0; !isTimeOver(); ++step) {
      Graph smaller = graph;
      GraphCase shorter = call;
      bool hasChanged = false;
      if (!simplifyGraph(smaller, shorter.extents, step, hasChanged))
        break;
      if (!hasChanged || !isExact(smaller) || !isSame(smaller, {shorter}))
        continue;
      graph = smaller;
      call = shorter;
      hasProgress = true;
    }
  }
  std::string message = outcome.message;
  llvm::replace(message, '\n', ' ');
  out << "FAILED: graph " << index << ": " << outcome.target << ": "
      << stringifyOutcome(outcome.kind) << ": " << message
      << (graph.hasDynamicArguments ? " (with dynamic arguments)" : "") << "\n";
  std::string test = printTest(index, graph, call, outcome);
  out << "----- test\n" << test << "-----\n";
  out.flush();
  writeFailure(options,
               "graph-" + std::to_string(options.seed) + "-" +
                   std::to_string(index) + ".mlir",
               test, err);
}

void GraphDriver::printSummary(uint64_t next) {
  if (options.json) {
    out << llvm::formatv("{0:2}\n",
                         json::Value(json::Object{{"seed", options.seed},
                                                  {"next_program", next},
                                                  {"programs", graphs},
                                                  {"failures", failures},
                                                  {"seconds", getSeconds()}}));
    return;
  }
  out << "COUNT: seed " << options.seed << ", " << graphs << " graphs, "
      << kCases << " cases of each, " << failures << " failures; "
      << llvm::format("%.1f", getSeconds()) << " s\n";
}

LogicalResult GraphDriver::run() {
  uint64_t next = options.onlyProgram.value_or(options.firstProgram);
  uint64_t end = options.onlyProgram ? next + 1 : next + options.count;
  // Without a limit the sum has wrapped around.
  if (end < next)
    end = std::numeric_limits<uint64_t>::max();
  if (options.print) {
    for (; next < end; ++next)
      out << "// graph " << next << "\n"
          << printGraph(makeGraph(options.seed, next));
    return success();
  }
  while (next < end && !isOver())
    next = runBatch(next, std::min(end, next + kBatch));
  printSummary(next);
  return success(failures == 0 && graphs > 0);
}

LogicalResult fuzz::runGraphs(const FuzzOptions &options,
                              llvm::raw_ostream &out,
                              llvm::raw_fd_ostream &err) {
  registerScanPasses();
  registerTransformsPasses();
  OpPassManager pm(ModuleOp::getOperationName());
  if (!options.passes.empty() &&
      failed(parsePassPipeline(options.passes, pm, llvm::nulls()))) {
    err << "scan-fuzz: error: option '--passes' expects a pass pipeline, found "
           "'"
        << options.passes << "'\n";
    return failure();
  }
  return GraphDriver(options, out, err).run();
}
