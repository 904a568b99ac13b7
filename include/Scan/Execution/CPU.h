//===- CPU.h - Scans compiled for this processor ----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_EXECUTION_CPU_H
#define SCAN_EXECUTION_CPU_H

#include "Scan/Execution/HostCall.h"
#include "Scan/Pipelines/StridedArguments.h"
#include <memory>

namespace mlir::scan {

class JITModule;

/// A function compiled for this processor by way of `--scan-to-cpu`. Serves any
/// shapes that its types allow. The context of the module has to outlive it.
class CpuExecutable {
public:
  ~CpuExecutable();

  /// Compiles the function `entry` of `module`, on tensors, and what it calls.
  /// The module is left as it is. Fails after an error was emitted.
  ///
  /// With `acceptMemRefs` the function may be on memrefs: then the whole module
  /// counts as bufferized and has to free what it allocates, and the function
  /// may write to its arguments. A function on tensors may be compiled for
  /// inputs with strides, which it then reads in place. `stateBytes` is
  /// ScanToCPUOptions::stateBytes; 0 is its default.
  static FailureOr<std::unique_ptr<CpuExecutable>>
  compile(ModuleOp module, StringRef entry, bool acceptMemRefs = false,
          StridedArguments stridedArguments = StridedArguments::None,
          unsigned stateBytes = 0);

  /// Writes the function, on tensors, as machine code, for `read` in this
  /// process or another one on a machine with the same processor.
  void write(llvm::raw_ostream &stream) const;
  /// Takes what `write` wrote. Emits an error at `location` and fails if these
  /// bytes are not that, or were written by another version or for another
  /// processor: they may have been damaged, but not have been made up, as they
  /// hold code that is run.
  static FailureOr<std::unique_ptr<CpuExecutable>> read(Location location,
                                                        StringRef bytes);

  const HostCall &getCall() const { return call; }
  /// The strides that views among the inputs of `run` may have.
  StridedArguments getStridedArguments() const { return stridedArguments; }

  /// Whether runs fail that do not free what they allocate, or free what they
  /// have not allocated; see HostRuntime.
  void setCheckMemory(bool check) { checkMemory = check; }

  /// Calls the function. Checks `inputs` against its types first, and emits an
  /// error if they do not fit, or if the run fails: extents that do not agree,
  /// not enough memory. `outputs` receives one array per result. Calls must not
  /// overlap in time.
  LogicalResult run(ArrayRef<HostArray> inputs,
                    SmallVectorImpl<HostArray> &outputs);

  /// The same with `inputs` that are dense, or as `getStridedArguments` says,
  /// aligned for their elements, and known to fit the types; they are read in
  /// place. `receive` gets the
  /// results; one that the function could compute in the destination of its
  /// number, if there is one, is there. May be called by several threads at the
  /// same time.
  LogicalResult run(ArrayRef<ArrayView> inputs, ResultReceiver receive,
                    ArrayRef<HostRuntime::Destination> destinations = {});

  /// The wall time in seconds that the last run on HostArrays spent in the
  /// function, without the copying of results.
  double getLastSeconds() const { return lastSeconds; }

private:
  CpuExecutable(HostCall call, std::unique_ptr<JITModule> jit);

  HostCall call;
  std::unique_ptr<JITModule> jit;
  void *address = nullptr;
  bool checkMemory = false;
  bool mayWriteInputs = false;
  StridedArguments stridedArguments = StridedArguments::None;
  /// The memory of runs, which stays for the next one.
  std::shared_ptr<HostRuntimePool> runtimes =
      std::make_shared<HostRuntimePool>();
  double lastSeconds = 0;
};

} // namespace mlir::scan

#endif // SCAN_EXECUTION_CPU_H
