//===- LookBackWindow.cpp - How many tiles are looked at first ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LookBackWindow.h"
#include "SharedMemory.h"

using namespace mlir;
using namespace mlir::scan;

/// Of wide states so many tiles are looked at first where there are so many
/// rows.
static constexpr int64_t kFewTiles = 4, kManyRows = 8;

/// So many tiles are almost all under way at a time: each step of the look-back
/// is a wait, and the first tiles look at fewer.
static constexpr int64_t kTilesAtATime = 2 * kWarpSize;

/// Whether there are `rows` scans or more, or may be.
static bool mayHaveRows(KernelOp kernel, int64_t rows) {
  int64_t known = 1;
  for (auto [dim, extent] : llvm::enumerate(kernel.getStaticDomainShape())) {
    if (dim == kernel.getDim())
      continue;
    if (ShapedType::isDynamic(extent))
      return true;
    known *= extent;
  }
  return known >= rows;
}

/// Often the nearest prefix is near, and most of what a warp reads is not
/// needed: look-back is to move no more than a small part of what the tile
/// does. With many rows few tiles of one are under way, and each step in which
/// a warp combines wide states takes its time: in S5 layers of 64 rows, that of
/// 10 and of 24 tiles 3 to 5 % more of all than that of 4.
int64_t mlir::scan::getFirstLookBackTiles(KernelOp kernel,
                                          ScheduleAttr schedule,
                                          const DescriptorLayout &descriptor,
                                          int64_t tileBytes,
                                          int64_t searchBytes) {
  // With the ticket, states that are published and segment offsets.
  constexpr double lookBackPart = 0.0195;
  constexpr int64_t ticketBytes = 16, published = 2;
  double left = lookBackPart * tileBytes - ticketBytes -
                published * descriptor.stateBytes - searchBytes;
  // To fold from the left, lanes go back and forth.
  bool isFold = kernel.getOrder().value_or(Order::Any) != Order::Any;
  int64_t looked = (isFold ? 2 : 1) * descriptor.stateBytes;
  // For tiles so small that no window keeps to the part, only time counts.
  bool isQuick =
      left < looked ||
      countTiles(kernel, schedule).value_or(kTilesAtATime + 1) <= kTilesAtATime;
  int64_t first =
      isQuick ? kWarpSize : std::min<int64_t>(left / looked, kWarpSize);
  bool isWide = descriptor.numWords != 1;
  return isWide && mayHaveRows(kernel, kManyRows) ? std::min(first, kFewTiles)
                                                  : first;
}

std::optional<int64_t> mlir::scan::countTiles(KernelOp kernel,
                                              ScheduleAttr schedule) {
  SmallVector<int64_t> shape = kernel.getStaticDomainShape();
  if (ShapedType::isDynamicShape(shape))
    return std::nullopt;
  int64_t &extent = shape[kernel.getDim()];
  extent = llvm::divideCeil(extent, schedule.getTileSteps());
  return ShapedType::getNumElements(shape);
}
