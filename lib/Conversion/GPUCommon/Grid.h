//===- Grid.h - How a domain is shared out to threads -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels share out some dimensions of a domain, which is a box: a number in
// the grid stands for the coordinates along them. The dimension along which
// most bytes are contiguous comes last, so that accesses of neighbouring
// threads coalesce.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_GPUCOMMON_GRID_H
#define SCAN_LIB_CONVERSION_GPUCOMMON_GRID_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::scan {

/// The extents of `domain` as expressions: symbols, in order, where they are
/// dynamic.
SmallVector<AffineExpr> getSymbolicExtents(ArrayRef<int64_t> domain,
                                           MLIRContext *context);

/// The product of `extents` along `dims`, an index.
Value multiplyExtents(ImplicitLocOpBuilder &b, ArrayRef<Value> extents,
                      ArrayRef<unsigned> dims);

/// Sets the coordinates of `point` along `dims` to those that `number`, less
/// than the product of their extents, stands for; the last one varies fastest.
void createCoordinates(ImplicitLocOpBuilder &b, Value number,
                       ArrayRef<Value> extents, ArrayRef<unsigned> dims,
                       MutableArrayRef<Value> point);

/// A grid's first dimension has less than so many blocks; more go to its
/// second dimension.
constexpr int64_t kGridLimit = int64_t(1) << 31;

/// A grid of `blocks` blocks, in as few columns as it takes.
AffineMap getGridMap(AffineExpr blocks, unsigned numSymbols);
/// The same on the host, with one block, which finds nothing to do, where the
/// grid is empty: a launch needs one.
gpu::KernelDim3 createGrid(ImplicitLocOpBuilder &b, Value blocks);

/// The number of this block in the grid, an index.
Value createBlockNumber(ImplicitLocOpBuilder &b);
/// The number of this thread in a grid whose blocks have `threads` threads.
Value createThreadNumber(ImplicitLocOpBuilder &b, int64_t threads);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_GPUCOMMON_GRID_H
