//===- TileChunks.cpp - The rows of a tile in global memory ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chunks of the rows that the threads of a block, or the lanes of a warp, move
// in turn: which thread moves which, where they lie, which of their elements
// exist, and their loads and stores.
//
//===----------------------------------------------------------------------===//

#include "../../GPUCommon/Emit.h"
#include "../Primitives/WarpScan.h"
#include "TileIO.h"

using namespace mlir;
using namespace mlir::scan;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

Value TileIO::getRowElements(ImplicitLocOpBuilder &b, const Operand &operand) {
  return mulConstant(b, frame.getExtent(), operand.view.numElements);
}

/// The offset of the first element in memory of the row at `rowPoint`.
Value TileIO::createRowOffset(ImplicitLocOpBuilder &b, const Operand &operand,
                              ArrayRef<Value> rowPoint) {
  SmallVector<Value> first(rowPoint);
  Value zero = indexConstant(b, 0);
  first[kernel.getDim()] = zero;
  SmallVector<Value> trailing(operand.view.trailing.size(), zero);
  return operand.pointer.createOffset(
      b, getElementIndices(b, operand.view, first, trailing));
}

/// Whether vectors are aligned in the rows of the block. In scan order they
/// begin at the first element of a row, reversed they end with its last.
Value TileIO::createIsAligned(ImplicitLocOpBuilder &b, const Operand &operand) {
  Value end =
      kernel.getReverse() ? getRowElements(b, operand) : indexConstant(b, 0);
  SmallVector<Value> steps;
  if (ids.rows == 1) {
    end = b.createOrFold<arith::AddIOp>(end, operand.rowOffset);
  } else {
    auto shape = cast<MemRefType>(operand.view.value.getType()).getShape();
    auto position = operand.view.findDim(kernel.getDim());
    for (unsigned dim = 0; dim < operand.view.map.getNumResults(); ++dim)
      if (dim != position && shape[dim] != 1)
        steps.push_back(operand.pointer.strides[dim]);
  }
  return operand.pointer.createIsAligned(b, end, steps, operand.length);
}

//===----------------------------------------------------------------------===//
// Where chunks lie
//===----------------------------------------------------------------------===//

/// The first of the threads whose items lie in memory where those of this warp
/// do.
Value TileIO::getMemoryWarp(ImplicitLocOpBuilder &b) {
  Value warp = ids.warp;
  if (kernel.getReverse())
    warp = b.createOrFold<arith::SubIOp>(
        indexConstant(b, ids.threads / kWarpSize - 1), warp);
  return mulConstant(b, warp, kWarpSize);
}

/// The chunk of `length` elements that this thread moves in step `step`: the
/// lanes of a warp take those of its items in turn, or the threads those of all
/// rows of the block.
TileIO::Chunk TileIO::getChunk(ImplicitLocOpBuilder &b, const Operand &operand,
                               Value base, int64_t length, int64_t step,
                               bool isPartial) {
  // What comes before `number` in its row's part of the tile.
  int64_t perRow = getTileElements(operand) / length;
  Value row, number;
  int64_t offset = 0;
  if (isWarpLocal) {
    number = b.createOrFold<arith::AddIOp>(
        mulConstant(b, getMemoryWarp(b), getWidth(operand) / length), ids.lane);
    offset = step * kWarpSize;
  } else if (perRow % ids.threads == 0) {
    row = indexConstant(b, step * ids.threads / perRow);
    number = ids.thread;
    offset = step * ids.threads % perRow;
  } else {
    Value all = ids.thread;
    int64_t rows = 0;
    if (ids.threads % perRow == 0)
      rows = step * (ids.threads / perRow);
    else
      all = addConstant(b, ids.thread, step * ids.threads);
    Value size = indexConstant(b, perRow);
    row = addConstant(b, b.createOrFold<arith::DivUIOp>(all, size), rows);
    number = b.createOrFold<arith::RemUIOp>(all, size);
  }

  Value start = mulConstant(b, base, operand.view.numElements);
  if (kernel.getReverse())
    start = b.createOrFold<arith::SubIOp>(
        addConstant(b, getRowElements(b, operand), -getTileElements(operand)),
        start);
  number = b.createOrFold<arith::AddIOp>(start, mulConstant(b, number, length));
  Chunk chunk;
  chunk.number = addConstant(b, number, offset * length);
  Value rowOffset = operand.rowOffset;
  if (row) {
    row = b.createOrFold<arith::AddIOp>(firstRow, row);
    if (isPartial) {
      chunk.isRow = compare(b, arith::CmpIPredicate::ult, row, rowCount);
      row = b.createOrFold<arith::MinUIOp>(row, addConstant(b, rowCount, -1));
    }
    rowOffset = createRowOffset(b, operand, frame.createScanPoint(b, row));
  }
  chunk.offset = addConstant(
      b, b.createOrFold<arith::AddIOp>(rowOffset, number), offset * length);
  return chunk;
}

//===----------------------------------------------------------------------===//
// Which elements exist
//===----------------------------------------------------------------------===//

/// Whether an element of a chunk is in the scan, in either direction.
Value TileIO::isInside(ImplicitLocOpBuilder &b, const Operand &operand,
                       const Chunk &chunk, int64_t element) {
  // As unsigned numbers, those below zero are above every extent.
  Value inside = compare(b, arith::CmpIPredicate::ult,
                         addConstant(b, chunk.number, element),
                         getRowElements(b, operand));
  if (!chunk.isRow)
    return inside;
  return b.createOrFold<arith::AndIOp>(inside, chunk.isRow);
}

Value TileIO::areAllInside(ImplicitLocOpBuilder &b, const Operand &operand,
                           const Chunk &chunk, int64_t length) {
  if (length == 1)
    return isInside(b, operand, chunk, 0);
  // Backwards only the first can be outside, forwards only the last.
  Value inside = kernel.getReverse()
                     ? compare(b, arith::CmpIPredicate::sge, chunk.number, 0)
                     : compare(b, arith::CmpIPredicate::ule,
                               addConstant(b, chunk.number, length),
                               getRowElements(b, operand));
  if (!chunk.isRow)
    return inside;
  return b.createOrFold<arith::AndIOp>(inside, chunk.isRow);
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// Reads one element; of a shifted input the one that its step is to see, or
/// any where that lies outside.
Value TileIO::loadElement(ImplicitLocOpBuilder &b, const Operand &operand,
                          const Chunk &chunk, int64_t element) {
  Value offset = addConstant(b, chunk.offset, element);
  // A shift beyond every extent may wrap around: whatever is read then lies in
  // the row, and the boundary takes its place.
  uint64_t shift = uint64_t(operand.view.shift) * operand.view.numElements;
  if (shift != 0) {
    Value from = addConstant(b, chunk.number, uint64_t(element) - shift);
    Value isFrom =
        compare(b, arith::CmpIPredicate::ult, from, getRowElements(b, operand));
    offset = b.createOrFold<arith::SelectOp>(
        isFrom, addConstant(b, offset, -shift), offset);
  }
  return operand.pointer.load(b, offset, 1);
}

/// Element `element` of a chunk, or what the last step of the row has in its
/// place.
TileIO::Chunk TileIO::clampElement(ImplicitLocOpBuilder &b,
                                   const Operand &operand, const Chunk &chunk,
                                   int64_t element) {
  Value number = addConstant(b, chunk.number, element);
  // Which element of its step it is; in front of a row, too, where the reads
  // behind the last step of a reverse scan are.
  int64_t width = operand.view.numElements;
  Value part = indexConstant(b, 0);
  if (width > 1) {
    Value size = indexConstant(b, width);
    part = arith::RemSIOp::create(b, number, size);
    if (kernel.getReverse())
      part = arith::RemSIOp::create(
          b, arith::AddIOp::create(b, part, size).getResult(), size);
  }
  Value last = part;
  if (!kernel.getReverse())
    last = b.createOrFold<arith::AddIOp>(
        addConstant(b, getRowElements(b, operand), -width), part);
  Chunk one;
  one.number = b.createOrFold<arith::SelectOp>(
      isInside(b, operand, chunk, element), number, last);
  one.offset = b.createOrFold<arith::AddIOp>(
      addConstant(b, chunk.offset, element),
      b.createOrFold<arith::SubIOp>(one.number, number));
  return one;
}

Value TileIO::loadChunk(ImplicitLocOpBuilder &b, const Operand &operand,
                        Chunk chunk, int64_t length, bool isPartial) {
  Type type = operand.view.elementType;
  auto loadWhole = [&](ImplicitLocOpBuilder &inner) -> SmallVector<Value> {
    if (length == 1)
      return {loadElement(inner, operand, chunk, 0)};
    return {operand.pointer.load(inner, chunk.offset, length)};
  };
  if (!isPartial)
    return loadWhole(b).front();
  // A row that does not exist repeats the last one.
  if (needsValidPadding)
    chunk.isRow = Value();
  if (needsValidPadding && isWarpLocal) {
    auto loadClamped = [&](ImplicitLocOpBuilder &inner) -> SmallVector<Value> {
      SmallVector<Value> elements;
      for (int64_t i = 0; i < length; ++i)
        elements.push_back(loadElement(
            inner, operand, clampElement(inner, operand, chunk, i), 0));
      return {joinParts(inner, elements, type)};
    };
    if (length == 1)
      return loadClamped(b).front();
    return createIfElse(b, areAllInside(b, operand, chunk, length), loadWhole,
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
                        inner, isInside(inner, operand, chunk, i),
                        [&](ImplicitLocOpBuilder &one) -> SmallVector<Value> {
                          return {loadElement(one, operand, chunk, i)};
                        },
                        zero));
    return {joinParts(inner, elements, type)};
  };
  return createIfElse(
             b, areAllInside(b, operand, chunk, length), loadWhole,
             length == 1
                 ? function_ref<SmallVector<Value>(ImplicitLocOpBuilder &)>(
                       zero)
                 : loadPart)
      .front();
}

void TileIO::storeChunk(ImplicitLocOpBuilder &b, const Operand &operand,
                        const Chunk &chunk, Value parts, int64_t length,
                        bool isPartial) {
  auto storeWhole = [&](ImplicitLocOpBuilder &inner) {
    operand.pointer.store(inner, parts, chunk.offset, length);
  };
  if (!isPartial)
    return storeWhole(b);
  auto storePart = [&](ImplicitLocOpBuilder &inner) {
    for (int64_t i = 0; i < length; ++i)
      createIf(inner, isInside(inner, operand, chunk, i),
               [&](ImplicitLocOpBuilder &one) {
                 operand.pointer.store(
                     one, extractParts(one, parts, operand.view.elementType, i),
                     addConstant(one, chunk.offset, i), 1);
               });
  };
  Value isWhole = areAllInside(b, operand, chunk, length);
  if (length == 1)
    return createIf(b, isWhole, storeWhole);
  createIf(b, isWhole, storeWhole, storePart);
}
