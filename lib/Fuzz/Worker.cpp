//===- Worker.cpp - A batch of programs, in a child -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Worker.h"
#include "ChildOutcome.h"

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

json::Object fuzz::runProgram(const FuzzOptions &options, uint64_t index,
                              MLIRContext &context, ChildStatus &status) {
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
  ProgramRunner runner(context, program, options.fault, index,
                       /*alsoDynamic=*/true, enter);
  Outcome outcome;
  uint64_t cases = 0;
  std::vector<std::string> others;
  for (const std::string &target : options.targets) {
    if (outcome.kind != Outcome::Pass ||
        (target == "emulator" && counts.emulated <= first))
      continue;
    outcome = runner.compile(target);
    if (target != "emulator")
      others.push_back(target);
  }
  for (uint64_t i = first; i < last && outcome.kind == Outcome::Pass; ++i) {
    status.testCase = i;
    outcome = runner.run(getCase(options, index, i),
                         i < counts.emulated ? options.targets : others);
    ++cases;
  }
  json::Object runs;
  for (auto &[target, count] : runner.getRuns())
    runs[target] = count;
  return json::Object{{"cases", cases},
                      {"runs", std::move(runs)},
                      {"ratio", runner.getMaxRatio()},
                      {"last_case", first + std::max<uint64_t>(cases, 1) - 1},
                      {"outcome", toJSON(outcome)}};
}
