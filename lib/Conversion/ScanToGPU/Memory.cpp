//===- Memory.cpp - Reading and writing single elements -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFrame.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::scan;

Value mlir::scan::loadShared(ImplicitLocOpBuilder &b, Type type, Value buffer,
                             Value index) {
  Value value = memref::LoadOp::create(b, buffer, index);
  if (value.getType() != type)
    value = arith::TruncIOp::create(b, type, value);
  return value;
}

void mlir::scan::storeShared(ImplicitLocOpBuilder &b, Value value, Value buffer,
                             Value index) {
  Type type = cast<MemRefType>(buffer.getType()).getElementType();
  if (value.getType() != type)
    value = arith::ExtUIOp::create(b, type, value);
  memref::StoreOp::create(b, value, buffer, index);
}

SmallVector<Value> mlir::scan::getElementIndices(ImplicitLocOpBuilder &b,
                                                 const OperandView &operand,
                                                 ArrayRef<Value> point,
                                                 ValueRange trailingIndices) {
  SmallVector<Value> indices;
  for (AffineExpr expr : operand.map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      indices.push_back(point[dim.getPosition()]);
    else
      indices.push_back(arith::ConstantIndexOp::create(b, 0));
  }
  llvm::append_range(indices, trailingIndices);
  return indices;
}

/// Calls `action` with the memref indices of each element at `point`.
static void forEachElement(ImplicitLocOpBuilder &b, const OperandView &operand,
                           ArrayRef<Value> point,
                           function_ref<void(unsigned, ValueRange)> action) {
  SmallVector<int64_t> basis = computeStrides(operand.trailing);
  for (int64_t element = 0; element < operand.numElements; ++element) {
    SmallVector<Value> trailing;
    for (int64_t index : delinearize(element, basis))
      trailing.push_back(arith::ConstantIndexOp::create(b, index));
    action(element, getElementIndices(b, operand, point, trailing));
  }
}

SmallVector<Value> mlir::scan::loadElements(ImplicitLocOpBuilder &b,
                                            const OperandView &operand,
                                            ArrayRef<Value> point) {
  if (operand.isScalar())
    return {operand.value};
  SmallVector<Value> values;
  forEachElement(b, operand, point, [&](unsigned, ValueRange indices) {
    values.push_back(memref::LoadOp::create(b, operand.value, indices));
  });
  return values;
}

void mlir::scan::storeElements(ImplicitLocOpBuilder &b,
                               const OperandView &operand,
                               ArrayRef<Value> point, ValueRange values) {
  forEachElement(b, operand, point, [&](unsigned element, ValueRange indices) {
    memref::StoreOp::create(b, values[element], operand.value, indices);
  });
}

ShiftedIndex mlir::scan::createShiftedIndex(ImplicitLocOpBuilder &b,
                                            const OperandView &input,
                                            Value index, Value extent) {
  Value from = b.createOrFold<arith::SubIOp>(
      index, arith::ConstantIndexOp::create(b, input.shift));
  // As an unsigned number, what is below zero is above every extent.
  Value isInside =
      b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, from, extent);
  // A load that is not needed costs less than a branch around it: all threads
  // but few are inside.
  return {isInside, b.createOrFold<arith::SelectOp>(isInside, from, index)};
}

SmallVector<Value> mlir::scan::selectInside(ImplicitLocOpBuilder &b,
                                            Value isInside, ValueRange elements,
                                            ValueRange boundary) {
  SmallVector<Value> selected;
  for (auto [i, element] : llvm::enumerate(elements))
    selected.push_back(b.createOrFold<arith::SelectOp>(
        isInside, element, boundary[boundary.size() == 1 ? 0 : i]));
  return selected;
}

State mlir::scan::createInitialState(ImplicitLocOpBuilder &b,
                                     KernelFrame &frame,
                                     ArrayRef<Value> point) {
  KernelOp kernel = frame.getKernel();
  if (!kernel.hasInit())
    return zeroState(b, kernel);
  SmallVector<Value> elements;
  for (const OperandView &init : frame.getInits())
    llvm::append_range(elements, loadElements(b, init, point));
  return inlineRegion(b, kernel.getInitialize(), elements, point);
}

void mlir::scan::storeFinals(ImplicitLocOpBuilder &b, KernelFrame &frame,
                             ArrayRef<Value> point, ValueRange state) {
  KernelOp kernel = frame.getKernel();
  if (frame.getFinals().empty())
    return;
  SmallVector<Value> elements =
      inlineRegion(b, kernel.getFinalize(), state, point);
  ValueRange rest(elements);
  for (const OperandView &final : frame.getFinals()) {
    storeElements(b, final, point, rest.take_front(final.numElements));
    rest = rest.drop_front(final.numElements);
  }
}
