//===- ColumnReductions.cpp - Adding up over columns and steps ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnReductions.h"

using namespace mlir;
using namespace mlir::scan;

ColumnSums::ColumnSums(ImplicitLocOpBuilder &b, KernelFrame &frame,
                       const ColumnLayout &layout, ColumnIO &io)
    : layout(layout), io(io) {
  std::optional<unsigned> innerDim = frame.getInnerDim();
  for (const Sum &sum : collectSums(b, frame)) {
    ColumnSum entry;
    entry.sum = sum;
    entry.isCommon = !innerDim || !sum.view.map.isFunctionOfDim(*innerDim);
    if (!sum.isPerStep)
      entry.totals = PrivateTotals(b, sum.view.elementType,
                                   sum.view.numElements *
                                       (entry.isCommon ? 1 : layout.vector));
    sums.push_back(std::move(entry));
  }
}

void ColumnSums::start(ImplicitLocOpBuilder &b) {
  for (ColumnSum &entry : sums)
    if (!entry.sum.isPerStep)
      entry.totals.clear(b);
}

/// i1: whether the column is there and `isThere`, which may be null, holds;
/// null if it always is.
Value ColumnSums::getMask(ImplicitLocOpBuilder &b, Value isThere,
                          int64_t column) const {
  Value isActive = io.isActive(column);
  if (!isThere || !isActive)
    return isThere ? isThere : isActive;
  return b.createOrFold<arith::AndIOp>(isThere, isActive);
}

/// The elements of the sum, each added up over the thread's columns.
Elements ColumnSums::addUpColumns(ImplicitLocOpBuilder &b, const Sum &sum,
                                  Value isThere,
                                  ArrayRef<Elements> ofColumns) const {
  Elements total;
  for (auto [column, results] : llvm::enumerate(ofColumns)) {
    Value mask = getMask(b, isThere, column);
    for (auto [i, element] : llvm::enumerate(sum.getElements(results))) {
      Value value = createValueOrZero(b, mask, element);
      if (column == 0)
        total.push_back(value);
      else
        total[i] = createSum(b, total[i], value);
    }
  }
  return total;
}

void ColumnSums::add(ImplicitLocOpBuilder &b, Value base, int64_t item,
                     ArrayRef<Elements> ofColumns) {
  if (sums.empty())
    return;
  Value isThere = io.createIsThere(b, base, item);
  for (ColumnSum &entry : sums) {
    const Sum &sum = entry.sum;
    int64_t count = sum.view.numElements;
    if (sum.isPerStep && entry.isCommon) {
      // Steps that are not there come to nothing when their totals are added
      // to memory; columns have to be left out here.
      if (entry.pending.empty())
        entry.firstItem = item;
      llvm::append_range(entry.pending,
                         addUpColumns(b, sum, /*isThere=*/Value(), ofColumns));
      // With twice as many values it takes twice as many shuffles, and more
      // registers.
      if (int64_t(entry.pending.size()) + count > layout.lanes / 2 ||
          item + 1 == layout.items)
        addPending(b, entry, base);
    } else if (entry.isCommon) {
      for (auto [i, value] :
           llvm::enumerate(addUpColumns(b, sum, isThere, ofColumns)))
        entry.totals.add(b, i, value);
    } else if (!sum.isPerStep) {
      for (auto [column, results] : llvm::enumerate(ofColumns)) {
        Value mask = getMask(b, isThere, column);
        for (auto [i, element] : llvm::enumerate(sum.getElements(results)))
          entry.totals.add(b, column * count + i,
                           createValueOrZero(b, mask, element));
      }
    } else {
      for (auto [column, results] : llvm::enumerate(ofColumns)) {
        auto addAll = [&, &column = column,
                       &results = results](ImplicitLocOpBuilder &inner) {
          sum.addToMemory(inner, io.createPoint(inner, column, base, item),
                          sum.getElements(results));
        };
        Value mask = getMask(b, isThere, column);
        mask ? createIf(b, mask, addAll) : addAll(b);
      }
    }
  }
}

/// Adds up over lanes what is pending of the tile at `base`, and adds that to
/// memory.
void ColumnSums::addPending(ImplicitLocOpBuilder &b, ColumnSum &entry,
                            Value base) {
  addUpOverLanes(
      b, entry.pending, {layout.lane, layout.lanes, /*stride=*/1},
      [&](ImplicitLocOpBuilder &inner, Value number, Value total) {
        Value count = indexConstant(inner, entry.sum.view.numElements);
        Value item = inner.createOrFold<arith::DivUIOp>(number, count);
        Value element = inner.createOrFold<arith::RemUIOp>(number, count);
        Value position = inner.createOrFold<arith::AddIOp>(
            base, addConstant(inner, item, entry.firstItem));
        auto addTotal = [&](ImplicitLocOpBuilder &there) {
          entry.sum.addToMemory(there, io.createPoint(there, 0, position, 0),
                                element, total);
        };
        Value isThere = io.createIsThere(inner, position, 0);
        isThere ? createIf(inner, isThere, addTotal) : addTotal(inner);
      });
  entry.pending.clear();
}

void ColumnSums::finish(ImplicitLocOpBuilder &b) {
  for (ColumnSum &entry : sums) {
    const Sum &sum = entry.sum;
    int64_t count = sum.view.numElements;
    if (sum.isPerStep)
      continue;
    if (entry.isCommon) {
      addUpOverLanes(
          b, entry.totals.load(b, 0, count),
          {layout.warpLane, kWarpSize, /*stride=*/1},
          [&](ImplicitLocOpBuilder &inner, Value element, Value total) {
            sum.addToMemory(inner, io.createPoint(0), element, total);
          });
      continue;
    }
    // The lanes with the same columns are those of the warp's groups.
    for (int64_t column = 0; column < layout.vector; ++column)
      addUpOverLanes(
          b, entry.totals.load(b, column * count, count),
          {layout.groupInWarp, layout.groupsPerWarp, layout.lanes},
          [&](ImplicitLocOpBuilder &inner, Value element, Value total) {
            auto addTotal = [&](ImplicitLocOpBuilder &active) {
              sum.addToMemory(active, io.createPoint(column), element, total);
            };
            Value isActive = io.isActive(column);
            isActive ? createIf(inner, isActive, addTotal) : addTotal(inner);
          });
  }
}
