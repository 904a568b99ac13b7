//===- TileIO.cpp - Moving tiles between memory and registers -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileIO.h"
#include "../../GPUCommon/Emit.h"
#include "../Primitives/WarpScan.h"
#include "IR/Divisions.h"

using namespace mlir;
using namespace mlir::scan;

TileIO::TileIO(ImplicitLocOpBuilder &b, KernelFrame &frame,
               const ThreadIds &ids)
    : frame(frame), kernel(frame.getKernel()), ids(ids),
      items(frame.getSchedule().getItems()),
      needsValidPadding(hasUnsafeOperation(kernel)),
      isWarpLocal(ids.rows == 1) {
  const KernelPlan &plan = frame.getPlan();
  for (auto [view, input] : llvm::zip_equal(frame.getInputs(), plan.inputs))
    inputs.push_back(create(b, view, input, plan.stages));
  for (auto [view, output] : llvm::zip_equal(frame.getOutputs(), plan.outputs))
    outputs.push_back(create(b, view, output, /*places=*/1));
}

TileIO::Operand TileIO::create(ImplicitLocOpBuilder &b, const OperandView &view,
                               const OperandPlan &plan, int64_t places) {
  Operand operand;
  operand.view = view;
  operand.access = plan.access;
  operand.layout = plan.layout;
  if (plan.access != Access::Transposed)
    return operand;
  operand.buffer =
      addPartsBuffer(frame, places * plan.layout.slots, view.elementType);
  operand.pointer = GlobalPointer::get(b, view.value);
  // What is shifted is aligned nowhere.
  if (view.shift == 0)
    operand.length = plan.layout.length;
  return operand;
}

void TileIO::usePlace(ImplicitLocOpBuilder &b, Value place) {
  for (Operand &input : inputs)
    if (input.access == Access::Transposed)
      input.firstSlot = mulConstant(b, place, input.layout.slots);
}

void TileIO::sync(ImplicitLocOpBuilder &b) {
  if (isWarpLocal)
    syncWarp(b);
  else
    gpu::BarrierOp::create(b);
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
      if (operand.access != Access::Transposed)
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

SmallVector<Value> TileIO::fetch(ImplicitLocOpBuilder &b, Value base,
                                 bool isPartial) {
  SmallVector<Value> fetched;
  Value first = getFirstPosition(b, base);
  for (const Operand &input : inputs) {
    if (input.access == Access::Transposed) {
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
    if (input.access == Access::Transposed)
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
    if (input.access == Access::SegmentOffsets)
      continue;
    int64_t numElements = input.view.numElements;
    SmallVector<Elements> blocked;
    if (input.access == Access::Invariant)
      blocked.assign(items, input.invariant);
    else if (input.access == Access::Transposed)
      blocked = getBlocked(b, input);
    else
      for (int64_t item = 0; item < items; ++item) {
        blocked.emplace_back(direct.take_front(numElements));
        direct = direct.drop_front(numElements);
      }
    if (input.access == Access::Transposed && isPartial && needsValidPadding &&
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
        elements = selectInBounds(
            b,
            createShiftedIndex(b, input.view, index, frame.getExtent())
                .inBounds,
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
    if (output.view.isReduction)
      continue;
    if (output.access == Access::Transposed) {
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
    if (output.access == Access::Transposed)
      storeStriped(b, output, base, isPartial);
}
