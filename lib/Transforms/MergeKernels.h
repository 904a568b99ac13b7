//===- MergeKernels.h - Two kernels become one ------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_MERGEKERNELS_H
#define SCAN_LIB_TRANSFORMS_MERGEKERNELS_H

#include "Scan/Analysis/Traffic.h"
#include "Scan/IR/ScanDialect.h"

namespace mlir {
class RewriterBase;
} // namespace mlir

namespace mlir::scan {

/// A thread keeps the state of all leaves, and often their new values, in
/// registers: a merged kernel has no more leaves than this.
constexpr unsigned kMaxMergedLeaves = 16;

/// True if both kernels, whose domains have one rank, run over the same
/// extents.
bool haveSameDomain(KernelOp first, KernelOp second, ExtentTable &extents);

/// True if a kernel that saves so much of the bytes that two move is worth the
/// registers that it takes more.
bool isWorthMerging(const Quantity &saved, const Quantity &total);

/// True if both kernels scan one dimension of domains of one rank and have the
/// same attributes but for the direction; otherwise `why` says what differs.
bool areAlike(KernelOp first, KernelOp second, std::string &why);

/// Moves what `second` needs to in front of `first`, which stands before it in
/// one block. Fails if some of it depends on `first`; inputs in `except` are
/// left out.
LogicalResult provideOperands(RewriterBase &rewriter, KernelOp first,
                              KernelOp second, ArrayRef<unsigned> except = {});

/// Replaces both kernels by one, at `first`, that has the inputs, leaves,
/// outputs and finals of `first`, then those of `second`. Its direction is that
/// of `first`. The inputs `chained` of `second`, in ascending order, are
/// results of `first`, which only `store` reads, at the points that they were
/// written at: they are taken from there and are no inputs any more.
KernelOp mergeKernels(RewriterBase &rewriter, KernelOp first, KernelOp second,
                      ArrayRef<unsigned> chained = {});

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_MERGEKERNELS_H
