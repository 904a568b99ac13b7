//===- WarpTotals.cpp - Scanning across the warps of a block --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpTotals.h"
#include "Plan/SharedMemory.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <numeric>

using namespace mlir;
using namespace mlir::scan;

/// The walk is unrolled where it combines at most so many leaves; that of a
/// single scan at most so many: ptxas reads the totals of all warps at once,
/// and wide states would leave it no registers.
static constexpr int64_t kUnrolledLeaves = 128, kUnrolledLeavesOfOne = 64;

/// With so many loads from shared memory or more, threads that walk them wait
/// longer than they would at a second barrier: recurrences on an H200.
static constexpr int64_t kManyLoads = 32;

/// How many leaves of a thread's scans one access to shared memory has: 1 where
/// leaves differ in type, where scans do not lie side by side, where all leaves
/// are kept, so that there are no registers for several at a time, and where
/// the totals of one leaf, of `count` states, end between two alignments, for
/// which the plan has room.
static int64_t getAccessed(KernelOp kernel, const ScanLanes &lanes,
                           ArrayRef<bool> kept, int64_t count) {
  SmallVector<Type> types = kernel.getLeafTypes();
  if (kept.empty() || lanes.getScans() == 1 || types.empty() ||
      !llvm::all_equal(types) || !types.front().isIntOrFloat() ||
      types.front().isInteger(1))
    return 1;
  int64_t bytes = count * getStorageBytes(types.front());
  if (bytes != alignShared(bytes))
    return 1;
  return getVectorLength(types.front(), lanes.vector * types.size());
}

WarpTotals::WarpTotals(KernelFrame &frame, KernelOp kernel,
                       const ScanLanes &lanes, ArrayRef<bool> kept)
    : kernel(kernel), lanes(lanes), kept(kept),
      accessed(getAccessed(kernel, lanes, kept, frame.getPlan().warpTotals)),
      totals(frame, kernel, accessed > 1 ? 0 : frame.getPlan().warpTotals) {
  if (accessed > 1 && frame.getPlan().warpTotals != 0)
    together = addPartsBuffer(
        frame, frame.getPlan().warpTotals * kernel.getNumLeaves(),
        kernel.getLeafTypes().front());
}

SmallVector<Value> WarpTotals::pack(ValueRange state) const {
  return kept.empty() ? SmallVector<Value>(state) : packLeaves(kept, state);
}

State WarpTotals::unpack(ImplicitLocOpBuilder &b, ValueRange packed) const {
  return kept.empty() ? State(packed) : unpackLeaves(b, kernel, kept, packed);
}

Value WarpTotals::getSlot(ImplicitLocOpBuilder &b, Value phase, Value warp,
                          Value scan) {
  // Scan by scan of all lanes, so that lanes meet different banks.
  int64_t scans = lanes.getScans();
  Value slot = b.createOrFold<arith::AddIOp>(
      mulConstant(b, phase, lanes.blockWarps * scans),
      mulConstant(b, warp, scans));
  slot = b.createOrFold<arith::AddIOp>(slot, lanes.lane);
  return b.createOrFold<arith::AddIOp>(slot, mulConstant(b, scan, lanes.lanes));
}

/// Where all leaves of the thread's scans begin that lie together.
Value WarpTotals::getFirstLeaf(ImplicitLocOpBuilder &b, Value phase,
                               Value warp) {
  int64_t ofLane = lanes.vector * kernel.getNumLeaves();
  int64_t ofWarp = lanes.lanes * ofLane;
  Value slot = b.createOrFold<arith::AddIOp>(
      mulConstant(b, phase, lanes.blockWarps * ofWarp),
      mulConstant(b, warp, ofWarp));
  return b.createOrFold<arith::AddIOp>(slot,
                                       mulConstant(b, lanes.lane, ofLane));
}

/// Where those of its scan number `scan`, an index, begin.
Value WarpTotals::getLeafOfScan(ImplicitLocOpBuilder &b, Value phase,
                                Value warp, Value scan) {
  return b.createOrFold<arith::AddIOp>(
      getFirstLeaf(b, phase, warp),
      mulConstant(b, scan, kernel.getNumLeaves()));
}

/// The totals of warp number `warp` of those that share the thread's scans.
SmallVector<State> WarpTotals::load(ImplicitLocOpBuilder &b, Value phase,
                                    Value warp) {
  if (lanes.row)
    warp = b.createOrFold<arith::AddIOp>(mulConstant(b, lanes.row, lanes.warps),
                                         warp);
  SmallVector<State> states(lanes.vector);
  if (!together) {
    for (auto [scan, state] : llvm::enumerate(states))
      state = totals.load(b, getSlot(b, phase, warp, indexConstant(b, scan)));
    return states;
  }
  Type type = kernel.getLeafTypes().front();
  int64_t numLeaves = kernel.getNumLeaves();
  Value first = getFirstLeaf(b, phase, warp);
  SmallVector<Value> leaves;
  for (int64_t i = 0; i < lanes.vector * numLeaves; i += accessed)
    llvm::append_range(
        leaves,
        unpackElements(b,
                       loadSharedParts(b, type, together,
                                       addConstant(b, first, i), accessed),
                       type));
  for (auto [scan, state] : llvm::enumerate(states))
    state = State(ArrayRef(leaves).slice(scan * numLeaves, numLeaves));
  return states;
}

void WarpTotals::store(ImplicitLocOpBuilder &b, ArrayRef<State> states,
                       Value phase) {
  if (!together) {
    for (auto [scan, state] : llvm::enumerate(states))
      totals.store(b, state,
                   getSlot(b, phase, lanes.warp, indexConstant(b, scan)));
    return;
  }
  SmallVector<Value> leaves;
  for (const State &state : states)
    llvm::append_range(leaves, state);
  Value first = getFirstLeaf(b, phase, lanes.warp);
  for (int64_t i = 0; i < int64_t(leaves.size()); i += accessed)
    storeSharedParts(b, packElements(b, ArrayRef(leaves).slice(i, accessed)),
                     leaves.front().getType(), together,
                     addConstant(b, first, i), accessed);
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

/// Carries `values` from one warp to the next one, from the second to the last
/// in the order of the walk, by `step`.
SmallVector<Value> WarpTotals::walkOthers(ImplicitLocOpBuilder &b,
                                          SmallVector<Value> values,
                                          bool isReverse, bool isUnrolled,
                                          Step step) {
  int64_t last = lanes.warps - 1;
  // A loop needs something to carry, which a scan whose states nobody reads
  // has not.
  if (isUnrolled || values.empty()) {
    for (int64_t i = 1; i <= last; ++i)
      values = step(b, indexConstant(b, isReverse ? last - i : i), values);
    return values;
  }
  Value one = indexConstant(b, 1);
  values = createFor(
      b, one, indexConstant(b, lanes.warps), one, values,
      [&](ImplicitLocOpBuilder &inner, Value number, ValueRange carried) {
        Value warp = isReverse ? inner.createOrFold<arith::SubIOp>(
                                     indexConstant(inner, last), number)
                               : number;
        return step(inner, warp, carried);
      });
  keepLoop(values.front());
  return values;
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
    for (const State &total : load(inner, phase, warp)) {
      ValueRange before = walked.take_front(numCarried);
      ValueRange running = walked.slice(numCarried, numCarried);
      walked = walked.drop_front(2 * numCarried);
      llvm::append_range(next, selectState(inner, isMine, running, before));
      State after = combine(inner, kernel, unpack(inner, running), total);
      llvm::append_range(next, pack(after));
    }
    return next;
  };
  int64_t first = isReverse ? lanes.warps - 1 : 0;
  SmallVector<Value> walked;
  for (auto [carry, total] :
       llvm::zip_equal(carries, load(b, phase, indexConstant(b, first)))) {
    llvm::append_range(walked, pack(carry.state));
    llvm::append_range(walked, pack(combineIfPresent(b, kernel, carry, total)));
  }
  int64_t numLeaves = lanes.warps * lanes.vector * kernel.getNumLeaves();
  int64_t unrolled =
      lanes.getScans() == 1 ? kUnrolledLeavesOfOne : kUnrolledLeaves;
  walked = walkOthers(b, walked, isReverse, numLeaves <= unrolled, step);

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

bool WarpTotals::areWalkedForAll() const {
  int64_t walking = llvm::divideCeil(lanes.vector, lanes.groupsPerWarp);
  if (kept.empty() || lanes.getScans() == 1 || lanes.warps < 2 * walking)
    return false;
  // Of short strips of columns, what is read together is read sooner.
  constexpr int64_t mostGroups = 2;
  if (together && lanes.groupsPerWarp > mostGroups)
    return false;
  return lanes.warps * lanes.vector * KernelOp(kernel).getNumLeaves() >=
         kManyLoads;
}

/// The total of warp number `warp` of the lane's scan number `scan`, an index.
State WarpTotals::loadScan(ImplicitLocOpBuilder &b, Value phase, Value warp,
                           Value scan) {
  if (!together)
    return totals.load(b, getSlot(b, phase, warp, scan));
  Type type = kernel.getLeafTypes().front();
  int64_t numLeaves = kernel.getNumLeaves();
  // Those of one scan lie together, but not each begins where as many can be
  // accessed as of all scans.
  int64_t count = std::gcd(accessed, numLeaves);
  Value first = getLeafOfScan(b, phase, warp, scan);
  State state;
  for (int64_t i = 0; i < numLeaves; i += count)
    llvm::append_range(
        state, unpackElements(b,
                              loadSharedParts(b, type, together,
                                              addConstant(b, first, i), count),
                              type));
  return state;
}

/// Leaves `state` in the place of that total.
void WarpTotals::storeWalked(ImplicitLocOpBuilder &b, ValueRange state,
                             Value phase, Value warp, Value scan) {
  if (!together)
    return totals.storeKept(b, kept, state, getSlot(b, phase, warp, scan));
  Value first = getLeafOfScan(b, phase, warp, scan);
  for (auto [i, leaf] : llvm::enumerate(state))
    if (kept[i])
      storeSharedParts(b, packElements(b, leaf), leaf.getType(), together,
                       addConstant(b, first, i), 1);
}

/// Walks the totals of the lane's scan number `scan`, an index: in the place of
/// the total of each warp it leaves the state before that warp, and in the
/// place of the first one, whose is `carry`, the state after the last.
void WarpTotals::walkScan(ImplicitLocOpBuilder &b, const Prefix &carry,
                          Value phase, Value scan, bool isReverse) {
  int64_t first = isReverse ? lanes.warps - 1 : 0;
  auto step = [&](ImplicitLocOpBuilder &inner, Value warp, ValueRange running) {
    State total = loadScan(inner, phase, warp, scan);
    State before = unpack(inner, running);
    storeWalked(inner, before, phase, warp, scan);
    return pack(combine(inner, kernel, before, total));
  };
  Value firstWarp = indexConstant(b, first);
  SmallVector<Value> running = pack(
      combineIfPresent(b, kernel, carry, loadScan(b, phase, firstWarp, scan)));
  running = walkOthers(
      b, running, isReverse,
      lanes.warps * kernel.getNumLeaves() <= kUnrolledLeavesOfOne, step);
  storeWalked(b, unpack(b, running), phase, firstWarp, scan);
}

void WarpTotals::walkForAll(ImplicitLocOpBuilder &b, ArrayRef<Prefix> carries,
                            Value phase, bool isReverse) {
  // A scan for each group of as many warps as that takes: fewer would have more
  // totals in registers at a time.
  Value number = lanes.getScanWarp(b);
  if (isReverse)
    number = b.createOrFold<arith::SubIOp>(indexConstant(b, lanes.warps - 1),
                                           number);
  number = b.createOrFold<arith::AddIOp>(
      mulConstant(b, number, lanes.groupsPerWarp), lanes.groupInWarp);
  createIf(
      b, compare(b, arith::CmpIPredicate::ult, number, lanes.vector),
      [&](ImplicitLocOpBuilder &inner) {
        Prefix carry = carries.front();
        for (int64_t i = 1; i < lanes.vector; ++i) {
          const Prefix &other = carries[i];
          Value isOther = compare(inner, arith::CmpIPredicate::eq, number, i);
          carry.state = selectState(inner, isOther, other.state, carry.state);
          if (carry.present)
            carry.present = inner.createOrFold<arith::SelectOp>(
                isOther, other.present, carry.present);
        }
        walkScan(inner, carry, phase, number, isReverse);
      });
}

SmallVector<WarpTotals::Result> WarpTotals::loadWalked(ImplicitLocOpBuilder &b,
                                                       ArrayRef<Prefix> carries,
                                                       Value phase,
                                                       bool isReverse) {
  int64_t first = isReverse ? lanes.warps - 1 : 0;
  Value mine = lanes.getScanWarp(b);
  Value isFirst = compare(b, arith::CmpIPredicate::eq, mine, first);
  SmallVector<Result> results;
  for (auto [carry, before, after] :
       llvm::zip_equal(carries, load(b, phase, mine),
                       load(b, phase, indexConstant(b, first)))) {
    Result result;
    result.before.state =
        selectState(b, isFirst, carry.state, unpack(b, pack(before)));
    result.before.present = createIsPresent(b, carry, first);
    result.total = unpack(b, pack(after));
    results.push_back(result);
  }
  return results;
}

SmallVector<WarpTotals::Result> WarpTotals::walkBack(ImplicitLocOpBuilder &b,
                                                     ArrayRef<Prefix> carries,
                                                     Value phase,
                                                     Value present) {
  Value mine = lanes.getScanWarp(b);
  SmallVector<Prefix> running(carries), before(carries);
  for (int64_t warp = lanes.warps - 1; warp >= 0; --warp) {
    Value number = indexConstant(b, warp);
    Value isMine = compare(b, arith::CmpIPredicate::eq, mine, warp);
    Value hasTotal = compare(b, arith::CmpIPredicate::ugt, present, warp);
    for (auto [state, reached, total] :
         llvm::zip_equal(running, before, load(b, phase, number))) {
      reached.state = selectState(b, isMine, state.state, reached.state);
      State after = combineIfPresent(b, kernel, state, total);
      state.state = selectState(b, hasTotal, after, state.state);
      if (state.present)
        state.present = b.createOrFold<arith::OrIOp>(state.present, hasTotal);
    }
  }
  Value isBehind =
      compare(b, arith::CmpIPredicate::ult, addConstant(b, mine, 1), present);
  SmallVector<Result> results;
  for (auto [carry, state, last] : llvm::zip_equal(carries, before, running)) {
    if (carry.present)
      state.present = b.createOrFold<arith::OrIOp>(carry.present, isBehind);
    results.push_back({state, last.state});
  }
  return results;
}

/// The state after each warp, in the lane of its number.
State WarpTotals::scanTotals(ImplicitLocOpBuilder &b, Value phase) {
  // Lanes beyond the warps hold the last total again, which flows to no lane
  // that is looked at.
  Value last = indexConstant(b, lanes.warps - 1);
  Value warp = b.createOrFold<arith::MinUIOp>(lanes.warpLane, last);
  return scanWarp(b, kernel, load(b, phase, warp).front(), lanes.warpLane,
                  llvm::PowerOf2Ceil(lanes.warps));
}

/// The number of the warp before the thread's; 0 if there is none.
Value WarpTotals::getPreviousWarp(ImplicitLocOpBuilder &b) {
  Value one = indexConstant(b, 1);
  return b.createOrFold<arith::SubIOp>(
      b.createOrFold<arith::MaxUIOp>(lanes.getScanWarp(b), one), one);
}

State WarpTotals::scanInPlace(ImplicitLocOpBuilder &b, Value phase) {
  State scanned = scanTotals(b, phase);
  // Lanes beyond the warps have read what the last of these writes.
  syncWarp(b);
  createIf(b,
           compare(b, arith::CmpIPredicate::ult, lanes.warpLane, lanes.warps),
           [&](ImplicitLocOpBuilder &inner) {
             totals.store(inner, scanned,
                          getSlot(inner, phase, lanes.warpLane,
                                  /*scan=*/indexConstant(inner, 0)));
           });
  return shuffleFrom(b, scanned, indexConstant(b, lanes.warps - 1));
}

Prefix WarpTotals::loadBefore(ImplicitLocOpBuilder &b, Value phase) {
  Prefix none = createAbsent(b, kernel);
  Value isFirst = compare(b, arith::CmpIPredicate::eq, lanes.getScanWarp(b), 0);
  State before = load(b, phase, getPreviousWarp(b)).front();
  // The identity is known where nothing can be absent.
  if (!none.present)
    return {selectState(b, isFirst, none.state, before), Value()};
  return {before, createNot(b, isFirst)};
}

WarpTotals::Result WarpTotals::scan(ImplicitLocOpBuilder &b,
                                    const Prefix &carry, Value phase) {
  State scanned = scanTotals(b, phase);
  Value last = indexConstant(b, lanes.warps - 1);
  Value mine = lanes.getScanWarp(b);
  State earlier = shuffleFrom(b, scanned, getPreviousWarp(b));
  Result result;
  result.before.state =
      selectState(b, compare(b, arith::CmpIPredicate::eq, mine, 0), carry.state,
                  combineIfPresent(b, kernel, carry, earlier));
  result.total =
      combineIfPresent(b, kernel, carry, shuffleFrom(b, scanned, last));
  result.before.present = createIsPresent(b, carry, /*first=*/0);
  return result;
}
