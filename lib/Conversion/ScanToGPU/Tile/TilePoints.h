//===- TilePoints.h - The scans and steps of a thread in a tile -*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a tile a thread has the same `items` steps of one scan, in tiles of rows,
// or of several, in tiles of columns. What is the same for both asks through
// this interface where they are.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_TILE_TILEPOINTS_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_TILE_TILEPOINTS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::scan {

/// The elements of all inputs (or outputs) at one step, operand by operand.
using Elements = SmallVector<Value>;

class TilePoints {
public:
  /// i1: whether the thread's item number `item` of the tile that begins at
  /// position `base` has a step in the extent; null: it has.
  virtual Value createInBounds(ImplicitLocOpBuilder &b, Value base,
                               int64_t item) const = 0;
  /// i1: whether the thread's scan number `scan` exists; null: it does.
  virtual Value isActive(int64_t scan) const = 0;

  /// The coordinates of a scan of the thread, and of a step of it; those of
  /// another one where there is none.
  virtual SmallVector<Value> createPoint(int64_t scan) const = 0;
  virtual SmallVector<Value> createPoint(ImplicitLocOpBuilder &b, int64_t scan,
                                         Value base, int64_t item) const = 0;

protected:
  ~TilePoints() = default;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_TILE_TILEPOINTS_H
