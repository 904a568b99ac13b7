//===- RowChunks.cpp - The rows of a tile in global memory ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowChunks.h"
#include "../Primitives/WarpScan.h"

using namespace mlir;
using namespace mlir::scan;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

RowChunks::RowChunks(ImplicitLocOpBuilder &b, const OperandView &view,
                     const RowLayout &layout, int64_t maxLength,
                     bool needsValidPadding)
    : view(view), layout(layout), pointer(GlobalPointer::get(b, view.value)),
      maxLength(maxLength), width(layout.items * view.numElements),
      tileElements(layout.ids.rowThreads * width),
      needsValidPadding(needsValidPadding) {}

void RowChunks::startRow(ImplicitLocOpBuilder &b, ArrayRef<Value> point) {
  if (layout.ids.rows == 1)
    rowOffset = createRowOffset(b, point);
  if (maxLength > 1)
    isAligned = createIsAligned(b);
}

SmallVector<Value> RowChunks::ifAligned(
    ImplicitLocOpBuilder &b,
    function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, int64_t)> body)
    const {
  if (maxLength == 1)
    return body(b, 1);
  return createIfElse(
      b, isAligned,
      [&](ImplicitLocOpBuilder &inner) { return body(inner, maxLength); },
      [&](ImplicitLocOpBuilder &inner) { return body(inner, 1); });
}

Value RowChunks::getRowElements(ImplicitLocOpBuilder &b) const {
  return mulConstant(b, layout.frame.getExtent(), view.numElements);
}

/// The offset of the first element in memory of the row at `rowPoint`.
Value RowChunks::createRowOffset(ImplicitLocOpBuilder &b,
                                 ArrayRef<Value> rowPoint) const {
  SmallVector<Value> first(rowPoint);
  Value zero = indexConstant(b, 0);
  first[layout.frame.getKernel().getDim()] = zero;
  SmallVector<Value> trailing(view.trailing.size(), zero);
  return pointer.createOffset(b, getElementIndices(b, view, first, trailing));
}

/// Whether vectors are aligned in the rows of the block. In scan order they
/// begin at the first element of a row, reversed they end with its last.
Value RowChunks::createIsAligned(ImplicitLocOpBuilder &b) const {
  Value end = layout.isReverse ? getRowElements(b) : indexConstant(b, 0);
  SmallVector<Value> steps;
  if (layout.ids.rows == 1) {
    end = b.createOrFold<arith::AddIOp>(end, rowOffset);
  } else {
    auto shape = cast<MemRefType>(view.value.getType()).getShape();
    auto position = view.findDim(layout.frame.getKernel().getDim());
    for (unsigned dim = 0; dim < view.map.getNumResults(); ++dim)
      if (dim != position && shape[dim] != 1)
        steps.push_back(pointer.strides[dim]);
  }
  return pointer.createIsAligned(b, end, steps, maxLength);
}

//===----------------------------------------------------------------------===//
// Where chunks lie
//===----------------------------------------------------------------------===//

/// The chunk of `length` elements that this thread moves in step `step`: the
/// lanes of a warp take those of its items in turn, or the threads those of all
/// rows of the block.
RowChunks::Chunk RowChunks::getChunk(ImplicitLocOpBuilder &b, Value base,
                                     int64_t length, int64_t step,
                                     bool isPartial) const {
  // What comes before `number` in its row's part of the tile.
  int64_t perRow = tileElements / length;
  Value row, number;
  int64_t offset = 0;
  if (layout.isWarpLocal()) {
    number = b.createOrFold<arith::AddIOp>(
        mulConstant(b, layout.createMemoryWarp(b), width / length),
        layout.ids.lane);
    offset = step * kWarpSize;
  } else if (perRow % layout.ids.threads == 0) {
    row = indexConstant(b, step * layout.ids.threads / perRow);
    number = layout.ids.thread;
    offset = step * layout.ids.threads % perRow;
  } else {
    Value all = layout.ids.thread;
    int64_t rows = 0;
    if (layout.ids.threads % perRow == 0)
      rows = step * (layout.ids.threads / perRow);
    else
      all = addConstant(b, layout.ids.thread, step * layout.ids.threads);
    Value size = indexConstant(b, perRow);
    row = addConstant(b, b.createOrFold<arith::DivUIOp>(all, size), rows);
    number = b.createOrFold<arith::RemUIOp>(all, size);
  }

  Value start = mulConstant(b, base, view.numElements);
  if (layout.isReverse)
    start = b.createOrFold<arith::SubIOp>(
        addConstant(b, getRowElements(b), -tileElements), start);
  number = b.createOrFold<arith::AddIOp>(start, mulConstant(b, number, length));
  Chunk chunk;
  chunk.number = addConstant(b, number, offset * length);
  Value first = rowOffset;
  if (row) {
    row = b.createOrFold<arith::AddIOp>(layout.firstRow, row);
    if (isPartial) {
      chunk.isRow = compare(b, arith::CmpIPredicate::ult, row, layout.rowCount);
      row = b.createOrFold<arith::MinUIOp>(row,
                                           addConstant(b, layout.rowCount, -1));
    }
    first = createRowOffset(b, layout.frame.createScanPoint(b, row));
  }
  chunk.offset = addConstant(b, b.createOrFold<arith::AddIOp>(first, number),
                             offset * length);
  return chunk;
}

//===----------------------------------------------------------------------===//
// Which elements are in bounds
//===----------------------------------------------------------------------===//

/// Whether an element of a chunk is in the scan, in either direction.
Value RowChunks::inBounds(ImplicitLocOpBuilder &b, const Chunk &chunk,
                          int64_t element) const {
  // As unsigned numbers, those below zero are above every extent.
  Value inside =
      compare(b, arith::CmpIPredicate::ult,
              addConstant(b, chunk.number, element), getRowElements(b));
  return createAnd(b, inside, chunk.isRow);
}

Value RowChunks::areAllInBounds(ImplicitLocOpBuilder &b, const Chunk &chunk,
                                int64_t length) const {
  if (length == 1)
    return inBounds(b, chunk, 0);
  // In reverse only the first can be out of bounds, forward only the last.
  Value inside =
      layout.isReverse
          ? compare(b, arith::CmpIPredicate::sge, chunk.number, 0)
          : compare(b, arith::CmpIPredicate::ule,
                    addConstant(b, chunk.number, length), getRowElements(b));
  return createAnd(b, inside, chunk.isRow);
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// Loads one element; of a shifted input the one that its step is to see, or
/// any where that is out of bounds.
Value RowChunks::loadElement(ImplicitLocOpBuilder &b, const Chunk &chunk,
                             int64_t element) const {
  Value offset = addConstant(b, chunk.offset, element);
  // A shift beyond every extent may wrap around: whatever is read then lies in
  // the row, and the boundary takes its place.
  uint64_t shift = uint64_t(view.shift) * view.numElements;
  if (shift != 0) {
    Value from = addConstant(b, chunk.number, uint64_t(element) - shift);
    Value isFrom =
        compare(b, arith::CmpIPredicate::ult, from, getRowElements(b));
    offset = b.createOrFold<arith::SelectOp>(
        isFrom, addConstant(b, offset, -shift), offset);
  }
  return pointer.load(b, offset, 1);
}

/// Element `element` of a chunk, or what the last step of the row has in its
/// place.
RowChunks::Chunk RowChunks::clampElement(ImplicitLocOpBuilder &b,
                                         const Chunk &chunk,
                                         int64_t element) const {
  Value number = addConstant(b, chunk.number, element);
  // Which element of its step it is; in front of a row, too, where the reads
  // behind the last step of a reverse scan are.
  int64_t width = view.numElements;
  Value part = indexConstant(b, 0);
  if (width > 1) {
    Value size = indexConstant(b, width);
    part = arith::RemSIOp::create(b, number, size);
    if (layout.isReverse)
      part = arith::RemSIOp::create(
          b, arith::AddIOp::create(b, part, size).getResult(), size);
  }
  Value last = part;
  if (!layout.isReverse)
    last = b.createOrFold<arith::AddIOp>(
        addConstant(b, getRowElements(b), -width), part);
  Chunk one;
  one.number = b.createOrFold<arith::SelectOp>(inBounds(b, chunk, element),
                                               number, last);
  one.offset = b.createOrFold<arith::AddIOp>(
      addConstant(b, chunk.offset, element),
      b.createOrFold<arith::SubIOp>(one.number, number));
  return one;
}

Value RowChunks::load(ImplicitLocOpBuilder &b, Value base, int64_t length,
                      int64_t step, bool isPartial) const {
  Chunk chunk = getChunk(b, base, length, step, isPartial);
  Type type = view.elementType;
  auto loadWhole = [&](ImplicitLocOpBuilder &inner) -> SmallVector<Value> {
    if (length == 1)
      return {loadElement(inner, chunk, 0)};
    return {pointer.load(inner, chunk.offset, length)};
  };
  if (!isPartial)
    return loadWhole(b).front();
  // A row that does not exist repeats the last one.
  if (needsValidPadding)
    chunk.isRow = Value();
  if (needsValidPadding && layout.isWarpLocal()) {
    auto loadClamped = [&](ImplicitLocOpBuilder &inner) -> SmallVector<Value> {
      SmallVector<Value> elements;
      for (int64_t i = 0; i < length; ++i)
        elements.push_back(
            loadElement(inner, clampElement(inner, chunk, i), 0));
      return {joinParts(inner, elements, type)};
    };
    if (length == 1)
      return loadClamped(b).front();
    return createIfElse(b, areAllInBounds(b, chunk, length), loadWhole,
                        loadClamped)
        .front();
  }
  auto zero = [&](ImplicitLocOpBuilder &inner) -> SmallVector<Value> {
    return {createZero(inner, getPartsType(type, 1))};
  };
  auto loadPart = [&](ImplicitLocOpBuilder &inner) -> SmallVector<Value> {
    SmallVector<Value> elements;
    for (int64_t i = 0; i < length; ++i)
      llvm::append_range(
          elements, createIfElse(
                        inner, inBounds(inner, chunk, i),
                        [&](ImplicitLocOpBuilder &one) -> SmallVector<Value> {
                          return {loadElement(one, chunk, i)};
                        },
                        zero));
    return {joinParts(inner, elements, type)};
  };
  return createIfElse(
             b, areAllInBounds(b, chunk, length), loadWhole,
             length == 1
                 ? function_ref<SmallVector<Value>(ImplicitLocOpBuilder &)>(
                       zero)
                 : loadPart)
      .front();
}

void RowChunks::store(ImplicitLocOpBuilder &b, Value parts, Value base,
                      int64_t length, int64_t step, bool isPartial) const {
  Chunk chunk = getChunk(b, base, length, step, isPartial);
  auto storeWhole = [&](ImplicitLocOpBuilder &inner) {
    pointer.store(inner, parts, chunk.offset, length);
  };
  if (!isPartial)
    return storeWhole(b);
  auto storePart = [&](ImplicitLocOpBuilder &inner) {
    for (int64_t i = 0; i < length; ++i)
      createIf(
          inner, inBounds(inner, chunk, i), [&](ImplicitLocOpBuilder &one) {
            pointer.store(one, extractParts(one, parts, view.elementType, i),
                          addConstant(one, chunk.offset, i), 1);
          });
  };
  Value isWhole = areAllInBounds(b, chunk, length);
  if (length == 1)
    return createIf(b, isWhole, storeWhole);
  createIf(b, isWhole, storeWhole, storePart);
}
