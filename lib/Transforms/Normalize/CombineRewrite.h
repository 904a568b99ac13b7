//===- CombineRewrite.h - From combine regions to kernels' ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two steps that turn the combine region of a graph-level scan into that of
// a kernel. Both fill an empty region with a rewritten copy and leave the
// original alone.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_NORMALIZE_COMBINEREWRITE_H
#define SCAN_LIB_TRANSFORMS_NORMALIZE_COMBINEREWRITE_H

#include "Scan/Transforms/Normalize.h"

namespace mlir::scan {

/// Fills `to` with a copy of the one-block region `from` in which each tensor
/// is split into its elements, in row-major order. Fails at the first operation
/// that has no such rewrite, with `obstacle` set.
LogicalResult scalarizeCombine(Region &from, Region &to,
                               NormalizeObstacle &obstacle);

/// Fills `to` with a copy of the one-block region `from` over scalars (twice
/// the leaves, yielding the leaves) that accumulates in `leafTypes`: every
/// value of a leaf's type is retyped, so that nothing is rounded to the leaf's
/// type on the way. `scan.clone` vanishes.
void promoteCombine(Region &from, Region &to, TypeRange leafTypes);

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_NORMALIZE_COMBINEREWRITE_H
