//===- BlockScan.cpp - Scanning across the threads of a block -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockScan.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::scan;

/// The totals of more warps than these are scanned and not walked, where a
/// thread has one scan.
static constexpr int64_t kWalkedWarps = 8;

Prefix BlockScan::createThreadPrefix(ImplicitLocOpBuilder &b,
                                     const Prefix &warpPrefix,
                                     ValueRange inclusive) {
  if (lanes.groupsPerWarp == 1)
    return warpPrefix;
  // The exclusive value comes by one more shuffle: an operator need not have
  // an inverse to subtract with.
  State groupPrefix = shuffleUp(b, inclusive, lanes.lanes);
  Value isFirst = compare(b, arith::CmpIPredicate::eq, lanes.groupInWarp, 0);
  State joined = combineIfPresent(b, kernel, warpPrefix, groupPrefix);
  Prefix prefix;
  prefix.state = selectState(b, isFirst, warpPrefix.state, joined);
  if (warpPrefix.present)
    prefix.present = b.createOrFold<arith::OrIOp>(
        warpPrefix.present,
        compare(b, arith::CmpIPredicate::ne, lanes.groupInWarp, 0));
  return prefix;
}

SmallVector<BlockScan::Result> BlockScan::emit(ImplicitLocOpBuilder &b,
                                               ArrayRef<State> totals,
                                               ArrayRef<Prefix> carries,
                                               Value phase) {
  SmallVector<State> inclusive = begin(b, totals, phase);
  if (hasBarrier())
    gpu::BarrierOp::create(b);
  if (isWalkedForAll()) {
    walkForAll(b, carries, phase);
    gpu::BarrierOp::create(b);
  }
  return finish(b, inclusive, carries, phase);
}

State BlockScan::emitTotal(ImplicitLocOpBuilder &b, const State &total,
                           const Prefix &carry, Value phase) {
  State ofWarp = reduceWarp(b, kernel, total, lanes.groupsPerWarp, lanes.lanes);
  if (lanes.warps == 1)
    return combineIfPresent(b, kernel, carry, ofWarp);
  createIf(b, compare(b, arith::CmpIPredicate::eq, lanes.groupInWarp, 0),
           [&](ImplicitLocOpBuilder &first) {
             warpTotals.store(first, ofWarp, phase);
           });
  gpu::BarrierOp::create(b);
  return warpTotals.walk(b, carry, phase).front().total;
}

SmallVector<State> BlockScan::begin(ImplicitLocOpBuilder &b,
                                    ArrayRef<State> totals, Value phase) {
  SmallVector<State> inclusive;
  for (const State &total : totals)
    inclusive.push_back(scanWarp(b, kernel, total, lanes.groupInWarp,
                                 lanes.groupsPerWarp, lanes.lanes));
  if (lanes.warps == 1)
    return inclusive;
  auto store = [&](ImplicitLocOpBuilder &last) {
    warpTotals.store(last, inclusive, phase);
  };
  if (lanes.groupsPerWarp == 1)
    store(b);
  else
    createIf(b,
             compare(b, arith::CmpIPredicate::eq, lanes.groupInWarp,
                     lanes.groupsPerWarp - 1),
             store);
  return inclusive;
}

SmallVector<BlockScan::Result> BlockScan::finish(ImplicitLocOpBuilder &b,
                                                 ArrayRef<State> inclusive,
                                                 ArrayRef<Prefix> carries,
                                                 Value phase) {
  SmallVector<Result> results;
  if (lanes.warps == 1) {
    for (auto [state, carry] : llvm::zip_equal(inclusive, carries)) {
      Prefix prefix = createThreadPrefix(b, carry, state);
      State total = lanes.groupsPerWarp == 1
                        ? state
                        : shuffleFrom(b, state, lanes.getLastLane(b));
      results.push_back({prefix, combineIfPresent(b, kernel, carry, total)});
    }
    return results;
  }
  SmallVector<WarpTotals::Result> warps;
  if (lanes.getScans() == 1 && lanes.warps > kWalkedWarps)
    warps.push_back(warpTotals.scan(b, carries.front(), phase));
  else if (isWalkedForAll())
    warps = warpTotals.loadWalked(b, carries, phase);
  else
    warps = warpTotals.walk(b, carries, phase);
  for (auto [warp, state] : llvm::zip_equal(warps, inclusive))
    results.push_back({createThreadPrefix(b, warp.before, state), warp.total});
  return results;
}
