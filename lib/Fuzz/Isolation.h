//===- Isolation.h - Work in a process of its own ---------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a fuzzer runs may crash, hang or fill the memory. It runs in children,
// which send lines of text to their parent through a pipe and say in shared
// memory what they are about to do.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_ISOLATION_H
#define SCAN_LIB_FUZZ_ISOLATION_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <memory>
#include <string>

namespace mlir::scan::fuzz {

/// What a child is doing, in memory that it shares with its parent.
struct ChildStatus {
  uint64_t program = 0;
  uint64_t testCase = 0;
  /// Counts what it has begun, so that one sees it make progress.
  uint64_t steps = 0;
  char stage[64] = {};
  /// It does that to the program with dynamic arguments.
  bool hasDynamicArguments = false;
  /// The text at hand, cut off at its capacity.
  char text[1 << 18] = {};

  void setStage(llvm::StringRef name);
  void setText(llvm::StringRef content);
};

/// A child process. Destroying it ends it.
class Child {
public:
  enum class State {
    Running,
    Finished, ///< the body came to its end
    Crashed,  ///< by a signal, or by leaving early
  };

  Child() = default;
  ~Child();
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;

  /// Forks. The child runs `body` with a stream to the parent and never
  /// returns. Returns false if there can be no process.
  bool start(llvm::function_ref<void(ChildStatus &, llvm::raw_ostream &)> body);

  /// Waits up to that many milliseconds for something to happen, and appends
  /// the complete lines that have come to `lines`.
  State poll(int milliseconds, std::vector<std::string> &lines);

  /// Ends it at once.
  void kill();

  /// Seconds that it has worked on its present step: of processor time, so that
  /// a busy machine makes no step look endless; or a twentieth of the wall time
  /// where it waits rather than works.
  double getStepSeconds();
  const ChildStatus &getStatus() const { return *status; }
  /// How a crashed child ended: a signal or an exit code, with the last lines
  /// that it wrote to standard error.
  std::string describeEnd() const;

private:
  std::string readErrors() const;
  /// Processor time that it has used.
  double getProcessorSeconds() const;

  int process = -1, pipe = -1, errors = -1, exitStatus = 0;
  bool isFinished = false;
  ChildStatus *status = nullptr;
  std::string buffer;
  uint64_t lastStep = 0;
  double stepStart = 0;
  std::chrono::steady_clock::time_point stepWallStart;
};

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_ISOLATION_H
