//===- Support.h - Shared by the extension --------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_SCAN_PYTHON_SUPPORT_H
#define MLIR_SCAN_PYTHON_SUPPORT_H

#include "Scan-c/Scan.h"

#include <nanobind/nanobind.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace mlir_scan {

namespace nb = nanobind;

inline MlirStringRef toRef(std::string_view text) {
  return mlirStringRefCreate(text.data(), text.size());
}
inline std::string toString(MlirStringRef text) {
  return std::string(text.data, text.length);
}

//===----------------------------------------------------------------------===//
// The GIL
//===----------------------------------------------------------------------===//

/// Lets other threads run Python meanwhile. Where the interpreter has ended by
/// the time that this ends, the thread stops here for good: before version 3.14
/// Python unwinds such threads, which no C++ function on the stack expects.
class ReleaseGil {
public:
  ReleaseGil() : state(PyEval_SaveThread()) {}
  ~ReleaseGil();
  ReleaseGil(const ReleaseGil &) = delete;

private:
  PyThreadState *state;
};

/// Work inside LLVM, which the end of the process waits for: LLVM's globals are
/// destroyed then. Needs no GIL.
class CompilerScope {
public:
  CompilerScope();
  ~CompilerScope();
  CompilerScope(const CompilerScope &) = delete;

  /// From now on threads other than this one do not start such work, and none
  /// of them is at it.
  static void close();
};

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

struct Diagnostic {
  const char *severity;
  std::string file;
  uint32_t line, column;
  std::string message;
  std::vector<Diagnostic> notes;
};

/// Takes what the contexts say on this thread, as long as it lives. Needs no
/// GIL.
class DiagnosticCollector {
public:
  DiagnosticCollector() : previous(current) { current = this; }
  ~DiagnosticCollector() { current = previous; }
  DiagnosticCollector(const DiagnosticCollector &) = delete;

  std::vector<Diagnostic> diagnostics;

  /// Receives the diagnostics of all contexts of the extension.
  static MlirLogicalResult receive(const MlirScanDiagnostic *diagnostic,
                                   void *);

private:
  static thread_local DiagnosticCollector *current;
  DiagnosticCollector *previous;
};

/// Raises `mlir_scan.<kind>`, an error with diagnostics, whose text is made of
/// the errors among them, or is `otherwise` if there are none.
[[noreturn]] void raise(const char *kind,
                        const std::vector<Diagnostic> &diagnostics,
                        const std::string &otherwise);
/// Raises `mlir_scan.<kind>`, an error without diagnostics.
[[noreturn]] void raise(const char *kind, const std::string &message);
/// Issues a `mlir_scan.CompileWarning` for each warning.
void warn(const std::vector<Diagnostic> &diagnostics);
/// As objects of `mlir_scan.Diagnostic`.
nb::list toPython(const std::vector<Diagnostic> &diagnostics);

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

/// A context of MLIR without threads of its own, so that the process may fork.
/// Shared by a module, its copies, and what was compiled from them.
class Context {
public:
  static std::shared_ptr<Context> create();
  ~Context();
  Context(const Context &) = delete;

  MlirContext get() const { return context; }

  /// Calls `body` while no other thread uses the context. Must not be called
  /// with the GIL.
  template <typename Body> void use(Body body) {
    CompilerScope scope;
    std::lock_guard<std::mutex> lock(mutex);
    destroyGarbage();
    body();
    destroyGarbage();
  }

  /// Calls `destroy` now, or when the thread that uses the context is done: the
  /// caller has the GIL and must not wait.
  void destroyLater(std::function<void()> destroy);

private:
  explicit Context(MlirContext context) : context(context) {}
  void destroyGarbage();

  MlirContext context;
  std::mutex mutex;
  std::mutex garbageMutex;
  std::vector<std::function<void()>> garbage;
};

//===----------------------------------------------------------------------===//
// The parts of the extension
//===----------------------------------------------------------------------===//

void addArrays(nb::module_ &module);
void addExecutables(nb::module_ &module);
void addJax(nb::module_ &module);
void addKernels(nb::module_ &module);
void addLauncher(nb::module_ &module);
void addModules(nb::module_ &module);

} // namespace mlir_scan

#endif // MLIR_SCAN_PYTHON_SUPPORT_H
