//===- Libdevice.h - Math functions for NVIDIA's GPUs -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_LIBDEVICE_H
#define SCAN_LIB_TARGET_LIBDEVICE_H

#include "Scan/Target/PTX.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::scan {

/// What a program calls of libdevice, the CUDA Toolkit's library of math
/// functions in bitcode.
class Libdevice {
public:
  /// Reads the functions that `modules`, in the LLVM dialect, call and do not
  /// define: nothing of the library where there are none. Kernels are compiled
  /// in contexts of their own, and to read the list of all functions for each
  /// of them takes as long as some passes do.
  static FailureOr<Libdevice> read(ArrayRef<gpu::GPUModuleOp> modules,
                                   const PTXTarget &target);

  /// Links those that `module` calls into it, as internal functions.
  LogicalResult link(llvm::Module &module, Location location) const;

private:
  /// A module with these functions alone, or nothing.
  SmallVector<char, 0> bitcode;
};

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_LIBDEVICE_H
