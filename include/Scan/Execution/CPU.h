//===- CPU.h - Scans compiled for this processor ----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_EXECUTION_CPU_H
#define SCAN_EXECUTION_CPU_H

#include "Scan/Execution/HostCall.h"

namespace mlir::scan {

/// A function compiled for this processor by way of `--scan-to-cpu`. Serves any
/// shapes that its types allow. Calls must not overlap in time. The context of
/// the module has to outlive it.
class CpuExecutable {
public:
  /// Compiles the function `entry` of `module`, on tensors, and what it calls.
  /// The module is left as it is. Fails after an error was emitted.
  static FailureOr<std::unique_ptr<CpuExecutable>> compile(ModuleOp module,
                                                           StringRef entry);

  /// Calls the function. Checks `inputs` against its types first, and emits an
  /// error if they do not fit, or if the run fails: extents that do not agree,
  /// not enough memory. `outputs` receives one array per result.
  LogicalResult run(ArrayRef<HostArray> inputs,
                    SmallVectorImpl<HostArray> &outputs);

  /// The wall time in seconds that the last run spent in the function, without
  /// the copying of results.
  double getLastSeconds() const { return lastSeconds; }

private:
  CpuExecutable(HostCall call, std::unique_ptr<JITModule> jit)
      : call(std::move(call)), jit(std::move(jit)) {}

  HostCall call;
  std::unique_ptr<JITModule> jit;
  HostRuntime runtime;
  void *address = nullptr;
  double lastSeconds = 0;
};

} // namespace mlir::scan

#endif // SCAN_EXECUTION_CPU_H
