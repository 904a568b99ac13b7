//===- TileTranspose.cpp - The turn through shared memory -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both sides of the transposition: striped, between shared memory and chunks of
// global memory (TileChunks.cpp), and blocked, between shared memory and what
// the thread computes on.
//
//===----------------------------------------------------------------------===//

#include "../../GPUCommon/Emit.h"
#include "../Primitives/WarpScan.h"
#include "TileIO.h"

using namespace mlir;
using namespace mlir::scan;

/// `slot` of the place in use.
Value TileIO::inPlace(ImplicitLocOpBuilder &b, const Operand &operand,
                      Value slot) {
  if (!operand.firstSlot)
    return slot;
  return b.createOrFold<arith::AddIOp>(operand.firstSlot, slot);
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

/// Where in shared memory that is which the thread moves in step `step`.
Value TileIO::getStripedSlot(ImplicitLocOpBuilder &b, const Operand &operand,
                             int64_t length, int64_t step) {
  const TransposeLayout &layout = operand.layout;
  if (!isWarpLocal)
    return createSlot(b, layout, ids.thread, step * ids.threads, length);
  Value first = createThreadSlot(b, layout, getMemoryWarp(b));
  Value slot =
      createSlot(b, layout, ids.lane, step * kWarpSize, length, kWarpSize);
  return b.createOrFold<arith::AddIOp>(first, slot);
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
      inPlace(b, operand, createThreadSlot(b, layout, getMemoryThread(b)));
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
  Value slot = createThreadSlot(b, layout, getMemoryThread(b));
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
                                    createSlot(b, operand.layout, first, i,
                                               /*unit=*/1)),
                            1),
            operand.view.elementType));
  return elements;
}
