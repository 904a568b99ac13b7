//===- Driver.cpp - Looks for programs that are compiled wrongly ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Shrink.h"
#include "Worker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;
namespace json = llvm::json;

/// Programs that one child runs: what it allocates in its context goes with it.
static constexpr uint64_t kBatch = 16;

namespace {
/// A child and what is left of its batch.
struct Lane {
  Child child;
  uint64_t next = 0, end = 0;
  bool isRunning = false;
};

class Differential {
public:
  Differential(const FuzzOptions &options, llvm::raw_ostream &out,
               llvm::raw_fd_ostream &err)
      : options(options), out(out), err(err),
        start(std::chrono::steady_clock::now()) {}

  LogicalResult run();

private:
  void startBatch(Lane &lane);
  void restart(Lane &lane);
  void step(Lane &lane);
  void take(const ProgramReport &report);
  void fail(uint64_t program, uint64_t caseIndex, const Outcome &outcome);
  void showProgress();
  void printSummary();
  double getSeconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  }
  bool isOver() const {
    return failures.size() >= options.maxFailures ||
           (options.minutes && getSeconds() > *options.minutes * 60);
  }

  const FuzzOptions &options;
  llvm::raw_ostream &out;
  llvm::raw_fd_ostream &err;
  std::chrono::steady_clock::time_point start;
  double lastProgress = 0;
  /// The next program to give to a child, and cases given so far.
  uint64_t nextProgram = 0, givenCases = 0;
  uint64_t programs = 0, cases = 0, attempts = 0;
  /// For the types of values; nothing is compiled in this process.
  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::map<std::string, uint64_t> runs;
  double maxRatio = 0;
  std::vector<Failure> failures;
};
} // namespace

void Differential::startBatch(Lane &lane) {
  lane.next = lane.end = nextProgram;
  while (lane.end < lane.next + kBatch && givenCases < options.count) {
    givenCases += getCaseCounts(options, lane.end).all;
    ++lane.end;
    if (options.onlyProgram)
      givenCases = options.count;
  }
  nextProgram = lane.end;
  restart(lane);
}

/// Starts a child for what is left of the batch.
void Differential::restart(Lane &lane) {
  lane.isRunning =
      lane.next < lane.end &&
      lane.child.start([&](ChildStatus &status, llvm::raw_ostream &os) {
        runPrograms(options, lane.next, lane.end, status, os);
      });
  if (lane.next < lane.end && !lane.isRunning)
    err << "scan-fuzz: error: cannot start a process\n";
}

void Differential::step(Lane &lane) {
  std::vector<std::string> lines;
  Child::State state = lane.child.poll(20, lines);
  for (const std::string &line : lines) {
    ProgramReport report = parseReport(line);
    lane.next = report.program + 1;
    take(report);
  }
  const ChildStatus &status = lane.child.getStatus();
  if (state == Child::State::Finished) {
    lane.isRunning = false;
    return;
  }
  bool isHung = state == Child::State::Running &&
                lane.child.getStepSeconds() > options.timeout;
  if (state != Child::State::Crashed && !isHung)
    return;
  Outcome outcome{isHung ? Outcome::Timeout : Outcome::Crash, status.stage,
                  isHung ? "no answer" : lane.child.describeEnd(),
                  status.hasDynamicArguments};
  uint64_t program = status.program, testCase = status.testCase;
  if (isHung)
    lane.child.kill();
  ++programs;
  fail(program, testCase, outcome);
  lane.next = program + 1;
  restart(lane);
}

void Differential::take(const ProgramReport &report) {
  ++programs;
  cases += report.cases;
  maxRatio = std::max(maxRatio, report.maxRatio);
  for (auto &[target, count] : report.runs)
    runs[target] += count;
  if (report.outcome.kind != Outcome::Pass)
    fail(report.program, report.failedCase, report.outcome);
}

void Differential::fail(uint64_t program, uint64_t caseIndex,
                        const Outcome &outcome) {
  if (failures.size() >= options.maxFailures)
    return;
  Failure &failure = failures.emplace_back();
  failure.programIndex = program;
  failure.caseIndex = caseIndex;
  failure.program = makeProgram(options.seed, program);
  failure.program.hasDynamicArguments = outcome.hasDynamicArguments;
  failure.call = getCase(options, program, caseIndex);
  failure.outcome = outcome;
  out << "FAILED: program " << program << ", case " << caseIndex << ": "
      << outcome.target << ": " << stringifyOutcome(outcome.kind) << ": "
      << outcome.message
      << (outcome.hasDynamicArguments ? " (with dynamic arguments)" : "")
      << "\n";
  out.flush();
  if (options.shrinkSeconds > 0)
    attempts += shrink(failure, options, context);
  std::string test = printRegressionTest(failure, options);
  out << "----- test\n" << test << "-----\n";
  out.flush();
  writeFailure(options,
               "fuzz-" + std::to_string(options.seed) + "-" +
                   std::to_string(program) + ".mlir",
               test, err);
}

void fuzz::writeFailure(const FuzzOptions &options, StringRef name,
                        StringRef text, llvm::raw_ostream &err) {
  if (options.outputDir.empty())
    return;
  SmallString<128> path(options.outputDir);
  llvm::sys::path::append(path, name);
  std::error_code error = llvm::sys::fs::create_directories(options.outputDir);
  if (!error) {
    llvm::raw_fd_ostream file(path, error);
    if (!error)
      file << text;
  }
  if (error)
    err << "scan-fuzz: error: cannot write '" << path
        << "': " << error.message() << "\n";
}

void Differential::showProgress() {
  double seconds = getSeconds();
  if (!err.is_displayed() || seconds < lastProgress + 1)
    return;
  lastProgress = seconds;
  err << llvm::format("\r%llu programs, %llu cases, %.0f cases/s, %zu failed ",
                      (unsigned long long)programs, (unsigned long long)cases,
                      static_cast<double>(cases) / seconds, failures.size());
  err.flush();
}

void Differential::printSummary() {
  double seconds = getSeconds();
  if (err.is_displayed())
    err << "\r";
  uint64_t first = options.onlyProgram.value_or(options.firstProgram);
  if (!options.json) {
    out << "COUNT: seed " << options.seed << ", programs " << first << " to "
        << nextProgram << ": " << programs << " programs, " << cases
        << " cases, " << failures.size() << " failures; runs:";
    for (auto &[target, count] : runs)
      out << " " << target << " " << count;
    out << "; largest error " << llvm::format("%.3f", maxRatio)
        << " of its bound; " << llvm::format("%.1f", seconds) << " s\n";
    return;
  }
  json::Array list;
  for (const Failure &failure : failures)
    list.push_back(
        json::Object{{"program", failure.programIndex},
                     {"case", failure.caseIndex},
                     {"kind", stringifyOutcome(failure.outcome.kind)},
                     {"target", failure.outcome.target},
                     {"message", json::fixUTF8(failure.outcome.message)}});
  json::Object counts;
  for (auto &[target, count] : runs)
    counts[target] = count;
  json::Object summary{{"seed", options.seed},
                       {"first_program", first},
                       {"next_program", nextProgram},
                       {"programs", programs},
                       {"cases", cases},
                       {"runs", std::move(counts)},
                       {"seconds", seconds},
                       {"largest_error_of_bound", maxRatio},
                       {"shrink_attempts", attempts},
                       {"failures", std::move(list)}};
  out << llvm::formatv("{0:2}\n", json::Value(std::move(summary)));
}

LogicalResult Differential::run() {
  nextProgram = options.onlyProgram.value_or(options.firstProgram);
  std::vector<Lane> lanes(options.jobs);
  while (true) {
    bool isRunning = false;
    for (Lane &lane : lanes) {
      if (!lane.isRunning && !isOver())
        startBatch(lane);
      if (lane.isRunning && failures.size() >= options.maxFailures) {
        lane.child.kill();
        lane.isRunning = false;
      }
      if (lane.isRunning)
        step(lane);
      isRunning |= lane.isRunning;
    }
    showProgress();
    if (!isRunning && (isOver() || givenCases >= options.count))
      break;
  }
  printSummary();
  return success(failures.empty() && programs > 0);
}

LogicalResult fuzz::runDifferential(const FuzzOptions &options,
                                    llvm::raw_ostream &out,
                                    llvm::raw_fd_ostream &err) {
  if (!options.print)
    return Differential(options, out, err).run();
  uint64_t first = options.onlyProgram.value_or(options.firstProgram);
  uint64_t given = 0;
  for (uint64_t index = first; given < options.count; ++index) {
    out << "// program " << index << "\n"
        << printProgram(makeProgram(options.seed, index));
    given = options.onlyProgram ? options.count
                                : given + getCaseCounts(options, index).all;
  }
  return success();
}
