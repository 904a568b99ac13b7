//===- Targets.cpp - What can run a function ------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Targets.h"
#include "CUDA.h"
#include "Emulator.h"
#include "Scan/Execution/CPU.h"
#include "Scan/Execution/HostThreads.h"
#include "Scan/Reference/Interpreter.h"
#include <chrono>

using namespace mlir;
using namespace mlir::scan;

namespace {
/// The reference interpreter, as an executable.
class InterpretedFunction final {
public:
  static FailureOr<std::unique_ptr<InterpretedFunction>>
  compile(ModuleOp module, StringRef entry) {
    return std::make_unique<InterpretedFunction>(module, entry);
  }
  InterpretedFunction(ModuleOp module, StringRef entry)
      : module(module), entry(entry.str()) {}

  LogicalResult run(ArrayRef<HostArray> inputs,
                    SmallVectorImpl<HostArray> &outputs) {
    auto start = std::chrono::steady_clock::now();
    FailureOr<SmallVector<HostArray>> results =
        interpret(module, entry, inputs);
    seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    if (failed(results))
      return failure();
    outputs.assign(std::make_move_iterator(results->begin()),
                   std::make_move_iterator(results->end()));
    return success();
  }
  double getLastSeconds() { return seconds; }

private:
  ModuleOp module;
  std::string entry;
  double seconds = 0;
};

/// Any class with `compile`, `run` and `getLastSeconds`, as an Executable.
template <typename Impl> class ExecutableOf final : public Executable {
public:
  static FailureOr<std::unique_ptr<Executable>>
  compile(ModuleOp module, StringRef entry, const TargetOptions &options) {
    auto impl = compileImpl(module, entry, options);
    if (failed(impl))
      return failure();
    std::unique_ptr<Executable> executable(new ExecutableOf(std::move(*impl)));
    executable->setOptions(options);
    return executable;
  }
  void setOptions(const TargetOptions &options) override {
    if constexpr (std::is_same_v<Impl, EmulatorExecutable>)
      impl->setOptions(options.emulator);
    else if constexpr (std::is_same_v<Impl, CpuExecutable>)
      impl->setCheckMemory(options.checkMemory);
  }
  LogicalResult run(ArrayRef<HostArray> inputs,
                    SmallVectorImpl<HostArray> &outputs) override {
    return impl->run(inputs, outputs);
  }
  LogicalResult run(ArrayRef<ArrayView> inputs,
                    SmallVectorImpl<HostArray> &outputs) override {
    if constexpr (std::is_same_v<Impl, EmulatorExecutable>)
      return impl->run(inputs, outputs);
    else
      return impl->run(llvm::map_to_vector(inputs, copyToHostArray), outputs);
  }
  double getLastSeconds() override { return impl->getLastSeconds(); }
  const emulator::EmulatorStatistics *getStatistics() override {
    if constexpr (std::is_same_v<Impl, EmulatorExecutable>)
      return &impl->getStatistics();
    else
      return nullptr;
  }

private:
  static FailureOr<std::unique_ptr<Impl>>
  compileImpl(ModuleOp module, StringRef entry, const TargetOptions &options) {
    if constexpr (std::is_same_v<Impl, EmulatorExecutable>)
      return Impl::compile(module, entry, options.emulator);
    else if constexpr (std::is_same_v<Impl, CpuExecutable>) {
      if (options.threads)
        setHostThreads(*options.threads);
      return Impl::compile(module, entry, /*acceptMemRefs=*/true,
                           options.emulator.stridedArguments,
                           options.stateBytes);
    } else if constexpr (std::is_same_v<Impl, CudaExecutable>)
      return Impl::compile(module, entry, options.dispatch, options.tuning,
                           options.emulator.maxStateBytes);
    else
      return Impl::compile(module, entry);
  }
  explicit ExecutableOf(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
  std::unique_ptr<Impl> impl;
};
} // namespace

ArrayRef<ExecutionTarget> mlir::scan::getExecutionTargets() {
  static const ExecutionTarget targets[] = {
      {"reference", "the reference interpreter: slow, follows the definitions",
       ExecutableOf<InterpretedFunction>::compile},
      {"cpu", "machine code for this processor",
       ExecutableOf<CpuExecutable>::compile},
      {"emulator",
       "GPU kernels, on an emulated GPU: slow, finds races and hangs",
       ExecutableOf<EmulatorExecutable>::compile},
      {"cuda", "the first NVIDIA GPU of this machine",
       ExecutableOf<CudaExecutable>::compile},
  };
  return targets;
}

const ExecutionTarget *mlir::scan::findExecutionTarget(StringRef name) {
  for (const ExecutionTarget &target : getExecutionTargets())
    if (target.name == name)
      return &target;
  return nullptr;
}

std::string mlir::scan::listExecutionTargets() {
  std::string names;
  for (const ExecutionTarget &target : getExecutionTargets())
    names += (names.empty() ? "" : ", ") + target.name.str();
  return names;
}
