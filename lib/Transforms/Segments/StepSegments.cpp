//===- StepSegments.cpp - Segments of scans, step by step -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Utils/ScalarCast.h"
#include "IR/OffsetsCheck.h"
#include "Segments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;

bool scan::hasScanDim(Value init, Value leaf) {
  auto type = dyn_cast<RankedTensorType>(init.getType());
  return type &&
         type.getRank() == cast<RankedTensorType>(leaf.getType()).getRank();
}

Value scan::extractOffset(OpBuilder &builder, Location loc, Value offsets,
                          Value position) {
  Value offset = tensor::ExtractOp::create(builder, loc, offsets, position);
  return offset.getType().isIndex()
             ? offset
             : arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                          offset);
}

Value scan::countSegments(OpBuilder &builder, Location loc, Value offsets) {
  Value count = builder.createOrFold<tensor::DimOp>(loc, offsets, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  return builder.createOrFold<arith::SubIOp>(loc, count, one);
}

/// Of the numbers of segments.
static Type getNumberType(Value offsets) {
  Type type = getElementTypeOrSelf(offsets.getType());
  return type.isIndex() ? IntegerType::get(type.getContext(), 64) : type;
}

/// So many steps share the outcome of one bisection of all offsets.
static constexpr int64_t kCoarseSteps = 64;
/// Fewer steps than these need no help.
static constexpr int64_t kManySteps = 1 << 16;

/// The last segment that does not start behind `step`, the number of the only
/// one that has it; it is known to be at least `low`, and less than `high`.
static Value createBisection(OpBuilder &builder, Location loc, Value offsets,
                             Value low, Value high, Value step) {
  auto index = [&](OpBuilder &b, int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto loop = scf::WhileOp::create(
      builder, loc, TypeRange{builder.getIndexType(), builder.getIndexType()},
      ValueRange{low, high},
      [&](OpBuilder &b, Location, ValueRange range) {
        Value size = arith::SubIOp::create(b, loc, range[1], range[0]);
        Value isWide = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                             size, index(b, 1));
        scf::ConditionOp::create(b, loc, isWide, range);
      },
      [&](OpBuilder &b, Location, ValueRange range) {
        Value sum = arith::AddIOp::create(b, loc, range[0], range[1]);
        Value middle = arith::ShRUIOp::create(b, loc, sum, index(b, 1));
        Value begin = extractOffset(b, loc, offsets, middle);
        Value isBehind = arith::CmpIOp::create(
            b, loc, arith::CmpIPredicate::sgt, begin, step);
        Value low = arith::SelectOp::create(b, loc, isBehind, range[0], middle);
        Value high =
            arith::SelectOp::create(b, loc, isBehind, middle, range[1]);
        scf::YieldOp::create(b, loc, ValueRange{low, high});
      });
  return loop.getResult(0);
}

/// The number of the segment of every kCoarseSteps-th step.
static Value createCoarseNumbers(OpBuilder &builder, Location loc,
                                 Value offsets, Value count,
                                 OpFoldResult extent, Type numberType) {
  OpFoldResult size;
  if (std::optional<int64_t> known = getConstantIntValue(extent))
    size = builder.getIndexAttr(llvm::divideCeil(*known, kCoarseSteps));
  else
    size = arith::CeilDivUIOp::create(
               builder, loc, cast<Value>(extent),
               arith::ConstantIndexOp::create(builder, loc, kCoarseSteps))
               .getResult();
  Value out = tensor::EmptyOp::create(builder, loc, size, numberType);
  return linalg::GenericOp::create(
             builder, loc, out.getType(), ValueRange(), out,
             builder.getMultiDimIdentityMap(1), utils::IteratorType::parallel,
             [&](OpBuilder &b, Location, ValueRange) {
               Value steps =
                   arith::ConstantIndexOp::create(b, loc, kCoarseSteps);
               Value step = arith::MulIOp::create(
                   b, loc, linalg::IndexOp::create(b, loc, 0), steps);
               Value zero = arith::ConstantIndexOp::create(b, loc, 0);
               Value number =
                   createBisection(b, loc, offsets, zero, count, step);
               linalg::YieldOp::create(
                   b, loc,
                   arith::IndexCastOp::create(b, loc, numberType, number)
                       .getResult());
             })
      .getResult(0);
}

/// Between which segments that of `step` is, by the coarse numbers: the first
/// one, and the one behind the last.
static std::pair<Value, Value>
createRange(OpBuilder &b, Location loc, Value coarse, Value count, Value step) {
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value shift =
      arith::ConstantIndexOp::create(b, loc, llvm::Log2_64(kCoarseSteps));
  Value last = arith::SubIOp::create(
      b, loc, b.createOrFold<tensor::DimOp>(loc, coarse, 0), one);
  Value here = arith::ShRUIOp::create(b, loc, step, shift);
  Value next = arith::MinUIOp::create(
      b, loc, arith::AddIOp::create(b, loc, here, one), last);
  Value low = extractOffset(b, loc, coarse, here);
  Value high =
      arith::AddIOp::create(b, loc, extractOffset(b, loc, coarse, next), one);
  Value isLast =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, here, last);
  return {low, arith::SelectOp::create(b, loc, isLast, count, high)};
}

/// For every step, the number of its segment by bisection, and what `body`
/// makes of the step and this number, as one tensor. `isAlone` says that there
/// is so little to a step that neighbours had better share their bisections.
static Value
createPerStep(OpBuilder &builder, Location loc, Value offsets,
              OpFoldResult extent, Type type, bool isAlone,
              function_ref<Value(OpBuilder &, Value step, Value number)> body) {
  Value out = tensor::EmptyOp::create(builder, loc, extent, type);
  Value count = countSegments(builder, loc, offsets);
  Value coarse;
  if (isAlone && getConstantIntValue(extent).value_or(kManySteps) >= kManySteps)
    coarse = createCoarseNumbers(builder, loc, offsets, count, extent,
                                 getNumberType(offsets));
  return linalg::GenericOp::create(
             builder, loc, out.getType(), ValueRange(), out,
             builder.getMultiDimIdentityMap(1), utils::IteratorType::parallel,
             [&](OpBuilder &b, Location, ValueRange) {
               Value step = linalg::IndexOp::create(b, loc, 0);
               Value low = arith::ConstantIndexOp::create(b, loc, 0),
                     high = count;
               if (coarse)
                 std::tie(low, high) = createRange(b, loc, coarse, count, step);
               Value number = createBisection(b, loc, offsets, low, high, step);
               linalg::YieldOp::create(b, loc, body(b, step, number));
             })
      .getResult(0);
}

/// A scan.head_flags, of elements of type `type`, of the offsets of a scan.
static Value createHeads(OpBuilder &builder, Location loc, Value offsets,
                         OpFoldResult extent, bool reverse, Type type) {
  auto known = dyn_cast<Attribute>(extent);
  auto resultType = RankedTensorType::get(
      known ? cast<IntegerAttr>(known).getInt() : ShapedType::kDynamic, type);
  auto op = HeadFlagsOp::create(builder, loc, resultType, offsets,
                                known ? Value() : cast<Value>(extent), reverse);
  op->setAttr(coversStepsAttrName, builder.getUnitAttr());
  return op;
}

Value scan::createStepFlags(OpBuilder &builder, Location loc, Value offsets,
                            OpFoldResult extent, bool reverse) {
  return createHeads(builder, loc, offsets, extent, reverse,
                     builder.getI1Type());
}

Value scan::createHeadNumbers(OpBuilder &builder, Location loc, Value offsets,
                              OpFoldResult extent, bool reverse) {
  return createHeads(builder, loc, offsets, extent, reverse,
                     getNumberType(offsets));
}

Value scan::createStepNumbers(OpBuilder &builder, Location loc, Value offsets,
                              OpFoldResult extent) {
  Type type = getNumberType(offsets);
  return createPerStep(builder, loc, offsets, extent, type, /*isAlone=*/false,
                       [&](OpBuilder &b, Value, Value number) -> Value {
                         return arith::IndexCastOp::create(b, loc, type,
                                                           number);
                       });
}

/// Whether a walk starts at `step`: in the segment `number`, as the bisection
/// of `count` segments has found it, if `op` says numbers. Of offsets that do
/// not cover the steps there has to be one, and two of those that do.
static Value createIsHead(OpBuilder &b, HeadFlagsOp op, Value step,
                          Value number, Value count) {
  using Predicate = arith::CmpIPredicate;
  Location loc = op.getLoc();
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto compare = [&](Predicate predicate, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  };
  auto increment = [&](Value value) -> Value {
    return arith::AddIOp::create(b, loc, value, one);
  };
  bool reverse = op.getReverse();
  // The offset that there is where a walk starts.
  Value head = reverse ? increment(step) : step;
  if (op->hasAttr(coversStepsAttrName)) {
    Value start = reverse ? increment(number) : number;
    return compare(Predicate::eq, extractOffset(b, loc, op.getOffsets(), start),
                   head);
  }
  // In front of all segments and behind them bisection has found the nearest.
  Value next = arith::MinSIOp::create(b, loc, increment(number), count);
  Value begin = extractOffset(b, loc, op.getOffsets(), number);
  Value end = extractOffset(b, loc, op.getOffsets(), next);
  if (!op.saysNumbers()) {
    Value isBegin = compare(Predicate::eq, begin, head);
    Value isEnd = compare(Predicate::eq, end, head);
    return arith::OrIOp::create(b, loc, isBegin, isEnd);
  }
  Value starts = compare(Predicate::eq, reverse ? end : begin, head);
  Value hasStep = reverse ? compare(Predicate::sle, begin, step)
                          : compare(Predicate::sgt, end, step);
  return arith::AndIOp::create(b, loc, starts, hasStep);
}

/// The same where there may be too few offsets to compare with.
static Value createIsHeadIfAny(OpBuilder &b, HeadFlagsOp op, Value step,
                               Value number, Value count) {
  Location loc = op.getLoc();
  Value least = arith::ConstantIndexOp::create(
      b, loc, op->hasAttr(coversStepsAttrName) ? 1 : 0);
  Value isAny = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sge,
                                              count, least);
  if (isConstantIntValue(isAny, 1))
    return createIsHead(b, op, step, number, count);
  auto choice = scf::IfOp::create(
      b, loc, isAny,
      [&](OpBuilder &inner, Location) {
        scf::YieldOp::create(inner, loc,
                             createIsHead(inner, op, step, number, count));
      },
      [&](OpBuilder &inner, Location) {
        Value isHead =
            arith::ConstantOp::create(inner, loc, inner.getBoolAttr(false));
        scf::YieldOp::create(inner, loc, isHead);
      });
  return choice.getResult(0);
}

/// Checks the offsets in the loops over `extent` steps, at step `step`: number
/// `step`, and as there may be more offsets than steps, those that many behind.
static void createCheckOfStep(OpBuilder &b, Location loc, Value offsets,
                              Value status, Value step, Value extent,
                              Value stride) {
  createOffsetsCheck(b, loc,
                     {[&](OpBuilder &inner, Value number) {
                        return extractOffset(inner, loc, offsets, number);
                      },
                      b.createOrFold<tensor::DimOp>(loc, offsets, 0), extent,
                      step, stride, status});
}

Value scan::createHeadFlags(OpBuilder &builder, HeadFlagsOp op, bool isAlone) {
  Location loc = op.getLoc();
  Value offsets = op.getOffsets();
  ReifiedRankedShapedTypeDims shapes;
  (void)op.reifyResultShapes(builder, shapes);
  OpFoldResult extent = shapes.front().front();
  Attribute checked = op->getAttr(checkOffsetsAttrName);
  Value status, steps, stride;
  if (checked) {
    status = createStatus(builder, loc, offsets, checked);
    steps = getValueOrCreateConstantIndexOp(builder, loc, extent);
    stride = builder.createOrFold<arith::MaxSIOp>(
        loc, steps, arith::ConstantIndexOp::create(builder, loc, 1));
  }
  Value count = countSegments(builder, loc, offsets);
  Type type = op.getResult().getType().getElementType();
  return createPerStep(
      builder, loc, offsets, extent, type, isAlone,
      [&](OpBuilder &b, Value step, Value number) -> Value {
        if (checked)
          createCheckOfStep(b, loc, offsets, status, step, steps, stride);
        Value isHead = createIsHeadIfAny(b, op, step, number, count);
        if (!op.saysNumbers())
          return isHead;
        Value none =
            arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, -1));
        number = arith::IndexCastOp::create(b, loc, type, number);
        return arith::SelectOp::create(b, loc, isHead, number, none);
      });
}

Value scan::selectAtHeads(OpBuilder &builder, Location loc, Value headFlags,
                          AffineMap flagsMap, Value fresh, Value rest,
                          int64_t dim) {
  auto type = cast<RankedTensorType>(rest.getType());
  unsigned rank = type.getRank();
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  AffineMap freshMap = identity;
  if (!isa<RankedTensorType>(fresh.getType()))
    freshMap = AffineMap::get(rank, 0, builder.getContext());
  else if (!hasScanDim(fresh, rest))
    freshMap = identity.dropResult(dim);
  Value out = tensor::EmptyOp::create(builder, loc,
                                      tensor::getMixedSizes(builder, loc, rest),
                                      type.getElementType());
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, out.getType(), ValueRange{headFlags, fresh, rest},
             out, ArrayRef<AffineMap>{flagsMap, freshMap, identity, identity},
             iterators,
             [&](OpBuilder &b, Location, ValueRange args) {
               Value chosen =
                   arith::SelectOp::create(b, loc, args[0], args[1], args[2]);
               linalg::YieldOp::create(b, loc, chosen);
             })
      .getResult(0);
}
