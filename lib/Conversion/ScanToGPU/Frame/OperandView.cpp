//===- OperandView.cpp - The operands of a kernel in the gpu.func ---------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandView.h"
#include "../../GPUCommon/Emit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::scan;

SmallVector<Value> mlir::scan::getElementIndices(ImplicitLocOpBuilder &b,
                                                 const OperandView &operand,
                                                 ArrayRef<Value> point,
                                                 ValueRange trailingIndices,
                                                 Value place) {
  SmallVector<Value> indices;
  for (AffineExpr expr : operand.map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      indices.push_back(point[dim.getPosition()]);
    else
      indices.push_back(place ? place : indexConstant(b, 0));
  }
  llvm::append_range(indices, trailingIndices);
  return indices;
}

/// Calls `action` with the memref indices of each element at `point`.
static void forEachElement(ImplicitLocOpBuilder &b, const OperandView &operand,
                           ArrayRef<Value> point, Value place,
                           function_ref<void(unsigned, ValueRange)> action) {
  SmallVector<int64_t> basis = computeStrides(operand.trailing);
  for (int64_t element = 0; element < operand.numElements; ++element) {
    SmallVector<Value> trailing;
    for (int64_t index : delinearize(element, basis))
      trailing.push_back(indexConstant(b, index));
    action(element, getElementIndices(b, operand, point, trailing, place));
  }
}

SmallVector<Value> mlir::scan::loadElements(ImplicitLocOpBuilder &b,
                                            const OperandView &operand,
                                            ArrayRef<Value> point,
                                            Value place) {
  if (operand.isScalar())
    return {operand.value};
  SmallVector<Value> values;
  forEachElement(b, operand, point, place, [&](unsigned, ValueRange indices) {
    values.push_back(memref::LoadOp::create(b, operand.value, indices));
  });
  return values;
}

SmallVector<Value> mlir::scan::gatherElements(ImplicitLocOpBuilder &b,
                                              const OperandView &input,
                                              ArrayRef<Value> point,
                                              Value place) {
  place = arith::IndexCastOp::create(b, b.getIndexType(), place);
  // As an unsigned number, a negative place is above every extent.
  Value inBounds = compare(b, arith::CmpIPredicate::ult, place, input.count);
  return createIfOrZeros(b, inBounds, [&](ImplicitLocOpBuilder &inner) {
    return loadElements(inner, input, point, place);
  });
}

void mlir::scan::appendElements(ImplicitLocOpBuilder &b,
                                ArrayRef<const OperandView *> views,
                                MutableArrayRef<SmallVector<Value>> elements,
                                ArrayRef<Value> point,
                                SmallVectorImpl<Value> &all) {
  for (auto [view, own] : llvm::zip_equal(views, elements)) {
    if (view->isGathered())
      own = gatherElements(b, *view, point, elements[view->places].front());
    llvm::append_range(all, own);
  }
}

void mlir::scan::storeElements(ImplicitLocOpBuilder &b,
                               const OperandView &operand,
                               ArrayRef<Value> point, ValueRange values) {
  forEachElement(
      b, operand, point, Value(), [&](unsigned element, ValueRange indices) {
        memref::StoreOp::create(b, values[element], operand.value, indices);
      });
}

ShiftedIndex mlir::scan::createShiftedIndex(ImplicitLocOpBuilder &b,
                                            const OperandView &input,
                                            Value index, Value extent) {
  Value from =
      b.createOrFold<arith::SubIOp>(index, indexConstant(b, input.shift));
  // As an unsigned number, what is below zero is above every extent.
  Value inBounds =
      b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, from, extent);
  // A load that is not needed costs less than a branch around it: all threads
  // but few are in bounds.
  return {inBounds, b.createOrFold<arith::SelectOp>(inBounds, from, index)};
}

Value mlir::scan::createReadIndex(ImplicitLocOpBuilder &b,
                                  const OperandView &input, Value index,
                                  Value extent) {
  if (input.shift == 0)
    return index;
  return createShiftedIndex(b, input, index, extent).index;
}

SmallVector<Value> mlir::scan::selectInBounds(ImplicitLocOpBuilder &b,
                                              Value inBounds,
                                              ValueRange elements,
                                              ValueRange boundary) {
  SmallVector<Value> selected;
  for (auto [i, element] : llvm::enumerate(elements))
    selected.push_back(b.createOrFold<arith::SelectOp>(
        inBounds, element, boundary[boundary.size() == 1 ? 0 : i]));
  return selected;
}
