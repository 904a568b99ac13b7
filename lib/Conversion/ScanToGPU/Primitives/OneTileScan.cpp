//===- OneTileScan.cpp - Scans of a tile, in either direction -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneTileScan.h"
#include "../../GPUCommon/Emit.h"
#include "IR/OperatorFacts.h"
#include "Plan/OneTileSchedule.h"
#include "ProductGuard.h"
#include "WarpScan.h"

using namespace mlir;
using namespace mlir::scan;

static ScanLanes getLanes(ImplicitLocOpBuilder &b, KernelFrame &frame,
                          const ThreadIds &ids, int64_t items) {
  ScanLanes lanes(b, ids);
  lanes.warps =
      llvm::divideCeil(getTiledExtent(frame.getKernel(), frame.getSchedule()),
                       kWarpSize * items);
  return lanes;
}

OneTileScan::OneTileScan(ImplicitLocOpBuilder &b, KernelFrame &frame,
                         KernelOp kernel, const ThreadIds &ids, int64_t items,
                         bool isReverse)
    : kernel(kernel), ids(ids), items(items), extent(frame.getStaticExtent()),
      length(frame.getExtent()), isReverse(isReverse),
      lanes(getLanes(b, frame, ids, items)),
      warpTotals(frame, kernel, lanes, /*keepsAllLeaves=*/true) {}

Value OneTileScan::createInBounds(ImplicitLocOpBuilder &b, int64_t offset) {
  if (isPadded || !mayBeBehind((ids.threads - 1) * items + offset))
    return Value();
  Value position = addConstant(b, mulConstant(b, ids.thread, items), offset);
  if (!ShapedType::isDynamic(extent))
    return compare(b, arith::CmpIPredicate::ult, position, extent);
  return compare(b, arith::CmpIPredicate::ult, position, length);
}

/// The combination of the thread's own positions.
State OneTileScan::reduce(ImplicitLocOpBuilder &b, ArrayRef<State> leaves) {
  if (!isReverse)
    return reduceItems(b, kernel, leaves);
  // Which of them is the first that counts is not known: each may begin a part.
  State total = beginPart(b, kernel, leaves.back());
  for (int64_t item = items - 2; item >= 0; --item)
    total = combineIfPresent(b, kernel, {total, createInBounds(b, item + 1)},
                             beginPart(b, kernel, leaves[item]));
  return total;
}

Prefix OneTileScan::getEarlier(ImplicitLocOpBuilder &b, ValueRange state,
                               int64_t delta) {
  Prefix earlier;
  if (!isReverse) {
    earlier.state = shuffleUp(b, state, delta);
    earlier.present = compare(b, arith::CmpIPredicate::uge, ids.lane, delta);
    return earlier;
  }
  earlier.state = shuffleDown(b, state, delta);
  earlier.present =
      compare(b, arith::CmpIPredicate::ult, ids.lane, kWarpSize - delta);
  // That lane's first position; where all threads have some that count, the
  // lane's number says all.
  if (!isPadded && mayBeBehind((ids.threads - 1) * items))
    earlier.present = b.createOrFold<arith::AndIOp>(
        earlier.present, createInBounds(b, delta * items));
  return earlier;
}

/// The state before the thread's warp.
Prefix OneTileScan::scanWarps(ImplicitLocOpBuilder &b, ValueRange total,
                              ValueRange init) {
  Prefix before = createAbsent(b, kernel);
  if (!init.empty())
    before = {State(init), Value()};
  if (lanes.warps == 1)
    return before;
  Value phase = indexConstant(b, 0);
  Value lastLane = indexConstant(b, isReverse ? 0 : kWarpSize - 1);
  createIf(b, compare(b, arith::CmpIPredicate::eq, ids.lane, lastLane),
           [&](ImplicitLocOpBuilder &inner) {
             warpTotals.store(inner, State(total), phase);
           });
  gpu::BarrierOp::create(b);
  if (isReverse && !isPadded && ShapedType::isDynamic(extent)) {
    Value present = b.createOrFold<arith::CeilDivUIOp>(
        length, indexConstant(b, kWarpSize * items));
    return warpTotals.walkBack(b, before, phase, present);
  }
  return warpTotals.walk(b, before, phase, isReverse).front().before;
}

ScannedItems OneTileScan::scanReverse(ImplicitLocOpBuilder &b, Prefix before,
                                      ArrayRef<State> leaves) {
  ScannedItems result;
  result.inclusive.resize(items);
  result.exclusive.resize(items);
  for (int64_t item = items - 1; item >= 0; --item) {
    State inclusive = combineItemIfPresent(b, kernel, before, leaves[item]);
    result.inclusive[item] = inclusive;
    result.exclusive[item] = before.state;
    Value inBounds = createInBounds(b, item);
    if (!inBounds) {
      before = {inclusive, Value()};
      continue;
    }
    before.state = selectState(b, inBounds, inclusive, before.state);
    if (before.present)
      before.present = b.createOrFold<arith::OrIOp>(before.present, inBounds);
  }
  return result;
}

ScannedItems OneTileScan::emit(ImplicitLocOpBuilder &b, ArrayRef<State> given,
                               ValueRange init) {
  SmallVector<State> leaves(given);
  State identity = createIdentity(b, kernel);
  if (isReverse && !identity.empty()) {
    for (auto [item, state] : llvm::enumerate(leaves))
      if (Value inBounds = createInBounds(b, item))
        state = selectState(b, inBounds, state, identity);
    isPadded = true;
  }
  State inclusive = reduce(b, leaves);
  // Where all positions count, or hold the identity, a state may be combined
  // with itself.
  bool overlaps =
      getOperatorFacts(kernel).isIdempotent &&
      (!isReverse || isPadded || !mayBeBehind((ids.threads - 1) * items));
  for (int64_t delta = 1; delta < kWarpSize; delta *= 2) {
    if (!overlaps)
      inclusive = combineIfPresent(b, kernel, getEarlier(b, inclusive, delta),
                                   inclusive);
    else
      inclusive = combine(b, kernel,
                          isReverse ? shuffleDownOrOwn(b, inclusive, delta)
                                    : shuffleUpOrOwn(b, inclusive, delta),
                          inclusive);
  }
  Prefix before = scanWarps(b, inclusive, init);
  // The exclusive value comes by one more shuffle: an operator need not have an
  // inverse to subtract with.
  Prefix inWarp = getEarlier(b, inclusive, 1);
  Prefix prefix = joinPrefixes(b, kernel, before, inWarp);
  return isReverse ? scanReverse(b, prefix, leaves)
                   : scanItems(b, kernel, prefix, leaves);
}
