//===- RowAgent.cpp - What the row kernels have in common -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowAgent.h"
#include "../../GPUCommon/Emit.h"

using namespace mlir;
using namespace mlir::scan;

RowAgent::RowAgent(ImplicitLocOpBuilder &b, KernelFrame &frame,
                   const ThreadIds &ids, const ScanLanes &lanes)
    : frame(frame), kernel(frame.getKernel()), ids(ids),
      blockScan(frame, lanes), io(b, frame, ids), masks(frame, ids),
      row(b, frame, ids, frame.getSchedule().getItems(), io) {}

RowAgent::Tile RowAgent::createTile(ImplicitLocOpBuilder &b, Value base) {
  Value isFull = row.createIsFull(b, base);
  return {base, /*isPartial=*/isFull != nullptr, isFull};
}

void RowAgent::fetchTile(ImplicitLocOpBuilder &b, Value number) {
  if (!io.loadsThroughShared())
    return;
  Value rows = frame.createScanCount(b);
  Value count = b.createOrFold<arith::MulIOp>(rows, frame.createTileCount(b));
  createIf(b, compare(b, arith::CmpIPredicate::ult, number, count),
           [&](ImplicitLocOpBuilder &inner) {
             Value base = mulConstant(
                 inner, inner.createOrFold<arith::DivUIOp>(number, rows),
                 row.getSteps());
             SmallVector<Value> point = frame.createScanPoint(
                 inner, inner.createOrFold<arith::RemUIOp>(number, rows));
             createIf(inner, row.createIsFull(inner, base),
                      [&](ImplicitLocOpBuilder &full) {
                        io.fetchTile(full, point, base);
                      });
           });
}

ScannedItems RowAgent::consumeTile(ImplicitLocOpBuilder &b, const Tile &tile,
                                   ArrayRef<Elements> elements,
                                   PrefixCallback createPrefix) {
  SmallVector<State> leaves =
      row.computeLeaves(b, elements, tile.base, tile.isPartial);
  ScannedItems states = scanItems(b, kernel, createPrefix(b, leaves), leaves);
  SmallVector<Elements> results;
  for (auto [item, values] : llvm::enumerate(elements)) {
    results.push_back(
        row.computeResult(b, states, values, tile.base, item, tile.isPartial));
    // As soon as they are there: values for all items would take registers.
    row.addToReductions(b, tile.base, item, tile.isPartial, results.back());
  }
  auto store = [&](ImplicitLocOpBuilder &inner, bool isPartial) {
    io.store(inner, tile.base, isPartial, results);
    return SmallVector<Value>();
  };
  if (tile.isFull)
    row.ifFull(b, tile.isFull, store);
  else
    store(b, tile.isPartial);
  return states;
}

void RowAgent::storeFinalsIfLast(ImplicitLocOpBuilder &b, const Tile &tile,
                                 Value number, Value last,
                                 const ScannedItems &states) {
  if (!frame.getFinals().empty())
    createIf(b, compare(b, arith::CmpIPredicate::eq, number, last),
             [&](ImplicitLocOpBuilder &inner) {
               row.storeLastFinals(inner, tile.base, states.inclusive);
             });
}
