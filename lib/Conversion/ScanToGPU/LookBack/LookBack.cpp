//===- LookBack.cpp - The states before a tile ----------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LookBack.h"
#include "../../GPUCommon/Emit.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::scan;

SmallVector<State> LookBack::emit(ImplicitLocOpBuilder &b, Value tile) {
  SmallVector<Value> values;
  if (!isDeterministic(kernel)) {
    values = emitWindows(b, tile);
  } else if (readsAggregates(kernel, lanes)) {
    values = emitLeftFold(b, tile);
  } else {
    Value isFirst = compare(b, arith::CmpIPredicate::eq, lanes.groupInWarp, 0);
    values = observeIf(b, isFirst, addConstant(b, tile, -1),
                       Descriptor::Wanted::Prefixes)
                 .states;
  }
  SmallVector<State> states;
  for (ValueRange rest(values); !rest.empty();
       rest = rest.drop_front(kernel.getNumLeaves()))
    states.push_back(State(rest.take_front(kernel.getNumLeaves())));
  return states;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// How many tiles a window has, an index; `isLater`: it is not the first one.
Value LookBack::getWidth(ImplicitLocOpBuilder &b, Value isLater) {
  Value all = indexConstant(b, lanes.groupsPerWarp);
  if (firstTiles == lanes.groupsPerWarp)
    return all;
  return arith::SelectOp::create(b, isLater, all, indexConstant(b, firstTiles));
}

SmallVector<Value> LookBack::createZeroStates(ImplicitLocOpBuilder &b) {
  SmallVector<Value> states;
  for (int64_t scan = 0; scan < lanes.vector; ++scan)
    llvm::append_range(states, zeroState(b, kernel));
  return states;
}

/// What the thread sees in tile `tile`; where `condition` does not hold it does
/// not look, the states mean nothing, and whether they are prefixes is
/// `otherwise`, if it is null true.
LookBack::Seen LookBack::observeIf(ImplicitLocOpBuilder &b, Value condition,
                                   Value tile, Descriptor::Wanted wanted,
                                   Value otherwise) {
  SmallVector<Value> values = createIfElse(
      b, condition,
      [&](ImplicitLocOpBuilder &inner) {
        SmallVector<Value> addresses;
        for (int64_t scan = 0; scan < lanes.vector; ++scan)
          addresses.push_back(addressOf(inner, tile, scan));
        Descriptor::Observed observed =
            descriptor.observe(inner, addresses, flags, wanted);
        SmallVector<Value> yielded;
        for (const State &state : observed.states)
          llvm::append_range(yielded, state);
        yielded.push_back(observed.arePrefixes);
        return yielded;
      },
      [&](ImplicitLocOpBuilder &inner) {
        Value arePrefixes = otherwise ? otherwise : boolConstant(inner, true);
        SmallVector<Value> yielded = createZeroStates(inner);
        yielded.push_back(arePrefixes);
        return yielded;
      });
  Value arePrefixes = values.pop_back_val();
  return {arePrefixes, values};
}

/// i1: whether the group `distance` behind the thread's is in a window of
/// `width` tiles. Where `isLater`, which may be null, says whether that is not
/// the first window, and the first has one tile, it is computed of that alone.
Value LookBack::createInWindow(ImplicitLocOpBuilder &b, Value width,
                               Value isLater, int64_t distance) {
  Value group = lanes.groupInWarp;
  if (firstTiles == 1 && isLater && distance == 0)
    return arith::OrIOp::create(b, isLater,
                                compare(b, arith::CmpIPredicate::eq, group, 0));
  if (firstTiles == 1 && isLater)
    return arith::AndIOp::create(b,
                                 compare(b, arith::CmpIPredicate::ult, group,
                                         lanes.groupsPerWarp - distance),
                                 isLater);
  // The window may have fewer tiles than the distance.
  return compare(
      b, distance == 0 ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt,
      group, addConstant(b, width, -distance));
}

/// What the first `width` groups of the warp see, the first one in tile
/// `nearest` and the others in those before it. The states of the other groups
/// mean nothing, and are no prefixes. Lanes whose prefixes are complete
/// (`isDone`, which may be null) do not look.
LookBack::Seen LookBack::observeWindow(ImplicitLocOpBuilder &b, Value nearest,
                                       Value width, Value isLater,
                                       Value isDone) {
  Value tile = arith::SubIOp::create(b, nearest, lanes.groupInWarp);
  Value looks = compare(b, arith::CmpIPredicate::sge, tile, 0);
  if (isDone)
    looks = arith::AndIOp::create(b, looks, createNot(b, isDone));
  // Tiles before the first one are never added: its prefixes end every
  // look-back.
  Value inWindow;
  if (firstTiles != lanes.groupsPerWarp) {
    inWindow = createInWindow(b, width, isLater, /*distance=*/0);
    looks = arith::AndIOp::create(b, looks, inWindow);
  }
  return observeIf(b, looks, tile, Descriptor::Wanted::Any,
                   isDone ? Value() : inWindow);
}

/// combine(earlier, later) of each scan, where one of them may be absent: null
/// stands for a condition that always holds.
SmallVector<Value> LookBack::combineAll(ImplicitLocOpBuilder &b,
                                        ValueRange earlier, Value hasEarlier,
                                        ValueRange later, Value hasLater) {
  size_t numLeaves = kernel.getNumLeaves();
  SmallVector<Value> combined;
  for (size_t first = 0; first < later.size(); first += numLeaves) {
    Prefix before{State(earlier.slice(first, numLeaves)), hasEarlier};
    State after(later.slice(first, numLeaves));
    llvm::append_range(
        combined, hasLater
                      ? joinPrefixes(b, kernel, before, {after, hasLater}).state
                      : combineIfPresent(b, kernel, before, after));
  }
  return combined;
}

/// In all groups of the warp the combination of what the first `width` groups
/// see, back to the nearest prefixes.
LookBack::Seen LookBack::combineWindow(ImplicitLocOpBuilder &b, Seen seen,
                                       Value width, Value isLater) {
  if (lanes.groupsPerWarp == 1)
    return seen;
  for (int64_t delta = 1; delta < lanes.groupsPerWarp; delta *= 2) {
    SmallVector<Value> values(seen.states);
    values.push_back(seen.arePrefixes);
    State older = shuffleDown(b, values, delta * lanes.lanes);
    Value olderArePrefixes = older.pop_back_val();
    Value adds =
        arith::AndIOp::create(b, createInWindow(b, width, isLater, delta),
                              createNot(b, seen.arePrefixes));
    seen.states = combineAll(b, older, adds, seen.states, Value());
    seen.arePrefixes =
        arith::SelectOp::create(b, adds, olderArePrefixes, seen.arePrefixes);
  }
  SmallVector<Value> values(seen.states);
  values.push_back(seen.arePrefixes);
  State ofFirst = shuffleFrom(b, values, lanes.lane);
  Value arePrefixes = ofFirst.pop_back_val();
  return {arePrefixes, ofFirst};
}

/// Whether `condition` holds in any lane of a group, if it is the same in all
/// groups of the warp.
Value LookBack::isAny(ImplicitLocOpBuilder &b, Value condition) {
  // Lanes that share no shuffle may diverge.
  if (lanes.groupsPerWarp == 1)
    return condition;
  for (int64_t mask = 1; mask < lanes.lanes; mask *= 2)
    condition = arith::OrIOp::create(b, condition,
                                     shuffleXor(b, condition, mask).front());
  return condition;
}

SmallVector<Value> LookBack::emitWindows(ImplicitLocOpBuilder &b, Value tile) {
  // Carried: the tile that the first group examines, whether there are combined
  // states already, where lanes have scans of their own whether theirs begin
  // with prefixes, and the combined states, with which older windows are
  // combined on the left.
  SmallVector<Value> inits{addConstant(b, tile, -1), boolConstant(b, false)};
  bool areDoneApart = lanes.lanes > 1;
  if (areDoneApart)
    inits.push_back(boolConstant(b, false));
  size_t numFlags = inits.size();
  llvm::append_range(inits, createZeroStates(b));
  // Passed on: the same without whether there are any.
  SmallVector<Type> passedTypes(ValueRange(inits).getTypes());
  passedTypes.erase(passedTypes.begin() + 1);
  auto loop = scf::WhileOp::create(
      b, passedTypes, inits,
      [&](OpBuilder &builder, Location loc, ValueRange carried) {
        ImplicitLocOpBuilder inner(loc, builder);
        Value hasCombined = carried[1];
        Value isDone = areDoneApart ? carried[2] : Value();
        ValueRange combined = carried.drop_front(numFlags);
        Value width = getWidth(inner, hasCombined);
        Seen seen = combineWindow(
            inner, observeWindow(inner, carried[0], width, hasCombined, isDone),
            width, hasCombined);
        State added =
            combineAll(inner, seen.states, Value(), combined, hasCombined);
        SmallVector<Value> passed{
            inner.createOrFold<arith::SubIOp>(carried[0], width)};
        Value areDone = seen.arePrefixes;
        if (areDoneApart) {
          areDone = arith::OrIOp::create(inner, isDone, areDone);
          added = selectState(inner, isDone, combined, added);
          passed.push_back(areDone);
        }
        llvm::append_range(passed, added);
        Value goesOn = createNot(inner, areDone);
        scf::ConditionOp::create(inner, isAny(inner, goesOn), passed);
      },
      [&](OpBuilder &builder, Location loc, ValueRange passed) {
        ImplicitLocOpBuilder inner(loc, builder);
        SmallVector<Value> next{passed[0], boolConstant(inner, true)};
        llvm::append_range(next, passed.drop_front(1));
        scf::YieldOp::create(inner, next);
      });
  return SmallVector<Value>(loop.getResults().drop_front(numFlags - 1));
}

//===----------------------------------------------------------------------===//
// Deterministic order, one scan
//===----------------------------------------------------------------------===//

/// The lowest lane that sees a prefix, an index in all lanes; kWarpSize if none
/// does.
Value LookBack::findNearest(ImplicitLocOpBuilder &b, Value isPrefix) {
  Value nearest = arith::SelectOp::create(
      b, isPrefix,
      arith::IndexCastOp::create(b, b.getI32Type(), lanes.groupInWarp),
      arith::ConstantOp::create(b, b.getI32IntegerAttr(kWarpSize)));
  for (int64_t mask = 1; mask < kWarpSize; mask *= 2)
    nearest = arith::MinUIOp::create(b, nearest,
                                     shuffleXor(b, nearest, mask).front());
  return arith::IndexCastOp::create(b, b.getIndexType(), nearest);
}

SmallVector<Value> LookBack::emitLeftFold(ImplicitLocOpBuilder &b, Value tile) {
  // Back to a window with a prefix; then forward again, folding. At a tile
  // that has published its prefix in between the fold begins again.
  Value last = addConstant(b, tile, -1);
  auto widthAt = [&](ImplicitLocOpBuilder &inner, Value nearest) {
    return getWidth(inner,
                    compare(inner, arith::CmpIPredicate::ne, nearest, last));
  };
  auto search = scf::WhileOp::create(
      b, TypeRange(b.getIndexType()), ValueRange(last),
      [&](OpBuilder &builder, Location loc, ValueRange carried) {
        ImplicitLocOpBuilder inner(loc, builder);
        Seen seen = observeWindow(inner, carried[0], widthAt(inner, carried[0]),
                                  Value(), Value());
        Value nearest = findNearest(inner, seen.arePrefixes);
        Value goesOn =
            compare(inner, arith::CmpIPredicate::eq, nearest, kWarpSize);
        scf::ConditionOp::create(inner, goesOn, carried);
      },
      [&](OpBuilder &builder, Location loc, ValueRange passed) {
        ImplicitLocOpBuilder inner(loc, builder);
        scf::YieldOp::create(inner, inner.createOrFold<arith::SubIOp>(
                                        passed[0], widthAt(inner, passed[0])));
      });
  Value begin = search.getResult(0);
  // The windows from `begin` to `last`, the last one of which may be smaller.
  Value distance = arith::SubIOp::create(b, last, begin);
  Value windows =
      addConstant(b,
                  arith::DivUIOp::create(
                      b, addConstant(b, distance, kWarpSize - firstTiles),
                      indexConstant(b, kWarpSize)),
                  1);
  Value zero = indexConstant(b, 0), one = indexConstant(b, 1);
  return createFor(
      b, zero, windows, one, zeroState(b, kernel),
      [&](ImplicitLocOpBuilder &inner, Value window, ValueRange sum) {
        Value nearest = arith::AddIOp::create(
            inner, begin, mulConstant(inner, window, kWarpSize));
        if (firstTiles != kWarpSize)
          nearest = arith::MinSIOp::create(inner, nearest, last);
        Value width = widthAt(inner, nearest);
        Seen seen = observeWindow(inner, nearest, width, Value(), Value());
        Value prefix = findNearest(inner, seen.arePrefixes);
        // From the prefix, or from the oldest tile of the window, to lane 0.
        Value oldest = arith::MinUIOp::create(inner, prefix,
                                              addConstant(inner, width, -1));
        Value steps = addConstant(inner, oldest, 1);
        return createFor(
            inner, zero, steps, one, sum,
            [&](ImplicitLocOpBuilder &step, Value number, ValueRange folded) {
              Value from = arith::SubIOp::create(step, oldest, number);
              State next = shuffleFrom(step, seen.states, from);
              Value isLater =
                  compare(step, arith::CmpIPredicate::ne, from, prefix);
              return combineIfPresent(step, kernel, {State(folded), isLater},
                                      next);
            });
      });
}
