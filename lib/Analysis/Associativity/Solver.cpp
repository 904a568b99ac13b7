//===- Solver.cpp - An SMT solver as a process ----------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Solver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>

using namespace mlir;
using namespace mlir::scan::associativity;

/// How much memory z3 may take, and how much of its output is read. In
/// megabytes and bytes.
static constexpr unsigned kMaxMegabytes = 2048;
static constexpr uint64_t kMaxOutput = 1 << 24;

/// z3 in PATH or in the environment of Python that is active.
static std::string findSolver() {
  if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("z3"))
    return *found;
  if (std::optional<std::string> environment =
          llvm::sys::Process::GetEnv("VIRTUAL_ENV")) {
    llvm::SmallString<256> path(*environment);
    llvm::sys::path::append(path, "bin", "z3");
    if (llvm::sys::fs::can_execute(path))
      return path.str().str();
  }
  return "";
}

Solver::Solver(SolverOptions given) : options(std::move(given)) {
  if (options.isNeverAsked) {
    problem = "z3 is not asked";
    return;
  }
  path = options.path.empty() ? findSolver() : options.path;
  if (path.empty())
    problem =
        "no z3 was found in PATH; install the package z3 or z3-solver, or "
        "name the program with the option z3";
  else if (!llvm::sys::fs::can_execute(path))
    problem = "'" + path +
              "' is not a program that can be run; expected the path "
              "of z3";
}

namespace {
/// How a process ended.
struct Process {
  enum class End { Exit, Crash, Timeout, NotRun };
  End end = End::Exit;
  std::string message;
  double processorSeconds = 0;
};
} // namespace

static double toSeconds(const timeval &time) {
  return time.tv_sec + 1e-6 * time.tv_usec;
}

/// Runs a program, and kills it after `seconds` by the clock.
///
/// llvm::sys::ExecuteAndWait and llvm::sys::Wait limit the time by alarm(), of
/// which a process has one: they would take it from the program that this is a
/// part of, and two threads could not wait at once. Asking now and then whether
/// the process has ended touches no signal.
static Process runWithin(StringRef path, ArrayRef<StringRef> arguments,
                         ArrayRef<std::optional<StringRef>> redirects,
                         double seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr Clock::duration shortest = std::chrono::microseconds(200),
                            longest = std::chrono::milliseconds(5);
  Process process;
  bool failed = false;
  Clock::time_point end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(seconds));
  pid_t child =
      llvm::sys::ExecuteNoWait(path, arguments, /*Env=*/std::nullopt, redirects,
                               /*MemoryLimit=*/0, &process.message, &failed)
          .Pid;
  if (failed || child == llvm::sys::ProcessInfo::InvalidPid) {
    process.end = Process::End::NotRun;
    return process;
  }
  int status = 0;
  rusage used = {};
  Clock::duration pause = shortest;
  pid_t ended = 0;
  while ((ended = wait4(child, &status, WNOHANG, &used)) == 0) {
    Clock::duration left = end - Clock::now();
    if (left <= Clock::duration::zero()) {
      process.end = Process::End::Timeout;
      kill(child, SIGKILL);
      while ((ended = wait4(child, &status, 0, &used)) < 0 && errno == EINTR)
        ;
      break;
    }
    std::this_thread::sleep_for(std::min(left, pause));
    pause = std::min(2 * pause, longest);
  }
  // Where the host has waited for it already (it ignores SIGCHLD, say), what
  // was printed tells how it went.
  if (ended != child)
    return process;
  process.processorSeconds =
      toSeconds(used.ru_utime) + toSeconds(used.ru_stime);
  if (WIFSIGNALED(status) && process.end != Process::End::Timeout) {
    process.end = Process::End::Crash;
    process.message = "by signal " + std::to_string(WTERMSIG(status));
  }
  return process;
}

SolverResult Solver::ask(StringRef script, double seconds) {
  SolverResult result;
  result.reason = problem;
  if (!problem.empty())
    return result;

  llvm::SmallString<128> inputPath, outputPath;
  int input;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile(
          "scan-prove", "smt2", input, inputPath)) {
    result.reason = "a temporary file cannot be made: " + error.message();
    return result;
  }
  llvm::scope_exit removeInput([&] { llvm::sys::fs::remove(inputPath); });
  {
    llvm::raw_fd_ostream os(input, /*shouldClose=*/true);
    os << script;
    os.close();
    if (os.has_error()) {
      result.reason =
          "a temporary file cannot be written: " + os.error().message();
      os.clear_error();
      return result;
    }
  }
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("scan-prove", "out", outputPath)) {
    result.reason = "a temporary file cannot be made: " + error.message();
    return result;
  }
  llvm::scope_exit removeOutput([&] { llvm::sys::fs::remove(outputPath); });

  // The solver gives up by itself, and is killed if it does not. `-T` is for
  // when nobody is left to do that.
  unsigned milliseconds = std::max(1.0, seconds * 1000);
  unsigned wholeSeconds = static_cast<unsigned>(seconds) + 1;
  std::string soft = "-t:" + std::to_string(milliseconds);
  std::string hard = "-T:" + std::to_string(wholeSeconds);
  std::string memory = "-memory:" + std::to_string(kMaxMegabytes);
  StringRef arguments[] = {path, "-smt2", soft, hard, memory, inputPath};
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(outputPath),
                                          StringRef(outputPath)};
  Process process = runWithin(path, arguments, redirects, seconds);
  result.processorSeconds = process.processorSeconds;
  std::string limit;
  llvm::raw_string_ostream(limit) << llvm::format("%.1f s", seconds);
  switch (process.end) {
  case Process::End::NotRun:
    result.reason = "'" + path + "' cannot be run: " + process.message;
    return result;
  case Process::End::Timeout:
    result.isTimeout = true;
    result.reason = "z3 did not answer within " + limit;
    return result;
  case Process::End::Crash:
    result.reason = "z3 was killed " + process.message;
    return result;
  case Process::End::Exit:
    break;
  }
  auto buffer = llvm::MemoryBuffer::getFileSlice(outputPath, kMaxOutput, 0);
  uint64_t size = 0;
  if (llvm::sys::fs::file_size(outputPath, size) || size > kMaxOutput ||
      (size < kMaxOutput &&
       !(buffer = llvm::MemoryBuffer::getFile(outputPath)))) {
    result.reason = "the output of z3 cannot be read";
    return result;
  }
  auto [first, rest] = (*buffer)->getBuffer().split('\n');
  first = first.rtrim();
  if (first == "unsat") {
    result.answer = Answer::Unsatisfiable;
  } else if (first == "sat") {
    FailureOr<std::vector<std::string>> values = splitValues(rest);
    if (succeeded(values)) {
      result.answer = Answer::Satisfiable;
      result.values = std::move(*values);
    } else {
      result.reason = "z3 found values, but printed none that can be read";
    }
  } else if (first == "unknown" || first == "timeout") {
    result.isTimeout = true;
    result.reason = "z3 did not come to an answer within " + limit;
  } else {
    std::string shown;
    for (char c : first.take_front(80))
      shown += llvm::isPrint(c) ? c : '?';
    result.reason = "expected sat, unsat or unknown of z3, found '" + shown +
                    "'; is '" + path + "' z3 4.8 or later?";
  }
  return result;
}

FailureOr<std::vector<std::string>>
scan::associativity::splitValues(StringRef text) {
  text = text.trim();
  // The list of all pairs, a pair, then what is in a value.
  std::vector<std::string> values;
  unsigned depth = 0;
  size_t begin = 0;
  bool isComplete = false;
  for (size_t i = 0; i < text.size() && !isComplete; ++i) {
    if (text[i] == '(') {
      if (++depth == 2) {
        // Behind the name of the variable.
        begin = text.find_first_of(" \t\r\n", i);
        if (begin == StringRef::npos)
          return failure();
      }
    } else if (text[i] == ')') {
      if (depth == 0)
        return failure();
      if (depth == 2) {
        if (begin >= i)
          return failure();
        values.push_back(text.slice(begin, i).trim().str());
      }
      isComplete = --depth == 0;
    }
  }
  if (!isComplete)
    return failure();
  return values;
}
