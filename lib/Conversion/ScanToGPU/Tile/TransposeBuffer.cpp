//===- TransposeBuffer.cpp - A tile of rows in shared memory --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransposeBuffer.h"
#include "../Primitives/MBarriers.h"
#include "../Primitives/VectorAccess.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::scan;

/// The slot of the element (`unit` = 1) or chunk (`unit` = `layout.length`)
/// with the number `number + offset`. `bound`: `number` is less, where that is
/// known.
static Value createSlot(ImplicitLocOpBuilder &b, const TransposeLayout &layout,
                        Value number, int64_t offset, int64_t unit,
                        std::optional<int64_t> bound = std::nullopt) {
  Value slot = mulConstant(b, number, unit);
  if (layout.group == 0)
    return addConstant(b, slot, offset * unit);
  // Constants stay apart from what varies from thread to thread: they are part
  // of an instruction then, and take no register.
  int64_t perGroup = layout.group * layout.length / unit;
  int64_t unused = offset / perGroup, rest = offset % perGroup;
  if (!bound || rest + *bound > perGroup) {
    Value groups = b.createOrFold<arith::DivUIOp>(addConstant(b, number, rest),
                                                  indexConstant(b, perGroup));
    slot = b.createOrFold<arith::AddIOp>(slot,
                                         mulConstant(b, groups, layout.length));
  }
  return addConstant(b, slot, offset * unit + unused * layout.length);
}

/// The slot of the first chunk of thread `thread`; its others follow.
static Value createThreadSlot(ImplicitLocOpBuilder &b,
                              const TransposeLayout &layout, Value thread) {
  Value slot = mulConstant(b, thread, layout.perThread);
  if (layout.group != 0)
    slot = b.createOrFold<arith::AddIOp>(
        slot, b.createOrFold<arith::DivUIOp>(
                  thread, indexConstant(b, layout.group / layout.perThread)));
  return mulConstant(b, slot, layout.length);
}

TransposeBuffer::TransposeBuffer(const OperandView &view,
                                 const RowLayout &layout,
                                 const TransposeLayout &transpose,
                                 int64_t stages)
    : layout(layout), transpose(transpose), elementType(view.elementType),
      numElements(view.numElements),
      buffer(addPartsBuffer(layout.frame, stages * transpose.slots,
                            view.elementType)) {}

void TransposeBuffer::useSlot(ImplicitLocOpBuilder &b, Value slot) {
  firstElement = mulConstant(b, slot, transpose.slots);
}

Value TransposeBuffer::getPointer(ImplicitLocOpBuilder &b) const {
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
  if (firstElement)
    address = b.createOrFold<arith::AddIOp>(
        address, mulConstant(b, firstElement, transpose.elementBytes));
  return createSharedPointer(b, address);
}

/// Element `element` of the buffer slot in use.
Value TransposeBuffer::offsetSlot(ImplicitLocOpBuilder &b,
                                  Value element) const {
  if (!firstElement)
    return element;
  return b.createOrFold<arith::AddIOp>(firstElement, element);
}

//===----------------------------------------------------------------------===//
// Striped accesses
//===----------------------------------------------------------------------===//

/// Where the chunk lies that the thread accesses in step `step`.
Value TransposeBuffer::getStriped(ImplicitLocOpBuilder &b, int64_t length,
                                  int64_t step) const {
  const ThreadIds &ids = layout.ids;
  if (!layout.isWarpLocal())
    return createSlot(b, transpose, ids.thread, step * ids.threads, length);
  Value first = createThreadSlot(b, transpose, layout.createMemoryWarp(b));
  Value slot =
      createSlot(b, transpose, ids.lane, step * kWarpSize, length, kWarpSize);
  return b.createOrFold<arith::AddIOp>(first, slot);
}

void TransposeBuffer::storeStriped(ImplicitLocOpBuilder &b, Value parts,
                                   int64_t length, int64_t step) const {
  storeSharedParts(b, parts, elementType, buffer,
                   offsetSlot(b, getStriped(b, length, step)), length);
}

Value TransposeBuffer::loadStriped(ImplicitLocOpBuilder &b, int64_t length,
                                   int64_t step) const {
  return loadSharedParts(b, elementType, buffer,
                         offsetSlot(b, getStriped(b, length, step)), length);
}

//===----------------------------------------------------------------------===//
// Blocked accesses
//===----------------------------------------------------------------------===//

SmallVector<Elements>
TransposeBuffer::loadBlocked(ImplicitLocOpBuilder &b) const {
  Value slot = offsetSlot(
      b, createThreadSlot(b, transpose, layout.createMemoryThread(b)));
  Elements all;
  for (int64_t i = 0; i < transpose.perThread; ++i)
    llvm::append_range(
        all, unpackElements(
                 b,
                 loadSharedParts(b, elementType, buffer,
                                 addConstant(b, slot, i * transpose.length),
                                 transpose.length),
                 elementType));
  SmallVector<Elements> result;
  for (ValueRange rest(all); !rest.empty(); rest = rest.drop_front(numElements))
    result.emplace_back(rest.take_front(numElements));
  if (layout.isReverse)
    std::reverse(result.begin(), result.end());
  return result;
}

void TransposeBuffer::storeBlocked(ImplicitLocOpBuilder &b,
                                   ArrayRef<ValueRange> elements) const {
  Elements all;
  for (int64_t item = 0; item < layout.items; ++item)
    llvm::append_range(all, layout.isReverse ? elements[layout.items - 1 - item]
                                             : elements[item]);
  Value slot = offsetSlot(
      b, createThreadSlot(b, transpose, layout.createMemoryThread(b)));
  int64_t length = transpose.length;
  for (int64_t i = 0; i < transpose.perThread; ++i)
    storeSharedParts(
        b, packElements(b, ValueRange(all).slice(i * length, length)),
        elementType, buffer, addConstant(b, slot, i * length), length);
}

Elements TransposeBuffer::loadLast(ImplicitLocOpBuilder &b, Value base) const {
  int64_t tile = layout.getSteps();
  Value step = b.createOrFold<arith::SubIOp>(
      addConstant(b, layout.frame.getExtent(), -1), base);
  // Tiles in front of the last one are partial where rows do not exist.
  if (layout.ids.rows > 1)
    step = b.createOrFold<arith::MinUIOp>(step, indexConstant(b, tile - 1));
  if (layout.isReverse)
    step = b.createOrFold<arith::SubIOp>(indexConstant(b, tile - 1), step);
  step =
      b.createOrFold<arith::AddIOp>(mulConstant(b, layout.ids.row, tile), step);
  Value first = mulConstant(b, step, numElements);
  Elements elements;
  for (int64_t i = 0; i < numElements; ++i) {
    Value slot = offsetSlot(b, createSlot(b, transpose, first, i, /*unit=*/1));
    llvm::append_range(
        elements,
        unpackElements(b, loadSharedParts(b, elementType, buffer, slot, 1),
                       elementType));
  }
  return elements;
}
