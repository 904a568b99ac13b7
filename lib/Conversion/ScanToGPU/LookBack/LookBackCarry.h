//===- LookBackCarry.h - The states before a tile, by look-back -*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The look-back traffic of one block of a scan over the grid: its tile's totals
// are published, the states before the tile are found, and the states after it
// are published. A tile has a state for each of the block's scans: one in a row
// kernel, one for each column in a column kernel. The threads of the first
// group publish theirs, and the first warp looks back.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_LOOKBACK_LOOKBACKCARRY_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_LOOKBACK_LOOKBACKCARRY_H

#include "../Primitives/SharedStates.h"
#include "GridWorkspace.h"
#include "LookBack.h"

namespace mlir::scan {

/// Which of the descriptors of a tile are those of the thread's scans. A tile
/// has one for each scan of the block; where all of the innermost dimension has
/// fewer columns than a block, one for each of these, so that many tiles of a
/// few columns have no larger workspace than as many columns side by side.
struct TileDescriptors {
  TileDescriptors() = default;
  /// Those of a tile of columns; where `isVectorized` (i1; null: never) holds,
  /// a thread's columns are neighbours.
  TileDescriptors(ImplicitLocOpBuilder &b, KernelFrame &frame,
                  const ScanLanes &lanes, Value isVectorized);

  /// How many there are, an index; null where each scan of the block has one,
  /// of its own number.
  Value count;
  /// Else for each of the thread's scans, the number of its descriptor in the
  /// tile, an index, or that of another for a scan out of bounds; and whether
  /// it has one, i1.
  SmallVector<Value> numbers, inBounds;
};

/// A tile over the grid: indices, but for the coordinates of its scans.
struct GridTile {
  /// Tile number `tile` of row number `row`, of rows of `tiles` tiles each.
  static GridTile ofRow(ImplicitLocOpBuilder &b, KernelFrame &frame, Value tile,
                        Value row, Value tiles);

  /// Its number along its scans, and the last one's.
  Value number, last;
  /// The number of its scans' first tile among all tiles in the workspace.
  /// These go by scan first, so that lanes side by side look at tiles side by
  /// side.
  Value first;
  /// A point of each of the thread's scans.
  SmallVector<SmallVector<Value>> points;
  TileDescriptors descriptors;
};

class LookBackCarry {
public:
  /// Allocates shared memory for as many states before tiles as the plan says.
  LookBackCarry(KernelFrame &frame, const ScanLanes &lanes,
                const GridWorkspace &workspace);

  /// In the first warp, for blocks of many scans: publishes the aggregates of
  /// the tile, `totals`; leaves the states before it in buffer slot number
  /// `slot`, an index, and publishes the states after it.
  void exchange(ImplicitLocOpBuilder &b, const GridTile &tile,
                const DescriptorFlags &flags, ArrayRef<State> totals,
                Value slot);

  /// The two parts of that, between which a kernel may do something else. Of
  /// the first tile the states after it are published at once. To look back,
  /// `totals` may be empty: they are in the buffer slot then (`leave`).
  void publish(ImplicitLocOpBuilder &b, const GridTile &tile,
               const DescriptorFlags &flags, ArrayRef<State> totals);
  void lookBack(ImplicitLocOpBuilder &b, const GridTile &tile,
                const DescriptorFlags &flags, ArrayRef<State> totals,
                Value slot);

  /// In a kernel whose warps have roles: the one that publishes leaves `states`
  /// in buffer slot number `slot` for the one that looks back.
  void leave(ImplicitLocOpBuilder &b, ArrayRef<State> states, Value slot) {
    store(b, states, slot);
  }

  /// In the first warp of a kernel that parks states
  /// (KernelPlan::parkedStates), in front of and behind the look-back: writes
  /// or reads the thread's one.
  void park(ImplicitLocOpBuilder &b, const State &state);
  State unpark(ImplicitLocOpBuilder &b);

  /// Behind a barrier: the states before the thread's first items; `inTile` are
  /// those parts of them which lie in the tile.
  SmallVector<Prefix> createPrefixes(ImplicitLocOpBuilder &b,
                                     const GridTile &tile,
                                     ArrayRef<Prefix> inTile, Value slot);

private:
  SmallVector<State> createInits(ImplicitLocOpBuilder &b, const GridTile &tile);
  SmallVector<State> addTotals(ImplicitLocOpBuilder &b, ArrayRef<State> before,
                               ArrayRef<State> totals, bool isPresent);
  void publishAs(ImplicitLocOpBuilder &b, const GridTile &tile,
                 const DescriptorFlags &flags, Descriptor::Kind kind,
                 function_ref<SmallVector<State>(ImplicitLocOpBuilder &)> body);
  void publishAggregates(ImplicitLocOpBuilder &b, const GridTile &tile,
                         const DescriptorFlags &flags, ArrayRef<State> totals);
  void publishAll(ImplicitLocOpBuilder &b, const GridTile &tile,
                  const DescriptorFlags &flags, Descriptor::Kind kind,
                  ArrayRef<State> states);
  SmallVector<State> findBefore(ImplicitLocOpBuilder &b, const GridTile &tile,
                                const DescriptorFlags &flags,
                                ArrayRef<State> totals);
  void storeAll(ImplicitLocOpBuilder &b, ArrayRef<State> states, Value slot);
  SmallVector<State> loadAll(ImplicitLocOpBuilder &b, Value slot);
  SmallVector<State> loadUnpublished(ImplicitLocOpBuilder &b, Value slot);
  Value isNotLast(ImplicitLocOpBuilder &b, const GridTile &tile) {
    return compare(b, arith::CmpIPredicate::ne, tile.number, tile.last);
  }
  Value isFirstGroup(ImplicitLocOpBuilder &b) {
    return compare(b, arith::CmpIPredicate::eq, lanes.group, 0);
  }
  Value getAddress(ImplicitLocOpBuilder &b, const GridTile &tile, Value number,
                   int64_t scan);
  Value getSlot(ImplicitLocOpBuilder &b, Value slot, int64_t scan);
  void store(ImplicitLocOpBuilder &b, ArrayRef<State> states, Value slot);

  KernelFrame &frame;
  KernelOp kernel;
  ScanLanes lanes;
  const GridWorkspace &workspace;
  /// The states before tiles, and those of the first warp's threads.
  SharedStates carries, parked;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_LOOKBACK_LOOKBACKCARRY_H
