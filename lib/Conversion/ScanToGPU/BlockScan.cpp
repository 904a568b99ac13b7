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
static constexpr int64_t kUnrolledWarps = 8;

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
  State inclusive = scanWarp(b, kernel, threadTotal, ids.rowLane, numLanes);
  if (numWarps == 1)
    return emitOneWarp(b, inclusive, carry);

  Value half = b.createOrFold<arith::MulIOp>(
      parity, indexConstant(b, ids.threads / kWarpSize));
  Value firstOfRow = half, rowWarp = ids.warp;
  if (ids.rows > 1) {
    firstOfRow = b.createOrFold<arith::AddIOp>(
        half,
        b.createOrFold<arith::MulIOp>(ids.row, indexConstant(b, numWarps)));
    rowWarp =
        b.createOrFold<arith::RemUIOp>(ids.warp, indexConstant(b, numWarps));
  }
  auto ifLastLane = scf::IfOp::create(b, isEqual(b, ids.lane, kWarpSize - 1),
                                      /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(ifLastLane.thenYield());
    Value slot = b.createOrFold<arith::AddIOp>(half, ids.warp);
    for (auto [buffer, leaf] : llvm::zip_equal(warpTotals, inclusive))
      storeShared(b, leaf, buffer, slot);
  }
  gpu::BarrierOp::create(b);

  // Every thread walks the totals of all warps of its row: on the way it meets
  // the state before its own warp, and at the end the state after the block.
  auto loadTotal = [&](Value warp) {
    State total;
    Value slot = b.createOrFold<arith::AddIOp>(firstOfRow, warp);
    for (auto [buffer, type] :
         llvm::zip_equal(warpTotals, kernel.getLeafTypes()))
      total.push_back(loadShared(b, type, buffer, slot));
    return total;
  };
  State running =
      combineIfPresent(b, kernel, carry, loadTotal(indexConstant(b, 0)));
  State before = carry.state;
  auto step = [&](Value warp) {
    Value isMine =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rowWarp, warp);
    before = selectState(b, isMine, running, before);
    running = combine(b, kernel, running, loadTotal(warp));
  };
  if (numWarps <= kUnrolledWarps) {
    for (int64_t warp = 1; warp < numWarps; ++warp)
      step(indexConstant(b, warp));
  } else {
    State initial = running;
    llvm::append_range(initial, before);
    auto loop =
        scf::ForOp::create(b, indexConstant(b, 1), indexConstant(b, numWarps),
                           indexConstant(b, 1), initial);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    unsigned numLeaves = running.size();
    running.assign(loop.getRegionIterArgs().take_front(numLeaves).begin(),
                   loop.getRegionIterArgs().take_front(numLeaves).end());
    before.assign(loop.getRegionIterArgs().drop_front(numLeaves).begin(),
                  loop.getRegionIterArgs().drop_front(numLeaves).end());
    step(loop.getInductionVar());
    State next = running;
    llvm::append_range(next, before);
    scf::YieldOp::create(b, next);
    running.assign(loop.getResults().take_front(numLeaves).begin(),
                   loop.getResults().take_front(numLeaves).end());
    before.assign(loop.getResults().drop_front(numLeaves).begin(),
                  loop.getResults().drop_front(numLeaves).end());
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
