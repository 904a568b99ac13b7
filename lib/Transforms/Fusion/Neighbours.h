//===- Neighbours.h - What stays beside a kernel, and why -------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_FUSION_NEIGHBOURS_H
#define SCAN_LIB_TRANSFORMS_FUSION_NEIGHBOURS_H

#include "Scan/IR/ScanDialect.h"
#include "Scan/Transforms/Fusion.h"

namespace mlir::scan {

/// An operation that computes an operand of a kernel, or reads a result of it,
/// perhaps through slices, casts and reshapes, and is not part of it. Kernels,
/// and what moves no element, are none.
struct Neighbour {
  std::string operation;
  Location location;
  /// Whether it reads what the kernel computes.
  bool isBehind;
  /// Why --scan-fuse-elementwise leaves it where it is; a sentence without its
  /// end.
  std::string reason;
};

/// The neighbours of each kernel in `kernels`, in the order of the operands and
/// uses. Each is tried to be fused, so that the kernels may change, or be
/// replaced: this is for a copy of a program.
SmallVector<SmallVector<Neighbour>>
findNeighbours(ArrayRef<KernelOp> kernels, const FusionOptions &options = {});

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_FUSION_NEIGHBOURS_H
