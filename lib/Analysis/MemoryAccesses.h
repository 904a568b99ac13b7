//===- MemoryAccesses.h - Which elements are read ---------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_ANALYSIS_MEMORYACCESSES_H
#define SCAN_LIB_ANALYSIS_MEMORYACCESSES_H

#include "Traffic.h"

namespace mlir::scan {

/// The value that `value` is a view of: what slices, reshapes and casts start
/// from.
Value getViewRoot(Value value);

/// True if a slice is among the views that `value` is.
bool isSlice(Value value);

/// True for a tensor that is part of the code: each element the same constant.
bool isSplatConstant(Value value);

/// All elements of `view`, a tensor or memref.
MemoryAccess accessAll(Value view, ExtentTable &extents);

/// The elements of `view` that loops reach through `map`: its results are
/// dimensions (loops that run over the whole extent) or constants; the
/// dimensions of `view` beyond them are taken whole. `shift`, if not zero, of
/// dimension `shiftedDim` of the loops: the loop reads at its index minus
/// `shift`, where that is inside.
MemoryAccess accessMapped(Value view, AffineMap map, ExtentTable &extents,
                          int64_t shift = 0, unsigned shiftedDim = 0);

/// An unknown part of `view` of at most `numElements` elements.
MemoryAccess accessSome(Value view, SymbolicPolynomial numElements);

/// How many elements of the root these accesses, all of one root, have, each
/// counted once.
SymbolicPolynomial countDistinct(ArrayRef<MemoryAccess> accesses,
                                 ExtentTable &extents);

} // namespace mlir::scan

#endif // SCAN_LIB_ANALYSIS_MEMORYACCESSES_H
