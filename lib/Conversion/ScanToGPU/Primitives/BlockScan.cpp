//===- BlockScan.cpp - Scanning across the threads of a block -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockScan.h"
#include "../../GPUCommon/Emit.h"
#include "WarpScan.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::scan;

/// Up to so many warps the walk over their totals is unrolled.
static constexpr int64_t kWalkedWarps = 8;

BlockScan::BlockScan(ImplicitLocOpBuilder &b, KernelFrame &frame,
                     const ThreadIds &ids)
    : kernel(frame.getKernel()), ids(ids),
      numWarps(std::max<int64_t>(1, ids.rowThreads / kWarpSize)),
      numLanes(std::min(ids.rowThreads, kWarpSize)),
      warpTotals(frame, kernel, frame.getPlan().warpTotals) {}

Prefix BlockScan::threadPrefix(ImplicitLocOpBuilder &b,
                               const Prefix &warpPrefix, ValueRange inclusive) {
  if (numLanes == 1)
    return warpPrefix;
  // The exclusive value comes by one more shuffle: an operator need not have
  // an inverse to subtract with.
  State lanePrefix = shuffleUp(b, inclusive, 1);
  Value isFirstLane = compare(b, arith::CmpIPredicate::eq, ids.rowLane, 0);
  State joined = combineIfPresent(b, kernel, warpPrefix, lanePrefix);
  Prefix prefix;
  prefix.state = selectState(b, isFirstLane, warpPrefix.state, joined);
  if (warpPrefix.present) {
    Value isLaterLane = compare(b, arith::CmpIPredicate::ne, ids.rowLane, 0);
    prefix.present = arith::OrIOp::create(b, warpPrefix.present, isLaterLane);
  }
  return prefix;
}

BlockScan::Result BlockScan::emitOneWarp(ImplicitLocOpBuilder &b,
                                         ValueRange inclusive,
                                         const Prefix &carry) {
  Result result;
  result.prefix = threadPrefix(b, carry, inclusive);
  State warpTotal(inclusive);
  if (numLanes > 1) {
    // The last lane of this one's group.
    Value last =
        b.createOrFold<arith::OrIOp>(ids.lane, indexConstant(b, numLanes - 1));
    if (numLanes == kWarpSize)
      last = indexConstant(b, kWarpSize - 1);
    warpTotal = shuffleFrom(b, inclusive, last);
  }
  result.total = combineIfPresent(b, kernel, carry, warpTotal);
  return result;
}

BlockScan::Result BlockScan::emit(ImplicitLocOpBuilder &b,
                                  ValueRange threadTotal, const Prefix &carry,
                                  Value parity) {
  State inclusive = begin(b, threadTotal, parity);
  if (hasBarrier())
    gpu::BarrierOp::create(b);
  return finish(b, inclusive, carry, parity);
}

/// The number of the first of the slots that are in use.
Value BlockScan::getHalf(ImplicitLocOpBuilder &b, Value parity) {
  return mulConstant(b, parity, ids.threads / kWarpSize);
}

State BlockScan::begin(ImplicitLocOpBuilder &b, ValueRange threadTotal,
                       Value parity) {
  State inclusive = scanWarp(b, kernel, threadTotal, ids.rowLane, numLanes);
  if (numWarps == 1)
    return inclusive;
  createIf(b, compare(b, arith::CmpIPredicate::eq, ids.lane, kWarpSize - 1),
           [&](ImplicitLocOpBuilder &last) {
             Value slot = last.createOrFold<arith::AddIOp>(
                 getHalf(last, parity), ids.warp);
             warpTotals.store(last, inclusive, slot);
           });
  return inclusive;
}

BlockScan::Result BlockScan::finish(ImplicitLocOpBuilder &b,
                                    ValueRange inclusive, const Prefix &carry,
                                    Value parity) {
  if (numWarps == 1)
    return emitOneWarp(b, inclusive, carry);
  Value firstOfRow = getHalf(b, parity), rowWarp = ids.warp;
  if (ids.rows > 1) {
    firstOfRow = b.createOrFold<arith::AddIOp>(
        firstOfRow, mulConstant(b, ids.row, numWarps));
    rowWarp =
        b.createOrFold<arith::RemUIOp>(ids.warp, indexConstant(b, numWarps));
  }
  auto loadTotal = [&](Value warp) {
    return warpTotals.load(b, b.createOrFold<arith::AddIOp>(firstOfRow, warp));
  };
  State running, before = carry.state;
  if (numWarps <= kWalkedWarps) {
    // Every thread walks the totals of all warps of its row: on the way it
    // meets the state before its own warp, and at the end that after the block.
    running =
        combineIfPresent(b, kernel, carry, loadTotal(indexConstant(b, 0)));
    for (int64_t number = 1; number < numWarps; ++number) {
      Value warp = indexConstant(b, number);
      Value isMine = compare(b, arith::CmpIPredicate::eq, rowWarp, warp);
      before = selectState(b, isMine, running, before);
      running = combine(b, kernel, running, loadTotal(warp));
    }
  } else {
    // Every warp scans the totals of all, one in a lane. Lanes beyond them hold
    // the last one again, which flows to no lane that is looked at.
    Value last = indexConstant(b, numWarps - 1);
    State totals = scanWarp(
        b, kernel, loadTotal(b.createOrFold<arith::MinUIOp>(ids.lane, last)),
        ids.lane, llvm::PowerOf2Ceil(numWarps));
    Value one = indexConstant(b, 1);
    Value previous = b.createOrFold<arith::SubIOp>(
        b.createOrFold<arith::MaxUIOp>(rowWarp, one), one);
    State earlier = shuffleFrom(b, totals, previous);
    before = selectState(b, compare(b, arith::CmpIPredicate::eq, rowWarp, 0),
                         before, combineIfPresent(b, kernel, carry, earlier));
    running = combineIfPresent(b, kernel, carry, shuffleFrom(b, totals, last));
  }

  Prefix warpPrefix;
  warpPrefix.state = before;
  if (carry.present) {
    Value isLaterWarp = compare(b, arith::CmpIPredicate::ne, rowWarp, 0);
    warpPrefix.present = arith::OrIOp::create(b, carry.present, isLaterWarp);
  }
  Result result;
  result.prefix = threadPrefix(b, warpPrefix, inclusive);
  result.total = running;
  return result;
}
