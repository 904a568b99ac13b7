//===- Emulator.h - Runs GPU kernels without a GPU --------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_EXECUTION_EMULATOR_H
#define SCAN_LIB_EXECUTION_EMULATOR_H

#include "Execution/Emulator/FiberRuntime.h"
#include "Execution/ExtentRequirements.h"
#include "Scan/Execution/HostCall.h"

namespace mlir::scan {

/// A program whose scans run as GPU kernels in the SIMT emulator.
class EmulatorExecutable {
public:
  /// Compiles a copy of `module`: scans on tensors, or kernels in `gpu.module`s
  /// with the host code that launches them. `entry` names the function to run;
  /// its parameters and results are ranked tensors, memrefs without a layout,
  /// or scalars. Errors are emitted as diagnostics. The context of the module
  /// has to outlive the program.
  static FailureOr<std::unique_ptr<EmulatorExecutable>>
  compile(ModuleOp module, StringRef entry,
          const emulator::EmulatorOptions &options = {});

  /// Sets the options of later runs; what compiling depends on
  /// (`needsInstrumentation`, `dispatch`, `stridedArguments`) has to be what it
  /// was.
  void setOptions(const emulator::EmulatorOptions &newOptions) {
    options = newOptions;
  }

  /// Runs the program. `inputs` are checked against the parameters; a memref is
  /// passed as a copy of the input. `outputs` receives one array per result.
  /// The same seed gives the same run. Errors, also those of kernels (see
  /// FiberRuntime), are emitted as diagnostics, and leave no outputs.
  LogicalResult run(ArrayRef<HostArray> inputs,
                    SmallVectorImpl<HostArray> &outputs);
  /// The same of a program on tensors with `inputs` that are dense, or strided
  /// as it was compiled for, and known to fit the types; they are read in
  /// place.
  LogicalResult run(ArrayRef<ArrayView> inputs,
                    SmallVectorImpl<HostArray> &outputs);

  /// Wall-clock time of the last successful run in seconds, without the
  /// conversion of inputs and outputs. It says nothing about a GPU.
  double getLastSeconds() const { return lastSeconds; }

  /// What the last run did.
  const emulator::EmulatorStatistics &getStatistics() const {
    return statistics;
  }

private:
  EmulatorExecutable(HostCall call, std::unique_ptr<JITModule> jit,
                     const emulator::EmulatorOptions &options)
      : call(std::move(call)), jit(std::move(jit)), options(options) {}

  HostCall call;
  std::unique_ptr<JITModule> jit;
  HostRuntime hostRuntime;
  ExtentRequirements requirements;
  emulator::EmulatorOptions options;
  void *address = nullptr;
  emulator::EmulatorStatistics statistics;
  double lastSeconds = 0;
};

} // namespace mlir::scan

#endif // SCAN_LIB_EXECUTION_EMULATOR_H
