//===- Interleaved.h - Vectors of elements with trailing parts --*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where elements are small blocks, as matrices are and complex numbers, lanes
// are blocks that lie side by side: as many vectors as a block has parts hold
// them, and shuffles take these apart.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_INTERLEAVED_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_INTERLEAVED_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::scan {

/// The most parts of a block that shuffles pay for.
inline constexpr int64_t kMaxInterleaved = 16;

/// A vector of each part, from the vectors as they lie in memory.
SmallVector<Value> splitBlocks(OpBuilder &builder, Location loc,
                               ArrayRef<Value> vectors);

/// The inverse of that.
SmallVector<Value> joinBlocks(OpBuilder &builder, Location loc,
                              ArrayRef<Value> parts);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_INTERLEAVED_H
