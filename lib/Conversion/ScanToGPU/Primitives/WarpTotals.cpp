//===- WarpTotals.cpp - Scanning across the warps of a block --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpTotals.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::scan;

/// The walk is unrolled where it combines at most so many leaves; that of a
/// single scan at most so many: ptxas reads the totals of all warps at once,
/// and wide states would leave it no registers.
static constexpr int64_t kUnrolledLeaves = 128, kUnrolledLeavesOfOne = 64;

WarpTotals::WarpTotals(KernelFrame &frame, KernelOp kernel,
                       const ScanLanes &lanes, bool keepsAllLeaves)
    : kernel(kernel), lanes(lanes), keepsAllLeaves(keepsAllLeaves),
      totals(frame, kernel, frame.getPlan().warpTotals) {}

SmallVector<Value> WarpTotals::pack(ValueRange state) const {
  return keepsAllLeaves ? SmallVector<Value>(state)
                        : packCarried(kernel, state);
}

State WarpTotals::unpack(ImplicitLocOpBuilder &b, ValueRange packed) const {
  return keepsAllLeaves ? State(packed) : unpackCarried(b, kernel, packed);
}

Value WarpTotals::getSlot(ImplicitLocOpBuilder &b, Value phase, Value warp,
                          int64_t scan) {
  // Scan by scan of all lanes, so that lanes meet different banks.
  int64_t scans = lanes.getScans();
  Value slot = b.createOrFold<arith::AddIOp>(
      mulConstant(b, phase, lanes.blockWarps * scans),
      mulConstant(b, warp, scans));
  slot = b.createOrFold<arith::AddIOp>(slot, lanes.lane);
  return addConstant(b, slot, scan * lanes.lanes);
}

/// The total of warp number `warp` of those that share the thread's scans.
State WarpTotals::load(ImplicitLocOpBuilder &b, Value phase, Value warp,
                       int64_t scan) {
  if (lanes.row)
    warp = b.createOrFold<arith::AddIOp>(mulConstant(b, lanes.row, lanes.warps),
                                         warp);
  return totals.load(b, getSlot(b, phase, warp, scan));
}

void WarpTotals::store(ImplicitLocOpBuilder &b, ArrayRef<State> states,
                       Value phase) {
  for (auto [scan, state] : llvm::enumerate(states))
    totals.store(b, state, getSlot(b, phase, lanes.warp, scan));
}

Value WarpTotals::createIsPresent(ImplicitLocOpBuilder &b, const Prefix &carry,
                                  int64_t first) {
  if (!carry.present)
    return Value();
  return b.createOrFold<arith::OrIOp>(
      carry.present,
      compare(b, arith::CmpIPredicate::ne, lanes.getScanWarp(b), first));
}

/// Keeps compilers from unrolling the loop with this result; ptxas does so for
/// sm_90 where it has three steps.
static void keepLoop(Value result) {
  auto loop = result.getDefiningOp<scf::ForOp>();
  Builder b(loop.getContext());
  auto unroll = LLVM::LoopUnrollAttr::get(
      b.getContext(), /*disable=*/b.getBoolAttr(true), /*count=*/{},
      /*runtimeDisable=*/{}, /*full=*/{}, /*followupUnrolled=*/{},
      /*followupRemainder=*/{}, /*followupAll=*/{});
  // The name that the operation has which branches back.
  loop->setAttr("loop_annotation", LLVM::LoopAnnotationAttr::get(
                                       b.getContext(), {}, {}, {}, unroll, {},
                                       {}, {}, {}, {}, {}, {}, {}, {}, {}, {}));
}

SmallVector<WarpTotals::Result> WarpTotals::walk(ImplicitLocOpBuilder &b,
                                                 ArrayRef<Prefix> carries,
                                                 Value phase, bool isReverse) {
  Value mine = lanes.getScanWarp(b);
  // Of each scan `walked` has the state before this warp, then the running one.
  size_t numCarried = pack(carries.front().state).size();
  auto step = [&](ImplicitLocOpBuilder &inner, Value warp, ValueRange walked) {
    Value isMine = compare(inner, arith::CmpIPredicate::eq, mine, warp);
    SmallVector<Value> next;
    for (int64_t scan = 0; scan < lanes.vector; ++scan) {
      ValueRange before = walked.take_front(numCarried);
      ValueRange running = walked.slice(numCarried, numCarried);
      walked = walked.drop_front(2 * numCarried);
      llvm::append_range(next, selectState(inner, isMine, running, before));
      State after = combine(inner, kernel, unpack(inner, running),
                            load(inner, phase, warp, scan));
      llvm::append_range(next, pack(after));
    }
    return next;
  };
  int64_t first = isReverse ? lanes.warps - 1 : 0;
  SmallVector<Value> walked;
  for (auto [scan, carry] : llvm::enumerate(carries)) {
    llvm::append_range(walked, pack(carry.state));
    State total = load(b, phase, indexConstant(b, first), scan);
    llvm::append_range(walked, pack(combineIfPresent(b, kernel, carry, total)));
  }
  int64_t numLeaves = lanes.warps * lanes.vector * kernel.getNumLeaves();
  // A loop needs something to carry, which a scan whose states nobody reads
  // has not.
  if (walked.empty() ||
      numLeaves <=
          (lanes.getScans() == 1 ? kUnrolledLeavesOfOne : kUnrolledLeaves)) {
    for (int64_t i = 1; i < lanes.warps; ++i)
      walked = step(b, indexConstant(b, isReverse ? first - i : i), walked);
  } else {
    Value one = indexConstant(b, 1);
    walked = createFor(
        b, one, indexConstant(b, lanes.warps), one, walked,
        [&](ImplicitLocOpBuilder &inner, Value number, ValueRange carried) {
          Value warp = isReverse ? inner.createOrFold<arith::SubIOp>(
                                       indexConstant(inner, first), number)
                                 : number;
          return step(inner, warp, carried);
        });
    keepLoop(walked.front());
  }

  SmallVector<Result> results;
  ValueRange rest(walked);
  for (const Prefix &carry : carries) {
    Result result;
    result.before.state = unpack(b, rest.take_front(numCarried));
    result.before.present = createIsPresent(b, carry, first);
    result.total = unpack(b, rest.slice(numCarried, numCarried));
    rest = rest.drop_front(2 * numCarried);
    results.push_back(result);
  }
  return results;
}

SmallVector<Prefix> WarpTotals::walkBack(ImplicitLocOpBuilder &b,
                                         ArrayRef<Prefix> carries, Value phase,
                                         Value present) {
  Value mine = lanes.getScanWarp(b);
  SmallVector<Prefix> running(carries), before(carries);
  for (int64_t warp = lanes.warps - 1; warp >= 0; --warp) {
    Value number = indexConstant(b, warp);
    Value isMine = compare(b, arith::CmpIPredicate::eq, mine, warp);
    Value hasTotal = compare(b, arith::CmpIPredicate::ugt, present, warp);
    for (auto [scan, state] : llvm::enumerate(running)) {
      before[scan].state =
          selectState(b, isMine, state.state, before[scan].state);
      State after =
          combineIfPresent(b, kernel, state, load(b, phase, number, scan));
      state.state = selectState(b, hasTotal, after, state.state);
      if (state.present)
        state.present = b.createOrFold<arith::OrIOp>(state.present, hasTotal);
    }
  }
  Value isBehind =
      compare(b, arith::CmpIPredicate::ult, addConstant(b, mine, 1), present);
  for (auto [carry, state] : llvm::zip_equal(carries, before))
    if (carry.present)
      state.present = b.createOrFold<arith::OrIOp>(carry.present, isBehind);
  return before;
}

WarpTotals::Result WarpTotals::scan(ImplicitLocOpBuilder &b,
                                    const Prefix &carry, Value phase) {
  // Lanes beyond the warps hold the last total again, which flows to no lane
  // that is looked at.
  Value last = indexConstant(b, lanes.warps - 1), one = indexConstant(b, 1);
  Value warp = b.createOrFold<arith::MinUIOp>(lanes.warpLane, last);
  State scanned = scanWarp(b, kernel, load(b, phase, warp, /*scan=*/0),
                           lanes.warpLane, llvm::PowerOf2Ceil(lanes.warps));
  Value mine = lanes.getScanWarp(b);
  Value previous = b.createOrFold<arith::SubIOp>(
      b.createOrFold<arith::MaxUIOp>(mine, one), one);
  State earlier = shuffleFrom(b, scanned, previous);
  Result result;
  result.before.state =
      selectState(b, compare(b, arith::CmpIPredicate::eq, mine, 0), carry.state,
                  combineIfPresent(b, kernel, carry, earlier));
  result.total =
      combineIfPresent(b, kernel, carry, shuffleFrom(b, scanned, last));
  result.before.present = createIsPresent(b, carry, /*first=*/0);
  return result;
}
