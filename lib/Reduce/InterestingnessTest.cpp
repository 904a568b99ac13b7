//===- InterestingnessTest.cpp - What a reduction has to keep -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InterestingnessTest.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace mlir;
using namespace mlir::scan;

std::atomic<bool> InterestingnessTest::stop = false;

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// The path of `script` as a process can be started from it.
static llvm::Expected<std::string> findScript(StringRef script) {
  if (llvm::sys::fs::is_directory(script))
    return makeError("the test '" + script +
                     "' is a folder: expected a program");
  if (llvm::sys::fs::exists(script)) {
    if (!llvm::sys::fs::can_execute(script))
      return makeError("the test '" + script +
                       "' cannot be executed: chmod +x it");
    SmallString<128> path(script);
    if (std::error_code code = llvm::sys::fs::make_absolute(path))
      return makeError("cannot find the test '" + script +
                       "': " + code.message());
    return path.str().str();
  }
  if (!script.contains('/'))
    if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(script))
      return *path;
  return makeError("the test '" + script + "' does not exist");
}

llvm::Expected<std::unique_ptr<InterestingnessTest>>
InterestingnessTest::create(const InterestingnessOptions &options) {
  std::unique_ptr<InterestingnessTest> test(new InterestingnessTest(options));
  if (!options.script.empty()) {
    llvm::Expected<std::string> path = findScript(options.script);
    if (!path)
      return path.takeError();
    test->options.script = std::move(*path);
  }
  if (std::error_code code =
          llvm::sys::fs::createUniqueDirectory("scan-reduce", test->folder))
    return makeError("cannot make a temporary folder: " + code.message());
  test->programPath = test->logPath = test->folder;
  llvm::sys::path::append(test->programPath, "program.mlir");
  llvm::sys::path::append(test->logPath, "log.txt");
  return test;
}

InterestingnessTest::~InterestingnessTest() {
  if (folder.empty())
    return;
  if (std::error_code code = llvm::sys::fs::remove_directories(folder))
    llvm::WithColor::warning(llvm::errs(), "scan-reduce")
        << "cannot remove '" << folder << "': " << code.message() << "\n";
}

llvm::Expected<InterestingnessTest::Outcome> InterestingnessTest::execute() {
  std::vector<std::string> words;
  if (!options.script.empty()) {
    words = {options.script, programPath.str().str()};
  } else {
    std::string line = options.fails + options.crashes;
    if (!StringRef(line).contains("$1"))
      line += " \"$1\"";
    words = {"/bin/sh", "-c", line, "sh", programPath.str().str()};
  }
  SmallVector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);

  // A process group of its own, so that whatever the test starts can be stopped
  // together with it.
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, logPath.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t process = 0;
  int code = posix_spawn(&process, words.front().c_str(), &files, &attributes,
                         arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (code)
    return makeError(
        "cannot run '" + Twine(words.front()) + "': " + std::strerror(code) +
        (code == ENOEXEC ? "; does it start with #!/bin/sh?" : ""));

  using Clock = std::chrono::steady_clock;
  Clock::time_point end =
      Clock::now() + std::chrono::seconds(options.timeLimit);
  std::chrono::microseconds pause(200);
  Outcome outcome;
  int status = 0;
  while (waitpid(process, &status, WNOHANG) == 0) {
    outcome.timedOut = Clock::now() >= end;
    if (outcome.timedOut || stop) {
      kill(-process, SIGKILL);
      waitpid(process, &status, 0);
      break;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(10000));
  }
  if (stop)
    return makeError("stopped");
  if (outcome.timedOut)
    return outcome;
  if (WIFSIGNALED(status))
    outcome.signal = WTERMSIG(status);
  else
    outcome.exitCode = WEXITSTATUS(status);
  return outcome;
}

bool InterestingnessTest::judge(const Outcome &outcome) {
  if (outcome.timedOut)
    return false;
  if (!options.script.empty())
    return outcome.signal == 0 && outcome.exitCode == 0;
  // A shell that waits for a command reports its signal as 128 and the number.
  bool killed = outcome.signal != 0 || outcome.exitCode > 128;
  if (options.fails.empty() ? !killed : !killed && outcome.exitCode == 0)
    return false;
  if (!StringRef(printed).contains(options.message))
    return false;
  if (!expected)
    expected = outcome;
  return outcome == *expected;
}

llvm::Expected<bool> InterestingnessTest::run(StringRef program) {
  std::error_code code;
  {
    llvm::raw_fd_ostream stream(programPath, code);
    if (!code) {
      stream << program;
      stream.close();
      code = stream.error();
      stream.clear_error();
    }
  }
  if (code)
    return makeError("cannot write '" + programPath.str() +
                     "': " + code.message());
  llvm::Expected<Outcome> outcome = execute();
  if (!outcome)
    return outcome.takeError();
  last = *outcome;
  printed.clear();
  if (auto log = llvm::MemoryBuffer::getFile(logPath))
    printed = (*log)->getBuffer().str();
  // What the shell says when it does not find a command.
  if (options.script.empty() && !last.timedOut &&
      (last.exitCode == 126 || last.exitCode == 127)) {
    StringRef said = StringRef(printed).trim();
    return makeError("the command cannot be run: " +
                     said.substr(said.rfind('\n') + 1));
  }
  return judge(last);
}

std::string InterestingnessTest::describeLastRun() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (last.timedOut)
    os << "it was stopped after " << options.timeLimit << " s";
  else if (last.signal)
    os << "it was killed by signal " << last.signal;
  else
    os << "it exited with code " << last.exitCode;
  if (!options.message.empty() && !StringRef(printed).contains(options.message))
    os << ", and did not print '" << options.message << "'";
  SmallVector<StringRef> lines;
  StringRef(printed).split(lines, '\n', -1, /*KeepEmpty=*/false);
  if (lines.empty())
    return text;
  constexpr size_t shown = 5;
  os << "; it printed:";
  if (lines.size() > shown)
    os << "\n  ...";
  for (StringRef line : ArrayRef(lines).take_back(shown))
    os << "\n  " << line;
  return text;
}
