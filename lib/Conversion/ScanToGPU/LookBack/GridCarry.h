//===- GridCarry.h - The state before a tile of many ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the blocks of a row over the grid tell each other, seen from one of
// them: its tile's total goes out, the state before the tile comes in, and the
// state after it goes out.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_LOOKBACK_GRIDCARRY_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_LOOKBACK_GRIDCARRY_H

#include "GridWorkspace.h"
#include "LookBack.h"

namespace mlir::scan {

/// A tile of a row: indices, but for the coordinates of the row.
struct GridTile {
  /// Tile number `tile` of row number `row`, of rows of `tiles` tiles each.
  static GridTile get(ImplicitLocOpBuilder &b, KernelFrame &frame, Value tile,
                      Value row, Value tiles);

  /// Its number along the row, and the last one's.
  Value number, last;
  /// The number of the row's first descriptor.
  Value firstDescriptor;
  /// A point of the row.
  SmallVector<Value> point;
};

class GridCarry {
public:
  /// Allocates shared memory for the states before `places` tiles.
  GridCarry(KernelFrame &frame, const ThreadIds &ids,
            const GridWorkspace &workspace, int64_t places);

  /// In the first warp: publishes what the tile knows by itself, its `total`;
  /// of the first tile of a row that is the state after it.
  void publish(ImplicitLocOpBuilder &b, const GridTile &tile,
               const DescriptorFlags &flags, ValueRange total);

  /// In the first warp, later: leaves the state before the tile in place number
  /// `place`, an index, and publishes the state after it.
  void lookBack(ImplicitLocOpBuilder &b, const GridTile &tile,
                const DescriptorFlags &flags, ValueRange total, Value place);

  /// Behind a barrier: the state before the thread's first item; `inTile` is
  /// that part of it which lies in the tile.
  Prefix createPrefix(ImplicitLocOpBuilder &b, const GridTile &tile,
                      const Prefix &inTile, Value place);

private:
  /// Tells those behind the tile, of whom the last one has none.
  void publish(ImplicitLocOpBuilder &b, const GridTile &tile,
               const DescriptorFlags &flags, Descriptor::Kind kind,
               function_ref<State(ImplicitLocOpBuilder &)> state);
  Value addressOf(ImplicitLocOpBuilder &b, const GridTile &tile, Value number);
  void store(ImplicitLocOpBuilder &b, ValueRange state, Value place);

  KernelFrame &frame;
  KernelOp kernel;
  ThreadIds ids;
  const GridWorkspace &workspace;
  int64_t firstLanes;
  /// The states before tiles.
  SharedStates carries;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_LOOKBACK_GRIDCARRY_H
