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

/// How often a thread looks for a total in vain: some tens of microseconds, as
/// long as a few blocks take.
static constexpr int64_t kPolls = int64_t{1} << 14;

BlockLoops::BlockLoops(OpBuilder &builder, KernelEmitter &emitter,
                       int64_t lanes, Value isLarge, Value count)
    : RowLoops(builder, emitter, lanes, isLarge),
      chain(builder, emitter, held, count) {
  if (getSavedPart(kernel) != SavedPart::Nothing)
    llvm::append_range(savedTypes, kernel.getLeafTypes());
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

VectorRow::Companion
BlockLoops::beginBlock(const BlockPlace &place,
                       const VectorRow::SavedTiles &saved) {
  invariants.assign(1, emitter.loadInvariants(place.row));
  VectorRow::Range range =
      makeTiles().chooseRange(place.row, {getFirstStep(place), place.end});
  VectorRow::Total total{place.begin, place.begin,
                         emitter.zeroState(/*width=*/1)};
  addSteps(place.row, total,
           arith::MinUIOp::create(builder, loc, range.begin, place.end));
  return {place.row, range, total, saved};
}

void BlockLoops::endBlock(const BlockPlace &place, VectorRow::Companion &part) {
  invariants.assign(1, emitter.loadInvariants(place.row));
  addSteps(place.row, part.total, place.end);
}

BlockLoops::Search BlockLoops::findState(Value number, PlaceOf getPlace) {
  using Status = BlockChain::Status;
  const Turn &known = chain.getKnown();
  Value none = emitter.index(0), limit = emitter.index(kPolls);
  auto compare = [&](arith::CmpIPredicate predicate, Value a,
                     Value b) -> Value {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  };
  // Carries how often it has looked in vain.
  auto loop = scf::WhileOp::create(
      builder, loc,
      TypeRange{none.getType(), builder.getI1Type(), none.getType()}, none,
      [&](OpBuilder &, Location, ValueRange carried) {
        Value polls = carried.front(), found = known.read(builder);
        Value isBefore = compare(arith::CmpIPredicate::ult, found, number);
        Value isNumber = compare(arith::CmpIPredicate::eq, found, number);
        Value status = chain.loadStatus(builder, found);
        // The state behind the block itself is handed on, too, before outputs
        // are written where its inputs may be.
        Value isUsable = emitAnd(chain.emitIs(builder, status, Status::Usable),
                                 emitOr(isBefore, isNumber));
        emitIf(isUsable, [&] { handOn(getPlace(found)); });
        // Whoever walks a block without usable total does that behind it.
        if (begun)
          emitIf(emitAnd(chain.emitIs(builder, status, Status::Unusable),
                         isBefore),
                 [&] { known.wait(builder, getNext(found)); });
        Value isUnknown = chain.emitIs(builder, status, Status::Unknown);
        Value isLate = emitAnd(
            isUnknown, compare(arith::CmpIPredicate::uge, polls, limit));
        Value goesOn = emitOr(isUsable, emitAnd(isBefore, emitNot(isLate)));
        Value next = arith::SelectOp::create(builder, loc, isUnknown,
                                             getNext(polls), none);
        scf::ConditionOp::create(builder, loc, goesOn,
                                 ValueRange{found, emitNot(isBefore), next});
      },
      [&](OpBuilder &, Location, ValueRange values) {
        scf::YieldOp::create(builder, loc, values.back());
      });
  return {loop.getResult(0), loop.getResult(1)};
}

void BlockLoops::publish(const BlockPlace &place, ValueRange total,
                         Value isOthers) {
  Value next = getNext(place.number);
  auto isUntouched = [&](const Turn &turn) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                 turn.confirm(builder), next);
  };
  auto branch = scf::IfOp::create(
      builder, loc, isOthers,
      [&](OpBuilder &, Location) {
        Value isRight = isUntouched(chain.getKnown());
        if (begun)
          isRight = emitAnd(isRight, isUntouched(*begun));
        scf::YieldOp::create(builder, loc, isRight);
      },
      [&](OpBuilder &, Location) {
        Value isRight =
            arith::ConstantIntOp::create(builder, loc, 1, /*width=*/1);
        scf::YieldOp::create(builder, loc, isRight);
      });
  Value isUsable = emitIsFinite(builder, emitter, total);
  if (!isUsable)
    isUsable = arith::ConstantIntOp::create(builder, loc, 1, /*width=*/1);
  emitIf(branch.getResult(0),
         [&] { chain.storeTotal(builder, place.number, total, isUsable); });
}

void BlockLoops::handOn(const BlockPlace &place) {
  SmallVector<Value> total = chain.loadTotal(builder, place.number);
  SmallVector<Value> behind =
      emitter.applyCombine(loadState(place), total, place.row);
  if (!kernel.hasInit())
    for (auto [leaf, value] : llvm::zip_equal(behind, total))
      leaf = arith::SelectOp::create(builder, loc, place.isFirst, value, leaf);
  chain.storeState(builder, getNext(place.number), behind);
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

void BlockLoops::walk(const Part &current, const Part &next, PlaceOf getPlace) {
  auto placeOf = [&](Value exists, Value number) {
    BlockPlace place = getPlace(number);
    place.end =
        arith::SelectOp::create(builder, loc, exists, place.end, place.begin);
    return place;
  };
  // Once, but for totals that others are late with.
  scf::WhileOp::create(
      builder, loc, /*resultTypes=*/TypeRange(), /*inits=*/ValueRange(),
      [&](OpBuilder &, Location, ValueRange) {
        Search search = findState(current.number, getPlace);
        Value isLate = emitNot(search.isKnown);
        Value isWalked = emitAnd(current.exists, search.isKnown);
        Value isAdded = emitOr(next.exists, isLate);
        BlockPlace added = placeOf(
            isAdded, arith::SelectOp::create(builder, loc, search.isKnown,
                                             next.number, search.found));
        VectorRow::Companion part = beginBlock(added, next.saved);
        companion = &part;
        saved = current.saved;
        // What others could hand on they have.
        Value isUnusable =
            arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                  search.found, current.number);
        walkBlock(placeOf(isWalked, current.number), isWalked,
                  /*handsOn=*/emitAnd(isWalked, isUnusable));
        companion = nullptr;
        endBlock(added, part);
        emitIf(isAdded, [&] { publish(added, part.total.leaves, isLate); });
        scf::ConditionOp::create(builder, loc, isLate, ValueRange());
      },
      [&](OpBuilder &, Location, ValueRange) {
        scf::YieldOp::create(builder, loc);
      });
}

void BlockLoops::walkBlock(BlockPlace place, Value isWalked, Value handsOn) {
  place.isFirst = emitAnd(isWalked, place.isFirst);
  place.isLast = emitAnd(isWalked, place.isLast);
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
