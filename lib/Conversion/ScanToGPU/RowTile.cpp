//===- RowTile.cpp - The maps of a kernel over a tile of a row ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowTile.h"
#include "Emit.h"

using namespace mlir;
using namespace mlir::scan;

RowTile::RowTile(KernelFrame &frame, const ThreadIds &ids, TileIO &io)
    : frame(frame), kernel(frame.getKernel()), ids(ids), io(io) {
  kernel->walk(
      [&](IndexOp index) { readsTime |= index.getDim() == kernel.getDim(); });
}

void RowTile::startRow(ImplicitLocOpBuilder &b, ArrayRef<Value> rowPoint) {
  point = llvm::to_vector(rowPoint);
  io.startRow(b, point);
}

SmallVector<Value> RowTile::pointOf(ImplicitLocOpBuilder &b, Value base,
                                    int64_t item, bool isPartial) {
  SmallVector<Value> result(point);
  if (readsTime)
    result[kernel.getDim()] = io.createIndex(b, base, item, isPartial);
  return result;
}

SmallVector<State> RowTile::computeLeaves(ImplicitLocOpBuilder &b,
                                          ArrayRef<Elements> elements,
                                          Value base, bool isPartial) {
  SmallVector<State> leaves;
  for (auto [item, values] : llvm::enumerate(elements))
    leaves.push_back(inlineRegion(b, kernel.getLoad(), values,
                                  pointOf(b, base, item, isPartial)));
  return leaves;
}

SmallVector<Elements> RowTile::computeResults(ImplicitLocOpBuilder &b,
                                              const ScannedItems &states,
                                              ArrayRef<Elements> elements,
                                              Value base, bool isPartial) {
  SmallVector<Elements> results;
  for (auto [item, values] : llvm::enumerate(elements)) {
    SmallVector<Value> args(states.inclusive[item]);
    llvm::append_range(args, states.exclusive[item]);
    llvm::append_range(args, values);
    results.push_back(inlineRegion(b, kernel.getStore(), args,
                                   pointOf(b, base, item, isPartial)));
  }
  return results;
}

void RowTile::storeLastFinals(ImplicitLocOpBuilder &b, Value base,
                              ArrayRef<State> inclusive) {
  Value last = b.createOrFold<arith::SubIOp>(
      addConstant(b, frame.getExtent(), -1), base);
  Value perThread = indexConstant(b, inclusive.size());
  Value owner = b.createOrFold<arith::DivUIOp>(last, perThread);
  Value item = b.createOrFold<arith::RemUIOp>(last, perThread);
  createIf(b, compare(b, arith::CmpIPredicate::eq, ids.thread, owner),
           [&](ImplicitLocOpBuilder &inner) {
             State state = inclusive.front();
             for (auto [number, candidate] : llvm::enumerate(inclusive))
               if (number > 0)
                 state = selectState(
                     inner,
                     compare(inner, arith::CmpIPredicate::eq, item, number),
                     candidate, state);
             storeFinals(inner, frame, point, state);
           });
}

void RowTile::storeFinalsOf(ImplicitLocOpBuilder &b, ValueRange state) {
  if (frame.getFinals().empty())
    return;
  createIf(b, compare(b, arith::CmpIPredicate::eq, ids.thread, 0),
           [&](ImplicitLocOpBuilder &thread) {
             storeFinals(thread, frame, point, state);
           });
}
