//===- RowTile.cpp - The maps of a kernel over a tile of a row ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowTile.h"
#include "../../GPUCommon/Emit.h"

using namespace mlir;
using namespace mlir::scan;

RowTile::RowTile(ImplicitLocOpBuilder &b, KernelFrame &frame,
                 const ThreadIds &ids, int64_t items, TileIO &io)
    : frame(frame), kernel(frame.getKernel()), ids(ids), items(items), io(io),
      sums(b, frame, ids, items, io), readsTime(readsScanIndex(kernel)) {}

void RowTile::startRow(ImplicitLocOpBuilder &b, ArrayRef<Value> rowPoint) {
  point = llvm::to_vector(rowPoint);
  io.startRow(b, point);
}

void RowTile::startRows(ImplicitLocOpBuilder &b, ArrayRef<Value> rowPoint,
                        Value first, Value count, Value rowExists) {
  point = llvm::to_vector(rowPoint);
  isRow = rowExists;
  io.startRows(b, point, first, count);
}

//===----------------------------------------------------------------------===//
// Full and partial tiles
//===----------------------------------------------------------------------===//

Value RowTile::createIsFull(ImplicitLocOpBuilder &b, Value base) {
  int64_t known = frame.getStaticExtent();
  if (!ShapedType::isDynamic(known) && known % getSteps() == 0)
    return {};
  return compare(b, arith::CmpIPredicate::ule, addConstant(b, base, getSteps()),
                 frame.getExtent());
}

SmallVector<Value> RowTile::ifFull(
    ImplicitLocOpBuilder &b, Value isFull,
    function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, bool)> body) {
  if (!isFull)
    return body(b, /*isPartial=*/false);
  return createIfElse(
      b, isFull,
      [&](ImplicitLocOpBuilder &inner) { return body(inner, false); },
      [&](ImplicitLocOpBuilder &inner) { return body(inner, true); });
}

SmallVector<Elements> RowTile::elementsIfFull(
    ImplicitLocOpBuilder &b, Value isFull,
    function_ref<SmallVector<Elements>(ImplicitLocOpBuilder &, bool)> body) {
  SmallVector<Value> all =
      ifFull(b, isFull, [&](ImplicitLocOpBuilder &inner, bool isPartial) {
        SmallVector<Value> values;
        for (const Elements &item : body(inner, isPartial))
          llvm::append_range(values, item);
        return values;
      });
  size_t width = all.size() / items;
  SmallVector<Elements> elements;
  for (int64_t item = 0; item < items; ++item)
    elements.emplace_back(ValueRange(all).slice(item * width, width));
  return elements;
}

//===----------------------------------------------------------------------===//
// Maps and sums
//===----------------------------------------------------------------------===//

/// The point of the thread's item number `item`, for regions that read it.
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

Elements RowTile::computeResult(ImplicitLocOpBuilder &b,
                                const ScannedItems &states, ValueRange elements,
                                Value base, int64_t item, bool isPartial) {
  return computeResults(b, kernel, states.inclusive[item],
                        states.exclusive[item], elements,
                        pointOf(b, base, item, isPartial));
}

//===----------------------------------------------------------------------===//
// Finals
//===----------------------------------------------------------------------===//

/// Whether this is the thread with index `thread` of a row that exists.
Value RowTile::isMine(ImplicitLocOpBuilder &b, Value thread) {
  Value isThread = compare(b, arith::CmpIPredicate::eq, ids.rowThread, thread);
  if (!isRow)
    return isThread;
  return b.createOrFold<arith::AndIOp>(isThread, isRow);
}

void RowTile::storeLastFinals(ImplicitLocOpBuilder &b, Value base,
                              ArrayRef<State> inclusive) {
  Value last = b.createOrFold<arith::SubIOp>(
      addConstant(b, frame.getExtent(), -1), base);
  Value perThread = indexConstant(b, items);
  Value owner = b.createOrFold<arith::DivUIOp>(last, perThread);
  Value item = b.createOrFold<arith::RemUIOp>(last, perThread);
  createIf(b, isMine(b, owner), [&](ImplicitLocOpBuilder &inner) {
    storeFinals(inner, frame, point, selectItem(inner, inclusive, item));
  });
}

void RowTile::storeFinalsOf(ImplicitLocOpBuilder &b, ValueRange state) {
  if (frame.getFinals().empty())
    return;
  createIf(b, isMine(b, indexConstant(b, 0)),
           [&](ImplicitLocOpBuilder &thread) {
             storeFinals(thread, frame, point, state);
           });
}
