//===- Scratch.h - Memory that stays in the cache ---------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_SCRATCH_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_SCRATCH_H

#include "mlir/IR/Builders.h"

namespace mlir::scan {

/// Where memory on the stack of the function around `builder`, or of one thread
/// in it, is allocated, so that no loop in it allocates more and more.
Block &getStackBlock(OpBuilder &builder);

/// A buffer on the stack of `count` elements for each of `types`, null for a
/// type that is null. All kernels of a function share the memory: no two run at
/// a time.
SmallVector<Value> allocateScratch(OpBuilder &builder, Location loc,
                                   ArrayRef<Type> types, int64_t count);

/// The value of `type`, a scalar or a vector, from `position` in a buffer on.
Value loadScratch(OpBuilder &builder, Location loc, Value buffer, Type type,
                  Value position);
void storeScratch(OpBuilder &builder, Location loc, Value buffer, Value value,
                  Value position);

/// Memory of the heap, aligned to lines of a cache, that no pass frees but
/// `freeHeap`.
Value allocateHeap(OpBuilder &builder, Location loc,
                   ArrayRef<OpFoldResult> sizes, Type elementType);
void freeHeap(OpBuilder &builder, Location loc, Value memory);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_SCRATCH_H
