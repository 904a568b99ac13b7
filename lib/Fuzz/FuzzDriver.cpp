//===- FuzzDriver.cpp - Runs numbered cases in processes ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzDriver.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;
namespace json = llvm::json;

double FuzzDriver::getSeconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

//===----------------------------------------------------------------------===//
// Children
//===----------------------------------------------------------------------===//

uint64_t FuzzDriver::takeBatch(uint64_t begin) {
  uint64_t end =
      options.onlyProgram ? getFirst() + 1 : getFirst() + options.count;
  // Without a limit the sum has wrapped around.
  if (end < getFirst())
    end = std::numeric_limits<uint64_t>::max();
  return std::min(end, begin - begin % batch + batch);
}

/// Starts a child for what is left of the batch.
void FuzzDriver::startChild(Lane &lane) {
  if (lane.next >= lane.end)
    return;
  lane.first = lane.next;
  lane.isRunning = startInContext(
      lane.child,
      [&](MLIRContext &context, ChildStatus &status, llvm::raw_ostream &os) {
        prepareChild();
        for (uint64_t i = lane.next; i < lane.end; ++i) {
          status.program = i;
          os << json::Value(runCase(i, context, status)) << "\n";
          os.flush();
        }
        finishChild();
      },
      leavesDamage);
  if (!lane.isRunning) {
    err << "scan-fuzz: error: cannot start a process\n";
    hasProcesses = false;
  }
}

/// Takes what a child says about a case; false if the case was left out.
bool FuzzDriver::takeLine(uint64_t index, StringRef line) {
  llvm::Expected<json::Value> value = json::parse(line);
  if (value && value->getAsObject())
    return takeCase(index, *value->getAsObject());
  llvm::consumeError(value.takeError());
  return false;
}

/// Takes what the child of the lane has to say.
void FuzzDriver::step(Lane &lane) {
  std::vector<std::string> lines;
  Child::State state = lane.child.poll(20, lines);
  for (const std::string &line : lines)
    cases += takeLine(lane.next++, line);
  bool isHung =
      state == Child::State::Running && lane.child.getStepSeconds() > timeout;
  if (state == Child::State::Crashed || isHung) {
    lane.isRunning = false;
    // A child may also die as it cleans up after all of its cases.
    bool isCounted = lane.next == lane.end;
    uint64_t index = lane.next - isCounted;
    Outcome outcome = endChild(lane.child, state);
    if (isCounted)
      outcome.message +=
          llvm::formatv("\n(of what has run {0} to {1})", lane.first, index);
    cases += !isCounted;
    takeEnd(index, outcome, lane.child.getStatus());
    lane.next = index + 1;
    if (!isOver())
      startChild(lane);
    return;
  }
  // At the end of the time, cases that are under way are waited for.
  lane.isRunning = state == Child::State::Running;
  if (lane.isRunning && isTimeOver() && !lines.empty()) {
    lane.child.kill();
    lane.isRunning = false;
  }
}

void FuzzDriver::runLanes() {
  std::vector<Lane> lanes(options.jobs);
  uint64_t given = next;
  bool isRunning = true;
  while (isRunning) {
    isRunning = false;
    for (Lane &lane : lanes) {
      if (!lane.isRunning && !isOver()) {
        lane.next = given;
        lane.end = given = takeBatch(given);
        startChild(lane);
      }
      if (!lane.isRunning)
        continue;
      isRunning = true;
      if (hasEnoughFailures()) {
        lane.child.kill();
        lane.isRunning = false;
      } else {
        step(lane);
      }
    }
    showProgress();
  }
  next = given;
  for (const Lane &lane : lanes)
    if (lane.next < lane.end)
      next = std::min(next, lane.next);
}

LogicalResult FuzzDriver::checkPasses() {
  OpPassManager manager(ModuleOp::getOperationName());
  if (options.passes.empty() ||
      succeeded(parsePassPipeline(options.passes, manager, llvm::nulls())))
    return success();
  err << "scan-fuzz: error: option '--passes' expects a pass pipeline, found '"
      << options.passes << "'\n";
  return failure();
}

LogicalResult FuzzDriver::run() {
  if (failed(checkPasses()))
    return failure();
  next = getFirst();
  if (options.print) {
    for (uint64_t end; (end = takeBatch(next)) > next;)
      for (; next < end; ++next)
        print(next);
    return success();
  }
  runLanes();
  if (err.is_displayed())
    err << "\r";
  LogicalResult result = checkCounts();
  if (options.json) {
    json::Object summary{{"seed", options.seed},
                         {"next_program", next},
                         {"seconds", getSeconds()}};
    addCounts(summary);
    out << llvm::formatv("{0:2}\n", json::Value(std::move(summary)));
  } else {
    out << "COUNT: seed " << options.seed;
    printCounts();
    out << "; " << llvm::format("%.1f", getSeconds()) << " s\n";
  }
  return success(succeeded(result) && failures.empty() && hasProcesses &&
                 cases > 0);
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

std::string FuzzDriver::describeProgress() {
  return llvm::formatv("{0} cases, {1} failed", cases, failures.size()).str();
}

void FuzzDriver::showProgress() {
  double seconds = getSeconds();
  if (!err.is_displayed() || seconds < lastProgress + 1)
    return;
  lastProgress = seconds;
  err << "\r" << describeProgress() << " ";
  err.flush();
}

void FuzzDriver::fail(uint64_t index, Outcome outcome, StringRef text) {
  if (hasEnoughFailures())
    return;
  reportFailure(index, outcome, text);
  failures.emplace_back(index, std::move(outcome));
}

void FuzzDriver::printTest(StringRef kind, uint64_t index, StringRef test) {
  out << "----- test\n" << test;
  if (!test.ends_with("\n"))
    out << "\n";
  out << "-----\n";
  out.flush();
  writeFile(kind + "-" + Twine(options.seed) + "-" + Twine(index) + ".mlir",
            test);
}

void FuzzDriver::writeFile(const Twine &name, StringRef contents) {
  if (options.outputDir.empty())
    return;
  SmallString<128> path(options.outputDir);
  llvm::sys::path::append(path, name);
  std::error_code error = llvm::sys::fs::create_directories(options.outputDir);
  if (!error) {
    llvm::raw_fd_ostream file(path, error);
    if (!error)
      file << contents;
  }
  if (error)
    err << "scan-fuzz: error: cannot write '" << path
        << "': " << error.message() << "\n";
}

std::string fuzz::joinLines(StringRef message) {
  std::string line = message.str();
  llvm::replace(line, '\n', ' ');
  return line;
}

std::string fuzz::describe(const Outcome &outcome) {
  return outcome.target + ": " + stringifyOutcome(outcome.kind).str() + ": " +
         joinLines(outcome.message);
}
