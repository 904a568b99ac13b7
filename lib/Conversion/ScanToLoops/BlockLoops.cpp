//===- BlockLoops.cpp - A block of a long row -----------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockLoops.h"
#include "LoopHints.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::scan;

BlockLoops::BlockLoops(OpBuilder &builder, KernelEmitter &emitter,
                       int64_t lanes, Value isLarge)
    : RowLoops(builder, emitter, lanes, isLarge),
      chain(builder, emitter, held) {
  // As emitIsFinite has it.
  for (auto [type, isCarried] :
       llvm::zip_equal(kernel.getLeafTypes(), emitter.getCarried()))
    if (!isCarried && isa<FloatType>(type) && !begun)
      begun.emplace(builder, loc);
}

void BlockLoops::emitIf(Value condition, function_ref<void()> body) {
  auto branch = scf::IfOp::create(builder, loc, condition);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

void BlockLoops::addSteps(Point row, VectorRow::Total &total, Value end) {
  auto loop = scf::ForOp::create(builder, loc, total.position, end,
                                 emitter.index(1), total.leaves);
  disableVectorization(loop);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value step = loop.getInductionVar();
  row.indices[kernel.getDim()] = emitter.getTime(step);
  SmallVector<Value> fresh =
      emitter.applyLoad(emitter.loadInputs(row, invariants.front()), row);
  SmallVector<Value> next =
      emitter.applyCombine(loop.getRegionIterArgs(), fresh, row);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        step, total.begin);
  for (auto [leaf, value] : llvm::zip_equal(next, fresh))
    leaf = arith::SelectOp::create(builder, loc, isFirst, value, leaf);
  scf::YieldOp::create(builder, loc, next);
  total.leaves = llvm::to_vector(ValueRange(loop.getResults()));
  builder.setInsertionPointAfter(loop);
  total.position = arith::MaxUIOp::create(builder, loc, total.position, end);
}

Value BlockLoops::getFirstStep(const BlockPlace &place) {
  if (kernel.hasInit())
    return place.begin;
  return arith::MaxUIOp::create(builder, loc, place.begin, emitter.index(1));
}

VectorRow::Companion BlockLoops::beginBlock(const BlockPlace &place) {
  invariants.assign(1, emitter.loadInvariants(place.row));
  VectorRow::Range range =
      makeTiles().chooseRange(place.row, {getFirstStep(place), place.end});
  VectorRow::Total total{place.begin, place.begin,
                         emitter.zeroState(/*width=*/1)};
  addSteps(place.row, total,
           arith::MinUIOp::create(builder, loc, range.begin, place.end));
  return {place.row, range, total};
}

BlockLoops::Total BlockLoops::endBlock(const BlockPlace &place,
                                       VectorRow::Companion &part) {
  VectorRow::Total &total = part.total;
  invariants.assign(1, emitter.loadInvariants(place.row));
  addSteps(place.row, total, place.end);
  Value isFinite = emitIsFinite(builder, emitter, total.leaves);
  if (!isFinite)
    isFinite = arith::ConstantIntOp::create(builder, loc, 1, /*width=*/1);
  return {total.leaves, isFinite};
}

BlockLoops::Total BlockLoops::saveBlock(const BlockPlace &place) {
  VectorRow::Companion part = beginBlock(place);
  VectorRow tiles = makeTiles();
  tiles.useSavedTiles(saved);
  tiles.addTiles(place.row, part.range, part.total);
  return endBlock(place, part);
}

Value BlockLoops::computeUntilKnown(
    Value number, Value isAsked, PlaceOf getPlace,
    function_ref<Total(const BlockPlace &, Value)> compute) {
  const Turn &known = chain.getKnown();
  Value yes = arith::ConstantIntOp::create(builder, loc, 1, /*width=*/1);
  Value no = arith::ConstantIntOp::create(builder, loc, 0, /*width=*/1);
  // Carries the block whose total is computed: this one, and in between those
  // that keep it waiting; and whether it is the first. The result is whether
  // the total of this one is usable.
  auto loop = scf::WhileOp::create(
      builder, loc, builder.getI1Type(), ValueRange{number, yes},
      [&](OpBuilder &, Location, ValueRange target) {
        BlockPlace place = getPlace(target.front());
        Total total = compute(place, target.back());
        emitIf(isAsked, [&] { known.poll(builder, place.number); });
        // Whose block it is may meanwhile have handed on what is behind it, and
        // have begun to write outputs where inputs were. So that must not be so
        // once all inputs are read.
        Value found = known.confirm(builder);
        Total confirmed = confirm(place, total);
        Value isOther = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::ne, place.number, number);
        Value isNextKnown = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::eq, found, place.number);
        emitIf(emitAnd(isAsked, isNextKnown), [&] {
          handOn(place, confirmed);
          Value waits = emitAnd(isOther, emitNot(confirmed.isUsable));
          emitIf(waits, [&] { known.wait(builder, getNext(place.number)); });
        });
        Value isUnknown = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::ult, found, number);
        Value isMissing =
            arith::OrIOp::create(builder, loc, isOther, isUnknown);
        scf::ConditionOp::create(builder, loc, emitAnd(isAsked, isMissing),
                                 total.isUsable);
      },
      [&](OpBuilder &, Location, ValueRange) {
        Value found = known.poll(builder, number);
        Value next = arith::MinUIOp::create(builder, loc, found, number);
        scf::YieldOp::create(builder, loc, ValueRange{next, no});
      });
  return loop.getResult(0);
}

BlockLoops::Total BlockLoops::confirm(const BlockPlace &place, Total total) {
  if (!begun)
    return total;
  Value isUntouched =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                            begun->confirm(builder), getNext(place.number));
  total.isUsable =
      arith::AndIOp::create(builder, loc, total.isUsable, isUntouched);
  return total;
}

void BlockLoops::handOn(const BlockPlace &place, const Total &total) {
  emitIf(total.isUsable, [&] {
    SmallVector<Value> behind =
        emitter.applyCombine(loadState(place), total.leaves, place.row);
    if (!kernel.hasInit())
      for (auto [leaf, value] : llvm::zip_equal(behind, total.leaves))
        leaf =
            arith::SelectOp::create(builder, loc, place.isFirst, value, leaf);
    chain.storeState(builder, getNext(place.number), behind);
  });
}

SmallVector<Value> BlockLoops::loadState(const BlockPlace &place) {
  SmallVector<Value> initial = kernel.hasInit()
                                   ? emitter.initialize(place.row)
                                   : emitter.zeroState(/*width=*/1);
  SmallVector<Value> before = chain.loadState(builder, place.number);
  for (auto [leaf, value] : llvm::zip_equal(before, initial))
    leaf = arith::SelectOp::create(builder, loc, place.isFirst, value, leaf);
  return before;
}

SmallVector<Value> BlockLoops::startRow(const BlockPlace &place,
                                        SmallVector<Value> carried) {
  auto branch = scf::IfOp::create(builder, loc, ValueRange(carried).getTypes(),
                                  place.isFirst,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, carried);
  builder.setInsertionPointToStart(branch.thenBlock());
  Point row = place.row;
  scf::YieldOp::create(builder, loc, start(row));
  return branch.getResults();
}

Value BlockLoops::walkAhead(Value current, Value isCurrent, Value isUsable,
                            Value number, Value isNext, PlaceOf getPlace) {
  saved.clear();
  // There is one of both, whose place stands for an empty one of the other.
  auto placeOf = [&](Value condition, Value one, Value other) {
    BlockPlace place =
        getPlace(arith::SelectOp::create(builder, loc, condition, one, other));
    place.end = arith::SelectOp::create(builder, loc, condition, place.end,
                                        place.begin);
    return place;
  };
  return computeUntilKnown(
      number, isNext,
      [&](Value target) { return placeOf(isNext, target, current); },
      [&](const BlockPlace &next, Value isFirst) {
        Value isWalked = emitAnd(isCurrent, isFirst);
        BlockPlace place = placeOf(isWalked, current, next.number);
        VectorRow::Companion part = beginBlock(next);
        companion = &part;
        walkBlock(place, isWalked, isUsable);
        companion = nullptr;
        return endBlock(next, part);
      });
}

void BlockLoops::walk(Value number, PlaceOf getPlace, ArrayRef<Value> buffers) {
  saved = llvm::to_vector(buffers);
  Value yes = arith::ConstantIntOp::create(builder, loc, 1, /*width=*/1);
  Value isUsable = computeUntilKnown(
      number, yes, getPlace,
      [&](const BlockPlace &place, Value) { return saveBlock(place); });
  walkBlock(getPlace(number), yes, isUsable);
}

void BlockLoops::walkBlock(BlockPlace place, Value isWalked, Value isUsable) {
  place.isFirst = emitAnd(isWalked, place.isFirst);
  place.isLast = emitAnd(isWalked, place.isLast);
  Value handsOn = emitAnd(isWalked, emitNot(isUsable));
  if (begun)
    emitIf(handsOn, [&] { begun->raise(builder, getNext(place.number)); });
  invariants.assign(1, emitter.loadInvariants(place.row));
  SmallVector<Value> carried =
      pack({{loadState(place)}, zeroTotals(/*numRows=*/1)});
  if (!kernel.hasInit())
    carried = startRow(place, carried);
  Point row = place.row;
  carried = walkRange(row, getFirstStep(place), place.end, carried);

  Walk last = unpack(carried, /*numRows=*/1);
  emitIf(handsOn, [&] {
    chain.storeState(builder, getNext(place.number), last.states.front());
  });
  if (!kernel.getFinals().empty())
    emitIf(place.isLast,
           [&] { emitter.finalize(place.row, last.states.front()); });
  if (!held.empty())
    emitIf(isWalked, [&] {
      chain.storeSums(builder, place.number, last.totals.front());
    });
}

void BlockLoops::finish(Value count, PlaceOf getPlace) {
  if (held.empty())
    return;
  auto loop = scf::ForOp::create(builder, loc, emitter.index(0), count,
                                 emitter.index(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  emitter.storeReductions(getPlace(number).row, held,
                          chain.loadSums(builder, number));
}
