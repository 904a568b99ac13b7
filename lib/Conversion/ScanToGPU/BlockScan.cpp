//===- BlockScan.cpp - Scanning across the threads of a block -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockScan.h"
#include "WarpScan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::scan;

/// Up to so many warps the walk over their totals is unrolled.
static constexpr int64_t kWalkedWarps = 8;

static Value indexConstant(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

static Value isEqual(ImplicitLocOpBuilder &b, Value lhs, int64_t rhs) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lhs,
                               indexConstant(b, rhs));
}

int64_t BlockScan::getSharedBytes(KernelOp kernel, int64_t threads,
                                  int64_t rows) {
  if (threads / rows <= kWarpSize)
    return 0;
  int64_t bytes = 0;
  for (Type type : kernel.getLeafTypes())
    bytes += alignShared(2 * (threads / kWarpSize) * getStorageBytes(type));
  return bytes;
}

BlockScan::BlockScan(ImplicitLocOpBuilder &b, KernelFrame &frame,
                     const ThreadIds &ids)
    : kernel(frame.getKernel()), ids(ids),
      numWarps(std::max<int64_t>(1, ids.rowThreads / kWarpSize)),
      numLanes(std::min(ids.rowThreads, kWarpSize)) {
  if (numWarps == 1)
    return;
  for (Type type : kernel.getLeafTypes())
    warpTotals.push_back(
        frame.addSharedBuffer(2 * (ids.threads / kWarpSize), type));
}

Prefix BlockScan::threadPrefix(ImplicitLocOpBuilder &b,
                               const Prefix &warpPrefix, ValueRange inclusive) {
  if (numLanes == 1)
    return warpPrefix;
  // The exclusive value comes by one more shuffle: an operator need not have
  // an inverse to subtract with.
  State lanePrefix = shuffleUp(b, inclusive, 1);
  Value isFirstLane = isEqual(b, ids.rowLane, 0);
  State joined = combineIfPresent(b, kernel, warpPrefix, lanePrefix);
  Prefix prefix;
  prefix.state = selectState(b, isFirstLane, warpPrefix.state, joined);
  if (warpPrefix.present) {
    Value isLaterLane = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                              ids.rowLane, indexConstant(b, 0));
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
  return b.createOrFold<arith::MulIOp>(
      parity, indexConstant(b, ids.threads / kWarpSize));
}

State BlockScan::begin(ImplicitLocOpBuilder &b, ValueRange threadTotal,
                       Value parity) {
  State inclusive = scanWarp(b, kernel, threadTotal, ids.rowLane, numLanes);
  if (numWarps == 1)
    return inclusive;
  auto ifLastLane = scf::IfOp::create(b, isEqual(b, ids.lane, kWarpSize - 1),
                                      /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(ifLastLane.thenYield());
  Value slot = b.createOrFold<arith::AddIOp>(getHalf(b, parity), ids.warp);
  for (auto [buffer, leaf] : llvm::zip_equal(warpTotals, inclusive))
    storeShared(b, leaf, buffer, slot);
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
        firstOfRow,
        b.createOrFold<arith::MulIOp>(ids.row, indexConstant(b, numWarps)));
    rowWarp =
        b.createOrFold<arith::RemUIOp>(ids.warp, indexConstant(b, numWarps));
  }
  auto loadTotal = [&](Value warp) {
    State total;
    Value slot = b.createOrFold<arith::AddIOp>(firstOfRow, warp);
    for (auto [buffer, type] :
         llvm::zip_equal(warpTotals, kernel.getLeafTypes()))
      total.push_back(loadShared(b, type, buffer, slot));
    return total;
  };
  State running, before = carry.state;
  if (numWarps <= kWalkedWarps) {
    // Every thread walks the totals of all warps of its row: on the way it
    // meets the state before its own warp, and at the end that after the block.
    running =
        combineIfPresent(b, kernel, carry, loadTotal(indexConstant(b, 0)));
    for (int64_t number = 1; number < numWarps; ++number) {
      Value warp = indexConstant(b, number);
      Value isMine =
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rowWarp, warp);
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
    before = selectState(b, isEqual(b, rowWarp, 0), before,
                         combineIfPresent(b, kernel, carry, earlier));
    running = combineIfPresent(b, kernel, carry, shuffleFrom(b, totals, last));
  }

  Prefix warpPrefix;
  warpPrefix.state = before;
  if (carry.present) {
    Value isLaterWarp = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                              rowWarp, indexConstant(b, 0));
    warpPrefix.present = arith::OrIOp::create(b, carry.present, isLaterWarp);
  }
  Result result;
  result.prefix = threadPrefix(b, warpPrefix, inclusive);
  result.total = running;
  return result;
}
