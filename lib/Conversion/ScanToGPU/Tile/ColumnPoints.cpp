//===- ColumnPoints.cpp - The columns and steps of a thread ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnPoints.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::scan;

/// One of two values or i32 constants, by how accesses are made.
Value ColumnPoints::choose(ImplicitLocOpBuilder &b, Value vectorized,
                           Value single) const {
  return isVectorized
             ? b.createOrFold<arith::SelectOp>(isVectorized, vectorized, single)
             : single;
}

/// i32: how many columns the thread has, of `vector`. Whether one exists is
/// then a comparison with a constant, and takes one register for all of them.
/// With vectorized accesses, all exist, or none does.
Value ColumnPoints::countColumns(ImplicitLocOpBuilder &b, Value extent) const {
  auto chooseConstant = [&](int64_t vectorized, int64_t single) {
    return choose(b, i32Constant(b, vectorized), i32Constant(b, single));
  };
  Value rest = countRest(b, firstIndex, extent, layout.getColumns());
  Value roundedUp =
      b.createOrFold<arith::AddIOp>(rest, chooseConstant(0, layout.lanes - 1));
  return b.createOrFold<arith::ShRUIOp>(
      roundedUp, chooseConstant(0, llvm::Log2_64(layout.lanes)));
}

void ColumnPoints::start(ImplicitLocOpBuilder &b, ArrayRef<Value> outerPoint,
                         Value first, Value hasVectors) {
  outer = llvm::to_vector(outerPoint);
  isVectorized = hasVectors;
  columns.clear();
  Value extent = frame.getInnerExtent(b);
  int64_t known = frame.getStaticInnerExtent();
  bool areAllKnown =
      !ShapedType::isDynamic(known) && known % layout.getColumns() == 0;
  Value lane =
      choose(b, mulConstant(b, layout.lane, layout.vector), layout.lane);
  firstIndex = b.createOrFold<arith::AddIOp>(first, lane);
  bool isAlways = isAlwaysVectorized();
  Value count;
  if (!areAllKnown && layout.vector > 1 && !isAlways && !isNeverVectorized())
    count = countColumns(b, extent);
  for (int64_t i = 0; i < layout.vector; ++i) {
    Column column;
    Value distance = choose(b, indexConstant(b, getDistance(i, true)),
                            indexConstant(b, getDistance(i, false)));
    column.index = b.createOrFold<arith::AddIOp>(firstIndex, distance);
    if (isAlways && i > 0) {
      // With vectors, all columns of a thread exist, or none does.
      column.isActive = columns.front().isActive;
      column.index = addConstant(b, columns.front().index, i);
    } else if (!areAllKnown) {
      column.isActive =
          count ? isBelow(b, i, count)
                : compare(b, arith::CmpIPredicate::ult, column.index, extent);
      Value nearest = choose(b, addConstant(b, extent, i - layout.vector),
                             addConstant(b, extent, -1));
      column.index = b.createOrFold<arith::MinUIOp>(column.index, nearest);
    }
    columns.push_back(column);
  }
}

bool ColumnPoints::isNeverVectorized() const {
  return !isVectorized || matchPattern(isVectorized, m_Zero());
}

bool ColumnPoints::isAlwaysVectorized() const {
  return isVectorized && matchPattern(isVectorized, m_One());
}

SmallVector<Value> ColumnPoints::ifVectorized(
    ImplicitLocOpBuilder &b,
    function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, bool)> body) const {
  auto single = [&](ImplicitLocOpBuilder &inner) { return body(inner, false); };
  if (!isVectorized)
    return single(b);
  return createIfElse(
      b, isVectorized,
      [&](ImplicitLocOpBuilder &inner) { return body(inner, true); }, single);
}

bool ColumnPoints::hasExactExtent() const {
  int64_t known = frame.getStaticExtent();
  // Chunks of packed sequences begin anywhere.
  return !ShapedType::isDynamic(known) && known % layout.getTileSteps() == 0 &&
         !frame.getSchedule().splitsSegments();
}

bool ColumnPoints::areAllActive() const {
  return llvm::none_of(
      columns, [](const Column &column) { return bool(column.isActive); });
}

Value ColumnPoints::getPosition(ImplicitLocOpBuilder &b, Value base,
                                int64_t item) const {
  Value first = b.createOrFold<arith::AddIOp>(
      base, mulConstant(b, layout.group, layout.items));
  return addConstant(b, first, item);
}

SmallVector<Value> ColumnPoints::getPointAt(Value innerIndex,
                                            Value index) const {
  SmallVector<Value> point(outer);
  if (std::optional<unsigned> inner = frame.getInnerDim())
    point[*inner] = innerIndex;
  point[frame.getKernel().getDim()] = index;
  return point;
}

SmallVector<Value> ColumnPoints::getPoint(int64_t column, Value index) const {
  return getPointAt(columns[column].index, index);
}

SmallVector<Value> ColumnPoints::getFirstPoint(Value index) const {
  return getPointAt(firstIndex, index);
}

SmallVector<Value> ColumnPoints::createPoint(ImplicitLocOpBuilder &b,
                                             int64_t column, Value base,
                                             int64_t item) const {
  Value position = getPosition(b, base, item);
  if (!isExactTile())
    position = frame.clampPosition(b, position);
  return getPoint(column, frame.createIndex(b, position));
}

Value ColumnPoints::createInBounds(ImplicitLocOpBuilder &b, Value base,
                                   int64_t item) const {
  if (isExactTile())
    return Value();
  Value first = getPosition(b, base, 0);
  if (endOwn)
    // In front of the first one the difference is larger than any position.
    return compare(
        b, arith::CmpIPredicate::ult,
        addConstant(b, b.createOrFold<arith::SubIOp>(first, firstOwn), item),
        b.createOrFold<arith::SubIOp>(endOwn, firstOwn));
  if (layout.items == 1)
    return compare(b, arith::CmpIPredicate::ult, first, frame.getExtent());
  return isBelow(b, item, countRest(b, first, frame.getExtent(), layout.items));
}

Value ColumnPoints::createAllInBounds(ImplicitLocOpBuilder &b,
                                      Value base) const {
  if (!endOwn)
    return createInBounds(b, base, layout.items - 1);
  return createAnd(
      b,
      compare(b, arith::CmpIPredicate::uge, getPosition(b, base, 0), firstOwn),
      compare(b, arith::CmpIPredicate::ult,
              getPosition(b, base, layout.items - 1), endOwn));
}

Value ColumnPoints::createHasLast(ImplicitLocOpBuilder &b) const {
  if (!endOwn)
    return Value();
  return compare(b, arith::CmpIPredicate::eq, endOwn, frame.getExtent());
}

Value ColumnPoints::clampPosition(ImplicitLocOpBuilder &b,
                                  Value position) const {
  if (!endOwn)
    return frame.clampPosition(b, position);
  return arith::MaxUIOp::create(
      b, firstOwn,
      arith::MinUIOp::create(b, position, addConstant(b, endOwn, -1)));
}

Value ColumnPoints::createMask(ImplicitLocOpBuilder &b, int64_t column,
                               Value base, int64_t item) const {
  return createAnd(b, createInBounds(b, base, item), isActive(column));
}
