//===- OneTileScan.cpp - Scans of a tile, either way ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneTileScan.h"
#include "../../GPUCommon/Emit.h"
#include "ProductGuard.h"
#include "WarpScan.h"

using namespace mlir;
using namespace mlir::scan;

/// Warps that have some of `extent` steps.
static int64_t countWarps(int64_t extent, int64_t items) {
  return llvm::divideCeil(extent, kWarpSize * items);
}

OneTileScan::OneTileScan(KernelFrame &frame, KernelOp kernel,
                         const ThreadIds &ids, int64_t items, int64_t extent,
                         bool isBackward)
    : kernel(kernel), ids(ids), items(items), extent(extent),
      numWarps(countWarps(extent, items)), isBackward(isBackward),
      warpTotals(frame, kernel, frame.getPlan().warpTotals) {}

Value OneTileScan::isInside(ImplicitLocOpBuilder &b, int64_t offset) {
  int64_t largest = (ids.threads - 1) * items + offset;
  if (largest < extent)
    return Value();
  Value position = addConstant(b, mulConstant(b, ids.thread, items), offset);
  return compare(b, arith::CmpIPredicate::ult, position, extent);
}

/// The combination of the thread's own positions.
State OneTileScan::reduce(ImplicitLocOpBuilder &b, ArrayRef<State> leaves) {
  if (!isBackward)
    return reduceItems(b, kernel, leaves);
  // Which of them is the first that counts is not known: each may begin a part.
  State total = beginPart(b, kernel, leaves.back());
  for (int64_t item = items - 2; item >= 0; --item)
    total = combineIfPresent(b, kernel, {total, isInside(b, item + 1)},
                             beginPart(b, kernel, leaves[item]));
  return total;
}

Prefix OneTileScan::getEarlier(ImplicitLocOpBuilder &b, ValueRange state,
                               int64_t delta) {
  Prefix earlier;
  if (!isBackward) {
    earlier.state = shuffleUp(b, state, delta);
    earlier.present = compare(b, arith::CmpIPredicate::uge, ids.lane, delta);
    return earlier;
  }
  earlier.state = shuffleDown(b, state, delta);
  earlier.present =
      compare(b, arith::CmpIPredicate::ult, ids.lane, kWarpSize - delta);
  // That lane's first position; where all threads have some that count, the
  // lane's number says all.
  if ((ids.threads - 1) * items >= extent)
    earlier.present = b.createOrFold<arith::AndIOp>(earlier.present,
                                                    isInside(b, delta * items));
  return earlier;
}

/// The state before the thread's warp.
Prefix OneTileScan::scanWarps(ImplicitLocOpBuilder &b, ValueRange total,
                              ValueRange init) {
  Prefix before;
  before.state = init.empty() ? State(total) : State(init);
  if (init.empty())
    before.present = boolConstant(b, false);
  if (numWarps == 1)
    return before;
  Value lastLane = indexConstant(b, isBackward ? 0 : kWarpSize - 1);
  createIf(b, compare(b, arith::CmpIPredicate::eq, ids.lane, lastLane),
           [&](ImplicitLocOpBuilder &inner) {
             warpTotals.store(inner, total, ids.warp);
           });
  gpu::BarrierOp::create(b);

  // Warps without a position that counts are left out.
  State running(init);
  for (int64_t i = 0; i < numWarps; ++i) {
    int64_t warp = isBackward ? numWarps - 1 - i : i;
    Value isMine = compare(b, arith::CmpIPredicate::eq, ids.warp, warp);
    if (i > 0)
      before.state = selectState(b, isMine, running, before.state);
    if (i + 1 == numWarps)
      break;
    State warpTotal = warpTotals.load(b, indexConstant(b, warp));
    running =
        running.empty() ? warpTotal : combine(b, kernel, running, warpTotal);
  }
  if (init.empty())
    before.present = compare(b, arith::CmpIPredicate::ne, ids.warp,
                             isBackward ? numWarps - 1 : 0);
  return before;
}

ScannedItems OneTileScan::scanBackward(ImplicitLocOpBuilder &b, Prefix before,
                                       ArrayRef<State> leaves) {
  ScannedItems result;
  result.inclusive.resize(items);
  result.exclusive.resize(items);
  for (int64_t item = items - 1; item >= 0; --item) {
    State inclusive = combineItemIfPresent(b, kernel, before, leaves[item]);
    result.inclusive[item] = inclusive;
    result.exclusive[item] = before.state;
    Value inside = isInside(b, item);
    if (!inside) {
      before = {inclusive, Value()};
      continue;
    }
    before.state = selectState(b, inside, inclusive, before.state);
    if (before.present)
      before.present = b.createOrFold<arith::OrIOp>(before.present, inside);
  }
  return result;
}

ScannedItems OneTileScan::emit(ImplicitLocOpBuilder &b, ArrayRef<State> leaves,
                               ValueRange init) {
  State inclusive = reduce(b, leaves);
  for (int64_t delta = 1; delta < kWarpSize; delta *= 2)
    inclusive =
        combineIfPresent(b, kernel, getEarlier(b, inclusive, delta), inclusive);
  Prefix before = scanWarps(b, inclusive, init);
  // The exclusive value comes by one more shuffle: an operator need not have an
  // inverse to subtract with.
  Prefix inWarp = getEarlier(b, inclusive, 1);
  Prefix prefix = joinPrefixes(b, kernel, before, inWarp);
  return isBackward ? scanBackward(b, prefix, leaves)
                    : scanItems(b, kernel, prefix, leaves);
}
