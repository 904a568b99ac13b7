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

  // The solver gives up by itself, and is killed if it does not.
  unsigned milliseconds = std::max(1.0, seconds * 1000);
  unsigned wholeSeconds = static_cast<unsigned>(seconds) + 1;
  std::string soft = "-t:" + std::to_string(milliseconds);
  std::string hard = "-T:" + std::to_string(wholeSeconds);
  std::string memory = "-memory:" + std::to_string(kMaxMegabytes);
  StringRef arguments[] = {path, "-smt2", soft, hard, memory, inputPath};
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(outputPath),
                                          StringRef(outputPath)};
  std::string message;
  bool failedToRun = false;
  std::optional<llvm::sys::ProcessStatistics> statistics;
  int status = llvm::sys::ExecuteAndWait(
      path, arguments, /*Env=*/std::nullopt, redirects, wholeSeconds + 1,
      /*MemoryLimit=*/0, &message, &failedToRun, &statistics);
  if (statistics)
    result.processorSeconds =
        std::chrono::duration<double>(statistics->TotalTime).count();
  std::string limit;
  llvm::raw_string_ostream(limit) << llvm::format("%.1f s", seconds);
  if (failedToRun) {
    result.reason = "'" + path + "' cannot be run: " + message;
    return result;
  }
  if (status == -2) {
    // A crash, or the time limit of this process.
    result.isTimeout = StringRef(message).contains("timed out");
    result.reason = result.isTimeout ? "z3 did not answer within " + limit
                                     : "z3 was killed: " + message;
    return result;
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
