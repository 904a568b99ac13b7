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
      isReverse(isReverse), warpTotals(frame, kernel, this->lanes, {}) {}

/// How many positions of each tile count where that is known.
static int64_t getStaticLength(KernelFrame &frame) {
  int64_t extent = frame.getStaticExtent();
  int64_t steps = frame.getSchedule().getTileSteps();
  return !ShapedType::isDynamic(extent) && extent % steps == 0
             ? steps
             : ShapedType::kDynamic;
}

OneTileScan::OneTileScan(KernelFrame &frame, KernelOp kernel,
                         const ScanLanes &lanes, int64_t items,
                         ArrayRef<bool> kept)
    : kernel(kernel), lanes(lanes), items(items),
      extent(getStaticLength(frame)), isReverse(true),
      warpTotals(frame, kernel, lanes, kept) {}

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
  if (!mayBeBehind(getLastFirst() + items - 1))
    return reduceItems(b, kernel, llvm::to_vector(llvm::reverse(leaves)));
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

/// In the last thread of each warp, stores the totals of the warp.
void OneTileScan::storeTotals(ImplicitLocOpBuilder &b, ArrayRef<State> totals,
                              Value phase) {
  if (lanes.warps == 1)
    return;
  auto store = [&](ImplicitLocOpBuilder &last) {
    warpTotals.store(last, totals, phase);
  };
  if (lanes.groupsPerWarp == 1)
    return store(b);
  createIf(b,
           compare(b, arith::CmpIPredicate::eq, lanes.groupInWarp,
                   isReverse ? 0 : lanes.groupsPerWarp - 1),
           store);
}

/// The states before the thread's warp, and behind the last one; of several
/// warps.
SmallVector<WarpTotals::Result> OneTileScan::walkWarps(ImplicitLocOpBuilder &b,
                                                       ArrayRef<Prefix> carries,
                                                       Value phase) {
  if (!needsPresence())
    return warpTotals.walk(b, carries, phase, isReverse);
  Value present = b.createOrFold<arith::CeilDivUIOp>(
      length, indexConstant(b, lanes.groupsPerWarp * items));
  return warpTotals.walkBack(b, carries, phase, present);
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

/// What the thread has by itself and within its warp.
OneTileScan::Begun OneTileScan::begin(ImplicitLocOpBuilder &b,
                                      ArrayRef<SmallVector<State>> given) {
  Begun begun;
  begun.leaves.assign(given.begin(), given.end());
  State identity = createIdentity(b, kernel);
  isPadded = false;
  if (isReverse && !identity.empty()) {
    for (SmallVector<State> &ofScan : begun.leaves)
      for (auto [item, state] : llvm::enumerate(ofScan))
        if (Value inBounds = createInBounds(b, item))
          state = selectState(b, inBounds, state, identity);
    isPadded = true;
  }
  for (ArrayRef<State> ofScan : begun.leaves)
    begun.inclusive.push_back(scanGroups(b, reduce(b, ofScan)));
  return begun;
}

/// The states around the items of a scan, from the state before the warp.
ScannedItems OneTileScan::finishScan(ImplicitLocOpBuilder &b,
                                     const Prefix &before, ValueRange inclusive,
                                     ArrayRef<State> leaves) {
  // The exclusive value comes by one more shuffle: an operator need not have
  // an inverse to subtract with.
  Prefix prefix = before;
  if (lanes.groupsPerWarp > 1)
    prefix = joinPrefixes(b, kernel, prefix, getEarlier(b, inclusive, 1));
  return isReverse ? scanReverse(b, prefix, leaves)
                   : scanItems(b, kernel, prefix, leaves);
}

SmallVector<ScannedItems> OneTileScan::emit(ImplicitLocOpBuilder &b,
                                            ArrayRef<SmallVector<State>> leaves,
                                            ArrayRef<State> inits) {
  Begun begun = begin(b, leaves);
  SmallVector<Prefix> before;
  for (const State &init : inits)
    before.push_back({init, Value()});
  if (inits.empty())
    before.assign(leaves.size(), createAbsent(b, kernel));
  if (lanes.warps > 1) {
    Value phase = indexConstant(b, 0);
    storeTotals(b, begun.inclusive, phase);
    gpu::BarrierOp::create(b);
    for (auto [prefix, warp] :
         llvm::zip_equal(before, walkWarps(b, before, phase)))
      prefix = warp.before;
  }
  SmallVector<ScannedItems> result;
  for (auto [ofScan, state, prefix] :
       llvm::zip_equal(begun.leaves, begun.inclusive, before))
    result.push_back(finishScan(b, prefix, state, ofScan));
  return result;
}

//===----------------------------------------------------------------------===//
// One tile of several
//===----------------------------------------------------------------------===//

OneTileScan::Begun OneTileScan::begin(ImplicitLocOpBuilder &b,
                                      ArrayRef<SmallVector<State>> leaves,
                                      Value inTile, Value phase) {
  length = inTile;
  isFull = !inTile;
  Begun begun = begin(b, leaves);
  storeTotals(b, begun.inclusive, phase);
  return begun;
}

/// States that are there.
static SmallVector<Prefix> getPrefixes(ArrayRef<State> carries) {
  SmallVector<Prefix> prefixes;
  for (const State &carry : carries)
    prefixes.push_back({carry, Value()});
  return prefixes;
}

bool OneTileScan::isWalkedForAll() const {
  return !needsPresence() && warpTotals.areWalkedForAll();
}

void OneTileScan::walkForAll(ImplicitLocOpBuilder &b, ArrayRef<State> carries,
                             Value phase) {
  warpTotals.walkForAll(b, getPrefixes(carries), phase, isReverse);
}

SmallVector<OneTileScan::Result> OneTileScan::finish(ImplicitLocOpBuilder &b,
                                                     const Begun &begun,
                                                     ArrayRef<State> carries,
                                                     Value phase) {
  SmallVector<Prefix> before = getPrefixes(carries);
  SmallVector<WarpTotals::Result> warps;
  if (isWalkedForAll()) {
    warps = warpTotals.loadWalked(b, before, phase, isReverse);
  } else if (lanes.warps > 1) {
    warps = walkWarps(b, before, phase);
  } else {
    for (auto [carry, state] : llvm::zip_equal(before, begun.inclusive)) {
      // The first group has the last positions in reverse.
      State total =
          lanes.groupsPerWarp == 1 ? state : shuffleFrom(b, state, lanes.lane);
      warps.push_back({carry, combineIfPresent(b, kernel, carry, total)});
    }
  }
  SmallVector<Result> results;
  for (auto [ofScan, state, warp] :
       llvm::zip_equal(begun.leaves, begun.inclusive, warps))
    results.push_back({finishScan(b, warp.before, state, ofScan), warp.total});
  return results;
}
