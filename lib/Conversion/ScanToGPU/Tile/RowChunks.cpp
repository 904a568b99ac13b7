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
  else
    rowStride = createRowStride(b);
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

/// The number of elements from row to row, in the order of
/// KernelFrame::createScanPoint; null where they are not evenly spaced.
Value RowChunks::createRowStride(ImplicitLocOpBuilder &b) const {
  KernelFrame &frame = layout.frame;
  unsigned scanned = *view.findDim(frame.getKernel().getDim());
  SmallVector<unsigned> dims, positions;
  for (auto [position, expr] : llvm::enumerate(view.map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || position == scanned)
      continue;
    dims.push_back(dim.getPosition());
    positions.push_back(position);
  }
  if (dims.empty())
    return indexConstant(b, 0);
  if (ArrayRef(dims) != frame.getBatchDims())
    return Value();
  if (view.isDense && scanned + 1 == view.map.getNumResults())
    return getRowElements(b);
  return dims.size() == 1 ? pointer.strides[positions.front()] : Value();
}

/// Whether vectors are aligned in the rows of the block. In scan order they
/// begin at the first element of a row, reversed they end with its last; with
/// several rows, both.
Value RowChunks::createIsAligned(ImplicitLocOpBuilder &b) const {
  if (layout.ids.rows == 1) {
    Value end = rowOffset;
    if (layout.isReverse)
      end = b.createOrFold<arith::AddIOp>(end, getRowElements(b));
    return pointer.createIsAligned(b, end, {}, maxLength);
  }
  SmallVector<Value> steps{getRowElements(b)};
  auto shape = cast<MemRefType>(view.value.getType()).getShape();
  auto position = view.findDim(layout.frame.getKernel().getDim());
  for (unsigned dim = 0; dim < view.map.getNumResults(); ++dim)
    if (!rowStride && dim != position && shape[dim] != 1)
      steps.push_back(pointer.strides[dim]);
  if (rowStride && rowStride != steps.front())
    steps.push_back(rowStride);
  return pointer.createIsAligned(b, indexConstant(b, 0), steps, maxLength);
}

//===----------------------------------------------------------------------===//
// Where chunks lie
//===----------------------------------------------------------------------===//

/// The lanes of a warp take the chunks of its items in turn, or the threads
/// those of all rows of the block.
RowChunks::Cursor RowChunks::begin(ImplicitLocOpBuilder &b, Value base,
                                   int64_t length, bool isPartial) const {
  Cursor cursor;
  cursor.length = length;
  cursor.isPartial = isPartial;
  Value start = mulConstant(b, base, view.numElements);
  if (isPartial) {
    cursor.elements = countRest(b, start, getRowElements(b), tileElements);
    if (layout.ids.rows > 1)
      cursor.rows =
          countRest(b, layout.firstRow, layout.rowCount, layout.ids.rows);
  }
  cursor.start =
      layout.isReverse
          ? b.createOrFold<arith::SubIOp>(
                addConstant(b, getRowElements(b), -tileElements), start)
          : start;
  Value offset = cursor.start;
  if (rowOffset)
    offset = b.createOrFold<arith::AddIOp>(rowOffset, offset);
  else if (rowStride)
    offset = b.createOrFold<arith::AddIOp>(
        b.createOrFold<arith::MulIOp>(layout.firstRow, rowStride), offset);
  cursor.origin = pointer.createAddress(b, offset);

  int64_t perRow = tileElements / length;
  if (layout.isWarpLocal()) {
    cursor.first = b.createOrFold<arith::AddIOp>(
        mulConstant(b, layout.createMemoryWarp(b), width),
        mulConstant(b, layout.ids.lane, length));
  } else if (perRow % layout.ids.threads == 0) {
    cursor.row = indexConstant(b, 0);
    cursor.first = mulConstant(b, layout.ids.thread, length);
  } else if (layout.ids.threads % perRow == 0) {
    Value size = indexConstant(b, perRow);
    cursor.row = b.createOrFold<arith::DivUIOp>(layout.ids.thread, size);
    cursor.first = mulConstant(
        b, b.createOrFold<arith::RemUIOp>(layout.ids.thread, size), length);
  }
  return cursor;
}

/// The address of the chunk in row `row` of the block.
Value RowChunks::moveToRow(ImplicitLocOpBuilder &b, const Cursor &cursor,
                           Value row) const {
  // A row that does not exist repeats the last one, if what is loaded there is
  // computed with.
  if (cursor.isPartial && needsValidPadding)
    row = b.createOrFold<arith::MinUIOp>(
        row, addConstant(b,
                         b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(),
                                                              cursor.rows),
                         -1));
  Value offset;
  if (rowStride)
    offset = b.createOrFold<arith::MulIOp>(row, rowStride);
  else
    offset = createRowOffset(
        b, layout.frame.createScanPoint(
               b, b.createOrFold<arith::AddIOp>(layout.firstRow, row)));
  return pointer.moveAddress(
      b, cursor.origin, b.createOrFold<arith::AddIOp>(offset, cursor.first));
}

RowChunks::Chunk RowChunks::takeChunk(ImplicitLocOpBuilder &b,
                                      Cursor &cursor) const {
  int64_t threads = layout.ids.threads, step = cursor.step++;
  int64_t length = cursor.length, perRow = tileElements / length;
  // The row is `rows` after the one of the first chunk.
  int64_t rows = 0, rowsBefore = 0;
  Value row = cursor.row;
  Chunk chunk;
  chunk.offset = 0;
  if (layout.isWarpLocal()) {
    chunk.offset = step * kWarpSize * length;
    if (step == 0)
      cursor.address = pointer.moveAddress(b, cursor.origin, cursor.first);
  } else if (perRow % threads == 0) {
    chunk.offset = step * threads % perRow * length;
    rows = step * threads / perRow;
    rowsBefore = (step - 1) * threads / perRow;
  } else if (threads % perRow == 0) {
    rows = step * (threads / perRow);
    rowsBefore = rows - threads / perRow;
  } else {
    Value all = addConstant(b, layout.ids.thread, step * threads);
    Value size = indexConstant(b, perRow);
    row = b.createOrFold<arith::DivUIOp>(all, size);
    cursor.first =
        mulConstant(b, b.createOrFold<arith::RemUIOp>(all, size), length);
  }
  if (row) {
    bool isEven = rowStride && !(cursor.isPartial && needsValidPadding);
    if (step == 0 || !isEven || row != cursor.row)
      cursor.address = moveToRow(b, cursor, addConstant(b, row, rows));
    else if (rows != rowsBefore)
      cursor.address = pointer.moveAddress(
          b, cursor.address, mulConstant(b, rowStride, rows - rowsBefore));
  }
  chunk.address = cursor.address;
  chunk.number = b.createOrFold<arith::AddIOp>(cursor.start, cursor.first);
  if (!cursor.isPartial)
    return chunk;
  Type i32 = b.getI32Type();
  Value bound = cursor.elements;
  if (layout.isReverse)
    bound = b.createOrFold<arith::SubIOp>(i32Constant(b, tileElements), bound);
  chunk.bound = b.createOrFold<arith::SubIOp>(
      bound, b.createOrFold<arith::IndexCastUIOp>(i32, cursor.first));
  if (row)
    chunk.isRow = isBelow(
        b, rows,
        b.createOrFold<arith::SubIOp>(
            cursor.rows, b.createOrFold<arith::IndexCastUIOp>(i32, row)));
  return chunk;
}

//===----------------------------------------------------------------------===//
// Which elements are in bounds
//===----------------------------------------------------------------------===//

/// Whether an element of a chunk is in the scan, in either direction.
Value RowChunks::inBounds(ImplicitLocOpBuilder &b, const Chunk &chunk,
                          int64_t element) const {
  Value number = i32Constant(b, chunk.offset + element);
  Value inside = compare(b,
                         layout.isReverse ? arith::CmpIPredicate::sle
                                          : arith::CmpIPredicate::sgt,
                         chunk.bound, number);
  return createAnd(b, inside, chunk.isRow);
}

Value RowChunks::areAllInBounds(ImplicitLocOpBuilder &b, const Chunk &chunk,
                                int64_t length) const {
  // In reverse only the first can be out of bounds, forward only the last.
  return inBounds(b, chunk, layout.isReverse ? 0 : length - 1);
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

Value RowChunks::getAddress(ImplicitLocOpBuilder &b, const Chunk &chunk,
                            int64_t element) const {
  int64_t offset = chunk.offset + element;
  return offset == 0
             ? chunk.address
             : pointer.moveAddress(b, chunk.address, indexConstant(b, offset));
}

/// Loads one element; of a shifted input the one that its step is to see, or
/// any where that is out of bounds.
Value RowChunks::loadElement(ImplicitLocOpBuilder &b, const Chunk &chunk,
                             int64_t element) const {
  Value address = getAddress(b, chunk, element);
  // A shift beyond every extent may wrap around: whatever is read then lies in
  // the row, and the boundary takes its place.
  uint64_t shift = uint64_t(view.shift) * view.numElements;
  if (shift != 0) {
    Value from =
        addConstant(b, chunk.number, uint64_t(chunk.offset) + element - shift);
    Value isFrom =
        compare(b, arith::CmpIPredicate::ult, from, getRowElements(b));
    address = pointer.moveAddress(
        b, address,
        b.createOrFold<arith::SelectOp>(isFrom, indexConstant(b, 0 - shift),
                                        indexConstant(b, 0)));
  }
  return loadParts(b, view.elementType, address, 1);
}

/// Element `element` of a chunk, or what the last step of the row has in its
/// place.
RowChunks::Chunk RowChunks::clampElement(ImplicitLocOpBuilder &b,
                                         const Chunk &chunk,
                                         int64_t element) const {
  Value number = addConstant(b, chunk.number, chunk.offset + element);
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
  one.offset = 0;
  one.address =
      pointer.moveAddress(b, getAddress(b, chunk, element),
                          b.createOrFold<arith::SubIOp>(one.number, number));
  return one;
}

Value RowChunks::load(ImplicitLocOpBuilder &b, Cursor &cursor) const {
  int64_t length = cursor.length;
  Chunk chunk = takeChunk(b, cursor);
  Type type = view.elementType;
  auto loadWhole = [&](ImplicitLocOpBuilder &inner) -> SmallVector<Value> {
    if (length == 1)
      return {loadElement(inner, chunk, 0)};
    return {loadParts(inner, type, getAddress(inner, chunk, 0), length)};
  };
  if (!cursor.isPartial)
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
  auto zeros = [&](ImplicitLocOpBuilder &inner,
                   int64_t count) -> SmallVector<Value> {
    return {createZero(inner, getPartsType(type, count))};
  };
  auto loadPart = [&](ImplicitLocOpBuilder &inner) -> SmallVector<Value> {
    SmallVector<Value> elements;
    for (int64_t i = 0; i < length; ++i)
      llvm::append_range(
          elements,
          createIfElse(
              inner, inBounds(inner, chunk, i),
              [&](ImplicitLocOpBuilder &one) -> SmallVector<Value> {
                return {loadElement(one, chunk, i)};
              },
              [&](ImplicitLocOpBuilder &none) { return zeros(none, 1); }));
    return {joinParts(inner, elements, type)};
  };
  return createIfElse(b, areAllInBounds(b, chunk, length), loadWhole,
                      [&](ImplicitLocOpBuilder &inner) -> SmallVector<Value> {
                        return areWhole(length) ? zeros(inner, length)
                                                : loadPart(inner);
                      })
      .front();
}

void RowChunks::store(ImplicitLocOpBuilder &b, Value parts,
                      Cursor &cursor) const {
  int64_t length = cursor.length;
  Chunk chunk = takeChunk(b, cursor);
  auto storeWhole = [&](ImplicitLocOpBuilder &inner) {
    storeParts(inner, parts, view.elementType, getAddress(inner, chunk, 0),
               length);
  };
  if (!cursor.isPartial)
    return storeWhole(b);
  auto storePart = [&](ImplicitLocOpBuilder &inner) {
    for (int64_t i = 0; i < length; ++i)
      createIf(inner, inBounds(inner, chunk, i),
               [&](ImplicitLocOpBuilder &one) {
                 storeParts(one, extractParts(one, parts, view.elementType, i),
                            view.elementType, getAddress(one, chunk, i), 1);
               });
  };
  Value isWhole = areAllInBounds(b, chunk, length);
  if (areWhole(length))
    return createIf(b, isWhole, storeWhole);
  createIf(b, isWhole, storeWhole, storePart);
}
