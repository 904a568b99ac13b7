//===- StepPointer.cpp - An operand from step to step ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepPointer.h"
#include "../../GPUCommon/Emit.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::scan;

void StepPointer::prepare(ImplicitLocOpBuilder &b) {
  if (!global.pointer)
    global = GlobalPointer::get(b, view.value);
}

Value StepPointer::createAddress(ImplicitLocOpBuilder &b,
                                 ArrayRef<Value> point) const {
  SmallVector<Value> trailing(view.trailing.size(), indexConstant(b, 0));
  return global.createAddress(
      b, global.createOffset(b, getElementIndices(b, view, point, trailing)));
}

void StepPointer::start(ImplicitLocOpBuilder &b, ArrayRef<Value> point) {
  KernelOp kernel = frame->getKernel();
  Value zero = indexConstant(b, 0);
  SmallVector<Value> first(point);
  first[kernel.getDim()] = zero;
  pointer = createAddress(b, first);
  indexBytes = mulConstant(b, global.strides[*view.findDim(kernel.getDim())],
                           getStorageBytes(view.elementType));
  stepBytes = kernel.getReverse()
                  ? b.createOrFold<arith::SubIOp>(zero, indexBytes)
                  : indexBytes;
}

void StepPointer::startAt(ImplicitLocOpBuilder &b, Value position,
                          int64_t ahead) {
  index = frame->createIndex(b, position);
  address = offsetPointer(b, pointer,
                          b.createOrFold<arith::MulIOp>(index, indexBytes));
  if (ahead == 0)
    return;
  // Accesses that are a constant apart share an address where strides are
  // constants.
  address = offsetPointer(b, address, mulConstant(b, stepBytes, ahead));
  index =
      addConstant(b, index, frame->getKernel().getReverse() ? -ahead : ahead);
}

void StepPointer::advance(ImplicitLocOpBuilder &b, Value condition) {
  auto ifCondition = [&](Value step) {
    if (!condition)
      return step;
    return b.createOrFold<arith::SelectOp>(condition, step,
                                           indexConstant(b, 0));
  };
  address = offsetPointer(b, address, ifCondition(stepBytes));
  if (view.shift == 0)
    return;
  Value step = indexConstant(b, frame->getKernel().getReverse() ? -1 : 1);
  index = b.createOrFold<arith::AddIOp>(index, ifCondition(step));
}

Value StepPointer::getAddress(ImplicitLocOpBuilder &b) const {
  if (view.shift == 0)
    return address;
  Value inBounds =
      createShiftedIndex(b, view, index, frame->getExtent()).inBounds;
  Value shift = mulConstant(b, indexBytes, 0 - uint64_t(view.shift));
  return offsetPointer(
      b, address,
      b.createOrFold<arith::SelectOp>(inBounds, shift, indexConstant(b, 0)));
}

SmallVector<Value> StepPointer::selectInBounds(ImplicitLocOpBuilder &b,
                                               ValueRange elements,
                                               ValueRange boundary) const {
  if (view.shift == 0)
    return llvm::to_vector(elements);
  Value inBounds =
      createShiftedIndex(b, view, index, frame->getExtent()).inBounds;
  return mlir::scan::selectInBounds(b, inBounds, elements, boundary);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The address of the element number `element` of those whose first one is at
/// `first`.
Value StepPointer::getElementAddress(ImplicitLocOpBuilder &b, Value first,
                                     int64_t element) const {
  if (element == 0)
    return first;
  Value offset = indexConstant(b, 0);
  ArrayRef<Value> strides =
      ArrayRef(global.strides).take_back(view.trailing.size());
  for (auto [stride, number] : llvm::zip_equal(
           strides, delinearize(element, computeStrides(view.trailing))))
    offset =
        b.createOrFold<arith::AddIOp>(offset, mulConstant(b, stride, number));
  return global.moveAddress(b, first, offset);
}

SmallVector<Value> StepPointer::load(ImplicitLocOpBuilder &b,
                                     Value first) const {
  SmallVector<Value> elements;
  for (int64_t i = 0; i < view.numElements; ++i)
    elements.push_back(
        loadElement(b, view.elementType, getElementAddress(b, first, i)));
  return elements;
}

void StepPointer::store(ImplicitLocOpBuilder &b, ValueRange elements,
                        Value first) const {
  for (auto [i, element] : llvm::enumerate(elements))
    storeElement(b, element, getElementAddress(b, first, i));
}
