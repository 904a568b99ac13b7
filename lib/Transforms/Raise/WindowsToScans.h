//===- WindowsToScans.h - Reductions of all that came before ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_RAISE_WINDOWSTOSCANS_H
#define SCAN_LIB_TRANSFORMS_RAISE_WINDOWSTOSCANS_H

#include "Scan/IR/ScanDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {

/// Replaces a linalg operation that reduces, for each step, all steps up to it
/// (or from it on) by a scan: O(T) instead of O(T^2). It is one of
///
/// *   a window as long as the dimension, over a tensor padded in front of it
///     (or behind it), as StableHLO's reduce_window is lowered;
/// *   a product by a constant triangular matrix of ones and zeros;
/// *   a sum over select(s <= t, x_s, neutral element), of the loops' indices.
///
/// Fails if it is none of these. Sums and products of floating-point numbers
/// are bracketed otherwise, so that with `order` sequential they stay.
LogicalResult raiseWindow(RewriterBase &rewriter, linalg::LinalgOp op,
                          Order order);

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_RAISE_WINDOWSTOSCANS_H
