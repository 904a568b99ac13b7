//===- VectorRow.cpp - Neighbouring steps of one row as vectors -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of neighbouring steps is loaded as it lies in memory. Its vectors, 4
// or 8, are transposed in blocks of as many lanes, so that each lane has as
// many neighbouring steps, and scanned one after the other. Their last one is
// scanned over its lanes by doubling (Hillis and Steele, Data parallel
// algorithms, CACM 29(12), 1986): in round k each lane combines what the lane
// 2^k before it has with its own value. Blocks leave the lanes in an order of
// their own, which costs nothing: the rounds permute lanes in any case. A scan
// in reverse takes lanes and vectors in the opposite order. The operator needs
// no identity, and operands keep their order.
//
//   state = ...                                       the same in all lanes
//   for each tile
//     step[i] = combine(step[i - 1], load(inputs)[i])
//     lane = scan of the lanes of the last step
//     if what the left fold does not compute is finite in all lanes
//       before = combine(state, the lane before)
//       store(combine(before, step[i]), ...)
//       state = combine(state, the last lane)
//     else
//       these steps one after the other
//
// From one tile to the next only the last combine has to wait: the processor
// scans later tiles meanwhile. For 16 lanes 64 steps take 13 combines of
// vectors, against 24 if each vector were scanned by itself, which is what is
// done with the vectors that do not fill a tile. The last one of a row may be
// masked.
//
// The left fold computes no products of the coefficients of a recurrence, which
// may overflow where its states do not, and then make numbers of them that are
// none: infinity times a state of zero.
//
//===----------------------------------------------------------------------===//

#include "VectorRow.h"
#include "LoopHints.h"
#include "Scratch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::scan;

VectorRow::VectorRow(OpBuilder &builder, KernelEmitter &emitter, int64_t lanes,
                     int64_t vectors, Value isLarge, ArrayRef<bool> held)
    : builder(builder), emitter(emitter), kernel(emitter.getKernel()),
      loc(kernel.getLoc()), lanes(lanes), vectors(vectors),
      isReverse(kernel.getReverse()), isLarge(isLarge), held(held) {}

SmallVector<Value> VectorRow::pack(const Carried &carried) {
  SmallVector<Value> packed;
  for (auto [leaf, isCarried] :
       llvm::zip_equal(carried.state, emitter.getCarried()))
    if (isCarried)
      packed.push_back(leaf);
  llvm::append_range(packed, carried.totals);
  return packed;
}

VectorRow::Carried VectorRow::unpack(ValueRange packed) {
  Carried carried{emitter.zeroState(lanes), {}};
  for (auto [leaf, isCarried] :
       llvm::zip_equal(carried.state, emitter.getCarried()))
    if (isCarried) {
      leaf = packed.front();
      packed = packed.drop_front();
    }
  carried.totals = llvm::to_vector(packed);
  return carried;
}

Value mlir::scan::emitIsFinite(OpBuilder &builder, KernelEmitter &emitter,
                               ValueRange leaves) {
  Location loc = emitter.getLoc();
  Value lanesAreFinite;
  for (auto [leaf, isCarried] : llvm::zip_equal(leaves, emitter.getCarried())) {
    auto floatType = dyn_cast<FloatType>(getElementTypeOrSelf(leaf.getType()));
    if (isCarried || !floatType)
      continue;
    TypedAttr limit = builder.getFloatAttr(
        floatType, APFloat::getInf(floatType.getFloatSemantics()));
    if (auto type = dyn_cast<VectorType>(leaf.getType()))
      limit = DenseElementsAttr::get(type, Attribute(limit));
    Value infinity = arith::ConstantOp::create(builder, loc, limit);
    Value isFinite = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OLT,
        math::AbsFOp::create(builder, loc, leaf), infinity);
    lanesAreFinite =
        lanesAreFinite
            ? arith::AndIOp::create(builder, loc, lanesAreFinite, isFinite)
                  .getResult()
            : isFinite;
  }
  if (!lanesAreFinite || !isa<VectorType>(lanesAreFinite.getType()))
    return lanesAreFinite;
  return vector::ReductionOp::create(builder, loc, vector::CombiningKind::AND,
                                     lanesAreFinite);
}

void VectorRow::loadInputs(Scanned &tile) {
  if (!tile.isWhole) {
    for (const Point &point : tile.points)
      tile.inputs.push_back(emitter.loadInputs(point, invariants));
    return;
  }
  auto load = [&](const Point &point) {
    SmallVector<Value> inputs = emitter.loadInputs(point, invariants);
    scf::YieldOp::create(builder, loc, inputs);
  };
  Point masked = tile.points.front(), whole = masked;
  whole.mask = Value();
  auto branch = scf::IfOp::create(
      builder, loc, tile.isWhole, [&](OpBuilder &, Location) { load(whole); },
      [&](OpBuilder &, Location) { load(masked); });
  tile.inputs.push_back(llvm::to_vector(ValueRange(branch.getResults())));
}

void VectorRow::storeOutputs(const Scanned &tile, const Tile &outputs) {
  if (!tile.isWhole)
    return emitter.storeOutputs(tile.points, outputs, held, streams);
  auto store = [&](const Point &point) {
    emitter.storeOutputs(point, outputs.front(), held);
    scf::YieldOp::create(builder, loc);
  };
  Point masked = tile.points.front(), whole = masked;
  whole.mask = Value();
  scf::IfOp::create(
      builder, loc, tile.isWhole, [&](OpBuilder &, Location) { store(whole); },
      [&](OpBuilder &, Location) { store(masked); });
}

VectorRow::Scanned VectorRow::scanSteps(const Point &row, Value step,
                                        Value savedFrom) {
  Scanned tile;
  tile.points = getPoints(row, step);
  if (isPartial) {
    tile.count = arith::SubIOp::create(
        builder, loc, emitter.getSizes()[kernel.getDim()], step);
    tile.count =
        arith::MinSIOp::create(builder, loc, tile.count, emitter.index(lanes));
    tile.points.front().mask = getMask(tile.count);
    if (hasWhole)
      tile.isWhole =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                tile.count, emitter.index(lanes));
  }
  if (takesFirst)
    tile.isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         step, emitter.index(0));
  loadInputs(tile);
  for (auto [point, inputs] : llvm::zip_equal(tile.points, tile.inputs))
    tile.steps.push_back(emitter.applyLoad(inputs, point));
  transpose(tile.steps);
  const Point &any = tile.points.front();
  if (savedFrom && isRolled()) {
    tile.savedFrom = savedFrom;
    tile.lanes = scanSavedSteps(tile);
    return tile;
  }
  for (int64_t place = 1; place < vectors; ++place) {
    SmallVector<Value> &leaves = tile.steps[getVector(place)];
    leaves =
        emitter.applyCombine(tile.steps[getVector(place - 1)], leaves, any);
  }
  tile.lanes = tile.steps[getVector(vectors - 1)];
  return tile;
}

VectorRow::Scanned VectorRow::scanTile(const Point &row, Value step,
                                       Value savedFrom) {
  Scanned tile = scanSteps(row, step, savedFrom);
  tile.lanes = scanLanes(tile.lanes, tile.points.front());
  return tile;
}

SmallVector<Value> VectorRow::combineAfter(ValueRange state, ValueRange leaves,
                                           const Scanned &tile) {
  SmallVector<Value> combined =
      emitter.applyCombine(state, leaves, tile.points.front());
  if (tile.isFirst)
    for (auto [leaf, first] : llvm::zip_equal(combined, leaves))
      leaf = arith::SelectOp::create(builder, loc, tile.isFirst, first, leaf);
  return combined;
}

VectorRow::Carried VectorRow::finishTile(const Scanned &tile,
                                         const Carried &before) {
  const Point &any = tile.points.front();
  Tile inclusive;
  if (vectors == 1) {
    inclusive.push_back(combineAfter(before.state, tile.lanes, tile));
  } else {
    SmallVector<Value> earlier =
        combineAfter(before.state, moveLater(tile.lanes, /*distance=*/1), tile);
    Value mask = getHasEarlier(1);
    for (auto [leaf, first] : llvm::zip_equal(earlier, before.state))
      leaf = arith::SelectOp::create(builder, loc, mask, leaf, first);
    // The first lane of a row's first tile has nothing before.
    Value isAlone;
    if (tile.isFirst)
      isAlone = arith::SelectOp::create(
          builder, loc, tile.isFirst, mask,
          emitter.splat(arith::ConstantIntOp::create(builder, loc, 1,
                                                     /*width=*/1),
                        lanes));
    auto combine = [&](ArrayRef<Value> leaves) {
      SmallVector<Value> combined = emitter.applyCombine(earlier, leaves, any);
      if (isAlone)
        for (auto [leaf, alone] : llvm::zip_equal(combined, leaves))
          leaf = arith::SelectOp::create(builder, loc, isAlone, leaf, alone);
      return combined;
    };
    if (tile.savedFrom) {
      forSavedSteps(
          tile.savedFrom, /*first=*/0, {},
          [&](ArrayRef<Value> leaves, ValueRange) { return combine(leaves); });
      for (int64_t i = 0; i < vectors; ++i)
        inclusive.push_back(loadSaved(arith::AddIOp::create(
            builder, loc, tile.savedFrom, emitter.index(i * lanes))));
    } else {
      for (ArrayRef<Value> leaves : tile.steps)
        inclusive.push_back(combine(leaves));
    }
    transpose(inclusive);
  }
  Tile exclusive = getExclusive(inclusive, before.state);
  Carried next;
  next.totals = before.totals;
  Tile outputs;
  for (auto [point, inputs, in, ex] :
       llvm::zip_equal(tile.points, tile.inputs, inclusive, exclusive)) {
    outputs.push_back(emitter.applyStore(in, ex, inputs, point));
    SmallVector<Value> added = outputs.back();
    if (point.mask && !held.empty())
      for (Value &value : added)
        value = arith::SelectOp::create(builder, loc, point.mask, value,
                                        emitter.zeroLike(value));
    emitter.addToReductions(held, added, next.totals);
  }
  storeOutputs(tile, outputs);
  if (tile.count && !kernel.getFinals().empty())
    next.state = broadcastStep(inclusive.front(), tile.count);
  else
    next.state = combineAfter(before.state, broadcastLast(tile.lanes), tile);
  return next;
}

VectorRow::Carried VectorRow::walkAsSteps(Value step, const Carried &before,
                                          WalkSteps walkSteps) {
  auto getLaneZero = [&](Value value) -> Value {
    return vector::ExtractOp::create(builder, loc, value, /*position=*/0);
  };
  Value end =
      arith::AddIOp::create(builder, loc, step, emitter.index(vectors * lanes));
  if (isPartial)
    end = arith::MinSIOp::create(builder, loc, end,
                                 emitter.getSizes()[kernel.getDim()]);
  Carried scalars{llvm::map_to_vector(before.state, getLaneZero),
                  llvm::map_to_vector(before.totals, getLaneZero)};
  scalars = walkSteps({step, end}, scalars);
  Carried next = before;
  for (auto [leaf, value] : llvm::zip_equal(next.state, scalars.state))
    leaf = emitter.splat(value, lanes);
  for (auto [total, value] : llvm::zip_equal(next.totals, scalars.totals))
    total = vector::InsertOp::create(builder, loc, value, total,
                                     /*position=*/0);
  return next;
}

VectorRow::Carried VectorRow::emitTile(const Scanned &tile, Value step,
                                       const Carried &before,
                                       WalkSteps walkSteps) {
  Value isFinite = emitIsFinite(builder, emitter, tile.lanes);
  if (!isFinite)
    return finishTile(tile, before);
  auto branch =
      scf::IfOp::create(builder, loc, ValueRange(pack(before)).getTypes(),
                        isFinite, /*addThenBlock=*/true, /*addElseBlock=*/true);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, pack(finishTile(tile, before)));
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc,
                         pack(walkAsSteps(step, before, walkSteps)));
  }
  return unpack(branch.getResults());
}

VectorRow::Carried VectorRow::walk(const Point &row, Range range,
                                   const Carried &before, WalkSteps walkSteps) {
  invariants = emitter.loadInvariants(getPoints(row, range.begin).front());
  if (companion)
    companionInvariants =
        emitter.loadInvariants(getPoints(companion->row, range.begin).front());
  Carried start{{}, emitter.zeroReductions(held, lanes)};
  for (Value leaf : before.state)
    start.state.push_back(emitter.splat(leaf, lanes));
  SmallVector<Value> inits = pack(start);
  size_t numCarried = inits.size();
  // Where combines take long there is arithmetic enough in a loop by itself.
  bool isMerged = companion && getSavedPart(kernel) != SavedPart::Tiles;
  if (isMerged)
    llvm::append_range(inits, beginCompanion());
  else if (companion)
    addTiles();
  bool areSaved = saved.exist();
  Value savedFrom;
  if (!areSaved && isRolled()) {
    // Each tile in turn is where loops can combine its vectors.
    SmallVector<Type> types(kernel.getLeafTypes());
    savedFrom = emitter.index(0);
    saved = {allocateScratch(builder, loc, types, vectors * lanes), savedFrom};
  }
  auto loop = scf::ForOp::create(builder, loc, range.begin,
                                 isMerged ? getLastEnd(range) : range.end,
                                 emitter.index(vectors * lanes), inits);
  disableVectorization(loop);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value step = loop.getInductionVar();
    ValueRange carried = loop.getRegionIterArgs().take_front(numCarried);
    auto walkTile = [&] {
      Scanned tile =
          areSaved
              ? loadTile(row, step,
                         arith::SubIOp::create(builder, loc, step, range.begin))
              : scanTile(row, step, savedFrom);
      return pack(emitTile(tile, step, unpack(carried), walkSteps));
    };
    SmallVector<Value> next;
    if ((!areSaved || savesLanes()) && (!isPartial || hasWhole))
      prefetchLater(row, step);
    if (isMerged) {
      SmallVector<Value> others = addCompanion(
          step, range.begin, loop.getRegionIterArgs().drop_front(numCarried));
      Value isWalked = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ult, step, range.end);
      auto branch = scf::IfOp::create(
          builder, loc, isWalked,
          [&](OpBuilder &, Location) {
            scf::YieldOp::create(builder, loc, walkTile());
          },
          [&](OpBuilder &, Location) {
            scf::YieldOp::create(builder, loc, carried);
          });
      llvm::append_range(next, branch.getResults());
      llvm::append_range(next, others);
    } else {
      next = walkTile();
    }
    if (loop.getNumResults() != 0)
      scf::YieldOp::create(builder, loc, next);
  }
  if (savedFrom)
    saved = {};
  if (isMerged)
    endCompanion(loop.getResults().drop_front(numCarried));

  Carried last = unpack(loop.getResults().take_front(numCarried)),
          result = before;
  for (auto [leaf, value, isCarried] :
       llvm::zip_equal(result.state, last.state, emitter.getCarried()))
    if (isCarried)
      leaf = vector::ExtractOp::create(builder, loc, value, /*position=*/0);
  for (auto [total, sum] :
       llvm::zip_equal(result.totals, emitter.reduceLanes(last.totals)))
    total = emitter.add(total, sum);
  return result;
}
