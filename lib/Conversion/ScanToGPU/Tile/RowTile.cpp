//===- RowTile.cpp - The maps of a kernel over a tile of a row ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowTile.h"
#include "../../GPUCommon/Emit.h"
#include "../Primitives/InitAndFinals.h"
#include "../Primitives/WarpScan.h"

using namespace mlir;
using namespace mlir::scan;

namespace {
/// The one row of a thread.
class RowPoints final : public TilePoints {
public:
  RowPoints(const RowLayout &layout, ArrayRef<Value> point, Value isRow,
            bool isPartial)
      : layout(layout), point(point), isRow(isRow), isPartial(isPartial) {}

  Value createInBounds(ImplicitLocOpBuilder &b, Value base,
                       int64_t item) const override {
    if (!isPartial)
      return Value();
    return layout.createInBounds(b, layout.getFirstPosition(b, base), item);
  }
  /// In full tiles all rows exist.
  Value isActive(int64_t) const override { return isPartial ? isRow : Value(); }
  SmallVector<Value> createPoint(int64_t) const override {
    return llvm::to_vector(point);
  }
  SmallVector<Value> createPoint(ImplicitLocOpBuilder &b, int64_t, Value base,
                                 int64_t item) const override {
    SmallVector<Value> result(point);
    result[layout.frame.getKernel().getDim()] = layout.createIndex(
        b, layout.getFirstPosition(b, base), item, isPartial);
    return result;
  }

private:
  const RowLayout &layout;
  ArrayRef<Value> point;
  Value isRow;
  bool isPartial;
};
} // namespace

/// Neighbouring lanes share a row, and each has steps of its own.
static ReductionLanes getReductionLanes(KernelFrame &frame,
                                        const ThreadIds &ids, int64_t items) {
  ReductionLanes lanes;
  lanes.dims = llvm::to_vector(frame.getBatchDims());
  lanes.scans = 1;
  lanes.items = items;
  lanes.warp = lanes.sameScan = {ids.lane, kWarpSize, /*stride=*/1};
  if (ids.rowThreads < kWarpSize)
    lanes.sameScan = {ids.rowLane, ids.rowThreads, /*stride=*/1};
  return lanes;
}

RowTile::RowTile(ImplicitLocOpBuilder &b, KernelFrame &frame,
                 const ThreadIds &ids, int64_t items, RowIO &io)
    : frame(frame), kernel(frame.getKernel()), ids(ids), items(items), io(io),
      reductions(b, frame, getReductionLanes(frame, ids, items)),
      readsTime(readsScanIndex(kernel)) {}

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
// Maps and reductions
//===----------------------------------------------------------------------===//

/// The point of the thread's item number `item`, for regions that read it.
SmallVector<Value> RowTile::pointOf(ImplicitLocOpBuilder &b, Value base,
                                    int64_t item, bool isPartial) {
  RowPoints points(io.getLayout(), point, isRow, isPartial);
  return readsTime ? points.createPoint(b, 0, base, item)
                   : points.createPoint(0);
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

void RowTile::addToReductions(ImplicitLocOpBuilder &b, Value base, int64_t item,
                              bool isPartial, const Elements &result) {
  reductions.add(b, RowPoints(io.getLayout(), point, isRow, isPartial), base,
                 item, result);
}

void RowTile::finishReductions(ImplicitLocOpBuilder &b) {
  reductions.finish(
      b, RowPoints(io.getLayout(), point, isRow, /*isPartial=*/true));
}

//===----------------------------------------------------------------------===//
// Finals
//===----------------------------------------------------------------------===//

/// Whether this is the thread with index `thread` of a row that exists.
Value RowTile::isMine(ImplicitLocOpBuilder &b, Value thread) {
  return createAnd(
      b, compare(b, arith::CmpIPredicate::eq, ids.rowThread, thread), isRow);
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
