//===- PartialSums.h - Sums of each thread's columns ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where every dimension other than that of time is left out by some reduction
// output, as in the derivative of Mamba, no two scans could be computed by
// different threads: both would add to one element. Blocks of columns are, with
// a copy of such outputs for each block:
//
//   copies of the outputs = allocate(blocks)
//   scf.parallel block
//     copies[block] = 0
//     the kernel, on the columns of the block and its copies
//   for each block
//     outputs += copies[block]
//
// The extents alone decide what is a block: results do not depend on how many
// threads there are. They are not those of code that was compiled for one
// thread, which adds up in another order.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_PARTIALSUMS_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_PARTIALSUMS_H

#include "KernelEmitter.h"

namespace mlir::scan {

/// Whether blocks of dimension `laneDim` of `kernels`, which are of one group
/// (KernelGroups.h), are divided among threads, with copies of reduction
/// outputs.
bool needsPartialSums(MutableArrayRef<KernelEmitter> kernels, unsigned laneDim,
                      const ConvertScanToLoopsOptions &options);

/// Emits that, and returns the kernels of one block, which are still to be
/// lowered. They take the place of the emitters' own, which are not erased.
SmallVector<KernelOp> emitPartialSums(RewriterBase &rewriter,
                                      MutableArrayRef<KernelEmitter> kernels,
                                      unsigned laneDim,
                                      const ConvertScanToLoopsOptions &options);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_PARTIALSUMS_H
