//===- LoopHoister.cpp - What all steps of a loop read and write ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopHoister.h"
#include "IR/Extents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
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
  // Of what is carried only extents are asked for.
  if (auto argument = dyn_cast<BlockArgument>(value))
    return loop.loop.getTiedLoopInit(argument)->get();
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
    if (!value.getType().isIndex())
      value = arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(),
                                         value);
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

SmallVector<OpFoldResult> LoopHoister::hoistSizesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.hasStaticShape())
    return getAsIndexOpFoldResult(rewriter.getContext(), type.getShape());
  return tensor::getMixedSizes(rewriter, loc,
                               hoist(loop.getExtentsSource(value)));
}

Value LoopHoister::emitRowBefore(const CarriedOutput &output,
                                 unsigned distance) {
  const TimeSlice &part = output.part;
  Type element = getElementTypeOrSelf(output.init.getType());
  LinearIndex row = part.time;
  row.ivFactor = 0;
  row.add(lower, part.time.ivFactor);
  row.constant -= part.time.ivFactor * static_cast<int64_t>(distance);
  // The offset in time is of the step, and nothing in front of the loop.
  SmallVector<OpFoldResult> offsets = part.offsets;
  offsets[part.timeDim] = rewriter.getIndexAttr(0);
  offsets = hoist(offsets);
  SmallVector<OpFoldResult> sizes = hoist(part.sizes),
                            strides = hoist(part.strides);
  offsets[part.timeDim] =
      row.terms.empty() ? OpFoldResult(rewriter.getIndexAttr(row.constant))
                        : OpFoldResult(emitIndex(row));
  auto type = cast<RankedTensorType>(output.init.getType());
  int64_t extent = type.getDimSize(part.timeDim);
  bool isConstant = row.terms.empty();
  bool isInBounds = isConstant && row.constant >= 0 &&
                    !ShapedType::isDynamic(extent) && row.constant < extent;
  RankedTensorType rowType = getTypeOf(sizes, part.dropped, element);
  Value result;
  if (isInBounds) {
    result = tensor::ExtractSliceOp::create(rewriter, loc, rowType, output.init,
                                            offsets, sizes, strides);
  } else {
    // All rows from it on, of which there may be none; the last is kept.
    SmallVector<OpFoldResult> kept;
    for (auto [d, size] : llvm::enumerate(sizes))
      if (!part.dropped.test(d))
        kept.push_back(size);
    Value empty = tensor::EmptyOp::create(rewriter, loc, kept, element);
    Value zero = isa<ComplexType>(element)
                     ? Value()
                     : arith::ConstantOp::create(rewriter, loc,
                                                 rewriter.getZeroAttr(element))
                           .getResult();
    if (!zero) {
      Type half = cast<ComplexType>(element).getElementType();
      zero = complex::ConstantOp::create(
          rewriter, loc, element,
          rewriter.getArrayAttr({rewriter.getFloatAttr(half, 0.0),
                                 rewriter.getFloatAttr(half, 0.0)}));
    }
    Value fill =
        linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
    // Before the tensor, no step reads it.
    if (isConstant && row.constant < 0) {
      result = fill;
    } else {
      Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
      Value count = arith::MinSIOp::create(
          rewriter, loc, getValueOrCreateConstantIndexOp(rewriter, loc, steps),
          one);
      offsets[part.timeDim] =
          arith::MulIOp::create(rewriter, loc,
                                getValueOrCreateConstantIndexOp(
                                    rewriter, loc, offsets[part.timeDim]),
                                count)
              .getResult();
      sizes[part.timeDim] = count;
      llvm::SmallBitVector dropped = part.dropped;
      dropped.reset(part.timeDim);
      Value rows = tensor::ExtractSliceOp::create(
          rewriter, loc, getTypeOf(sizes, dropped, element), output.init,
          offsets, sizes, strides);
      int64_t rank = kept.size() + 1, time = part.getTimePosition();
      SmallVector<AffineExpr> exprs;
      for (int64_t d = 0; d < rank; ++d)
        if (d != time)
          exprs.push_back(rewriter.getAffineDimExpr(d));
      SmallVector<utils::IteratorType> iterators(rank,
                                                 utils::IteratorType::parallel);
      iterators[time] = utils::IteratorType::reduction;
      result = linalg::GenericOp::create(
                   rewriter, loc, fill.getType(), rows, fill,
                   ArrayRef<AffineMap>{
                       rewriter.getMultiDimIdentityMap(rank),
                       AffineMap::get(rank, 0, exprs, rewriter.getContext())},
                   iterators,
                   [&](OpBuilder &builder, Location, ValueRange arguments) {
                     linalg::YieldOp::create(builder, loc, arguments[0]);
                   })
                   .getResult(0);
    }
  }
  if (isa<RankedTensorType>(output.written.getType()))
    return result;
  return tensor::ExtractOp::create(rewriter, loc, result, ValueRange());
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

Value LoopHoister::emitWritten(const CarriedOutput &output, Value rows) {
  auto type = cast<RankedTensorType>(output.init.getType());
  auto castTo = [&](Type wanted) -> Value {
    return rows.getType() == wanted
               ? rows
               : tensor::CastOp::create(rewriter, loc, wanted, rows);
  };
  if (isWhole(output.part))
    return castTo(type);
  auto [offsets, sizes] = getRange(output.part);
  llvm::SmallBitVector dropped = output.part.dropped;
  dropped.reset(output.part.timeDim);
  return tensor::InsertSliceOp::create(
      rewriter, loc, castTo(getTypeOf(sizes, dropped, type.getElementType())),
      output.init, offsets, sizes, hoist(output.part.strides));
}
