//===- ProgramFile.cpp - Files with programs, text or bytecode ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramFile.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;

/// What a reader that goes astray may use of the machine before it is ended.
static void limitResources(size_t fileBytes) {
  auto limit = [](auto resource, uint64_t value) {
    rlimit both{rlim_t(value), rlim_t(value)};
    setrlimit(resource, &both);
  };
  limit(RLIMIT_CORE, 0);
  // Reading takes less than a microsecond per byte.
  limit(RLIMIT_CPU, 20 + fileBytes / 100000);
  // The shadow memory of sanitizers counts, so that they have to go without.
#if !__has_feature(address_sanitizer)
  uint64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  limit(RLIMIT_DATA, pages * page);
#endif
}

/// Reads bytecode, for what may happen while it does so. Reports nothing: the
/// reader after it does.
static void tryToRead(llvm::MemoryBufferRef file,
                      const DialectRegistry &registry) {
  // No stack trace of a crash: it is expected.
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP})
    std::signal(signal, SIG_DFL);
  limitResources(file.getBufferSize());
  int null = open("/dev/null", O_RDWR);
  for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    dup2(null, descriptor);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  context.getDiagEngine().registerHandler([](Diagnostic &) {});
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(file),
                             llvm::SMLoc());
  Block block;
  (void)parseSourceFile(sources, &block, ParserConfig(&context));
  // Without destructors, which would only take time.
  _exit(0);
}

/// How the process ended, where it did not come to its end.
static std::string describeEnd(int status) {
  if (!WIFSIGNALED(status))
    return "exit status " + std::to_string(WEXITSTATUS(status));
  return std::string("signal: ") + strsignal(WTERMSIG(status));
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
scan::readProgramFile(StringRef path, const DialectRegistry &registry) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(path, &message);
  if (!file)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
  if (!isBytecode(file->getMemBufferRef()))
    return file;
  // What is buffered would be written twice.
  llvm::outs().flush();
  llvm::errs().flush();
  pid_t child = fork();
  if (child == 0)
    tryToRead(file->getMemBufferRef(), registry);
  int status = 0;
  pid_t ended;
  while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
    continue;
  if (child < 0 || ended < 0)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "cannot check '" + path +
            "' in a process of its own: " + llvm::sys::StrError());
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return file;
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      "'" + path +
          "': expected MLIR bytecode, found a damaged file: MLIR's reader of "
          "bytecode does not come to its end (" +
          describeEnd(status) +
          "); write the file again, or write the program as text");
}
