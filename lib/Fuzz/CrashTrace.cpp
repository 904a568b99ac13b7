//===- CrashTrace.cpp - Whose code a crash happened in --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FileMutation.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FormatVariadic.h"
#include <csignal>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

/// One line per frame: "frame OBJECT OFFSET SYMBOL", innermost first. The
/// symbol is the nearest that the object exports.
static void writeTrace(int signal) {
  std::signal(signal, SIG_DFL);
  // The parent reads the last 4,000 bytes.
  void *frames[30];
  int count = backtrace(frames, 30);
  for (int i = 0; i < count; ++i) {
    Dl_info info;
    if (!dladdr(frames[i], &info) || !info.dli_fname)
      continue;
    char line[130];
    const char *object = std::strrchr(info.dli_fname, '/');
    int size = std::snprintf(
        line, sizeof(line), "frame %s %lx %.70s\n",
        object ? object + 1 : info.dli_fname,
        static_cast<unsigned long>(static_cast<char *>(frames[i]) -
                                   static_cast<char *>(info.dli_fbase)),
        info.dli_sname ? info.dli_sname : "?");
    if (write(STDERR_FILENO, line, std::min<int>(size, sizeof(line) - 1)) < 0)
      break;
  }
  raise(signal);
}

void fuzz::traceCrashes() {
  // Loads what the handler needs, and gives it a stack where the other one has
  // overflowed.
  void *frame = nullptr;
  backtrace(&frame, 1);
  constexpr size_t size = 1 << 18;
  stack_t stack = {};
  stack.ss_sp = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack.ss_size = size;
  sigaltstack(&stack, nullptr);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) {
    struct sigaction action = {};
    action.sa_handler = writeTrace;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    sigaction(signal, &action, nullptr);
  }
}

std::string fuzz::describeCrash(StringRef trace, bool &isForeign) {
  struct Frame {
    StringRef object, offset, symbol;
    bool isUpstream() const {
      return object.starts_with("libMLIR.") || object.starts_with("libMLIR-") ||
             object.starts_with("libLLVM");
    }
    bool isSystem() const {
      return object.starts_with("libc.") || object.starts_with("libc-") ||
             object.starts_with("libstdc++") || object.starts_with("libgcc") ||
             object.starts_with("ld-") || object.starts_with("linux-vdso");
    }
  };
  SmallVector<Frame> frames;
  bool isInHandler = true;
  SmallVector<StringRef> lines;
  trace.split(lines, '\n');
  for (StringRef line : lines) {
    SmallVector<StringRef> parts;
    line.split(parts, ' ', 3);
    if (parts.size() != 4 || parts[0] != "frame")
      continue;
    Frame frame{parts[1], parts[2], parts[3]};
    // First comes the handler, called by the system.
    isInHandler = isInHandler && !frame.isSystem();
    if (isInHandler || frame.isSystem())
      continue;
    frames.push_back(frame);
  }
  size_t outermost = frames.size();
  for (size_t i = 0; i < frames.size(); ++i)
    if (frames[i].isUpstream())
      outermost = i;
  isForeign = outermost < frames.size() &&
              llvm::all_of(
                  ArrayRef(frames).take_front(outermost),
                  [](const Frame &frame) { return frame.isUpstream(); });
  std::string text;
  for (const Frame &frame : ArrayRef(frames).take_front(isForeign ? 5 : 12))
    text += llvm::formatv(
        "{0}{1}+0x{2} ({3})", text.empty() ? "" : " < ", frame.object,
        frame.offset,
        StringRef(llvm::demangle(frame.symbol)).take_until([](char c) {
          return c == '(';
        }));
  return text;
}
