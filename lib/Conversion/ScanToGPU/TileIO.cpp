//===- TileIO.cpp - Moving tiles between memory and registers -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileIO.h"
#include "Emit.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::scan;

/// One access of a warp covers all banks of shared memory once with so many
/// bytes.
static constexpr int64_t kBankBytes = 128;
/// Width of a bank in bytes.
static constexpr int64_t kBankWidth = 4;

TransposeLayout TransposeLayout::get(Value operand, AffineMap map, unsigned dim,
                                     int64_t threads, int64_t items) {
  TransposeLayout layout;
  int64_t width = items * KernelOp::getNumElements(operand, map);
  if (width == 1 || !isContiguousAlong(operand, map, dim))
    return layout;
  layout.valueBytes = getStorageBytes(getElementTypeOrSelf(operand.getType()));
  layout.groupSize = kBankBytes / layout.valueBytes;
  // An odd number of words per thread spreads over all banks by itself.
  if (width % 2 == 0)
    layout.padding = std::max<int64_t>(1, kBankWidth / layout.valueBytes);
  int64_t last = threads * width - 1;
  layout.slots = last + last / layout.groupSize * layout.padding + 1;
  return layout;
}

TileIO::TileIO(ImplicitLocOpBuilder &b, KernelFrame &frame,
               const ThreadIds &ids, int64_t items, int64_t sharedBudget)
    : frame(frame), kernel(frame.getKernel()), ids(ids), items(items) {
  for (const OperandView &view : frame.getInputs())
    inputs.push_back(plan(view, sharedBudget));
  for (const OperandView &view : frame.getOutputs())
    outputs.push_back(plan(view, sharedBudget));
}

TileIO::Operand TileIO::plan(const OperandView &view, int64_t &sharedBudget) {
  Operand operand;
  operand.view = view;
  if (!view.map.isFunctionOfDim(kernel.getDim())) {
    operand.access = Access::Invariant;
    return operand;
  }
  operand.access = Access::Direct;
  operand.layout = TransposeLayout::get(view.value, view.map, kernel.getDim(),
                                        ids.threads, items);
  int64_t bytes = operand.layout.getBytes();
  if (bytes == 0 || bytes > sharedBudget)
    return operand;
  sharedBudget -= bytes;
  operand.access = Access::Shared;
  operand.buffer =
      frame.addSharedBuffer(operand.layout.slots, view.elementType);
  return operand;
}

void TileIO::startRow(ImplicitLocOpBuilder &b, ArrayRef<Value> rowPoint) {
  point = llvm::to_vector(rowPoint);
  for (Operand &input : inputs)
    if (input.access == Access::Invariant)
      input.invariant = loadElements(b, input.view, point);
}

/// The slot of element `base + offset` of the tile; `base` is a multiple of
/// `multiple`. Keeps offsets constant where padding does not get in between.
Value TileIO::getSlot(ImplicitLocOpBuilder &b, const Operand &operand,
                      Value base, int64_t multiple, int64_t offset) {
  int64_t group = operand.layout.groupSize;
  auto pad = [&](Value value) {
    if (operand.layout.padding == 0)
      return value;
    Value groups =
        b.createOrFold<arith::DivUIOp>(value, indexConstant(b, group));
    return b.createOrFold<arith::AddIOp>(
        value, mulConstant(b, groups, operand.layout.padding));
  };
  if (offset % group == 0 || operand.layout.padding == 0)
    return addConstant(b, pad(base),
                       offset + offset / group * operand.layout.padding);
  if (group % multiple == 0 && offset < multiple)
    return addConstant(b, pad(base), offset);
  return pad(addConstant(b, base, offset));
}

Value TileIO::getStripedSlot(ImplicitLocOpBuilder &b, const Operand &operand,
                             int64_t step) {
  return getSlot(b, operand, ids.thread, 1, step * ids.threads);
}

Value TileIO::getBlockedSlot(ImplicitLocOpBuilder &b, const Operand &operand,
                             int64_t number) {
  int64_t width = items * operand.view.numElements;
  return getSlot(b, operand, mulConstant(b, ids.thread, width), width, number);
}

/// The element that this thread moves in striped step `step`: number
/// `step * threads + thread` of the tile.
TileIO::StripedElement TileIO::getStriped(ImplicitLocOpBuilder &b,
                                          const Operand &operand,
                                          Value tileBase, int64_t step) {
  int64_t numElements = operand.view.numElements;
  StripedElement element;
  if (numElements == 1) {
    element.base = b.createOrFold<arith::AddIOp>(tileBase, ids.thread);
    element.offset = step * ids.threads;
    return element;
  }
  Value number = ids.thread;
  element.offset = 0;
  if (ids.threads % numElements == 0)
    element.offset = step * ids.threads / numElements;
  else
    number = addConstant(b, number, step * ids.threads);
  Value size = indexConstant(b, numElements);
  element.base = b.createOrFold<arith::AddIOp>(
      tileBase, b.createOrFold<arith::DivUIOp>(number, size));
  element.trailing = b.createOrFold<arith::RemUIOp>(number, size);
  return element;
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
  Value first =
      b.createOrFold<arith::AddIOp>(base, mulConstant(b, ids.thread, items));
  return getIndex(b, first, item, isPartial);
}

SmallVector<Value> TileIO::getStripedIndices(ImplicitLocOpBuilder &b,
                                             const Operand &operand,
                                             const StripedElement &element,
                                             bool isPartial) {
  point[kernel.getDim()] = getReadIndex(
      b, operand, getIndex(b, element.base, element.offset, isPartial));
  SmallVector<Value> trailing;
  if (element.trailing) {
    Value rest = element.trailing;
    for (int64_t stride : computeStrides(operand.view.trailing)) {
      Value size = indexConstant(b, stride);
      trailing.push_back(b.createOrFold<arith::DivUIOp>(rest, size));
      rest = b.createOrFold<arith::RemUIOp>(rest, size);
    }
  } else {
    trailing.assign(operand.view.trailing.size(), indexConstant(b, 0));
  }
  return getElementIndices(b, operand.view, point, trailing);
}

SmallVector<Elements> TileIO::load(ImplicitLocOpBuilder &b, Value base,
                                   bool isPartial) {
  // Everything is loaded before anything is used.
  Value first =
      b.createOrFold<arith::AddIOp>(base, mulConstant(b, ids.thread, items));
  SmallVector<SmallVector<Value>> striped(inputs.size());
  SmallVector<SmallVector<Elements>> direct(inputs.size());
  for (auto [number, input] : llvm::enumerate(inputs)) {
    if (input.access == Access::Shared) {
      for (int64_t step = 0; step < items * input.view.numElements; ++step) {
        StripedElement element = getStriped(b, input, base, step);
        striped[number].push_back(memref::LoadOp::create(
            b, input.view.value,
            getStripedIndices(b, input, element, isPartial)));
      }
    } else if (input.access == Access::Direct) {
      for (int64_t item = 0; item < items; ++item) {
        point[kernel.getDim()] =
            getReadIndex(b, input, getIndex(b, first, item, isPartial));
        direct[number].push_back(loadElements(b, input.view, point));
      }
    }
  }
  for (auto [number, input] : llvm::enumerate(inputs))
    for (auto [step, value] : llvm::enumerate(striped[number]))
      storeShared(b, value, input.buffer, getStripedSlot(b, input, step));
  if (loadsThroughShared())
    gpu::BarrierOp::create(b);

  SmallVector<Elements> result(items);
  for (int64_t item = 0; item < items; ++item) {
    for (auto [number, input] : llvm::enumerate(inputs)) {
      if (input.access == Access::Invariant) {
        llvm::append_range(result[item], input.invariant);
        continue;
      }
      Elements elements;
      int64_t numElements = input.view.numElements;
      if (input.access == Access::Direct)
        elements = direct[number][item];
      else
        for (int64_t element = 0; element < numElements; ++element)
          elements.push_back(loadShared(
              b, input.view.elementType, input.buffer,
              getBlockedSlot(b, input, item * numElements + element)));
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
  auto ifInside = [&](Value position, int64_t offset,
                      function_ref<void(ImplicitLocOpBuilder &)> body) {
    if (!isPartial)
      return body(b);
    Value isInside =
        compare(b, arith::CmpIPredicate::ult, addConstant(b, position, offset),
                frame.getExtent());
    createIf(b, isInside, body);
  };
  unsigned column = 0;
  Value first =
      b.createOrFold<arith::AddIOp>(base, mulConstant(b, ids.thread, items));
  for (Operand &output : outputs) {
    unsigned begin = column;
    int64_t numElements = output.view.numElements;
    column += numElements;
    for (int64_t item = 0; item < items; ++item) {
      ValueRange elements = ValueRange(values[item]).slice(begin, numElements);
      if (output.access == Access::Shared) {
        for (auto [element, value] : llvm::enumerate(elements))
          storeShared(b, value, output.buffer,
                      getBlockedSlot(b, output, item * numElements + element));
        continue;
      }
      ifInside(first, item, [&](ImplicitLocOpBuilder &inner) {
        point[kernel.getDim()] = getIndex(inner, first, item, false);
        storeElements(inner, output.view, point, elements);
      });
    }
  }
  if (!storesThroughShared())
    return;
  gpu::BarrierOp::create(b);
  for (Operand &output : outputs) {
    if (output.access != Access::Shared)
      continue;
    for (int64_t step = 0; step < items * output.view.numElements; ++step) {
      StripedElement element = getStriped(b, output, base, step);
      Value value = loadShared(b, output.view.elementType, output.buffer,
                               getStripedSlot(b, output, step));
      ifInside(element.base, element.offset, [&](ImplicitLocOpBuilder &inner) {
        memref::StoreOp::create(
            inner, value, output.view.value,
            getStripedIndices(inner, output, element, false));
      });
    }
  }
}
