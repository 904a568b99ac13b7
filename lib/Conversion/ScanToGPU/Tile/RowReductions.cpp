//===- RowReductions.cpp - Adding up over the points of rows --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowReductions.h"
#include "../../GPUCommon/Emit.h"
#include "../Primitives/WarpScan.h"

using namespace mlir;
using namespace mlir::scan;

RowSums::RowSums(ImplicitLocOpBuilder &b, KernelFrame &frame,
                 const ThreadIds &ids, int64_t items, TileIO &io)
    : frame(frame), ids(ids), items(items), io(io) {
  unsigned dim = frame.getKernel().getDim();
  for (const Sum &sum : collectSums(b, frame)) {
    RowSum entry;
    entry.sum = sum;
    AffineMap map = sum.view.map;
    entry.isCommon =
        llvm::none_of(llvm::seq(map.getNumDims()), [&](unsigned other) {
          return other != dim && map.isFunctionOfDim(other);
        });
    if (!sum.isPerStep)
      entry.totals =
          PrivateTotals(b, sum.view.elementType, sum.view.numElements);
    sums.push_back(std::move(entry));
  }
}

void RowSums::start(ImplicitLocOpBuilder &b, ArrayRef<Value> rowPoint,
                    Value rowExists) {
  point = llvm::to_vector(rowPoint);
  isRow = rowExists;
  for (RowSum &entry : sums)
    if (!entry.sum.isPerStep)
      entry.totals.clear(b);
}

void RowSums::add(ImplicitLocOpBuilder &b, Value base, int64_t item,
                  bool isPartial, ValueRange results) {
  if (sums.empty())
    return;
  Value isThere;
  if (isPartial) {
    Value position = b.createOrFold<arith::AddIOp>(
        base, addConstant(b, mulConstant(b, ids.rowThread, items), item));
    isThere =
        compare(b, arith::CmpIPredicate::ult, position, frame.getExtent());
    if (isRow)
      isThere = b.createOrFold<arith::AndIOp>(isThere, isRow);
  }
  for (RowSum &entry : sums) {
    ValueRange elements = entry.sum.getElements(results);
    if (!entry.sum.isPerStep) {
      for (auto [i, element] : llvm::enumerate(elements))
        entry.totals.add(b, i, createValueOrZero(b, isThere, element));
      continue;
    }
    auto addAll = [&](ImplicitLocOpBuilder &inner) {
      SmallVector<Value> at(point);
      at[frame.getKernel().getDim()] =
          io.createIndex(inner, base, item, isPartial);
      entry.sum.addToMemory(inner, at, elements);
    };
    isThere ? createIf(b, isThere, addAll) : addAll(b);
  }
}

void RowSums::finish(ImplicitLocOpBuilder &b) {
  for (RowSum &entry : sums) {
    if (entry.sum.isPerStep)
      continue;
    LaneGroup lanes = {ids.lane, kWarpSize, /*stride=*/1};
    if (!entry.isCommon && ids.rowThreads < kWarpSize)
      lanes = {ids.rowLane, ids.rowThreads, /*stride=*/1};
    addUpOverLanes(
        b, entry.totals.load(b, 0, entry.sum.view.numElements), lanes,
        [&](ImplicitLocOpBuilder &inner, Value element, Value total) {
          auto addTotal = [&](ImplicitLocOpBuilder &one) {
            entry.sum.addToMemory(one, point, element, total);
          };
          // A thread without a row has the total of others only where all rows
          // share it.
          isRow && !entry.isCommon ? createIf(inner, isRow, addTotal)
                                   : addTotal(inner);
        });
  }
}
