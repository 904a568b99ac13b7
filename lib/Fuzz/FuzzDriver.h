//===- FuzzDriver.h - Runs numbered cases in processes ----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all modes of scan-fuzz have in common: batches of numbered cases in
// child processes, side by side; limits of time and of failures; a new child
// after one that crashed or hung; progress and the summary.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_FUZZDRIVER_H
#define SCAN_LIB_FUZZ_FUZZDRIVER_H

#include "ChildOutcome.h"
#include "FuzzOptions.h"
#include "llvm/Support/JSON.h"
#include <chrono>

namespace mlir::scan::fuzz {

/// Runs the cases of one mode. "Case" is what the mode counts: a program, a
/// graph, a list of passes, a file.
class FuzzDriver {
public:
  /// A child runs up to `batch` cases.
  FuzzDriver(const FuzzOptions &options, uint64_t batch, llvm::raw_ostream &out,
             llvm::raw_fd_ostream &err)
      : options(options), out(out), err(err), batch(batch),
        start(std::chrono::steady_clock::now()) {}
  virtual ~FuzzDriver() = default;

  /// Success means that something ran and nothing failed. The passes that
  /// --passes may name are registered.
  LogicalResult run();

protected:
  /// Prints a case instead of running it.
  virtual void print(uint64_t index) = 0;
  /// Prepares a child for its cases.
  virtual void prepareChild() {}
  /// Frees what refers to the context, before that is destroyed.
  virtual void finishChild() {}
  /// Runs a case, in a child; returns what `takeCase` has to know.
  virtual llvm::json::Object runCase(uint64_t index, MLIRContext &context,
                                     ChildStatus &status) = 0;
  /// Takes what a child has returned; false if the case was left out.
  virtual bool takeCase(uint64_t index, const llvm::json::Object &result) = 0;
  /// Takes the end of a child that crashed or hung in a case. Its status is the
  /// last that it had.
  virtual void takeEnd(uint64_t index, const Outcome &outcome,
                       const ChildStatus &status) {
    fail(index, outcome);
  }
  /// Makes a failure smaller and prints it.
  virtual void reportFailure(uint64_t index, Outcome &outcome,
                             StringRef text) = 0;
  /// Where the batch that starts at `begin` ends; `begin` if there is none.
  virtual uint64_t takeBatch(uint64_t begin);
  /// Checks what has been counted.
  virtual LogicalResult checkCounts() { return success(); }
  /// The rest of the line that starts with "COUNT: seed N".
  virtual void printCounts() = 0;
  /// The same for --json, beside seed, next_program and seconds.
  virtual void addCounts(llvm::json::Object &summary) {}
  /// One line without its end.
  virtual std::string describeProgress();

  /// A case has failed; `text` is what failed, where the number does not say.
  void fail(uint64_t index, Outcome outcome, StringRef text = "");
  /// Prints a test for a failure, and writes it to the output directory as
  /// KIND-SEED-INDEX.mlir.
  void printTest(StringRef kind, uint64_t index, StringRef test);
  /// Writes a file to the output directory, if there is one.
  void writeFile(const Twine &name, StringRef contents);

  double getSeconds() const;
  bool isTimeOver() const {
    return options.minutes && getSeconds() > *options.minutes * 60;
  }
  bool hasEnoughFailures() const {
    return failures.size() >= options.maxFailures;
  }
  bool isOver() const {
    return !hasProcesses || hasEnoughFailures() || isTimeOver();
  }
  uint64_t getFirst() const {
    return options.onlyProgram.value_or(options.firstProgram);
  }

  const FuzzOptions &options;
  llvm::raw_ostream &out;
  llvm::raw_fd_ostream &err;
  /// What cases leave in the context of a child may be damaged, and is not
  /// destroyed.
  bool leavesDamage = false;
  /// Seconds that a step of a case may take.
  unsigned timeout = options.timeout;
  /// Cases that have come to an end.
  uint64_t cases = 0;
  std::vector<std::pair<uint64_t, Outcome>> failures;
  /// The first case that is not known to have ended.
  uint64_t next = 0;

private:
  /// A child and what is left of its batch.
  struct Lane {
    Child child;
    uint64_t first = 0, next = 0, end = 0;
    bool isRunning = false;
  };
  LogicalResult checkPasses();
  void startChild(Lane &lane);
  void step(Lane &lane);
  bool takeLine(uint64_t index, StringRef line);
  void runLanes();
  void showProgress();

  uint64_t batch;
  std::chrono::steady_clock::time_point start;
  double lastProgress = 0;
  bool hasProcesses = true;
};

/// The message in one line.
std::string joinLines(StringRef message);
/// Where it failed, how, and the message, in one line.
std::string describe(const Outcome &outcome);

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_FUZZDRIVER_H
