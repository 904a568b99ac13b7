//===- Targets.h - What can run a function ----------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_EXECUTION_TARGETS_H
#define SCAN_LIB_EXECUTION_TARGETS_H

#include "Execution/Emulator/FiberRuntime.h"
#include "Scan/Execution/ArrayView.h"
#include "Scan/Reference/HostArray.h"
#include "mlir/IR/BuiltinOps.h"
#include <memory>

namespace mlir::scan {

/// What some targets can be told beside the program.
struct TargetOptions {
  /// `stridedArguments` is target cpu's as well, `maxStateBytes` cuda's.
  emulator::EmulatorOptions emulator;
  /// Target cuda: as EmulatorOptions::dispatch.
  bool dispatch = true;
  /// Target cuda: the file with schedules that scan-tune measured, as
  /// PTXOptions::tuning.
  std::string tuning;
  /// Target cpu: as ScanToCPUOptions::stateBytes; 0 is its default.
  unsigned stateBytes = 0;
  /// Target cpu: fail if the program does not free what it allocates.
  bool checkMemory = false;
  /// Target cpu: of setHostThreads, if it is there.
  std::optional<unsigned> threads;
};

/// A function made ready to run by some target.
class Executable {
public:
  virtual ~Executable() = default;
  /// Sets the options of later runs. `dispatch`, and whether the emulator has
  /// to be told of accesses, stay as they were compiled.
  virtual void setOptions(const TargetOptions &options) = 0;
  /// Runs the function. Errors are diagnostics.
  virtual LogicalResult run(ArrayRef<HostArray> inputs,
                            SmallVectorImpl<HostArray> &outputs) = 0;
  /// The same of a function on tensors with `inputs` that are known to fit its
  /// types, and are dense or strided as it was compiled for. The emulator reads
  /// them in place, other targets copy them.
  virtual LogicalResult run(ArrayRef<ArrayView> inputs,
                            SmallVectorImpl<HostArray> &outputs) = 0;
  /// The time that the last run took, without copies of inputs and outputs
  /// that a caller inside a larger program would not need.
  virtual double getLastSeconds() = 0;
  /// What the emulator has counted in the last run; null for other targets.
  virtual const emulator::EmulatorStatistics *getStatistics() {
    return nullptr;
  }
};

/// A way to run functions, by name.
struct ExecutionTarget {
  StringRef name;
  StringRef description;
  /// Makes function `entry` of a graph-level module ready to run, for some
  /// targets also one on memrefs; the module is not changed. Errors are
  /// diagnostics.
  FailureOr<std::unique_ptr<Executable>> (*compile)(
      ModuleOp module, StringRef entry, const TargetOptions &options);
};

/// Every target, in the order in which help lists them.
ArrayRef<ExecutionTarget> getExecutionTargets();

/// The target of that name, or null.
const ExecutionTarget *findExecutionTarget(StringRef name);

/// "reference, cpu": for messages.
std::string listExecutionTargets();

} // namespace mlir::scan

#endif // SCAN_LIB_EXECUTION_TARGETS_H
