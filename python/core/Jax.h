//===- Jax.h - Custom calls of XLA ------------------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_SCAN_PYTHON_JAX_H
#define MLIR_SCAN_PYTHON_JAX_H

#include "Support.h"

#include "xla/ffi/api/ffi.h"

#include <shared_mutex>
#include <unordered_map>

namespace mlir_scan {

namespace ffi = xla::ffi;

/// What the arguments or results of a custom call are.
ffi::Error getBuffers(ffi::RemainingArgs arguments,
                      std::vector<MlirScanBuffer> &buffers);
ffi::Error getBuffers(ffi::RemainingRets results,
                      std::vector<MlirScanBuffer> &buffers);

/// An error that a custom call returns.
ffi::Error makeError(ffi::ErrorCode code, const std::string &message);

/// Compiles programs: a function of Python that takes the text and the number
/// of a GPU, -1 for the CPU. Set once, before the first call.
void setJaxCompiler(nb::object compiler);
/// Calls `body` with the GIL, from a thread that may have no Python yet; what
/// it raises is the error.
ffi::Error runPython(const std::function<void()> &body);
/// Calls the compiler in that way. `use` gets what it has returned.
ffi::Error compileForJax(std::string_view program, int device,
                         const std::function<void(nb::object)> &use);

/// What was made of the texts of programs, for good: XLA may call a program at
/// any time. For any number of threads.
template <typename Value> class ProgramTable {
public:
  /// Null if there is none yet.
  Value *find(std::string_view text) {
    std::shared_lock<std::shared_mutex> lock(mutex);
    auto found = values.find(text);
    return found == values.end() ? nullptr : &found->second->value;
  }
  /// Keeps `value`, if no other thread was first.
  Value *add(std::string_view text, Value value) {
    std::lock_guard<std::shared_mutex> lock(mutex);
    if (auto found = values.find(text); found != values.end())
      return &found->second->value;
    auto entry = std::make_unique<Entry>();
    entry->text = text;
    entry->value = std::move(value);
    std::string_view key = entry->text;
    return &values.emplace(key, std::move(entry)).first->second->value;
  }

private:
  struct Entry {
    std::string text;
    Value value;
  };
  std::shared_mutex mutex;
  /// The keys are the entries' texts.
  std::unordered_map<std::string_view, std::unique_ptr<Entry>> values;
};

/// The handler of custom calls on GPUs.
void addJaxForCuda(nb::module_ &module);

} // namespace mlir_scan

#endif // MLIR_SCAN_PYTHON_JAX_H
