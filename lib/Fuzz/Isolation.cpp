//===- Isolation.cpp - Work in a process of its own -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Isolation.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir::scan::fuzz;
using llvm::StringRef;

/// Says that the body has come to its end.
static constexpr char kEnd[] = "end of child";

static void copyText(char *target, size_t capacity, StringRef text) {
  size_t size = std::min(text.size(), capacity - 1);
  std::memcpy(target, text.data(), size);
  target[size] = 0;
}

void ChildStatus::setStage(StringRef name) {
  ++steps;
  copyText(stage, sizeof(stage), name);
}
void ChildStatus::setText(StringRef content) {
  copyText(text, sizeof(text), content);
}

/// What the child does before its work.
static void setUpChild(int errors) {
  // No stack trace, which takes seconds to be written; the parent reports.
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGINT,
                     SIGTERM, SIGPIPE})
    std::signal(signal, SIG_DFL);
  rlimit noCore{0, 0};
  setrlimit(RLIMIT_CORE, &noCore);
  // A run-away must not take the machine with it. What counts is memory that
  // can be written: the driver of a GPU reserves far more addresses than it
  // uses. The shadow memory of sanitizers counts, so that they have to go
  // without.
#if !__has_feature(address_sanitizer)
  rlimit memory{rlim_t(8) << 30, rlim_t(8) << 30};
  setrlimit(RLIMIT_DATA, &memory);
#endif
  dup2(errors, STDERR_FILENO);
}

Child::~Child() {
  kill();
  if (status)
    munmap(status, sizeof(ChildStatus));
}

bool Child::start(
    llvm::function_ref<void(ChildStatus &, llvm::raw_ostream &)> body) {
  kill();
  if (!status) {
    void *memory = mmap(nullptr, sizeof(ChildStatus), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return false;
    status = static_cast<ChildStatus *>(memory);
  }
  std::memset(static_cast<void *>(status), 0, sizeof(ChildStatus));
  int ends[2];
  errors = memfd_create("stderr", MFD_CLOEXEC);
  if (errors < 0 || ::pipe(ends) != 0)
    return false;
  // What is buffered would be written twice.
  llvm::outs().flush();
  llvm::errs().flush();
  process = fork();
  if (process < 0) {
    close(ends[0]);
    close(ends[1]);
    return false;
  }
  if (process == 0) {
    close(ends[0]);
    setUpChild(errors);
    {
      llvm::raw_fd_ostream stream(ends[1], /*shouldClose=*/true,
                                  /*unbuffered=*/false);
      body(*status, stream);
      stream << kEnd << "\n";
    }
    _exit(0);
  }
  close(ends[1]);
  pipe = ends[0];
  isFinished = false;
  buffer.clear();
  lastStep = 0;
  stepStart = 0;
  stepWallStart = std::chrono::steady_clock::now();
  return true;
}

Child::State Child::poll(int milliseconds, std::vector<std::string> &lines) {
  pollfd descriptor{pipe, POLLIN, 0};
  if (::poll(&descriptor, 1, milliseconds) <= 0)
    return State::Running;
  char chunk[1 << 16];
  ssize_t size = read(pipe, chunk, sizeof(chunk));
  if (size < 0 && (errno == EINTR || errno == EAGAIN))
    return State::Running;
  if (size > 0) {
    buffer.append(chunk, size);
    size_t begin = 0;
    for (size_t end; (end = buffer.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
      std::string line = buffer.substr(begin, end - begin);
      if (line == kEnd)
        isFinished = true;
      else
        lines.push_back(std::move(line));
    }
    buffer.erase(0, begin);
    return State::Running;
  }
  close(pipe);
  pipe = -1;
  while (waitpid(process, &exitStatus, 0) < 0 && errno == EINTR)
    continue;
  process = -1;
  return isFinished ? State::Finished : State::Crashed;
}

void Child::kill() {
  if (process > 0) {
    ::kill(process, SIGKILL);
    while (waitpid(process, &exitStatus, 0) < 0 && errno == EINTR)
      continue;
  }
  process = -1;
  for (int *descriptor : {&pipe, &errors}) {
    if (*descriptor >= 0)
      close(*descriptor);
    *descriptor = -1;
  }
}

double Child::getProcessorSeconds() const {
  clockid_t clock;
  timespec time;
  if (process < 0 || clock_getcpuclockid(process, &clock) != 0 ||
      clock_gettime(clock, &time) != 0)
    return 0;
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec) * 1e-9;
}

double Child::getStepSeconds() {
  double used = getProcessorSeconds();
  auto now = std::chrono::steady_clock::now();
  if (status->steps != lastStep) {
    lastStep = status->steps;
    stepStart = used;
    stepWallStart = now;
  }
  std::chrono::duration<double> wall = now - stepWallStart;
  return std::max(used - stepStart, wall.count() / 20);
}

std::string Child::readErrors() const {
  off_t size = lseek(errors, 0, SEEK_END);
  size_t wanted = std::min<off_t>(std::max<off_t>(size, 0), 4000);
  std::string text(wanted, 0);
  ssize_t got = pread(errors, text.data(), wanted, size - wanted);
  text.resize(std::max<ssize_t>(got, 0));
  return text;
}

std::string Child::describeEnd() const {
  std::string text =
      WIFSIGNALED(exitStatus)
          ? std::string("signal ") + strsignal(WTERMSIG(exitStatus))
          : "exit status " + std::to_string(WEXITSTATUS(exitStatus));
  std::string output = readErrors();
  return output.empty() ? text : text + "\n" + output;
}
