//===- Reductions.cpp - Reduction outputs ---------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reductions.h"
#include "../../GPUCommon/Emit.h"
#include "Combine.h"
#include "WarpScan.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::scan;

Value mlir::scan::createSum(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  Type type = lhs.getType();
  if (isa<ComplexType>(type))
    return complex::AddOp::create(b, lhs, rhs);
  if (isa<FloatType>(type))
    return arith::AddFOp::create(b, lhs, rhs);
  return arith::AddIOp::create(b, lhs, rhs);
}

Value mlir::scan::createValueOrZero(ImplicitLocOpBuilder &b, Value condition,
                                    Value value) {
  if (!condition)
    return value;
  return arith::SelectOp::create(b, condition, value,
                                 createZero(b, value.getType()));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Adds one number that the GPU can add atomically.
static void addPart(ImplicitLocOpBuilder &b, Value address, Value value) {
  auto kind = isa<FloatType>(value.getType()) ? LLVM::AtomicBinOp::fadd
                                              : LLVM::AtomicBinOp::add;
  LLVM::AtomicRMWOp::create(
      b, kind, address, value, LLVM::AtomicOrdering::monotonic,
      /*syncscope=*/"device", getStorageBytes(value.getType()));
}

void ReductionOutput::addElement(ImplicitLocOpBuilder &b, ArrayRef<Value> point,
                                 Value element, Value value) const {
  SmallVector<Value> trailing;
  for (int64_t extent : llvm::reverse(view.trailing)) {
    Value width = indexConstant(b, extent);
    trailing.push_back(b.createOrFold<arith::RemUIOp>(element, width));
    element = b.createOrFold<arith::DivUIOp>(element, width);
  }
  std::reverse(trailing.begin(), trailing.end());
  int64_t bytes = getStorageBytes(view.elementType);
  Value offset =
      pointer.createOffset(b, getElementIndices(b, view, point, trailing));
  Value address =
      offsetPointer(b, pointer.pointer, mulConstant(b, offset, bytes));
  if (!isa<ComplexType>(view.elementType))
    return addPart(b, address, value);
  addPart(b, address, complex::ReOp::create(b, value));
  addPart(b, offsetPointer(b, address, indexConstant(b, bytes / 2)),
          complex::ImOp::create(b, value));
}

void ReductionOutput::addElements(ImplicitLocOpBuilder &b,
                                  ArrayRef<Value> point,
                                  ValueRange elements) const {
  for (auto [number, element] : llvm::enumerate(elements))
    addElement(b, point, indexConstant(b, number), element);
}

void ReductionOutput::addToMemory(ImplicitLocOpBuilder &b,
                                  ArrayRef<Value> point,
                                  ValueRange results) const {
  if (!view.placeNumber)
    return addElements(b, point, getElements(results));
  // A negative place counts from the end. As an unsigned number, one that is
  // still negative is above every extent.
  Value place = results[*view.placeNumber];
  Value fromEnd = arith::AddIOp::create(b, place, extent);
  place = arith::SelectOp::create(
      b, compare(b, arith::CmpIPredicate::slt, place, 0), fromEnd, place);
  createIf(b, compare(b, arith::CmpIPredicate::ult, place, extent),
           [&](ImplicitLocOpBuilder &inner) {
             SmallVector<Value> at(point);
             at[dim] = place;
             storeElements(inner, view, at, getElements(results));
           });
}

SmallVector<ReductionOutput, 0>
mlir::scan::getReductionOutputs(ImplicitLocOpBuilder &b, KernelFrame &frame) {
  SmallVector<ReductionOutput, 0> outputs;
  unsigned first = 0;
  for (const OperandView &view : frame.getOutputs()) {
    if (!view.isStored())
      outputs.push_back(
          {view, first, view.map.isFunctionOfDim(frame.getKernel().getDim()),
           GlobalPointer::get(b, view.value),
           unsigned(frame.getKernel().getDim()), frame.getExtent()});
    first += view.numElements;
  }
  return outputs;
}

//===----------------------------------------------------------------------===//
// Private totals
//===----------------------------------------------------------------------===//

/// Only what is allocated in a function's first block gets to be registers.
PrivateTotals::PrivateTotals(KernelFrame &frame, Type type, int64_t count)
    : size(count) {
  Block &first = frame.getFunc().getBody().front();
  ImplicitLocOpBuilder b(frame.getKernel().getLoc(),
                         OpBuilder::atBlockBegin(&first));
  memory = memref::AllocaOp::create(b, MemRefType::get({count}, type));
}

void PrivateTotals::clear(ImplicitLocOpBuilder &b) {
  if (size == 0)
    return;
  Type type = cast<MemRefType>(memory.getType()).getElementType();
  for (int64_t i = 0; i < size; ++i)
    memref::StoreOp::create(b, createZero(b, type), memory,
                            ValueRange(indexConstant(b, i)));
}

Value PrivateTotals::add(ImplicitLocOpBuilder &b, int64_t number, Value value) {
  Value index = indexConstant(b, number);
  Value before = memref::LoadOp::create(b, memory, index);
  Value sum = createSum(b, before, value);
  memref::StoreOp::create(b, sum, memory, index);
  return sum;
}

SmallVector<Value> PrivateTotals::load(ImplicitLocOpBuilder &b, int64_t first,
                                       int64_t count) {
  SmallVector<Value> totals;
  for (int64_t i = first; i < first + count; ++i)
    totals.push_back(
        memref::LoadOp::create(b, memory, ValueRange(indexConstant(b, i))));
  return totals;
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

/// Reduces at most as many values as there are lanes. The lane with index i has
/// the total of the value number i modulo the number of values, rounded up to
/// a power of two.
static Value reduceChunk(ImplicitLocOpBuilder &b, SmallVector<Value> values,
                         const LaneGroup &lanes) {
  values.resize(llvm::PowerOf2Ceil(values.size()),
                createZero(b, values.front().getType()));
  int64_t distance = 1;
  auto exchange = [&](Value value) {
    return shuffleXor(b, value, distance * lanes.stride).front();
  };
  int64_t spread = values.size();
  while (values.size() > 1) {
    distance = values.size() / 2;
    Value bit =
        arith::AndIOp::create(b, lanes.index, indexConstant(b, distance));
    Value isUpper = compare(b, arith::CmpIPredicate::ne, bit, 0);
    for (int64_t i = 0; i < distance; ++i) {
      Value low = values[i], high = values[i + distance];
      Value kept = arith::SelectOp::create(b, isUpper, high, low);
      Value given = arith::SelectOp::create(b, isUpper, low, high);
      values[i] = createSum(b, kept, exchange(given));
    }
    values.resize(distance);
  }
  for (distance = spread; distance < lanes.count; distance *= 2)
    values[0] = createSum(b, values[0], exchange(values[0]));
  return values[0];
}

void mlir::scan::reduceOverLanes(
    ImplicitLocOpBuilder &b, ArrayRef<Value> values, const LaneGroup &lanes,
    function_ref<void(ImplicitLocOpBuilder &, Value, Value)> body) {
  for (size_t first = 0; first < values.size(); first += lanes.count) {
    ArrayRef<Value> chunk = values.drop_front(first).take_front(lanes.count);
    Value total = reduceChunk(b, SmallVector<Value>(chunk), lanes);
    auto addOwn = [&](ImplicitLocOpBuilder &inner) {
      body(inner, addConstant(inner, lanes.index, first), total);
    };
    if (int64_t(chunk.size()) == lanes.count)
      addOwn(b);
    else
      createIf(b,
               compare(b, arith::CmpIPredicate::ult, lanes.index, chunk.size()),
               addOwn);
  }
}
