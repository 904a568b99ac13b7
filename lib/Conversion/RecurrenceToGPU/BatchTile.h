//===- BatchTile.h - Batch indices of one thread block ----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How blocks divide the indices of the batch dimensions: `rows` each, the
// *batch tile*, along those dimensions that the weights do not have, and one
// along the others.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_RECURRENCETOGPU_BATCHTILE_H
#define SCAN_LIB_CONVERSION_RECURRENCETOGPU_BATCHTILE_H

#include "BlockRows.h"
#include "Plan/BlockPlan.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::scan {

class BatchTile {
public:
  BatchTile(scf::ForallOp blocks, int64_t rows);

  /// Emits an error if there are fewer indices than `rows`.
  LogicalResult check() const;
  /// How many rows pay on `processors` multiprocessors whose blocks have
  /// `sharedMemory` bytes at most, if `plan` is that of one row. One if the
  /// batch is known only when the program runs.
  int64_t choose(const BlockPlan &plan, int64_t sharedMemory,
                 int64_t processors) const;

  /// The number of blocks; `extents` are those of the loop.
  Value createBlockCount(ImplicitLocOpBuilder &b,
                         ArrayRef<Value> extents) const;
  /// The same as a grid; `domain` starts with the extents.
  AffineMap getGrid(ArrayRef<int64_t> domain) const;
  /// Maps the indices of the loop to those of block `block`, for each row.
  void createRows(ImplicitLocOpBuilder &b, Value block, ArrayRef<Value> extents,
                  BlockRows &of) const;

private:
  std::optional<int64_t> countStatic(ArrayRef<unsigned> dims) const;

  /// Asking an operation changes nothing, but is no const function.
  mutable scf::ForallOp blocks;
  int64_t rows;
  /// The dimensions that have one index of each block, and those with tiles.
  SmallVector<unsigned> apart, tiled;
  bool hasWeights = false;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_RECURRENCETOGPU_BATCHTILE_H
