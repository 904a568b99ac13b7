//===- RowIO.cpp - Moving tiles of rows -----------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowIO.h"
#include "../Primitives/Combine.h"
#include "../Primitives/MBarriers.h"
#include "IR/Divisions.h"
#include "IR/LinePrefetch.h"

using namespace mlir;
using namespace mlir::scan;

RowIO::RowIO(ImplicitLocOpBuilder &b, KernelFrame &frame, const ThreadIds &ids)
    : frame(frame), layout(frame, ids),
      needsValidPadding(hasUnsafeOperation(frame.getKernel())) {
  const KernelPlan &plan = frame.getPlan();
  if (plan.kind == KernelKind::WarpSpecializedRow)
    frame.alignSharedBuffer(kBulkCopyAlignment);
  for (auto [view, input] : llvm::zip_equal(frame.getInputs(), plan.inputs))
    inputs.push_back(create(b, view, input, plan.stages));
  for (auto [view, output] : llvm::zip_equal(frame.getOutputs(), plan.outputs))
    outputs.push_back(create(b, view, output, /*stages=*/1));
}

RowIO::Operand RowIO::create(ImplicitLocOpBuilder &b, const OperandView &view,
                             const OperandPlan &plan, int64_t stages) {
  Operand operand;
  operand.view = view;
  operand.access = plan.access;
  if (plan.access == Access::Direct && view.isStored()) {
    operand.steps.emplace(frame, view);
    operand.steps->prepare(b);
  }
  if (plan.access != Access::Transposed)
    return operand;
  operand.sharesSlot = plan.sharedInput.has_value();
  if (operand.sharesSlot)
    operand.buffer.emplace(*inputs[*plan.sharedInput].buffer);
  else
    operand.buffer.emplace(view, layout, plan.layout, stages);
  // What is shifted is aligned nowhere.
  operand.chunks.emplace(b, view, layout,
                         view.shift == 0 ? plan.layout.length : 1,
                         needsValidPadding);
  return operand;
}

void RowIO::useBufferSlot(ImplicitLocOpBuilder &b, Value slot) {
  for (Operand &input : inputs)
    if (input.buffer)
      input.buffer->useSlot(b, slot);
  for (Operand &output : outputs)
    if (output.sharesSlot)
      output.buffer->useSlot(b, slot);
}

void RowIO::sync(ImplicitLocOpBuilder &b) {
  if (layout.isWarpLocal())
    syncWarp(b);
  else
    gpu::BarrierOp::create(b);
}

void RowIO::startRow(ImplicitLocOpBuilder &b, ArrayRef<Value> point) {
  rowPoint = llvm::to_vector(point);
  for (Operand &input : inputs)
    if (input.access == Access::Invariant)
      input.invariant = loadElements(b, input.view, point);
  for (Operand &operand : llvm::concat<Operand>(inputs, outputs)) {
    if (operand.chunks)
      operand.chunks->startRow(b, point);
    if (operand.steps)
      operand.steps->start(b, point);
  }
}

void RowIO::startRows(ImplicitLocOpBuilder &b, ArrayRef<Value> point,
                      Value first, Value count) {
  layout.firstRow = first;
  layout.rowCount = count;
  startRow(b, point);
}

//===----------------------------------------------------------------------===//
// Transposed operands
//===----------------------------------------------------------------------===//

/// What the thread loads, as vectors as long as the chunks of shared memory.
SmallVector<Value> RowIO::Operand::prefetch(ImplicitLocOpBuilder &b, Value base,
                                            bool isPartial) const {
  return chunks->ifAligned(b, [&](ImplicitLocOpBuilder &inner, int64_t length) {
    SmallVector<Value> vectors, parts;
    RowChunks::Cursor cursor = chunks->begin(inner, base, length, isPartial);
    while (cursor.step < chunks->getNumSteps(length)) {
      parts.push_back(chunks->load(inner, cursor));
      if (int64_t(parts.size()) * length < buffer->getLength())
        continue;
      vectors.push_back(joinParts(inner, parts, view.elementType));
      parts.clear();
    }
    return vectors;
  });
}

void RowIO::Operand::storeToShared(ImplicitLocOpBuilder &b,
                                   ValueRange vectors) const {
  chunks->ifAligned(b, [&](ImplicitLocOpBuilder &inner, int64_t length) {
    int64_t perVector = buffer->getLength() / length;
    for (int64_t step = 0; step < chunks->getNumSteps(length); ++step) {
      Value parts = vectors[step / perVector];
      if (perVector != 1)
        parts = extractParts(inner, parts, view.elementType, step % perVector);
      buffer->storeStriped(inner, parts, length, step);
    }
    return SmallVector<Value>();
  });
}

void RowIO::Operand::storeToGlobal(ImplicitLocOpBuilder &b, Value base,
                                   bool isPartial) const {
  chunks->ifAligned(b, [&](ImplicitLocOpBuilder &inner, int64_t length) {
    RowChunks::Cursor cursor = chunks->begin(inner, base, length, isPartial);
    while (cursor.step < chunks->getNumSteps(length))
      chunks->store(inner, buffer->loadStriped(inner, length, cursor.step),
                    cursor);
    return SmallVector<Value>();
  });
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

SmallVector<Value> RowIO::prefetch(ImplicitLocOpBuilder &b, Value base,
                                   bool isPartial) {
  SmallVector<Value> prefetched;
  Value first = layout.getFirstPosition(b, base);
  for (Operand &input : inputs) {
    if (input.access == Access::Transposed)
      llvm::append_range(prefetched, input.prefetch(b, base, isPartial));
    else if (input.access == Access::Direct)
      loadDirect(b, input, first, isPartial, prefetched);
  }
  return prefetched;
}

/// Loads at the items from position `first` on; beyond the end the last
/// element.
void RowIO::loadDirect(ImplicitLocOpBuilder &b, Operand &input, Value first,
                       bool isPartial, SmallVectorImpl<Value> &loaded) {
  StepPointer &steps = *input.steps;
  steps.startAt(b, isPartial ? frame.clampPosition(b, first) : first);
  for (int64_t item = 0; item < layout.items; ++item) {
    if (item > 0)
      steps.advance(b, isPartial ? layout.createInBounds(b, first, item)
                                 : Value());
    llvm::append_range(loaded, steps.load(b, steps.getAddress(b)));
  }
}

Value RowIO::createIsAligned(ImplicitLocOpBuilder &b) const {
  Value all;
  for (const Operand &input : inputs)
    if (input.access == Access::Transposed)
      all = createAnd(b, all, input.chunks->getIsAligned());
  return all;
}

int64_t RowIO::getTileBytes() const {
  int64_t bytes = 0;
  for (const Operand &input : inputs)
    if (input.access == Access::Transposed)
      bytes += input.buffer->getTileBytes();
  return bytes;
}

void RowIO::copyTile(ImplicitLocOpBuilder &b, Value base, Value barrier) const {
  for (const Operand &input : inputs)
    if (input.access == Access::Transposed)
      copyBulk(b, input.buffer->getPointer(b),
               input.chunks->getTileAddress(b, base),
               input.buffer->getTileBytes(), barrier);
}

void RowIO::fetchTile(ImplicitLocOpBuilder &b, ArrayRef<Value> point,
                      Value base) const {
  for (const Operand &input : inputs) {
    if (input.access != Access::Transposed)
      continue;
    Value start = input.chunks->getTileAddress(b, point, base);
    int64_t threads = layout.ids.threads;
    int64_t bytes = layout.getSteps() * input.view.numElements *
                    getStorageBytes(input.view.elementType);
    int64_t lines = llvm::divideCeil(bytes, kCacheLineBytes);
    for (int64_t first = 0; first < lines; first += threads) {
      Value line = addConstant(b, layout.ids.thread, first);
      Value isLine;
      if (lines - first < threads)
        isLine = compare(b, arith::CmpIPredicate::ult, line, lines);
      createIf(b, isLine, [&](ImplicitLocOpBuilder &inner) {
        prefetchLine(inner,
                     offsetPointer(inner, start,
                                   mulConstant(inner, line, kCacheLineBytes)));
      });
    }
  }
}

SmallVector<Type> RowIO::getPrefetchTypes() const {
  SmallVector<Type> types;
  for (const Operand &input : inputs)
    if (input.access == Access::Transposed)
      types.append(
          input.buffer->getNumChunks(),
          getPartsType(input.view.elementType, input.buffer->getLength()));
    else if (input.access == Access::Direct)
      types.append(getWidth(input), input.view.elementType);
  return types;
}

SmallVector<Type> RowIO::getDirectTypes() const {
  SmallVector<Type> types;
  for (const Operand &input : inputs)
    if (input.access == Access::Direct)
      types.append(getWidth(input), input.view.elementType);
  return types;
}

SmallVector<Value> RowIO::storeToShared(ImplicitLocOpBuilder &b,
                                        ValueRange prefetched) {
  SmallVector<Value> direct;
  auto take = [&](int64_t count) {
    ValueRange taken = prefetched.take_front(count);
    prefetched = prefetched.drop_front(count);
    return taken;
  };
  for (const Operand &input : inputs) {
    if (input.access == Access::Transposed)
      input.storeToShared(b, take(input.buffer->getNumChunks()));
    else if (input.access == Access::Direct)
      llvm::append_range(direct, take(getWidth(input)));
  }
  return direct;
}

SmallVector<Elements> RowIO::exchange(ImplicitLocOpBuilder &b,
                                      ValueRange prefetched, Value base,
                                      bool isPartial) {
  SmallVector<Value> direct = storeToShared(b, prefetched);
  if (loadsThroughShared())
    sync(b);
  return loadFromShared(b, direct, base, isPartial);
}

SmallVector<Elements> RowIO::loadFromShared(ImplicitLocOpBuilder &b,
                                            ValueRange direct, Value base,
                                            bool isPartial) {
  Value first = layout.getFirstPosition(b, base);
  // Item by item, and of each input by input.
  SmallVector<SmallVector<SmallVector<Value>>> ofInputs(
      layout.items, SmallVector<SmallVector<Value>>(inputs.size()));
  for (auto [number, input] : llvm::enumerate(inputs)) {
    if (input.access == Access::SegmentOffsets ||
        input.access == Access::Gathered)
      continue;
    SmallVector<Elements> blocked;
    if (input.access == Access::Invariant)
      blocked.assign(layout.items, input.invariant);
    else if (input.access == Access::Transposed)
      blocked = input.buffer->loadBlocked(b);
    else
      for (int64_t item = 0; item < layout.items; ++item) {
        blocked.emplace_back(direct.take_front(input.view.numElements));
        direct = direct.drop_front(input.view.numElements);
      }
    if (input.access == Access::Transposed && isPartial && needsValidPadding &&
        !layout.isWarpLocal()) {
      Elements last = input.buffer->loadLast(b, base);
      for (auto [item, elements] : llvm::enumerate(blocked))
        elements = selectState(b, layout.createInBounds(b, first, item),
                               elements, last);
    }
    for (auto [item, elements] : llvm::enumerate(blocked)) {
      if (input.view.shift != 0) {
        Value index = layout.createIndex(b, first, item, isPartial);
        elements = selectInBounds(
            b,
            createShiftedIndex(b, input.view, index, frame.getExtent())
                .inBounds,
            elements, inputs[input.view.boundary].invariant);
      }
      ofInputs[item][number] = elements;
    }
  }
  SmallVector<const OperandView *> views;
  for (const Operand &input : inputs)
    views.push_back(&input.view);
  SmallVector<Elements> result(layout.items);
  for (auto [elements, own] : llvm::zip_equal(result, ofInputs))
    appendElements(b, views, own, rowPoint, elements);
  return result;
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void RowIO::storeDirect(ImplicitLocOpBuilder &b, Operand &output, Value first,
                        bool isPartial, Value isRow,
                        ArrayRef<ValueRange> elements) {
  StepPointer &steps = *output.steps;
  steps.startAt(b, first);
  for (int64_t item = 0; item < layout.items; ++item) {
    if (item > 0)
      steps.advance(b);
    auto storeItem = [&](ImplicitLocOpBuilder &inner) {
      steps.store(inner, elements[item], steps.getAddress(inner));
    };
    if (!isPartial) {
      storeItem(b);
      continue;
    }
    Value inBounds = layout.createInBounds(b, first, item);
    createIf(b, createAnd(b, inBounds, isRow), storeItem);
  }
}

void RowIO::store(ImplicitLocOpBuilder &b, Value base, bool isPartial,
                  ArrayRef<Elements> values) {
  Value first = layout.getFirstPosition(b, base);
  Value isRow;
  if (isPartial && layout.ids.rows > 1)
    isRow =
        compare(b, arith::CmpIPredicate::ult,
                b.createOrFold<arith::AddIOp>(layout.firstRow, layout.ids.row),
                layout.rowCount);
  unsigned column = 0;
  for (Operand &output : outputs) {
    SmallVector<ValueRange> elements;
    for (const Elements &item : values)
      elements.push_back(
          ValueRange(item).slice(column, output.view.numElements));
    column += output.view.numElements;
    if (!output.view.isStored())
      continue;
    if (output.access == Access::Transposed)
      output.buffer->storeBlocked(b, elements);
    else
      storeDirect(b, output, first, isPartial, isRow, elements);
  }
  if (!storesThroughShared())
    return;
  sync(b);
  for (const Operand &output : outputs)
    if (output.access == Access::Transposed)
      output.storeToGlobal(b, base, isPartial);
}
