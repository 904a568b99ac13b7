//===- InterestingnessTest.h - What a reduction has to keep ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_REDUCE_INTERESTINGNESSTEST_H
#define SCAN_LIB_REDUCE_INTERESTINGNESSTEST_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"
#include <atomic>
#include <memory>
#include <optional>
#include <string>

namespace mlir::scan {

/// How to find out whether a program still shows what it is reduced for.
/// Exactly one of `script`, `fails` and `crashes` is not empty.
struct InterestingnessOptions {
  /// A program that is called with the path of the file; it exits with 0 if
  /// the file is interesting.
  std::string script;
  /// A command line of the shell; interesting is a file for which it ends as
  /// it does for the first one, which has to be a failure. The path is
  /// appended, or stands where the command line has $1.
  std::string fails;
  /// The same, but the command has to be killed by a signal.
  std::string crashes;
  /// What the command has to print besides; with `fails` and `crashes`.
  std::string message;
  /// Seconds after which a run is stopped. A run that is stopped is not
  /// interesting.
  unsigned timeLimit = 60;
};

/// Runs the test of a reduction in processes of their own. What the test prints
/// is kept, not shown.
class InterestingnessTest {
public:
  /// Checks the options: the script exists and can be executed.
  static llvm::Expected<std::unique_ptr<InterestingnessTest>>
  create(const InterestingnessOptions &options);
  ~InterestingnessTest();

  /// Runs the test on `program`. An error means that the test could not be run,
  /// or that `stop` was set while it ran.
  llvm::Expected<bool> run(llvm::StringRef program);

  /// How the last run ended and the end of what it printed, for a diagnostic.
  std::string describeLastRun() const;

  /// Set it (from a signal handler, too) to end the run in progress.
  static std::atomic<bool> stop;

private:
  explicit InterestingnessTest(const InterestingnessOptions &options)
      : options(options) {}

  /// How a process ended: by itself, by a signal, or by the time limit.
  struct Outcome {
    bool timedOut = false;
    int signal = 0;
    int exitCode = 0;
    bool operator==(const Outcome &other) const {
      return timedOut == other.timedOut && signal == other.signal &&
             exitCode == other.exitCode;
    }
  };
  llvm::Expected<Outcome> execute();
  bool judge(const Outcome &outcome);

  InterestingnessOptions options;
  /// Of the first interesting run; later ones have to end alike.
  std::optional<Outcome> expected;
  Outcome last;
  /// What the last run printed.
  std::string printed;
  llvm::SmallString<128> folder, programPath, logPath;
};

} // namespace mlir::scan

#endif // SCAN_LIB_REDUCE_INTERESTINGNESSTEST_H
