//===- MergeLinalg.h - Elementwise code beside each other -------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PIPELINES_MERGELINALG_H
#define SCAN_LIB_PIPELINES_MERGELINALG_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {

/// Makes one `linalg.generic` of elementwise ones of `block` that read an array
/// at the same places and do not need each other.
void mergeElementwise(RewriterBase &rewriter, Block &block);

} // namespace mlir::scan

#endif // SCAN_LIB_PIPELINES_MERGELINALG_H
