//===- FunctionTimer.h - Times programs side by side ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TUNE_FUNCTIONTIMER_H
#define SCAN_LIB_TUNE_FUNCTIONTIMER_H

#include "Scan/Launcher/Launcher.h"
#include "Scan/Reference/HostArray.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <chrono>
#include <optional>

namespace mlir::scan {

/// Times programs that compute the same, on the same arguments, on a GPU.
///
/// Times are those between two events around all launches of the function. They
/// are taken in rounds in which each program runs once, in an order that
/// changes, and what is in the L2 cache is replaced before each run.
class FunctionTimer {
public:
  using Clock = std::chrono::steady_clock;

  /// A function with arguments of these types and shapes. Floating-point
  /// numbers are drawn from [-1, 1), integers are 0 or 1; a scalar argument has
  /// the value that `numbers` has for its name ("arg2"), if any. `device` has
  /// to outlive the timer.
  static llvm::Expected<FunctionTimer>
  create(const launcher::Device &device, FunctionType type,
         ArrayRef<SmallVector<int64_t>> shapes,
         const llvm::StringMap<int64_t> &numbers);
  FunctionTimer(FunctionTimer &&) = default;
  ~FunctionTimer();

  /// Adds a program; it is given its number, from 0. Runs it, and fails if that
  /// fails or if its results differ from those of the first one. `function` has
  /// to outlive the timer.
  llvm::Error add(const launcher::Function &function);

  /// Runs rounds: a few, then more until `deadline`.
  llvm::Error measure(Clock::time_point deadline);

  /// The median time of a program in nanoseconds.
  double getNanoseconds(size_t number) const;

private:
  struct Contender {
    launcher::Call call;
    launcher::Event start, end;
    std::vector<double> nanoseconds;
  };
  /// Memory of the GPU, freed with its owner.
  struct Memory {
    Memory(const launcher::Device &device) : device(&device) {}
    Memory(Memory &&other)
        : device(other.device), pointer(std::exchange(other.pointer, 0)),
          bytes(other.bytes) {}
    ~Memory();
    llvm::Error allocate(int64_t wanted);

    const launcher::Device *device;
    launcher::DevicePointer pointer = 0;
    int64_t bytes = 0;
  };

  FunctionTimer(const launcher::Device &device, FunctionType type)
      : device(&device), type(type), flushed(device) {}
  llvm::Error addArgument(Type type, ArrayRef<int64_t> shape,
                          std::optional<int64_t> number, unsigned seed);
  llvm::Error reserveBuffers(const launcher::Call &call);
  llvm::Error launch(Contender &contender);
  llvm::Error collect(Contender &contender);
  llvm::Expected<std::vector<HostArray>>
  readResults(const launcher::Call &call);
  llvm::Error checkResults(const launcher::Call &call);

  const launcher::Device *device;
  FunctionType type;
  std::vector<launcher::Argument> arguments;
  std::vector<launcher::DevicePointer> argumentPointers, bufferPointers;
  std::vector<Memory> argumentMemory, buffers;
  /// Written to between runs.
  Memory flushed;
  std::vector<std::unique_ptr<Contender>> contenders;
  /// Parts of the first program's results.
  std::optional<std::vector<HostArray>> expected;
};

} // namespace mlir::scan

#endif // SCAN_LIB_TUNE_FUNCTIONTIMER_H
