//===- CUDA.h - Scans on this machine's GPU ---------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_EXECUTION_CUDA_H
#define SCAN_LIB_EXECUTION_CUDA_H

#include "Scan/Execution/HostCall.h"
#include "Scan/Launcher/Launcher.h"
#include "Scan/Pipelines/MaxStateBytes.h"

namespace mlir::scan {

/// A function compiled to PTX for the first GPU of this machine, and loaded
/// there. Serves any shapes that its types allow. The context of the module has
/// to outlive it.
class CudaExecutable {
public:
  /// Compiles the function `entry` of `module`, on tensors, as
  /// `scan-translate --scan-to-ptx` does, with the options `--dispatch`,
  /// `--tuning` and `--max-state-bytes`. The module is left as it is. Emits an
  /// error if it cannot be compiled, or if there is no driver or no GPU.
  static FailureOr<std::unique_ptr<CudaExecutable>>
  compile(ModuleOp module, StringRef entry, bool dispatch = true,
          StringRef tuning = "", int64_t maxStateBytes = kDefaultMaxStateBytes);

  /// Copies the inputs to the GPU, launches, and copies the results back.
  /// Emits an error if the inputs do not fit the function's types, or if
  /// something fails on the way; `outputs` are empty then. What no kernel
  /// writes reads as bytes 0xFB.
  LogicalResult run(ArrayRef<HostArray> inputs,
                    SmallVectorImpl<HostArray> &outputs);

  /// The time that the kernels of the last run took, in seconds, by events
  /// around their launches.
  double getLastSeconds() const { return lastSeconds; }

private:
  CudaExecutable(HostCall call, const launcher::Device &device)
      : call(std::move(call)), device(device) {}
  launcher::Status launch(ArrayRef<HostArray> inputs, launcher::Call &prepared,
                          SmallVectorImpl<launcher::DevicePointer> &memory,
                          SmallVectorImpl<HostArray> &outputs);

  HostCall call;
  /// One for the whole process: opening a GPU takes long.
  const launcher::Device &device;
  launcher::Program program;
  double lastSeconds = 0;
};

} // namespace mlir::scan

#endif // SCAN_LIB_EXECUTION_CUDA_H
