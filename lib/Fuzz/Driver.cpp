//===- Driver.cpp - Looks for programs that are compiled wrongly ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "FuzzDriver.h"
#include "Shrink.h"
#include "Worker.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;
namespace json = llvm::json;

/// Programs that one child runs: what it allocates in its context goes with it.
static constexpr uint64_t kProgramsPerChild = 16;

namespace {
class Differential : public FuzzDriver {
public:
  Differential(const FuzzOptions &options, llvm::raw_ostream &out,
               llvm::raw_fd_ostream &err)
      : FuzzDriver(options, kProgramsPerChild, out, err) {}

private:
  void print(uint64_t index) override {
    out << "// program " << index << "\n"
        << printProgram(makeProgram(options.seed, index));
  }
  json::Object runCase(uint64_t index, MLIRContext &context,
                       ChildStatus &status) override {
    return runProgram(options, index, context, status);
  }
  bool takeCase(uint64_t index, const json::Object &result) override;
  void takeEnd(uint64_t index, const Outcome &outcome,
               const ChildStatus &status) override {
    failedCase = status.testCase;
    fail(index, outcome);
  }
  void reportFailure(uint64_t index, Outcome &outcome, StringRef) override;
  uint64_t takeBatch(uint64_t begin) override;
  void printCounts() override;
  void addCounts(json::Object &summary) override;
  std::string describeProgress() override;

  /// Calls of programs that were given to children, and that were run.
  uint64_t givenCalls = 0, calls = 0;
  uint64_t attempts = 0;
  /// Which call of a program has failed.
  uint64_t failedCase = 0;
  /// For the types of values; nothing is compiled in this process.
  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::map<std::string, uint64_t> runs;
  double maxRatio = 0;
  json::Array list;
};
} // namespace

uint64_t Differential::takeBatch(uint64_t begin) {
  uint64_t end = begin;
  while (end < begin + kProgramsPerChild && givenCalls < options.count) {
    givenCalls += getCaseCounts(options, end).all;
    ++end;
    if (options.onlyProgram)
      givenCalls = options.count;
  }
  return end;
}

bool Differential::takeCase(uint64_t index, const json::Object &report) {
  calls += report.getInteger("cases").value_or(0);
  maxRatio = std::max(maxRatio, report.getNumber("ratio").value_or(0));
  for (const auto &[target, count] : *report.getObject("runs"))
    runs[target.str()] += count.getAsInteger().value_or(0);
  failedCase = report.getInteger("last_case").value_or(0);
  Outcome outcome = fromJSON(*report.getObject("outcome"));
  if (outcome.kind != Outcome::Pass)
    fail(index, outcome);
  return true;
}

void Differential::reportFailure(uint64_t index, Outcome &outcome, StringRef) {
  Failure failure;
  failure.programIndex = index;
  failure.caseIndex = failedCase;
  failure.program = makeProgram(options.seed, index);
  failure.program.hasDynamicArguments = outcome.hasDynamicArguments;
  failure.call = getCase(options, index, failedCase);
  failure.outcome = outcome;
  out << "FAILED: program " << index << ", case " << failedCase << ": "
      << outcome.target << ": " << stringifyOutcome(outcome.kind) << ": "
      << outcome.message
      << (outcome.hasDynamicArguments ? " (with dynamic arguments)" : "")
      << "\n";
  out.flush();
  attempts += shrink(failure, options, context);
  outcome = failure.outcome;
  list.push_back(json::Object{{"program", index},
                              {"case", failedCase},
                              {"kind", stringifyOutcome(outcome.kind)},
                              {"target", outcome.target},
                              {"message", json::fixUTF8(outcome.message)}});
  printTest("fuzz", index, printRegressionTest(failure, options));
}

std::string Differential::describeProgress() {
  return llvm::formatv("{0} programs, {1} cases, {2:f0} cases/s, {3} failed",
                       cases, calls, static_cast<double>(calls) / getSeconds(),
                       failures.size())
      .str();
}

void Differential::printCounts() {
  out << ", programs " << getFirst() << " to " << next << ": " << cases
      << " programs, " << calls << " cases, " << failures.size()
      << " failures; runs:";
  for (auto &[target, count] : runs)
    out << " " << target << " " << count;
  out << "; largest error " << llvm::format("%.3f", maxRatio)
      << " of its bound";
}

void Differential::addCounts(json::Object &summary) {
  json::Object counts;
  for (auto &[target, count] : runs)
    counts[target] = count;
  summary["first_program"] = getFirst();
  summary["programs"] = cases;
  summary["cases"] = calls;
  summary["runs"] = std::move(counts);
  summary["largest_error_of_bound"] = maxRatio;
  summary["shrink_attempts"] = attempts;
  summary["failures"] = std::move(list);
}

LogicalResult fuzz::runDifferential(const FuzzOptions &options,
                                    llvm::raw_ostream &out,
                                    llvm::raw_fd_ostream &err) {
  return Differential(options, out, err).run();
}
