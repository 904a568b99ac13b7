//===- KernelGroups.h - Kernels that share blocks of columns ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A backward pass reads the states that the forward pass in front of it has
// written, and most of the forward pass's inputs again. Kernels of one domain
// each of which reads arrays of one before are a group: every block of columns
// goes through all of them before the next block does, so that what one of them
// has read and written may be in a cache for the next.
//
// Arrays that nobody else reads then need no more memory than one index of the
// dimensions outside of the blocks does, which stays in a cache: they are views
// of that, with a stride of 0.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_KERNELGROUPS_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_KERNELGROUPS_H

#include "Scan/IR/ScanDialect.h"

namespace mlir {
class AliasAnalysis;
} // namespace mlir

namespace mlir::scan {

using KernelGroup = SmallVector<KernelOp, 2>;

/// Divides `kernels`, in the order of the program, into groups, which may have
/// one kernel. What stands between kernels of a group may as well stand in
/// front of all of them.
SmallVector<KernelGroup> groupKernels(ArrayRef<KernelOp> kernels,
                                      AliasAnalysis &aliases);

/// Whether one of `kernels` reads what one before has written.
bool isGroup(ArrayRef<KernelOp> kernels);

/// Lets all indices of outer dimensions share the memory of arrays that only
/// the kernels of `group` access. Returns that memory, which is to be freed
/// behind the group.
SmallVector<Value> shareHandedArrays(RewriterBase &rewriter,
                                     ArrayRef<KernelOp> group);

/// Bytes of a point that the kernel writes to shared memory.
int64_t countSharedBytes(KernelOp kernel);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_KERNELGROUPS_H
