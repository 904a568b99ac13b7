//===- TileIO.cpp - Moving tiles between memory and registers -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileIO.h"
#include "Emit.h"
#include "WarpScan.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::scan;

/// Whether some operation of the regions may not be executed on whatever is
/// beyond the end: a division, say.
static bool hasUnsafeOperation(KernelOp kernel) {
  return kernel
      ->walk([&](Operation *op) {
        if (op == kernel || op->hasTrait<OpTrait::IsTerminator>() ||
            isSpeculatable(op))
          return WalkResult::advance();
        return WalkResult::interrupt();
      })
      .wasInterrupted();
}

TileIO::TileIO(ImplicitLocOpBuilder &b, KernelFrame &frame,
               const ThreadIds &ids, int64_t items, int64_t sharedBudget,
               int64_t places)
    : frame(frame), kernel(frame.getKernel()), ids(ids), items(items),
      mindsGarbage(hasUnsafeOperation(kernel)), isWarpLocal(ids.rows == 1) {
  for (const OperandView &view : frame.getInputs())
    inputs.push_back(plan(b, view, places, sharedBudget));
  for (const OperandView &view : frame.getOutputs())
    outputs.push_back(plan(b, view, /*places=*/1, sharedBudget));
}

TileIO::Operand TileIO::plan(ImplicitLocOpBuilder &b, const OperandView &view,
                             int64_t places, int64_t &sharedBudget) {
  Operand operand;
  operand.view = view;
  if (view.isStarts) {
    operand.access = Access::Starts;
    return operand;
  }
  if (view.isSum || !view.map.isFunctionOfDim(kernel.getDim())) {
    operand.access = Access::Invariant;
    return operand;
  }
  operand.access = Access::Direct;
  operand.layout = TransposeLayout::get(view.value, view.map, kernel.getDim(),
                                        ids.threads, items);
  int64_t bytes = places * operand.layout.getBytes();
  if (bytes == 0 || bytes > sharedBudget)
    return operand;
  sharedBudget -= bytes;
  operand.access = Access::Shared;
  operand.buffer =
      addPartsBuffer(frame, places * operand.layout.slots, view.elementType);
  operand.pointer = GlobalPointer::get(b, view.value);
  // What is shifted is aligned nowhere.
  if (view.shift == 0)
    operand.length = operand.layout.length;
  return operand;
}

void TileIO::usePlace(ImplicitLocOpBuilder &b, Value place) {
  for (Operand &input : inputs)
    if (input.access == Access::Shared)
      input.firstSlot = mulConstant(b, place, input.layout.slots);
}

void TileIO::sync(ImplicitLocOpBuilder &b) {
  if (isWarpLocal)
    syncWarp(b);
  else
    gpu::BarrierOp::create(b);
}

/// `slot` of the place in use.
Value TileIO::inPlace(ImplicitLocOpBuilder &b, const Operand &operand,
                      Value slot) {
  if (!operand.firstSlot)
    return slot;
  return b.createOrFold<arith::AddIOp>(operand.firstSlot, slot);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void TileIO::startRow(ImplicitLocOpBuilder &b, ArrayRef<Value> rowPoint) {
  point = llvm::to_vector(rowPoint);
  for (Operand &input : inputs)
    if (input.access == Access::Invariant)
      input.invariant = loadElements(b, input.view, point);
  for (auto *operands : {&inputs, &outputs})
    for (Operand &operand : *operands) {
      if (operand.access != Access::Shared)
        continue;
      if (ids.rows == 1)
        operand.rowOffset = createRowOffset(b, operand, point);
      if (operand.length > 1)
        operand.isAligned = createIsAligned(b, operand);
    }
}

void TileIO::startRows(ImplicitLocOpBuilder &b, ArrayRef<Value> rowPoint,
                       Value first, Value count) {
  firstRow = first;
  rowCount = count;
  startRow(b, rowPoint);
}

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
// Striped accesses
//===----------------------------------------------------------------------===//

SmallVector<Value> TileIO::ifAligned(
    ImplicitLocOpBuilder &b, const Operand &operand,
    function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, int64_t)> body) {
  if (operand.length == 1)
    return body(b, 1);
  return createIfElse(
      b, operand.isAligned,
      [&](ImplicitLocOpBuilder &inner) { return body(inner, operand.length); },
      [&](ImplicitLocOpBuilder &inner) { return body(inner, 1); });
}

/// The first of the threads whose items lie in memory where those of this warp
/// do.
Value TileIO::getMemoryWarp(ImplicitLocOpBuilder &b) {
  Value warp = ids.warp;
  if (kernel.getReverse())
    warp = b.createOrFold<arith::SubIOp>(
        indexConstant(b, ids.threads / kWarpSize - 1), warp);
  return mulConstant(b, warp, kWarpSize);
}

/// Where in shared memory that is which the thread moves in step `step`.
Value TileIO::getStripedSlot(ImplicitLocOpBuilder &b, const Operand &operand,
                             int64_t length, int64_t step) {
  const TransposeLayout &layout = operand.layout;
  if (!isWarpLocal)
    return layout.createSlot(b, ids.thread, step * ids.threads, length);
  Value first = layout.createThreadSlot(b, getMemoryWarp(b));
  Value slot =
      layout.createSlot(b, ids.lane, step * kWarpSize, length, kWarpSize);
  return b.createOrFold<arith::AddIOp>(first, slot);
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
  } else if (ids.rows == 1) {
    number = ids.thread;
    offset = step * ids.threads;
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
    rowOffset = createRowOffset(b, operand, frame.createPoint(b, row));
  }
  chunk.offset = addConstant(
      b, b.createOrFold<arith::AddIOp>(rowOffset, number), offset * length);
  return chunk;
}

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

static Value extractParts(ImplicitLocOpBuilder &b, Value vector, Type type,
                          int64_t element) {
  VectorType one = getPartsType(type, 1);
  if (vector.getType() == one)
    return vector;
  int64_t size = one.getNumElements();
  SmallVector<Value> parts;
  for (int64_t i = 0; i < size; ++i)
    parts.push_back(vector::ExtractOp::create(b, vector, element * size + i));
  return vector::FromElementsOp::create(b, one, parts);
}

static Value joinParts(ImplicitLocOpBuilder &b, ArrayRef<Value> vectors,
                       Type type) {
  if (vectors.size() == 1)
    return vectors.front();
  SmallVector<Value> parts;
  for (Value vector : vectors)
    for (int64_t i = 0; i < getPartsType(type, 1).getNumElements(); ++i)
      parts.push_back(vector::ExtractOp::create(b, vector, i));
  return vector::FromElementsOp::create(b, getPartsType(type, vectors.size()),
                                        parts);
}

/// Reads one element; of a shifted input the one that its step is to see, or
/// any where that lies outside.
Value TileIO::loadElement(ImplicitLocOpBuilder &b, const Operand &operand,
                          const Chunk &chunk, int64_t element) {
  Value offset = addConstant(b, chunk.offset, element);
  if (int64_t shift = operand.view.shift * operand.view.numElements) {
    Value from = addConstant(b, chunk.number, element - shift);
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
  Chunk one;
  Value number = addConstant(b, chunk.number, element), last;
  int64_t width = operand.view.numElements;
  if (kernel.getReverse()) {
    // Behind the last step lies what is in front of the row.
    last = indexConstant(b, width);
    last = width == 1 ? indexConstant(b, 0)
                      : arith::RemSIOp::create(
                            b,
                            b.createOrFold<arith::AddIOp>(
                                arith::RemSIOp::create(b, number, last), last),
                            last)
                            .getResult();
  } else {
    last = addConstant(b, getRowElements(b, operand), -width);
    if (width > 1)
      last = b.createOrFold<arith::AddIOp>(
          last,
          b.createOrFold<arith::RemUIOp>(number, indexConstant(b, width)));
  }
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
  if (mindsGarbage)
    chunk.isRow = Value();
  if (mindsGarbage && isWarpLocal) {
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

/// What the thread moves, as vectors as long as the chunks of shared memory.
SmallVector<Value> TileIO::fetchStriped(ImplicitLocOpBuilder &b,
                                        const Operand &operand, Value base,
                                        bool isPartial) {
  return ifAligned(
      b, operand, [&](ImplicitLocOpBuilder &inner, int64_t length) {
        SmallVector<Value> vectors, parts;
        for (int64_t step = 0; step < getWidth(operand) / length; ++step) {
          Chunk chunk = getChunk(inner, operand, base, length, step, isPartial);
          parts.push_back(loadChunk(inner, operand, chunk, length, isPartial));
          if (int64_t(parts.size()) * length < operand.layout.length)
            continue;
          vectors.push_back(joinParts(inner, parts, operand.view.elementType));
          parts.clear();
        }
        return vectors;
      });
}

void TileIO::putStriped(ImplicitLocOpBuilder &b, const Operand &operand,
                        ValueRange vectors) {
  const TransposeLayout &layout = operand.layout;
  Type type = operand.view.elementType;
  ifAligned(b, operand, [&](ImplicitLocOpBuilder &inner, int64_t length) {
    int64_t perVector = layout.length / length;
    for (int64_t step = 0; step < getWidth(operand) / length; ++step) {
      Value parts = vectors[step / perVector];
      if (length != layout.length)
        parts = extractParts(inner, parts, type, step % perVector);
      Value slot = getStripedSlot(inner, operand, length, step);
      storeSharedParts(inner, parts, type, operand.buffer,
                       inPlace(inner, operand, slot), length);
    }
    return SmallVector<Value>();
  });
}

void TileIO::storeStriped(ImplicitLocOpBuilder &b, const Operand &operand,
                          Value base, bool isPartial) {
  ifAligned(b, operand, [&](ImplicitLocOpBuilder &inner, int64_t length) {
    for (int64_t step = 0; step < getWidth(operand) / length; ++step) {
      Value slot = getStripedSlot(inner, operand, length, step);
      Value parts = loadSharedParts(inner, operand.view.elementType,
                                    operand.buffer, slot, length);
      storeChunk(inner, operand,
                 getChunk(inner, operand, base, length, step, isPartial), parts,
                 length, isPartial);
    }
    return SmallVector<Value>();
  });
}

//===----------------------------------------------------------------------===//
// Blocked accesses
//===----------------------------------------------------------------------===//

/// The thread that would hold this one's items if the scan went forwards.
Value TileIO::getMemoryThread(ImplicitLocOpBuilder &b) {
  if (!kernel.getReverse())
    return ids.thread;
  Value last = indexConstant(b, ids.rowThreads - 1);
  if (ids.rows > 1)
    last = b.createOrFold<arith::AddIOp>(
        mulConstant(b, ids.row, ids.rowThreads), last);
  return b.createOrFold<arith::SubIOp>(last, ids.rowThread);
}

SmallVector<Elements> TileIO::getBlocked(ImplicitLocOpBuilder &b,
                                         const Operand &operand) {
  const TransposeLayout &layout = operand.layout;
  Type type = operand.view.elementType;
  Value slot =
      inPlace(b, operand, layout.createThreadSlot(b, getMemoryThread(b)));
  Elements all;
  for (int64_t i = 0; i < layout.perThread; ++i)
    llvm::append_range(
        all,
        unpackElements(b,
                       loadSharedParts(b, type, operand.buffer,
                                       addConstant(b, slot, i * layout.length),
                                       layout.length),
                       type));
  SmallVector<Elements> result;
  for (ValueRange rest(all); !rest.empty();
       rest = rest.drop_front(operand.view.numElements))
    result.emplace_back(rest.take_front(operand.view.numElements));
  if (kernel.getReverse())
    std::reverse(result.begin(), result.end());
  return result;
}

void TileIO::putBlocked(ImplicitLocOpBuilder &b, const Operand &operand,
                        ArrayRef<ValueRange> elements) {
  const TransposeLayout &layout = operand.layout;
  Elements all;
  for (int64_t item = 0; item < items; ++item)
    llvm::append_range(all, kernel.getReverse() ? elements[items - 1 - item]
                                                : elements[item]);
  Value slot = layout.createThreadSlot(b, getMemoryThread(b));
  for (int64_t i = 0; i < layout.perThread; ++i)
    storeSharedParts(b,
                     packElements(b, ValueRange(all).slice(i * layout.length,
                                                           layout.length)),
                     operand.view.elementType, operand.buffer,
                     addConstant(b, slot, i * layout.length), layout.length);
}

/// The elements at the last step of the thread's row that is in this tile.
Elements TileIO::getLast(ImplicitLocOpBuilder &b, const Operand &operand,
                         Value base) {
  int64_t tile = ids.rowThreads * items;
  Value step = b.createOrFold<arith::SubIOp>(
      addConstant(b, frame.getExtent(), -1), base);
  // Tiles in front of the last one are partial where rows do not exist.
  if (ids.rows > 1)
    step = b.createOrFold<arith::MinUIOp>(step, indexConstant(b, tile - 1));
  if (kernel.getReverse())
    step = b.createOrFold<arith::SubIOp>(indexConstant(b, tile - 1), step);
  step = b.createOrFold<arith::AddIOp>(mulConstant(b, ids.row, tile), step);
  Value first = mulConstant(b, step, operand.view.numElements);
  Elements elements;
  for (int64_t i = 0; i < operand.view.numElements; ++i)
    llvm::append_range(
        elements,
        unpackElements(
            b,
            loadSharedParts(b, operand.view.elementType, operand.buffer,
                            inPlace(b, operand,
                                    operand.layout.createSlot(b, first, i,
                                                              /*unit=*/1)),
                            1),
            operand.view.elementType));
  return elements;
}

//===----------------------------------------------------------------------===//
// Indices of items
//===----------------------------------------------------------------------===//

/// The position of the thread's first item.
Value TileIO::getFirstPosition(ImplicitLocOpBuilder &b, Value base) {
  return b.createOrFold<arith::AddIOp>(base,
                                       mulConstant(b, ids.rowThread, items));
}

/// The memory index of position `base + offset`.
Value TileIO::getIndex(ImplicitLocOpBuilder &b, Value base, int64_t offset,
                       bool isClamped) {
  Value last = addConstant(b, frame.getExtent(), -1);
  if (isClamped) {
    base = b.createOrFold<arith::MinUIOp>(addConstant(b, base, offset), last);
    offset = 0;
  }
  if (!kernel.getReverse())
    return addConstant(b, base, offset);
  return addConstant(b, b.createOrFold<arith::SubIOp>(last, base), -offset);
}

/// Where an operand is accessed for index `index` along the scan dimension.
Value TileIO::getReadIndex(ImplicitLocOpBuilder &b, const Operand &operand,
                           Value index) {
  if (operand.view.shift == 0)
    return index;
  return createShiftedIndex(b, operand.view, index, frame.getExtent()).index;
}

Value TileIO::createIndex(ImplicitLocOpBuilder &b, Value base, int64_t item,
                          bool isPartial) {
  return getIndex(b, getFirstPosition(b, base), item, isPartial);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

int64_t TileIO::getFetchedWords() const {
  int64_t bytes = 0;
  for (const Operand &input : inputs)
    if (input.access == Access::Direct || input.access == Access::Shared)
      bytes += getWidth(input) * getStorageBytes(input.view.elementType);
  return llvm::divideCeil(bytes, 4);
}

SmallVector<Value> TileIO::fetch(ImplicitLocOpBuilder &b, Value base,
                                 bool isPartial) {
  SmallVector<Value> fetched;
  Value first = getFirstPosition(b, base);
  for (const Operand &input : inputs) {
    if (input.access == Access::Shared) {
      llvm::append_range(fetched, fetchStriped(b, input, base, isPartial));
    } else if (input.access == Access::Direct) {
      for (int64_t item = 0; item < items; ++item) {
        point[kernel.getDim()] =
            getReadIndex(b, input, getIndex(b, first, item, isPartial));
        llvm::append_range(fetched, loadElements(b, input.view, point));
      }
    }
  }
  return fetched;
}

SmallVector<Type> TileIO::getDirectTypes() const {
  SmallVector<Type> types;
  for (const Operand &input : inputs)
    if (input.access == Access::Direct)
      types.append(getWidth(input), input.view.elementType);
  return types;
}

SmallVector<Value> TileIO::put(ImplicitLocOpBuilder &b, ValueRange fetched) {
  SmallVector<Value> direct;
  auto take = [&](int64_t count) {
    ValueRange taken = fetched.take_front(count);
    fetched = fetched.drop_front(count);
    return taken;
  };
  for (const Operand &input : inputs) {
    if (input.access == Access::Shared)
      putStriped(b, input, take(input.layout.perThread));
    else if (input.access == Access::Direct)
      llvm::append_range(direct, take(getWidth(input)));
  }
  return direct;
}

SmallVector<Elements> TileIO::arrange(ImplicitLocOpBuilder &b,
                                      ValueRange fetched, Value base,
                                      bool isPartial) {
  SmallVector<Value> direct = put(b, fetched);
  if (loadsThroughShared())
    sync(b);
  return collect(b, direct, base, isPartial);
}

SmallVector<Elements> TileIO::collect(ImplicitLocOpBuilder &b,
                                      ValueRange direct, Value base,
                                      bool isPartial) {
  Value first = getFirstPosition(b, base);
  SmallVector<Elements> result(items);
  for (const Operand &input : inputs) {
    if (input.access == Access::Starts)
      continue;
    int64_t numElements = input.view.numElements;
    SmallVector<Elements> blocked;
    if (input.access == Access::Invariant)
      blocked.assign(items, input.invariant);
    else if (input.access == Access::Shared)
      blocked = getBlocked(b, input);
    else
      for (int64_t item = 0; item < items; ++item) {
        blocked.emplace_back(direct.take_front(numElements));
        direct = direct.drop_front(numElements);
      }
    if (input.access == Access::Shared && isPartial && mindsGarbage &&
        !isWarpLocal) {
      Elements last = getLast(b, input, base);
      for (auto [item, elements] : llvm::enumerate(blocked))
        elements =
            selectState(b,
                        compare(b, arith::CmpIPredicate::ult,
                                addConstant(b, first, item), frame.getExtent()),
                        elements, last);
    }
    for (auto [item, elements] : llvm::enumerate(blocked)) {
      if (input.view.shift != 0) {
        Value index = getIndex(b, first, item, isPartial);
        elements = selectInside(
            b,
            createShiftedIndex(b, input.view, index, frame.getExtent())
                .isInside,
            elements, inputs[input.view.boundary].invariant);
      }
      llvm::append_range(result[item], elements);
    }
  }
  return result;
}

void TileIO::store(ImplicitLocOpBuilder &b, Value base, bool isPartial,
                   ArrayRef<Elements> values) {
  Value first = getFirstPosition(b, base);
  Value isRow;
  if (isPartial && ids.rows > 1)
    isRow = compare(b, arith::CmpIPredicate::ult,
                    b.createOrFold<arith::AddIOp>(firstRow, ids.row), rowCount);
  unsigned column = 0;
  for (Operand &output : outputs) {
    int64_t numElements = output.view.numElements;
    SmallVector<ValueRange> elements;
    for (const Elements &item : values)
      elements.push_back(ValueRange(item).slice(column, numElements));
    column += numElements;
    if (output.view.isSum)
      continue;
    if (output.access == Access::Shared) {
      putBlocked(b, output, elements);
      continue;
    }
    for (int64_t item = 0; item < items; ++item) {
      auto storeItem = [&](ImplicitLocOpBuilder &inner) {
        point[kernel.getDim()] = getIndex(inner, first, item, false);
        storeElements(inner, output.view, point, elements[item]);
      };
      if (!isPartial) {
        storeItem(b);
        continue;
      }
      Value isInside = compare(b, arith::CmpIPredicate::ult,
                               addConstant(b, first, item), frame.getExtent());
      if (isRow)
        isInside = b.createOrFold<arith::AndIOp>(isInside, isRow);
      createIf(b, isInside, storeItem);
    }
  }
  if (!storesThroughShared())
    return;
  sync(b);
  for (const Operand &output : outputs)
    if (output.access == Access::Shared)
      storeStriped(b, output, base, isPartial);
}
