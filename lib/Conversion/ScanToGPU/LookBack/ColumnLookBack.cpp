//===- ColumnLookBack.cpp - The states before a tile of columns -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnLookBack.h"

using namespace mlir;
using namespace mlir::scan;

/// What the thread sees in tile `tile`; where `condition` does not hold it does
/// not look, and the states mean nothing.
ColumnLookBack::Seen ColumnLookBack::observeIf(ImplicitLocOpBuilder &b,
                                               Value condition, Value tile,
                                               AddressOf addressOf,
                                               Descriptor::Wanted wanted) {
  SmallVector<Value> values = createIfElse(
      b, condition,
      [&](ImplicitLocOpBuilder &inner) {
        SmallVector<Value> addresses;
        for (int64_t column = 0; column < layout.vector; ++column)
          addresses.push_back(addressOf(inner, tile, column));
        Descriptor::ObservedStates observed =
            descriptor.observeAll(inner, addresses, flags, wanted);
        SmallVector<Value> yielded;
        for (const State &state : observed.states)
          llvm::append_range(yielded, state);
        yielded.push_back(observed.arePrefixes);
        return yielded;
      },
      [&](ImplicitLocOpBuilder &inner) {
        SmallVector<Value> yielded;
        for (int64_t column = 0; column < layout.vector; ++column)
          llvm::append_range(yielded, zeroState(inner, kernel));
        yielded.push_back(boolConstant(inner, true));
        return yielded;
      });
  Value arePrefixes = values.pop_back_val();
  return {arePrefixes, values};
}

SmallVector<Value>
ColumnLookBack::combineAll(ImplicitLocOpBuilder &b, ValueRange earlier,
                           Value hasEarlier, ValueRange later, Value hasLater) {
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

/// In all groups of the warp the sums of what its groups see, the first one in
/// the nearest tile, back to the nearest prefixes; of the first group alone
/// where the window is not `isWhole`.
ColumnLookBack::Seen ColumnLookBack::combineWindow(ImplicitLocOpBuilder &b,
                                                   Seen seen, Value isWhole) {
  if (layout.groupsPerWarp == 1)
    return seen;
  for (int64_t delta = 1; delta < layout.groupsPerWarp; delta *= 2) {
    SmallVector<Value> values(seen.states);
    values.push_back(seen.arePrefixes);
    State older = shuffleDown(b, values, delta * layout.lanes);
    Value olderArePrefixes = older.pop_back_val();
    Value isInWarp = compare(b, arith::CmpIPredicate::ult, layout.groupInWarp,
                             layout.groupsPerWarp - delta);
    Value adds = arith::AndIOp::create(b, isInWarp, isWhole);
    adds = arith::AndIOp::create(b, adds, createNot(b, seen.arePrefixes));
    seen.states = combineAll(b, older, adds, seen.states, Value());
    seen.arePrefixes =
        arith::SelectOp::create(b, adds, olderArePrefixes, seen.arePrefixes);
  }
  SmallVector<Value> values(seen.states);
  values.push_back(seen.arePrefixes);
  State ofFirst = shuffleFrom(b, values, layout.lane);
  Value arePrefixes = ofFirst.pop_back_val();
  return {arePrefixes, ofFirst};
}

/// Whether `condition` holds in any lane of a group, if it is the same in all
/// groups of the warp.
Value ColumnLookBack::isAny(ImplicitLocOpBuilder &b, Value condition) {
  // Lanes that never meet in a shuffle may go their own ways.
  if (layout.groupsPerWarp == 1)
    return condition;
  for (int64_t mask = 1; mask < layout.lanes; mask *= 2)
    condition = arith::OrIOp::create(b, condition,
                                     shuffleXor(b, condition, mask).front());
  return condition;
}

SmallVector<Value> ColumnLookBack::emitWindows(ImplicitLocOpBuilder &b,
                                               Value tile,
                                               AddressOf addressOf) {
  // Carried: the tile that the first group looks at, whether there are sums
  // already, whether they begin with prefixes, and the sums, to which older
  // windows are added on the left.
  SmallVector<Value> inits{addConstant(b, tile, -1), boolConstant(b, false),
                           boolConstant(b, false)};
  for (int64_t column = 0; column < layout.vector; ++column)
    llvm::append_range(inits, zeroState(b, kernel));
  auto loop = scf::WhileOp::create(
      b, TypeRange(inits), inits,
      [&](OpBuilder &builder, Location loc, ValueRange carried) {
        ImplicitLocOpBuilder inner(loc, builder);
        Value hasTotals = carried[1], isDone = carried[2];
        ValueRange sums = carried.drop_front(3);
        Value ofGroup =
            arith::SubIOp::create(inner, carried[0], layout.groupInWarp);
        Value looks = compare(inner, arith::CmpIPredicate::sge, ofGroup, 0);
        looks = arith::AndIOp::create(inner, looks, createNot(inner, isDone));
        Value isFirst =
            compare(inner, arith::CmpIPredicate::eq, layout.groupInWarp, 0);
        looks = arith::AndIOp::create(
            inner, looks, arith::OrIOp::create(inner, hasTotals, isFirst));
        // Tiles before the first one are never added: its prefixes end all
        // sums.
        Seen seen = combineWindow(inner,
                                  observeIf(inner, looks, ofGroup, addressOf,
                                            Descriptor::Wanted::Any),
                                  hasTotals);
        State added = combineAll(inner, seen.states, Value(), sums, hasTotals);
        Value areDone = arith::OrIOp::create(inner, isDone, seen.arePrefixes);
        SmallVector<Value> passed{carried[0], hasTotals, areDone};
        llvm::append_range(passed, selectState(inner, isDone, sums, added));
        scf::ConditionOp::create(inner, isAny(inner, createNot(inner, areDone)),
                                 passed);
      },
      [&](OpBuilder &builder, Location loc, ValueRange passed) {
        ImplicitLocOpBuilder inner(loc, builder);
        Value window = arith::SelectOp::create(
            inner, passed[1], indexConstant(inner, layout.groupsPerWarp),
            indexConstant(inner, 1));
        SmallVector<Value> next{arith::SubIOp::create(inner, passed[0], window),
                                boolConstant(inner, true)};
        llvm::append_range(next, passed.drop_front(2));
        scf::YieldOp::create(inner, next);
      });
  return SmallVector<Value>(loop.getResults().drop_front(3));
}

SmallVector<State> ColumnLookBack::emit(ImplicitLocOpBuilder &b, Value tile,
                                        AddressOf addressOf) {
  SmallVector<Value> values;
  if (readsAggregates(kernel)) {
    values = emitWindows(b, tile, addressOf);
  } else {
    Value isFirst = compare(b, arith::CmpIPredicate::eq, layout.groupInWarp, 0);
    values = observeIf(b, isFirst, addConstant(b, tile, -1), addressOf,
                       Descriptor::Wanted::Prefixes)
                 .states;
  }
  SmallVector<State> states;
  ValueRange rest(values);
  for (int64_t column = 0; column < layout.vector; ++column) {
    states.push_back(State(rest.take_front(kernel.getNumLeaves())));
    rest = rest.drop_front(kernel.getNumLeaves());
  }
  return states;
}
