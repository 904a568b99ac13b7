//===- ScanLanes.h - How the threads of a block share scans -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has `lanes * vector` scans side by side. Its threads are `lanes` side
// by side, each with `vector` scans of its own; the groups of so many threads
// split a tile between them, group by group in scan order. Where `lanes` is
// less than a warp, a warp has several groups.
//
// A row is the case of one scan, in which each thread is a group. A block may
// also have several rows, each with as many of its threads: warp by warp, or
// parts of a warp.
//
// A column is what lies along the scan dimension in one of the independent
// scans, where the scan dimension is not the contiguous one.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_SCANLANES_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_SCANLANES_H

#include "../../GPUCommon/Emit.h"
#include "../Frame/KernelFrame.h"
#include "WarpScan.h"

namespace mlir::scan {

struct ScanLanes {
  int64_t lanes = 1, vector = 1;
  /// How many groups of a warp, and how many warps, share a scan; and how many
  /// warps the block has.
  int64_t groupsPerWarp, warps, blockWarps;
  /// Indices: of the thread's warp in the block, of the thread in the warp and
  /// in its group, and of its group among those that share the scan, in all and
  /// in the warp.
  Value warp, warpLane, lane, group, groupInWarp;
  /// The thread's row among several of the block; null if it has one.
  Value row;

  /// Those of a row kernel.
  ScanLanes(ImplicitLocOpBuilder &b, const ThreadIds &ids)
      : groupsPerWarp(std::min(ids.rowThreads, kWarpSize)),
        warps(std::max<int64_t>(1, ids.rowThreads / kWarpSize)),
        blockWarps(ids.threads / kWarpSize), warp(ids.warp), warpLane(ids.lane),
        lane(indexConstant(b, 0)), group(ids.rowThread),
        groupInWarp(ids.rowLane), row(ids.rows > 1 ? ids.row : Value()) {}

  /// Scans of the block side by side.
  int64_t getScans() const { return lanes * vector; }
  /// The number among them of the thread's scan number `scan`.
  Value getScanNumber(ImplicitLocOpBuilder &b, int64_t scan) const {
    return addConstant(b, lane, scan * lanes);
  }
  /// The number of the thread's warp among those that share its scan.
  Value getScanWarp(ImplicitLocOpBuilder &b) const {
    return row ? b.createOrFold<arith::RemUIOp>(warp, indexConstant(b, warps))
               : warp;
  }
  /// The lane of the warp with the last part of the thread's scan.
  Value getLastLane(ImplicitLocOpBuilder &b) const {
    if (lanes * groupsPerWarp == kWarpSize)
      return addConstant(b, lane, kWarpSize - lanes);
    return b.createOrFold<arith::OrIOp>(warpLane,
                                        indexConstant(b, groupsPerWarp - 1));
  }

protected:
  ScanLanes() = default;
};

/// Those of a column kernel.
struct ColumnLayout : ScanLanes {
  int64_t items;
  /// How many groups of `lanes` threads a block has.
  int64_t groups;

  ColumnLayout(ImplicitLocOpBuilder &b, const KernelPlan &plan,
               const ThreadIds &ids) {
    ScheduleAttr schedule = plan.schedule;
    lanes = schedule.getLanes();
    vector = plan.vector;
    items = schedule.getItems();
    groups = schedule.getThreads() / lanes;
    groupsPerWarp = kWarpSize / lanes;
    warps = blockWarps = schedule.getThreads() / kWarpSize;
    warp = ids.warp;
    warpLane = ids.lane;
    Value width = indexConstant(b, lanes);
    lane = b.createOrFold<arith::RemUIOp>(ids.thread, width);
    group = b.createOrFold<arith::DivUIOp>(ids.thread, width);
    groupInWarp = b.createOrFold<arith::DivUIOp>(ids.lane, width);
  }

  /// Columns of a block.
  int64_t getColumns() const { return getScans(); }
  /// Steps of a tile.
  int64_t getTileSteps() const { return groups * items; }
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_SCANLANES_H
