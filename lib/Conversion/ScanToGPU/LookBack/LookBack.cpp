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
            descriptor.observe(inner, addresses, own, flags, wanted);
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

/// i1: whether the thread's group is in a window of `width` tiles, an index;
/// null where all groups are in the smallest window.
Value LookBack::createInWindow(ImplicitLocOpBuilder &b, Value width) {
  if (firstTiles == lanes.groupsPerWarp)
    return Value();
  return compare(b, arith::CmpIPredicate::ult, lanes.groupInWarp, width);
}

/// What the groups of the warp see for which `inWindow` holds (null: all of
/// them), the first one in tile `nearest` and the others in those before it.
/// The states of the other groups mean nothing, and are no prefixes. Lanes
/// whose prefixes are complete (`isDone`, which may be null) do not look.
LookBack::Seen LookBack::observeWindow(ImplicitLocOpBuilder &b, Value nearest,
                                       Value inWindow, Value isDone) {
  Value tile = arith::SubIOp::create(b, nearest, lanes.groupInWarp);
  // Tiles before the first one are never added: its prefixes end every
  // look-back.
  Value looks = compare(b, arith::CmpIPredicate::sge, tile, 0);
  if (isDone)
    looks = arith::AndIOp::create(b, looks, createNot(b, isDone));
  if (inWindow)
    looks = arith::AndIOp::create(b, looks, inWindow);
  return observeIf(b, looks, tile, Descriptor::Wanted::Any, inWindow);
}

/// combine(earlier, later) of each scan, where what is earlier may be absent: a
/// null condition always holds.
SmallVector<Value> LookBack::combineAll(ImplicitLocOpBuilder &b,
                                        ValueRange earlier, Value hasEarlier,
                                        ValueRange later) {
  size_t numLeaves = kernel.getNumLeaves();
  SmallVector<Value> combined;
  for (size_t first = 0; first < later.size(); first += numLeaves) {
    Prefix before{State(earlier.slice(first, numLeaves)), hasEarlier};
    llvm::append_range(
        combined,
        combineIfPresent(b, kernel, before, later.slice(first, numLeaves)));
  }
  return combined;
}

/// In the first group of the warp the combination of what the first `width`
/// groups see, back to the nearest prefixes; whether it begins with these, in
/// all groups.
LookBack::Seen LookBack::combineWindow(ImplicitLocOpBuilder &b, Seen seen,
                                       int64_t width) {
  for (int64_t delta = 1; delta < width; delta *= 2) {
    SmallVector<Value> values(seen.states);
    values.push_back(seen.arePrefixes);
    State older = shuffleDown(b, values, delta * lanes.lanes);
    Value olderArePrefixes = older.pop_back_val();
    Value inWindow =
        compare(b, arith::CmpIPredicate::ult, lanes.groupInWarp, width - delta);
    Value adds =
        arith::AndIOp::create(b, inWindow, createNot(b, seen.arePrefixes));
    seen.states = combineAll(b, older, adds, seen.states);
    seen.arePrefixes =
        arith::SelectOp::create(b, adds, olderArePrefixes, seen.arePrefixes);
  }
  if (lanes.groupsPerWarp > 1)
    seen.arePrefixes = shuffleFrom(b, seen.arePrefixes, lanes.lane).front();
  return seen;
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
  // The first window is emitted by itself: nearly all look-backs end there,
  // which takes fewer steps the smaller it is, and nothing is behind it.
  Value nearest = addConstant(b, tile, -1);
  Value inFirst = createInWindow(b, indexConstant(b, firstTiles));
  Seen first =
      combineWindow(b, observeWindow(b, nearest, inFirst, Value()), firstTiles);
  // Carried: the tile that the first group examines next, whether the states of
  // the thread's scans are complete, and these states, with which older windows
  // are combined on the left.
  SmallVector<Value> inits{addConstant(b, nearest, -firstTiles),
                           first.arePrefixes};
  llvm::append_range(inits, first.states);
  constexpr size_t numOthers = 2;
  auto loop = scf::WhileOp::create(
      b, ValueRange(inits).getTypes(), inits,
      [&](OpBuilder &builder, Location loc, ValueRange carried) {
        ImplicitLocOpBuilder inner(loc, builder);
        scf::ConditionOp::create(
            inner, isAny(inner, createNot(inner, carried[1])), carried);
      },
      [&](OpBuilder &builder, Location loc, ValueRange carried) {
        ImplicitLocOpBuilder inner(loc, builder);
        ValueRange combined = carried.drop_front(numOthers);
        // Where lanes have scans of their own, some may be done before others.
        Value isDone = lanes.lanes > 1 ? carried[1] : Value();
        int64_t width = lanes.groupsPerWarp;
        Seen seen = combineWindow(
            inner, observeWindow(inner, carried[0], Value(), isDone), width);
        // Other groups than the first have states that mean nothing.
        Value isFirst =
            compare(inner, arith::CmpIPredicate::eq, lanes.groupInWarp, 0);
        State added = combineAll(inner, seen.states, isFirst, combined);
        if (isDone)
          added = selectState(inner, isDone, combined, added);
        Value areDone =
            isDone ? arith::OrIOp::create(inner, isDone, seen.arePrefixes)
                   : seen.arePrefixes;
        SmallVector<Value> next{addConstant(inner, carried[0], -width),
                                areDone};
        llvm::append_range(next, added);
        scf::YieldOp::create(inner, next);
      });
  return SmallVector<Value>(loop.getResults().drop_front(numOthers));
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
  auto widthAt = [&](ImplicitLocOpBuilder &inner, Value nearest) -> Value {
    Value all = indexConstant(inner, lanes.groupsPerWarp);
    if (firstTiles == lanes.groupsPerWarp)
      return all;
    return arith::SelectOp::create(
        inner, compare(inner, arith::CmpIPredicate::eq, nearest, last),
        indexConstant(inner, firstTiles), all);
  };
  auto observe = [&](ImplicitLocOpBuilder &inner, Value nearest, Value width) {
    return observeWindow(inner, nearest, createInWindow(inner, width), Value());
  };
  auto search = scf::WhileOp::create(
      b, TypeRange(b.getIndexType()), ValueRange(last),
      [&](OpBuilder &builder, Location loc, ValueRange carried) {
        ImplicitLocOpBuilder inner(loc, builder);
        Seen seen = observe(inner, carried[0], widthAt(inner, carried[0]));
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
        Seen seen = observe(inner, nearest, width);
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
