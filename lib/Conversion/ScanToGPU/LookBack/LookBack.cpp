//===- LookBack.cpp - The state before a tile -----------------------------===//
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

/// How many lanes look, an index.
Value LookBack::getWidth(ImplicitLocOpBuilder &b, Value hasLooked) {
  Value all = indexConstant(b, kWarpSize);
  if (firstLanes == kWarpSize)
    return all;
  return arith::SelectOp::create(b, hasLooked, all,
                                 indexConstant(b, firstLanes));
}

/// What the first `width` lanes of the warp see, lane 0 in tile `nearest` and
/// the others in those before it. The states of the other lanes mean nothing,
/// and are no prefixes.
Descriptor::Observed LookBack::observeWindow(ImplicitLocOpBuilder &b,
                                             Value nearest, Value width,
                                             AddressOf addressOf) {
  Value tile = arith::SubIOp::create(b, nearest, lane);
  Value exists = compare(b, arith::CmpIPredicate::sge, tile, 0);
  Value looks;
  if (firstLanes != kWarpSize) {
    looks = compare(b, arith::CmpIPredicate::ult, lane, width);
    exists = arith::AndIOp::create(b, exists, looks);
  }
  SmallVector<Value> observed = createIfElse(
      b, exists,
      [&](ImplicitLocOpBuilder &inner) {
        Descriptor::Observed seen =
            descriptor.observe(inner, addressOf(inner, tile), flags);
        SmallVector<Value> values(seen.state);
        values.push_back(seen.isPrefix);
        return values;
      },
      [&](ImplicitLocOpBuilder &inner) {
        // Never reached: the prefix of the first tile ends every sum.
        Value isPrefix = looks ? looks : boolConstant(inner, true);
        SmallVector<Value> values = zeroState(inner, kernel);
        values.push_back(isPrefix);
        return values;
      });
  Descriptor::Observed result;
  result.isPrefix = observed.pop_back_val();
  result.state = observed;
  return result;
}

State LookBack::emit(ImplicitLocOpBuilder &b, Value tile, AddressOf addressOf) {
  if (kernel.getOrder().value_or(Order::Any) == Order::Any)
    return emitTree(b, tile, addressOf);
  return emitLeftFold(b, tile, addressOf);
}

//===----------------------------------------------------------------------===//
// Any order
//===----------------------------------------------------------------------===//

State LookBack::emitTree(ImplicitLocOpBuilder &b, Value tile,
                         AddressOf addressOf) {
  // Carried: the tile that lane 0 looks at, whether there is a sum already, and
  // the sum, to which older windows are added on the left.
  SmallVector<Value> inits{addConstant(b, tile, -1), boolConstant(b, false)};
  llvm::append_range(inits, zeroState(b, kernel));
  SmallVector<Type> resultTypes{b.getIndexType()};
  llvm::append_range(resultTypes, kernel.getLeafTypes());
  auto loop = scf::WhileOp::create(
      b, resultTypes, inits,
      [&](OpBuilder &builder, Location loc, ValueRange carried) {
        ImplicitLocOpBuilder inner(loc, builder);
        Value hasSum = carried[1];
        Value width = getWidth(inner, hasSum);
        Descriptor::Observed seen =
            observeWindow(inner, carried[0], width, addressOf);
        State sum = seen.state;
        Value ends = seen.isPrefix;
        for (int64_t delta = 1; delta < kWarpSize; delta *= 2) {
          SmallVector<Value> values(sum);
          values.push_back(ends);
          State older = shuffleDown(inner, values, delta);
          Value olderEnds = older.pop_back_val();
          // Of the first lanes that look there may be fewer than `delta`.
          Value isInWindow = compare(inner, arith::CmpIPredicate::slt, lane,
                                     addConstant(inner, width, -delta));
          Value adds =
              arith::AndIOp::create(inner, isInWindow, createNot(inner, ends));
          sum = combineIfPresent(inner, kernel, {older, adds}, sum);
          ends = arith::SelectOp::create(inner, adds, olderEnds, ends);
        }
        SmallVector<Value> values(sum);
        values.push_back(ends);
        State all = broadcastLane(inner, values, 0);
        Value allEnds = all.pop_back_val();
        State added = joinPrefixes(inner, kernel, {all, Value()},
                                   {State(carried.drop_front(2)), hasSum})
                          .state;
        SmallVector<Value> passed{
            inner.createOrFold<arith::SubIOp>(carried[0], width)};
        llvm::append_range(passed, added);
        scf::ConditionOp::create(inner, createNot(inner, allEnds), passed);
      },
      [&](OpBuilder &builder, Location loc, ValueRange passed) {
        ImplicitLocOpBuilder inner(loc, builder);
        SmallVector<Value> next{passed[0], boolConstant(inner, true)};
        llvm::append_range(next, passed.drop_front(1));
        scf::YieldOp::create(inner, next);
      });
  return State(loop.getResults().drop_front(1));
}

//===----------------------------------------------------------------------===//
// Deterministic order
//===----------------------------------------------------------------------===//

/// The lowest lane that sees a prefix, an index in all lanes; kWarpSize if none
/// does.
Value LookBack::findNearest(ImplicitLocOpBuilder &b, Value isPrefix) {
  Value nearest = arith::SelectOp::create(
      b, isPrefix, arith::IndexCastOp::create(b, b.getI32Type(), lane),
      arith::ConstantOp::create(b, b.getI32IntegerAttr(kWarpSize)));
  for (int64_t mask = 1; mask < kWarpSize; mask *= 2)
    nearest = arith::MinUIOp::create(b, nearest,
                                     shuffleXor(b, nearest, mask).front());
  return arith::IndexCastOp::create(b, b.getIndexType(), nearest);
}

State LookBack::emitLeftFold(ImplicitLocOpBuilder &b, Value tile,
                             AddressOf addressOf) {
  // Back to a window with a prefix; then forward again, folding. A tile that
  // has turned from aggregate to prefix in between is where the fold begins
  // anew.
  Value last = addConstant(b, tile, -1);
  auto widthAt = [&](ImplicitLocOpBuilder &inner, Value nearest) {
    return getWidth(inner,
                    compare(inner, arith::CmpIPredicate::ne, nearest, last));
  };
  auto search = scf::WhileOp::create(
      b, TypeRange(b.getIndexType()), ValueRange(last),
      [&](OpBuilder &builder, Location loc, ValueRange carried) {
        ImplicitLocOpBuilder inner(loc, builder);
        Value width = widthAt(inner, carried[0]);
        Value nearest = findNearest(
            inner, observeWindow(inner, carried[0], width, addressOf).isPrefix);
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
                      b, addConstant(b, distance, kWarpSize - firstLanes),
                      indexConstant(b, kWarpSize)),
                  1);
  Value zero = indexConstant(b, 0), one = indexConstant(b, 1);
  return createFor(
      b, zero, windows, one, zeroState(b, kernel),
      [&](ImplicitLocOpBuilder &inner, Value window, ValueRange sum) {
        Value nearest = arith::AddIOp::create(
            inner, begin, mulConstant(inner, window, kWarpSize));
        if (firstLanes != kWarpSize)
          nearest = arith::MinSIOp::create(inner, nearest, last);
        Value width = widthAt(inner, nearest);
        Descriptor::Observed seen =
            observeWindow(inner, nearest, width, addressOf);
        Value prefix = findNearest(inner, seen.isPrefix);
        // From the prefix, or from the oldest tile of the window, to lane 0.
        Value oldest = arith::MinUIOp::create(inner, prefix,
                                              addConstant(inner, width, -1));
        Value steps = addConstant(inner, oldest, 1);
        return createFor(
            inner, zero, steps, one, sum,
            [&](ImplicitLocOpBuilder &step, Value number, ValueRange folded) {
              Value from = arith::SubIOp::create(step, oldest, number);
              State next = shuffleFrom(step, seen.state, from);
              Value isLater =
                  compare(step, arith::CmpIPredicate::ne, from, prefix);
              return combineIfPresent(step, kernel, {State(folded), isLater},
                                      next);
            });
      });
}
