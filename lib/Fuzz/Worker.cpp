//===- Worker.cpp - A batch of programs, in a child -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Worker.h"
#include "Scan/InitAll/InitAll.h"
#include "WorkerProtocol.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;
namespace json = llvm::json;

/// Cases of a program without a dynamic extent: only the data differ.
static constexpr uint64_t kStaticCases = 12;
/// Cases of a program that run in the emulator beside another target.
static constexpr uint64_t kEmulatedCases = 20;

CaseCounts fuzz::getCaseCounts(const FuzzOptions &options,
                               uint64_t programIndex) {
  Program program = makeProgram(options.seed, programIndex);
  bool isDynamic = llvm::is_contained(program.extents, kDynamic);
  CaseCounts counts;
  counts.all = isDynamic ? options.casesPerProgram
                         : std::min(options.casesPerProgram, kStaticCases);
  if (options.targets == std::vector<std::string>{"emulator"})
    counts.emulated = counts.all;
  else if (llvm::is_contained(options.targets, "emulator") &&
           fuzz::Random(options.seed + 1, programIndex)
               .chance(options.emulatorShare))
    counts.emulated = std::min(counts.all, kEmulatedCases);
  return counts;
}

Case fuzz::getCase(const FuzzOptions &options, uint64_t programIndex,
                   uint64_t caseIndex) {
  // One in a dozen is large, after those that the emulator may run.
  int64_t maxElements = options.maxElements;
  if (caseIndex % 12 == 11 && caseIndex >= kEmulatedCases)
    maxElements *= 8;
  return makeCase(makeProgram(options.seed, programIndex), options.seed,
                  programIndex, caseIndex, maxElements);
}

static ProgramReport runProgram(const FuzzOptions &options, uint64_t index,
                                MLIRContext &context, ChildStatus &status) {
  ProgramReport report;
  report.program = index;
  status.program = index;
  status.testCase = 0;
  auto enter = [&](StringRef stage, bool hasDynamicArguments) {
    status.hasDynamicArguments = hasDynamicArguments;
    status.setStage(stage);
  };
  enter("generate", false);
  CaseCounts counts = getCaseCounts(options, index);
  Program program = makeProgram(options.seed, index);
  uint64_t first = options.onlyCase.value_or(0);
  uint64_t last = options.onlyCase ? first + 1 : counts.all;
  ProgramRunner runner(context, program, options.plant, index,
                       /*alsoDynamic=*/true, enter);
  std::vector<std::string> others;
  for (const std::string &target : options.targets) {
    if (target == "emulator" && counts.emulated <= first)
      continue;
    report.failedCase = first;
    report.outcome = runner.compile(target);
    if (report.outcome.kind != Outcome::Pass)
      return report;
    if (target != "emulator")
      others.push_back(target);
  }
  for (uint64_t i = first; i < last; ++i) {
    status.testCase = i;
    report.outcome = runner.run(getCase(options, index, i),
                                i < counts.emulated ? options.targets : others);
    report.failedCase = i;
    ++report.cases;
    if (report.outcome.kind != Outcome::Pass)
      break;
  }
  report.runs = runner.getRuns();
  report.maxRatio = runner.getMaxRatio();
  return report;
}

void fuzz::runPrograms(const FuzzOptions &options, uint64_t begin, uint64_t end,
                       ChildStatus &status, llvm::raw_ostream &os) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  for (uint64_t index = begin; index < end; ++index) {
    ProgramReport report = runProgram(options, index, context, status);
    json::Object runs;
    for (auto &[target, count] : report.runs)
      runs[target] = count;
    json::Object object{
        {"program", report.program},       {"cases", report.cases},
        {"runs", std::move(runs)},         {"ratio", report.maxRatio},
        {"failedCase", report.failedCase}, {"outcome", toJSON(report.outcome)}};
    os << json::Value(std::move(object)) << "\n";
    os.flush();
  }
}

ProgramReport fuzz::parseReport(StringRef line) {
  ProgramReport report;
  llvm::Expected<json::Value> value = json::parse(line);
  if (!value) {
    llvm::consumeError(value.takeError());
    return report;
  }
  const json::Object &object = *value->getAsObject();
  report.program = object.getInteger("program").value_or(0);
  report.cases = object.getInteger("cases").value_or(0);
  report.maxRatio = object.getNumber("ratio").value_or(0);
  report.failedCase = object.getInteger("failedCase").value_or(0);
  for (const auto &[target, count] : *object.getObject("runs"))
    report.runs[target.str()] = count.getAsInteger().value_or(0);
  report.outcome = fromJSON(*object.getObject("outcome"));
  return report;
}
