//===- GraphRun.cpp - One graph through passes and targets ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphRun.h"
#include "Compare.h"
#include "FirstError.h"
#include "Scan/Reference/Interpreter.h"
#include "TargetDraw.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

GraphPlan fuzz::makeGraphPlan(const FuzzOptions &options, uint64_t index) {
  fuzz::Random random(options.seed + 0x9A55, index);
  GraphPlan plan;
  plan.emulatorSeed = index;
  for (const std::string &target : options.targets)
    if (target != "emulator" || options.targets.size() == 1 ||
        random.chance(options.emulatorShare))
      plan.targets.push_back(target);
  if (!options.passes.empty()) {
    plan.pipelines.push_back(options.passes);
    return plan;
  }
  const std::string last = "scan-normalize,scan-fuse-elementwise";
  plan.pipelines.push_back(last);
  // In any order, with the ones that are always run.
  SmallVector<StringRef> others;
  for (StringRef name :
       {"scan-scatter-to-select", "scan-raise-recurrence", "scan-bidirectional",
        "scan-fuse-reduction-outputs", "scan-normalize", "canonicalize", "cse",
        "scan-fuse-elementwise"})
    if (PassInfo::lookup(name) && random.chance(60))
      others.push_back(name);
  for (size_t i = others.size(); i > 1; --i)
    std::swap(others[i - 1], others[random.below(i)]);
  others.push_back(last);
  plan.pipelines.push_back(llvm::join(others, ","));
  // Kernels there are only after the others.
  plan.pipelines.push_back(last + ",scan-fuse-reduction-outputs," + last);
  const std::string bidirectional =
      random.pick({"scan-bidirectional", "scan-bidirectional{target=cpu}",
                   "scan-bidirectional,scan-bidirectional{split}"});
  plan.pipelines.push_back(last + "," + bidirectional + "," + last);
  return plan;
}

namespace {
std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  return text;
}
} // namespace

std::string fuzz::findDifference(ArrayRef<HostArray> expected,
                                 ArrayRef<HostArray> found) {
  if (expected.size() != found.size())
    return "returns " + std::to_string(found.size()) + " results";
  for (auto [i, pair] : llvm::enumerate(llvm::zip_equal(expected, found))) {
    auto &[want, have] = pair;
    std::string where = "result " + std::to_string(i) + ": ";
    if (want.shape != have.shape || want.elementType != have.elementType)
      return where + "expected " + describeArray(want.elementType, want.shape) +
             ", found " + describeArray(have.elementType, have.shape);
    int64_t width = *getElementByteSize(want.elementType);
    for (int64_t k = 0, e = want.getNumElements(); k < e; ++k) {
      bool isEqual = isFloatLike(want.elementType)
                         ? getElement(want, k) == getElement(have, k)
                         : !std::memcmp(&want.data[k * width],
                                        &have.data[k * width], width);
      if (!isEqual)
        return where + "element " + std::to_string(k) + " of " +
               describeArray(want.elementType, want.shape) + ": expected " +
               printElement(want, k) + ", found " + printElement(have, k);
    }
  }
  return "";
}

namespace {
class GraphRunner {
public:
  GraphRunner(std::vector<SmallVector<HostArray>> arguments,
              const GraphPlan &plan, Fault fault, MLIRContext &context,
              ChildStatus &status)
      : plan(plan), fault(fault), context(context), status(status),
        arguments(std::move(arguments)) {}
  Outcome run(const std::string &text, const std::string &other);

private:
  Outcome interpretAll(ModuleOp module, StringRef target, size_t count,
                       std::vector<SmallVector<HostArray>> &results);
  Outcome compareAll(StringRef target,
                     MutableArrayRef<SmallVector<HostArray>> found);
  Outcome runPipeline(ModuleOp module, StringRef pipeline, bool isTwice);
  Outcome runTarget(ModuleOp module, StringRef target);
  Outcome runAll(ModuleOp module);

  const GraphPlan &plan;
  Fault fault;
  MLIRContext &context;
  ChildStatus &status;
  std::vector<SmallVector<HostArray>> arguments, expected;
};
} // namespace

Outcome
GraphRunner::interpretAll(ModuleOp module, StringRef target, size_t count,
                          std::vector<SmallVector<HostArray>> &results) {
  for (auto [i, inputs] : llvm::enumerate(arguments)) {
    if (i == count)
      break;
    status.testCase = i;
    FirstError error(context);
    FailureOr<SmallVector<HostArray>> values = interpret(module, "f", inputs);
    if (failed(values))
      return error.fail(target, "does not run by the interpreter");
    results.push_back(std::move(*values));
  }
  return {};
}

Outcome GraphRunner::compareAll(StringRef target,
                                MutableArrayRef<SmallVector<HostArray>> found) {
  if (fault == Fault::Flip && !found.empty())
    flipBit(found[0][0]);
  for (auto [i, have] : llvm::enumerate(found)) {
    status.testCase = i;
    std::string difference = findDifference(expected[i], have);
    if (!difference.empty())
      return {Outcome::Mismatch, target.str(), difference};
  }
  return {};
}

Outcome GraphRunner::runPipeline(ModuleOp module, StringRef pipeline,
                                 bool isTwice) {
  status.setStage(pipeline);
  FirstError error(context);
  OwningOpRef<ModuleOp> changed = module.clone();
  auto pm = PassManager::on<ModuleOp>(&context);
  if (failed(parsePassPipeline(pipeline, pm, llvm::nulls())))
    return {Outcome::Error, pipeline.str(), "is no pipeline"};
  if (failed(pm.run(*changed)))
    return error.fail(pipeline, "the passes fail");
  std::vector<SmallVector<HostArray>> found;
  if (Outcome outcome =
          interpretAll(*changed, pipeline, plan.pipelineCases, found);
      outcome.kind != Outcome::Pass)
    return outcome;
  if (Outcome outcome = compareAll(pipeline, found);
      outcome.kind != Outcome::Pass)
    return outcome;
  if (!isTwice)
    return {};
  std::string once = print(*changed);
  if (failed(pm.run(*changed)))
    return error.fail(pipeline, "the passes fail the second time");
  if (print(*changed) != once)
    return {Outcome::Error, pipeline.str(),
            "the passes change something the second time"};
  return {};
}

Outcome GraphRunner::runTarget(ModuleOp module, StringRef target) {
  status.setStage(target);
  FirstError error(context);
  TargetOptions options = drawTargetOptions(plan.emulatorSeed);
  if (fault == Fault::Cast)
    if (std::optional<Outcome> outcome = refuseCasts(module, target))
      return *outcome;
  auto executable = findExecutionTarget(target)->compile(module, "f", options);
  if (failed(executable))
    return error.fail(target, "does not compile");
  std::vector<SmallVector<HostArray>> found;
  for (auto [i, inputs] : llvm::enumerate(arguments)) {
    if (target == "emulator" && i == plan.emulatorCases)
      break;
    status.testCase = i;
    found.emplace_back();
    if (failed((*executable)->run(inputs, found.back())))
      return error.fail(target, "does not run");
  }
  return compareAll(target, found);
}

Outcome GraphRunner::runAll(ModuleOp module) {
  Outcome outcome;
  for (auto [i, pipeline] : llvm::enumerate(plan.pipelines))
    if (outcome.kind == Outcome::Pass)
      outcome = runPipeline(module, pipeline, /*isTwice=*/i == 0);
  for (StringRef target : plan.targets)
    if (outcome.kind == Outcome::Pass)
      outcome = runTarget(module, target);
  return outcome;
}

Outcome GraphRunner::run(const std::string &text, const std::string &other) {
  status.setStage("reference");
  OwningOpRef<ModuleOp> module, dynamic;
  {
    FirstError error(context);
    module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    if (!other.empty())
      dynamic = parseSourceString<ModuleOp>(other, ParserConfig(&context));
    if (!module || (!other.empty() && !dynamic))
      return error.fail("reference", "the program does not parse");
  }
  Outcome outcome =
      interpretAll(*module, "reference", arguments.size(), expected);
  if (outcome.kind == Outcome::Pass)
    outcome = runAll(*module);
  if (outcome.kind != Outcome::Pass || !dynamic)
    return outcome;
  status.hasDynamicArguments = true;
  outcome = runAll(*dynamic);
  outcome.hasDynamicArguments = true;
  status.hasDynamicArguments = false;
  return outcome;
}

Outcome fuzz::runText(const std::string &text,
                      std::vector<SmallVector<HostArray>> arguments,
                      const GraphPlan &plan, Fault fault, MLIRContext &context,
                      ChildStatus &status, const std::string &dynamic) {
  return GraphRunner(std::move(arguments), plan, fault, context, status)
      .run(text, dynamic);
}

Outcome fuzz::runGraph(const Graph &graph, const GraphPlan &plan,
                       ArrayRef<GraphCase> cases, Fault fault,
                       MLIRContext &context, ChildStatus &status) {
  std::vector<SmallVector<HostArray>> arguments;
  for (const GraphCase &call : cases)
    arguments.push_back(
        makeGraphArguments(graph, call.extents, call.seed, context));
  std::string text = printGraph(graph), dynamic;
  if (plan.alsoDynamic)
    dynamic = printGraph(makeArgumentsDynamic(graph));
  return runText(text, std::move(arguments), plan, fault, context, status,
                 dynamic == text ? "" : dynamic);
}
