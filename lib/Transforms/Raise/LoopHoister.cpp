//===- LoopHoister.cpp - What all steps of a loop read and write ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopHoister.h"
#include "IR/Extents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::scan;

LoopHoister::LoopHoister(RewriterBase &rewriter, RecurrenceLoop &loop)
    : rewriter(rewriter), loop(loop), loc(loop.loop.getLoc()) {
  lower = *loop.getLinear(loop.loop.getLowerBound());
  upper = *loop.getLinear(loop.loop.getUpperBound());
  rewriter.setInsertionPoint(loop.loop);
  steps = emitSteps();
}

//===----------------------------------------------------------------------===//
// Values that are the same in every step
//===----------------------------------------------------------------------===//

Value LoopHoister::hoist(Value value) {
  if (loop.loop.isDefinedOutsideOfLoop(value))
    return value;
  if (Value known = hoisted.lookupOrNull(value))
    return known;
  for (const CarriedOutput &output : loop.outputs)
    if (output.argument == value)
      return output.init;
  Operation *op = value.getDefiningOp();
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  captured.insert(op->operand_begin(), op->operand_end());
  for (Value operand : captured)
    if (Value before = hoist(operand); before != operand)
      hoisted.map(operand, before);
  rewriter.clone(*op, hoisted);
  return hoisted.lookup(value);
}

SmallVector<OpFoldResult> LoopHoister::hoist(ArrayRef<OpFoldResult> values) {
  return llvm::map_to_vector(values, [&](OpFoldResult value) -> OpFoldResult {
    auto dynamic = dyn_cast<Value>(value);
    return dynamic ? OpFoldResult(hoist(dynamic)) : value;
  });
}

Value LoopHoister::emitIndex(const LinearIndex &index) {
  Value sum;
  auto add = [&](Value value) {
    sum = sum ? arith::AddIOp::create(rewriter, loc, sum, value).getResult()
              : value;
  };
  for (auto [term, factor] : index.terms) {
    Value value = hoist(term);
    if (factor != 1)
      value = arith::MulIOp::create(
          rewriter, loc, value,
          arith::ConstantIndexOp::create(rewriter, loc, factor));
    add(value);
  }
  if (!sum || index.constant != 0)
    add(arith::ConstantIndexOp::create(rewriter, loc, index.constant));
  return sum;
}

OpFoldResult LoopHoister::emitSteps() {
  const LinearIndex &count = loop.steps;
  if (count.terms.empty())
    return rewriter.getIndexAttr(std::max<int64_t>(count.constant, 0));
  Value value = emitIndex(count);
  if (Value single = count.getSingleValue())
    if (isa_and_nonnull<ShapedDimOpInterface>(single.getDefiningOp()))
      return value;
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  return arith::MaxSIOp::create(rewriter, loc, value, zero).getResult();
}

//===----------------------------------------------------------------------===//
// What all steps read and write
//===----------------------------------------------------------------------===//

LinearIndex LoopHoister::getStart(const TimeSlice &slice) {
  // The last step has the first place in reverse.
  LinearIndex start = slice.time;
  start.ivFactor = 0;
  start.add(loop.reverse ? upper : lower, slice.time.ivFactor);
  if (loop.reverse)
    start.constant += 1;
  return start;
}

bool LoopHoister::isWhole(const TimeSlice &slice) {
  auto type = cast<RankedTensorType>(slice.tensor.getType());
  for (int64_t d = 0, rank = type.getRank(); d < rank; ++d) {
    if (d == slice.timeDim)
      continue;
    if (slice.dropped.test(d) || !isConstantIntValue(slice.offsets[d], 0) ||
        !isConstantIntValue(slice.strides[d], 1) ||
        !isExtentOf(slice.sizes[d], slice.tensor, d))
      return false;
  }
  if (!getStart(slice).isConstant(0))
    return false;
  if (loop.steps.terms.empty())
    return type.getDimSize(slice.timeDim) ==
           std::max<int64_t>(loop.steps.constant, 0);
  Value count = loop.steps.getSingleValue();
  return count && isExtentOf(count, slice.tensor, slice.timeDim);
}

std::pair<SmallVector<OpFoldResult>, SmallVector<OpFoldResult>>
LoopHoister::getRange(const TimeSlice &slice) {
  SmallVector<OpFoldResult> offsets = slice.offsets, sizes = slice.sizes;
  LinearIndex start = getStart(slice);
  offsets[slice.timeDim] = rewriter.getIndexAttr(start.constant);
  if (!start.terms.empty())
    offsets[slice.timeDim] = emitIndex(start);
  sizes[slice.timeDim] = steps;
  return {hoist(offsets), hoist(sizes)};
}

RankedTensorType scan::getTypeOf(ArrayRef<OpFoldResult> sizes,
                                 const llvm::SmallBitVector &dropped,
                                 Type elementType) {
  SmallVector<int64_t> shape;
  for (auto [d, size] : llvm::enumerate(sizes))
    if (!dropped.test(d))
      shape.push_back(isa<Attribute>(size)
                          ? *getConstantIntValue(size)
                          : static_cast<int64_t>(ShapedType::kDynamic));
  return RankedTensorType::get(shape, elementType);
}

Value LoopHoister::emitPart(const TimeSlice &slice) {
  Value tensor = hoist(slice.tensor);
  if (isWhole(slice))
    return tensor;
  auto [offsets, sizes] = getRange(slice);
  llvm::SmallBitVector dropped = slice.dropped;
  dropped.reset(slice.timeDim);
  RankedTensorType type =
      getTypeOf(sizes, dropped, getElementTypeOrSelf(tensor.getType()));
  return tensor::ExtractSliceOp::create(rewriter, loc, type, tensor, offsets,
                                        sizes, hoist(slice.strides));
}
