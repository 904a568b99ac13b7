//===- RowAgent.h - What the row kernels have in common ---------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of a block that holds tiles of rows, and what it does with a tile
// for either carry: from elements to leaves, the prefix of the thread's first
// item from a callback, the scan of the items after it, results, reductions and
// the store. (CUB splits its kernels likewise into an agent that consumes tiles
// and a prefix callback.)
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_ROWAGENT_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_ROWAGENT_H

#include "../Primitives/BlockScan.h"
#include "../Tile/RowTile.h"
#include "../Tile/SegmentMasks.h"

namespace mlir::scan {

struct RowAgent {
  /// Allocates the shared memory of all parts, in the order of the plan.
  RowAgent(ImplicitLocOpBuilder &b, KernelFrame &frame, const ThreadIds &ids,
           const ScanLanes &lanes);

  /// A tile of the current row of `row`.
  struct Tile {
    /// The position at which it begins.
    Value base;
    /// Whether positions may lie beyond the end of the scan; and where that is
    /// decided when the kernel runs, an i1: whether none does.
    bool isPartial = false;
    Value isFull;
  };
  /// One which is partial if it turns out to reach beyond the end.
  Tile createTile(ImplicitLocOpBuilder &b, Value base);

  /// For kernels whose blocks draw tickets: has the second-level cache fetch
  /// what the tile of the ticket `number`, an index, reads, unless the tile is
  /// partial or there is none. Blocks start about in the order of their
  /// numbers, so that each has the tile of its own fetched while it waits for
  /// its ticket: its own tile is, by another block.
  void fetchTile(ImplicitLocOpBuilder &b, Value number);

  /// The state before the thread's first item, of which and of those behind it
  /// the leaves are given.
  using PrefixCallback =
      function_ref<Prefix(ImplicitLocOpBuilder &, ArrayRef<State>)>;
  /// Scans and stores a tile, of which `elements` are the thread's input
  /// elements; returns the states around its items. Reductions have to be
  /// started.
  ScannedItems consumeTile(ImplicitLocOpBuilder &b, const Tile &tile,
                           ArrayRef<Elements> elements,
                           PrefixCallback createPrefix);

  /// In tile number `number`, of which the last one is `last`: stores the
  /// finals.
  void storeFinalsIfLast(ImplicitLocOpBuilder &b, const Tile &tile,
                         Value number, Value last, const ScannedItems &states);

  KernelFrame &frame;
  KernelOp kernel;
  ThreadIds ids;
  BlockScan blockScan;
  RowIO io;
  SegmentMasks masks;
  RowTile row;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_ROWAGENT_H
