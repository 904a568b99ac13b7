//===- ColumnPoints.cpp - The columns and steps of a thread ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnPoints.h"

using namespace mlir;
using namespace mlir::scan;

void ColumnPoints::start(ImplicitLocOpBuilder &b, ArrayRef<Value> outerPoint,
                         Value first, bool hasVectors) {
  outer = llvm::to_vector(outerPoint);
  isVectorized = hasVectors;
  columns.clear();
  Value extent = frame.getInnerExtent(b);
  int64_t known = frame.getStaticInnerExtent();
  bool areAllKnown =
      !ShapedType::isDynamic(known) && known % layout.getColumns() == 0;
  Value lane =
      isVectorized ? mulConstant(b, layout.lane, layout.vector) : layout.lane;
  Value index = b.createOrFold<arith::AddIOp>(first, lane);
  Value last = addConstant(b, extent, -1);
  for (int64_t i = 0; i < layout.vector; ++i) {
    Column column;
    column.index = addConstant(b, index, getDistance(i));
    if (isVectorized && i > 0) {
      // All columns of a thread exist, or none does.
      column.isActive = columns.front().isActive;
      column.index = addConstant(b, columns.front().index, i);
    } else if (!areAllKnown) {
      column.isActive =
          compare(b, arith::CmpIPredicate::ult, column.index, extent);
      Value nearest =
          isVectorized ? addConstant(b, extent, -layout.vector) : last;
      column.index = b.createOrFold<arith::MinUIOp>(column.index, nearest);
    }
    columns.push_back(column);
  }
  // Where there are no vectors, columns exist one by one.
  firstIndex = isVectorized ? columns.front().index : index;
}

bool ColumnPoints::isExactTile() const {
  int64_t known = frame.getStaticExtent();
  return !ShapedType::isDynamic(known) && known % layout.getTileSteps() == 0;
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
  if (layout.items == 1)
    return compare(b, arith::CmpIPredicate::ult, first, frame.getExtent());
  return isBelow(b, item, countRest(b, first, frame.getExtent(), layout.items));
}

Value ColumnPoints::createAllInBounds(ImplicitLocOpBuilder &b,
                                      Value base) const {
  return createInBounds(b, base, layout.items - 1);
}

Value ColumnPoints::createMask(ImplicitLocOpBuilder &b, int64_t column,
                               Value base, int64_t item) const {
  return createAnd(b, createInBounds(b, base, item), isActive(column));
}
