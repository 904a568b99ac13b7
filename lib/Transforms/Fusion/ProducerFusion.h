//===- ProducerFusion.h - What else goes into load and store ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_FUSION_PRODUCERFUSION_H
#define SCAN_LIB_TRANSFORMS_FUSION_PRODUCERFUSION_H

#include "Scan/IR/ScanDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {

/// Makes `operand`, which elementwise code for this kernel only computes and
/// shifted inputs continue with, an input like others: the regions choose
/// between both by the index. The kernel is replaced.
LogicalResult fuseBoundary(RewriterBase &rewriter, KernelOp kernel,
                           OpOperand &operand);

/// Computes the input `operand`, an output of another kernel that needs no
/// state of its scan, from the inputs of that, if no more bytes are moved then.
/// The kernel is replaced.
LogicalResult recomputeOutput(RewriterBase &rewriter, KernelOp kernel,
                              OpOperand &operand);

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_FUSION_PRODUCERFUSION_H
