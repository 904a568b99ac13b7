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

/// `lanes`, of whose warps those share a scan that may have positions which
/// count.
static ScanLanes getCounting(KernelFrame &frame, ScanLanes lanes,
                             int64_t items) {
  lanes.warps =
      llvm::divideCeil(getTiledExtent(frame.getKernel(), frame.getSchedule()),
                       lanes.groupsPerWarp * items);
  return lanes;
}

OneTileScan::OneTileScan(KernelFrame &frame, KernelOp kernel,
                         const ScanLanes &lanes, int64_t items, bool isReverse)
    : kernel(kernel), lanes(getCounting(frame, lanes, items)), items(items),
      extent(frame.getStaticExtent()), length(frame.getExtent()),
      isReverse(isReverse),
      warpTotals(frame, kernel, this->lanes, /*keepsAllLeaves=*/true) {}

Value OneTileScan::createInBounds(ImplicitLocOpBuilder &b, int64_t offset) {
  if (isPadded || !mayBeBehind(getLastFirst() + offset))
    return Value();
  Value position = addConstant(b, mulConstant(b, lanes.group, items), offset);
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
    earlier.state = shuffleUp(b, state, delta * lanes.lanes);
    earlier.present =
        compare(b, arith::CmpIPredicate::uge, lanes.groupInWarp, delta);
    return earlier;
  }
  earlier.state = shuffleDown(b, state, delta * lanes.lanes);
  earlier.present = compare(b, arith::CmpIPredicate::ult, lanes.groupInWarp,
                            lanes.groupsPerWarp - delta);
  // That group's first position; where all groups have some that count, the
  // group's number says all.
  if (!isPadded && mayBeBehind(getLastFirst()))
    earlier.present = b.createOrFold<arith::AndIOp>(
        earlier.present, createInBounds(b, delta * items));
  return earlier;
}

/// The scan of the totals of the threads of a warp.
State OneTileScan::scanGroups(ImplicitLocOpBuilder &b, const State &total) {
  // Where all positions count, or hold the identity, a state may be combined
  // with itself.
  bool overlaps = getOperatorFacts(kernel).isIdempotent &&
                  (!isReverse || isPadded || !mayBeBehind(getLastFirst()));
  State inclusive = total;
  for (int64_t delta = 1; delta < lanes.groupsPerWarp; delta *= 2) {
    int64_t distance = delta * lanes.lanes;
    if (!overlaps)
      inclusive = combineIfPresent(b, kernel, getEarlier(b, inclusive, delta),
                                   inclusive);
    else
      inclusive = combine(b, kernel,
                          isReverse ? shuffleDownOrOwn(b, inclusive, distance)
                                    : shuffleUpOrOwn(b, inclusive, distance),
                          inclusive);
  }
  return inclusive;
}

/// The states before the thread's warp.
SmallVector<Prefix> OneTileScan::scanWarps(ImplicitLocOpBuilder &b,
                                           ArrayRef<State> totals,
                                           ArrayRef<State> inits) {
  SmallVector<Prefix> before;
  for (const State &init : inits)
    before.push_back({init, Value()});
  if (inits.empty())
    before.assign(totals.size(), createAbsent(b, kernel));
  if (lanes.warps == 1)
    return before;
  Value phase = indexConstant(b, 0);
  auto store = [&](ImplicitLocOpBuilder &last) {
    warpTotals.store(last, totals, phase);
  };
  if (lanes.groupsPerWarp == 1)
    store(b);
  else
    createIf(b,
             compare(b, arith::CmpIPredicate::eq, lanes.groupInWarp,
                     isReverse ? 0 : lanes.groupsPerWarp - 1),
             store);
  gpu::BarrierOp::create(b);
  if (isReverse && !isPadded && ShapedType::isDynamic(extent)) {
    Value present = b.createOrFold<arith::CeilDivUIOp>(
        length, indexConstant(b, lanes.groupsPerWarp * items));
    return warpTotals.walkBack(b, before, phase, present);
  }
  SmallVector<WarpTotals::Result> walked =
      warpTotals.walk(b, before, phase, isReverse);
  for (auto [prefix, warp] : llvm::zip_equal(before, walked))
    prefix = warp.before;
  return before;
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

SmallVector<ScannedItems> OneTileScan::emit(ImplicitLocOpBuilder &b,
                                            ArrayRef<SmallVector<State>> given,
                                            ArrayRef<State> inits) {
  SmallVector<SmallVector<State>> leaves(given);
  State identity = createIdentity(b, kernel);
  isPadded = false;
  if (isReverse && !identity.empty()) {
    for (SmallVector<State> &ofScan : leaves)
      for (auto [item, state] : llvm::enumerate(ofScan))
        if (Value inBounds = createInBounds(b, item))
          state = selectState(b, inBounds, state, identity);
    isPadded = true;
  }
  SmallVector<State> inclusive;
  for (ArrayRef<State> ofScan : leaves)
    inclusive.push_back(scanGroups(b, reduce(b, ofScan)));
  SmallVector<Prefix> before = scanWarps(b, inclusive, inits);
  SmallVector<ScannedItems> result;
  for (auto [ofScan, state, prefix] :
       llvm::zip_equal(leaves, inclusive, before)) {
    // The exclusive value comes by one more shuffle: an operator need not have
    // an inverse to subtract with.
    if (lanes.groupsPerWarp > 1)
      prefix = joinPrefixes(b, kernel, prefix, getEarlier(b, state, 1));
    result.push_back(isReverse ? scanReverse(b, prefix, ofScan)
                               : scanItems(b, kernel, prefix, ofScan));
  }
  return result;
}
