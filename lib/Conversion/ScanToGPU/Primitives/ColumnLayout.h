//===- ColumnLayout.h - Who a thread is among columns -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A column is what lies along the scan dimension at one point outside it. A
// block owns `lanes * vector` neighbouring columns. Its threads are `lanes`
// side by side, each with `vector` columns of its own; the groups of so many
// threads split a tile of `groups * items` steps between them, group by group
// in scan order. Where `lanes` is less than a warp, a warp has several groups.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_COLUMNLAYOUT_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_COLUMNLAYOUT_H

#include "../../GPUCommon/Emit.h"
#include "../Frame/KernelFrame.h"
#include "WarpScan.h"

namespace mlir::scan {

struct ColumnLayout {
  int64_t lanes, vector, items;
  /// How many groups of `lanes` threads a block and a warp have, and how many
  /// warps a block.
  int64_t groups, groupsPerWarp, warps;
  /// Indices: of the thread's warp in the block, of the thread in the warp and
  /// in its group, of its group in the block and in the warp.
  Value warp, warpLane, lane, group, groupInWarp;

  explicit ColumnLayout(ScheduleAttr schedule)
      : lanes(schedule.getLanes()), vector(schedule.getVector()),
        items(schedule.getItems()), groups(schedule.getThreads() / lanes),
        groupsPerWarp(kWarpSize / lanes),
        warps(schedule.getThreads() / kWarpSize) {}

  ColumnLayout(ImplicitLocOpBuilder &b, ScheduleAttr schedule,
               const ThreadIds &ids)
      : ColumnLayout(schedule) {
    warp = ids.warp;
    warpLane = ids.lane;
    Value width = indexConstant(b, lanes);
    lane = b.createOrFold<arith::RemUIOp>(ids.thread, width);
    group = b.createOrFold<arith::DivUIOp>(ids.thread, width);
    groupInWarp = b.createOrFold<arith::DivUIOp>(ids.lane, width);
  }

  /// Columns of a block.
  int64_t getColumns() const { return lanes * vector; }
  /// Steps of a tile.
  int64_t getTileSteps() const { return groups * items; }
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_COLUMNLAYOUT_H
