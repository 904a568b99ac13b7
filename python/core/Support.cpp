//===- Support.cpp - Diagnostics, errors, contexts ------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <nanobind/stl/string.h>

#include <condition_variable>
#include <cxxabi.h>
#include <thread>
#include <unistd.h>

using namespace mlir_scan;

//===----------------------------------------------------------------------===//
// The GIL and the end of the process
//===----------------------------------------------------------------------===//

[[noreturn]] static void stopForGood() {
  while (true)
    pause();
}

ReleaseGil::~ReleaseGil() {
  try {
    PyEval_RestoreThread(state);
  } catch (abi::__forced_unwind &) {
    stopForGood();
  }
}

namespace {
/// Never destroyed, as threads may still come here at the very end.
struct CompilerState {
  std::mutex mutex;
  std::condition_variable changed;
  int atWork = 0;
  bool closed = false;
  std::thread::id last;
};
} // namespace

static CompilerState &getCompilerState() {
  static auto *state = [] {
    // A child of a fork has no thread that is at work.
    pthread_atfork(nullptr, nullptr,
                   [] { new (&getCompilerState()) CompilerState; });
    return new CompilerState;
  }();
  return *state;
}

CompilerScope::CompilerScope() {
  CompilerState &state = getCompilerState();
  std::unique_lock<std::mutex> lock(state.mutex);
  if (state.closed && state.last != std::this_thread::get_id()) {
    lock.unlock();
    stopForGood();
  }
  ++state.atWork;
}

CompilerScope::~CompilerScope() {
  CompilerState &state = getCompilerState();
  std::lock_guard<std::mutex> lock(state.mutex);
  --state.atWork;
  state.changed.notify_all();
}

void CompilerScope::close() {
  CompilerState &state = getCompilerState();
  std::unique_lock<std::mutex> lock(state.mutex);
  state.closed = true;
  state.last = std::this_thread::get_id();
  state.changed.wait(lock, [&] { return state.atWork == 0; });
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

thread_local DiagnosticCollector *DiagnosticCollector::current = nullptr;

static Diagnostic copy(const MlirScanDiagnostic &diagnostic) {
  Diagnostic result;
  switch (diagnostic.severity) {
  case MlirDiagnosticError:
    result.severity = "error";
    break;
  case MlirDiagnosticWarning:
    result.severity = "warning";
    break;
  case MlirDiagnosticNote:
    result.severity = "note";
    break;
  case MlirDiagnosticRemark:
    result.severity = "remark";
    break;
  }
  result.file = toString(diagnostic.file);
  result.line = diagnostic.line;
  result.column = diagnostic.column;
  result.message = toString(diagnostic.message);
  for (intptr_t i = 0; i < diagnostic.numNotes; ++i)
    result.notes.push_back(copy(diagnostic.notes[i]));
  return result;
}

MlirLogicalResult
DiagnosticCollector::receive(const MlirScanDiagnostic *diagnostic, void *) {
  if (current)
    current->diagnostics.push_back(copy(*diagnostic));
  // The last station in any case: nothing goes to standard error.
  return mlirLogicalResultSuccess();
}

nb::list mlir_scan::toPython(const std::vector<Diagnostic> &diagnostics) {
  nb::list result;
  if (diagnostics.empty())
    return result;
  nb::object type = nb::module_::import_("mlir_scan.errors").attr("Diagnostic");
  for (const Diagnostic &diagnostic : diagnostics)
    result.append(type(diagnostic.severity, diagnostic.file, diagnostic.line,
                       diagnostic.column, diagnostic.message,
                       nb::tuple(toPython(diagnostic.notes))));
  return result;
}

void mlir_scan::raise(const char *kind,
                      const std::vector<Diagnostic> &diagnostics,
                      const std::string &otherwise) {
  nb::object type = nb::module_::import_("mlir_scan.errors").attr(kind);
  nb::object error = type(otherwise, nb::tuple(toPython(diagnostics)));
  PyErr_SetObject(type.ptr(), error.ptr());
  throw nb::python_error();
}

void mlir_scan::raise(const char *kind, const std::string &message) {
  nb::object type = nb::module_::import_("mlir_scan.errors").attr(kind);
  PyErr_SetString(type.ptr(), message.c_str());
  throw nb::python_error();
}

void mlir_scan::warn(const std::vector<Diagnostic> &diagnostics) {
  for (const Diagnostic &diagnostic : diagnostics) {
    if (std::string_view(diagnostic.severity) != "warning")
      continue;
    nb::object errors = nb::module_::import_("mlir_scan.errors");
    nb::object first = toPython({diagnostic})[0];
    nb::str text{nb::handle(first)};
    if (PyErr_WarnEx(errors.attr("CompileWarning").ptr(), text.c_str(), 2))
      throw nb::python_error();
  }
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

std::shared_ptr<Context> Context::create() {
  MlirContext context = mlirScanContextCreate(/*threading=*/false);
  mlirScanContextAttachDiagnosticCallback(context, DiagnosticCollector::receive,
                                          nullptr);
  return std::shared_ptr<Context>(new Context(context));
}

Context::~Context() {
  destroyGarbage();
  mlirScanContextDestroy(context);
}

void Context::destroyGarbage() {
  std::vector<std::function<void()>> taken;
  {
    std::lock_guard<std::mutex> lock(garbageMutex);
    taken.swap(garbage);
  }
  for (const std::function<void()> &destroy : taken)
    destroy();
}

void Context::destroyLater(std::function<void()> destroy) {
  std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
  if (lock)
    return destroy();
  std::lock_guard<std::mutex> garbageLock(garbageMutex);
  garbage.push_back(std::move(destroy));
}
