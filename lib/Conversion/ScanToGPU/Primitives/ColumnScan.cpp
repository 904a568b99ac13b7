//===- ColumnScan.cpp - Scanning columns across a block -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnScan.h"

using namespace mlir;
using namespace mlir::scan;

/// The walk over the warps' totals is unrolled where it combines at most so
/// many leaves.
static constexpr int64_t kUnrolledLeaves = 128;

ColumnScan::ColumnScan(KernelFrame &frame, const ColumnLayout &layout,
                       bool keepsAllLeaves)
    : kernel(frame.getKernel()), layout(layout), keepsAllLeaves(keepsAllLeaves),
      warpTotals(frame, kernel, frame.getPlan().warpTotals) {}

SmallVector<Value> ColumnScan::pack(ValueRange state) const {
  return keepsAllLeaves ? SmallVector<Value>(state)
                        : packCarried(kernel, state);
}

State ColumnScan::unpack(ImplicitLocOpBuilder &b, ValueRange packed) const {
  return keepsAllLeaves ? State(packed) : unpackCarried(b, kernel, packed);
}

/// The inclusive scan over the groups of the warp, the earlier one on the left.
State ColumnScan::scanGroups(ImplicitLocOpBuilder &b, ValueRange state) {
  State scanned(state);
  for (int64_t distance = 1; distance < layout.groupsPerWarp; distance *= 2) {
    Prefix earlier;
    earlier.state = shuffleUp(b, scanned, distance * layout.lanes);
    earlier.present =
        compare(b, arith::CmpIPredicate::uge, layout.groupInWarp, distance);
    scanned = combineIfPresent(b, kernel, earlier, scanned);
  }
  return scanned;
}

/// The state before this thread, from the one before its warp and the inclusive
/// scan over the groups of the warp.
Prefix ColumnScan::createThreadPrefix(ImplicitLocOpBuilder &b,
                                      const Prefix &warpPrefix,
                                      ValueRange inclusive) {
  if (layout.groupsPerWarp == 1)
    return warpPrefix;
  State groupPrefix = shuffleUp(b, inclusive, layout.lanes);
  State joined = combineIfPresent(b, kernel, warpPrefix, groupPrefix);
  Value isFirst = compare(b, arith::CmpIPredicate::eq, layout.groupInWarp, 0);
  Prefix prefix;
  prefix.state = selectState(b, isFirst, warpPrefix.state, joined);
  if (warpPrefix.present)
    prefix.present = b.createOrFold<arith::OrIOp>(
        warpPrefix.present,
        compare(b, arith::CmpIPredicate::ne, layout.groupInWarp, 0));
  return prefix;
}

/// The state before this warp and the one after the block, of every column.
SmallVector<ColumnScan::Result> ColumnScan::scanWarps(ImplicitLocOpBuilder &b,
                                                      ArrayRef<State> inclusive,
                                                      ArrayRef<Prefix> carries,
                                                      Value parity) {
  int64_t columns = layout.getColumns();
  Value half = mulConstant(b, parity, layout.warps * columns);
  // Column by column of all lanes, so that lanes meet different banks.
  auto getSlot = [&](ImplicitLocOpBuilder &inner, Value warp, int64_t column) {
    Value slot = inner.createOrFold<arith::AddIOp>(
        half, mulConstant(inner, warp, columns));
    slot = inner.createOrFold<arith::AddIOp>(slot, layout.lane);
    return addConstant(inner, slot, column * layout.lanes);
  };
  auto storeTotals = [&](ImplicitLocOpBuilder &inner) {
    for (auto [column, state] : llvm::enumerate(inclusive))
      warpTotals.store(inner, state, getSlot(inner, layout.warp, column));
  };
  if (layout.groupsPerWarp == 1)
    storeTotals(b);
  else
    createIf(b,
             compare(b, arith::CmpIPredicate::eq, layout.groupInWarp,
                     layout.groupsPerWarp - 1),
             storeTotals);
  gpu::BarrierOp::create(b);

  auto loadTotal = [&](ImplicitLocOpBuilder &inner, Value warp,
                       int64_t column) {
    return warpTotals.load(inner, getSlot(inner, warp, column));
  };
  // Every thread walks the totals of all warps. Of each column `walked` has the
  // state before this warp, then the running one.
  size_t numCarried = pack(carries.front().state).size();
  auto step = [&](ImplicitLocOpBuilder &inner, Value warp, ValueRange walked) {
    Value isMine = compare(inner, arith::CmpIPredicate::eq, layout.warp, warp);
    SmallVector<Value> next;
    for (int64_t column = 0; column < layout.vector; ++column) {
      ValueRange before = walked.take_front(numCarried);
      ValueRange running = walked.slice(numCarried, numCarried);
      walked = walked.drop_front(2 * numCarried);
      llvm::append_range(next, selectState(inner, isMine, running, before));
      State after = combine(inner, kernel, unpack(inner, running),
                            loadTotal(inner, warp, column));
      llvm::append_range(next, pack(after));
    }
    return next;
  };
  SmallVector<Value> walked;
  for (auto [column, carry] : llvm::enumerate(carries)) {
    llvm::append_range(walked, pack(carry.state));
    State first = loadTotal(b, indexConstant(b, 0), column);
    llvm::append_range(walked, pack(combineIfPresent(b, kernel, carry, first)));
  }
  int64_t numLeaves = kernel.getNumLeaves();
  if (layout.warps * layout.vector * numLeaves <= kUnrolledLeaves) {
    for (int64_t warp = 1; warp < layout.warps; ++warp)
      walked = step(b, indexConstant(b, warp), walked);
  } else {
    Value one = indexConstant(b, 1);
    walked =
        createFor(b, one, indexConstant(b, layout.warps), one, walked, step);
  }

  SmallVector<Result> results;
  ValueRange rest(walked);
  for (const Prefix &carry : carries) {
    Result result;
    result.prefix.state = unpack(b, rest.take_front(numCarried));
    result.total = unpack(b, rest.slice(numCarried, numCarried));
    rest = rest.drop_front(2 * numCarried);
    if (carry.present)
      result.prefix.present = b.createOrFold<arith::OrIOp>(
          carry.present, compare(b, arith::CmpIPredicate::ne, layout.warp, 0));
    results.push_back(result);
  }
  return results;
}

SmallVector<ColumnScan::Result> ColumnScan::emit(ImplicitLocOpBuilder &b,
                                                 ArrayRef<State> totals,
                                                 ArrayRef<Prefix> carries,
                                                 Value parity) {
  SmallVector<State> inclusive;
  for (const State &total : totals)
    inclusive.push_back(scanGroups(b, total));
  SmallVector<Result> results;
  if (layout.warps > 1) {
    results = scanWarps(b, inclusive, carries, parity);
  } else {
    Value last = addConstant(b, layout.lane, kWarpSize - layout.lanes);
    for (auto [state, carry] : llvm::zip_equal(inclusive, carries)) {
      State total =
          layout.groupsPerWarp == 1 ? state : shuffleFrom(b, state, last);
      results.push_back({carry, combineIfPresent(b, kernel, carry, total)});
    }
  }
  for (auto [result, state] : llvm::zip_equal(results, inclusive))
    result.prefix = createThreadPrefix(b, result.prefix, state);
  return results;
}
