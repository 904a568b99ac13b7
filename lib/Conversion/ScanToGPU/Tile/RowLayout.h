//===- RowLayout.h - Who a thread is among rows -----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile is `rowThreads * items` consecutive steps of the scan dimension,
// counted in scan order, of each row of the block: with `reverse`, position p
// lies at index extent - 1 - p, and no data is ever flipped. Each thread has
// `items` consecutive positions.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_TILE_ROWLAYOUT_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_TILE_ROWLAYOUT_H

#include "../../GPUCommon/Emit.h"
#include "../Frame/KernelFrame.h"
#include "../Primitives/WarpScan.h"

namespace mlir::scan {

struct RowLayout {
  KernelFrame &frame;
  ThreadIds ids;
  int64_t items;
  bool isReverse;
  /// Several rows per block: the number of the first, and how many rows there
  /// are in all blocks.
  Value firstRow, rowCount;

  RowLayout(KernelFrame &frame, const ThreadIds &ids)
      : frame(frame), ids(ids), items(frame.getSchedule().getItems()),
        isReverse(frame.getKernel().getReverse()) {}

  /// Steps of a tile.
  int64_t getSteps() const { return ids.rowThreads * items; }
  /// Whether each warp moves what its own threads compute on, and the others
  /// need not be waited for: where the block has one row.
  bool isWarpLocal() const { return ids.rows == 1; }

  /// The thread that would have this one's items if the scan went forward, and
  /// the first of those whose items lie in memory where this warp's do.
  Value createMemoryThread(ImplicitLocOpBuilder &b) const {
    if (!isReverse)
      return ids.thread;
    Value last = indexConstant(b, ids.rowThreads - 1);
    if (ids.rows > 1)
      last = b.createOrFold<arith::AddIOp>(
          mulConstant(b, ids.row, ids.rowThreads), last);
    return b.createOrFold<arith::SubIOp>(last, ids.rowThread);
  }
  Value createMemoryWarp(ImplicitLocOpBuilder &b) const {
    Value warp = ids.warp;
    if (isReverse)
      warp = b.createOrFold<arith::SubIOp>(
          indexConstant(b, ids.rowThreads / kWarpSize - 1), warp);
    return mulConstant(b, warp, kWarpSize);
  }

  /// The position of the thread's first item in the tile at position `base`.
  Value getFirstPosition(ImplicitLocOpBuilder &b, Value base) const {
    return b.createOrFold<arith::AddIOp>(base,
                                         mulConstant(b, ids.rowThread, items));
  }
  /// i1: whether the item number `item` of the thread whose first one is at
  /// position `first` has a step in the extent.
  Value createInBounds(ImplicitLocOpBuilder &b, Value first,
                       int64_t item) const {
    if (items == 1)
      return compare(b, arith::CmpIPredicate::ult, first, frame.getExtent());
    return isBelow(b, item, countRest(b, first, frame.getExtent(), items));
  }
  /// The index along the scan dimension of that item; with `isClamped`, at
  /// positions beyond the end that of the last step.
  Value createIndex(ImplicitLocOpBuilder &b, Value first, int64_t item,
                    bool isClamped) const {
    if (!isClamped)
      return frame.createIndex(b, first, item);
    return frame.createIndex(
        b, frame.clampPosition(b, addConstant(b, first, item)));
  }
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_TILE_ROWLAYOUT_H
