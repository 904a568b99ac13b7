//===- ShareKernels.h - One kernel for equal launches -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_FRAME_SHAREKERNELS_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_FRAME_SHAREKERNELS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::scan {

/// Lets those of the `launches` of a function whose kernels are the same but
/// for their names launch one of them, and erases the others: of the variants
/// of a scan, several may have one schedule, for extents that no condition has
/// together.
void shareKernels(ArrayRef<gpu::LaunchFuncOp> launches);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_FRAME_SHAREKERNELS_H
