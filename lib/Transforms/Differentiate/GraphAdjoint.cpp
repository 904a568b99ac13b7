//===- GraphAdjoint.cpp - Cotangents of tensors ---------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphAdjoint.h"
#include "Loops.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

void GraphAdjoint::activateResults(Operation *op) {
  SetVector<Value> used;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  for (OpOperand &operand : op->getOpOperands())
    // A destination that is only overwritten says an extent and no more.
    if (!linalgOp || linalgOp.payloadUsesValueFromOperand(&operand))
      used.insert(operand.get());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  if (llvm::none_of(used, [&](Value value) { return isActive(value); }))
    return;
  for (Value result : op->getResults())
    if (isDifferentiable(result.getType()))
      activate(result);
}

void GraphAdjoint::enter(ValueRange results) {
  isCurrentMasked = llvm::any_of(
      results, [&](Value result) { return masked.contains(result); });
}

void GraphAdjoint::accumulate(Value value, Value contribution, bool isMasked) {
  if (!isActive(value))
    return;
  if (isMasked || isCurrentMasked)
    masked.insert(value);
  Location loc = contribution.getLoc();
  contribution = castTo(loc, contribution, value.getType());
  Value &sum = cotangents[value];
  if (!sum) {
    sum = contribution;
    return;
  }
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type) {
    sum = ScalarMath{builder, loc}.add(sum, contribution);
    return;
  }
  if (!isa<ComplexType>(type.getElementType())) {
    sum = arith::AddFOp::create(builder, loc, sum, contribution);
    return;
  }
  AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
  sum = castTo(loc,
               createLoops(*this, loc, type.getRank(),
                           {{sum, map}, {contribution, map}},
                           {{type.getElementType(), getSizes(value), map}},
                           [&](OpBuilder &b, ValueRange args) {
                             return SmallVector<Value>{
                                 ScalarMath{b, loc}.add(args[0], args[1])};
                           })
                   ->front(),
               type);
}

/// A value of the same extents that is computed before `value`; null if there
/// is none to be seen.
static Value getSourceOfExtents(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return {};
  Operation *op = result.getOwner();
  if (auto dps = dyn_cast<DestinationStyleOpInterface>(op))
    return dps.getTiedOpOperand(result)->get();
  if (auto recurrence = dyn_cast<LinearRecurrenceOp>(op))
    return result.getResultNumber() == 0 ? recurrence.getB() : Value();
  if (auto associative = dyn_cast<AssociativeOp>(op)) {
    unsigned number = result.getResultNumber();
    return number < associative.getNumLeaves() ? associative.getInputs()[number]
                                               : Value();
  }
  if (auto shift = dyn_cast<ShiftOp>(op))
    return shift.getSource();
  if (isa<tensor::CastOp>(op) || OpTrait::hasElementwiseMappableTraits(op))
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        return operand;
  return {};
}

SmallVector<OpFoldResult> GraphAdjoint::getSizes(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value source = tensor;
  while (Value next = getSourceOfExtents(source))
    source = next;
  SmallVector<OpFoldResult> known, sizes;
  if (auto empty = source.getDefiningOp<tensor::EmptyOp>())
    known = empty.getMixedSizes();
  for (auto [i, extent] : llvm::enumerate(type.getShape()))
    if (!ShapedType::isDynamic(extent))
      sizes.push_back(builder.getIndexAttr(extent));
    else if (!known.empty())
      sizes.push_back(known[i]);
    else
      sizes.push_back(
          builder.createOrFold<tensor::DimOp>(tensor.getLoc(), source, i));
  return sizes;
}

Value GraphAdjoint::createFill(Location loc, Type elementType,
                               ArrayRef<OpFoldResult> sizes, double number) {
  Value scalar = ScalarMath{builder, loc}.constant(elementType, number);
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, elementType);
  return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
}

Value GraphAdjoint::createZeros(Location loc, Value like, Type elementType) {
  if (!elementType)
    elementType = getElementTypeOrSelf(like.getType());
  if (!isa<RankedTensorType>(like.getType()))
    return ScalarMath{builder, loc}.constant(elementType, 0.0);
  return createFill(loc, elementType, getSizes(like), 0.0);
}

Value GraphAdjoint::createSum(Location loc, Value value,
                              ArrayRef<int64_t> dims) {
  if (dims.empty())
    return value;
  Type elementType = getElementTypeOrSelf(value.getType());
  SmallVector<OpFoldResult> sizes;
  for (auto [i, size] : llvm::enumerate(getSizes(value)))
    if (!llvm::is_contained(dims, static_cast<int64_t>(i)))
      sizes.push_back(size);
  Value zeros = createFill(loc, elementType, sizes, 0.0);
  return linalg::ReduceOp::create(
             builder, loc, value, zeros, dims,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               linalg::YieldOp::create(
                   b, loc, ScalarMath{b, loc}.addTerm(args[1], args[0]));
             })
      .getResult(0);
}

Value GraphAdjoint::createTotal(Location loc, Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return value;
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  return tensor::ExtractOp::create(builder, loc, createSum(loc, value, dims),
                                   ValueRange());
}

Value GraphAdjoint::castElements(Location loc, Value value, Type type) {
  auto tensorType = cast<RankedTensorType>(value.getType());
  Type from = tensorType.getElementType();
  if (from == type)
    return value;
  Type to = tensorType.clone(type);
  if (isa<FloatType>(type) &&
      from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(builder, loc, to, value);
  if (isa<FloatType>(type) &&
      from.getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth())
    return arith::TruncFOp::create(builder, loc, to, value);
  AffineMap map = builder.getMultiDimIdentityMap(tensorType.getRank());
  return createLoops(*this, loc, tensorType.getRank(), {{value, map}},
                     {{type, getSizes(value), map}},
                     [](OpBuilder &, ValueRange args) {
                       return SmallVector<Value>{args[0]};
                     })
      ->front();
}

Value GraphAdjoint::castTo(Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return tensor::CastOp::create(builder, loc, type, value);
}

Value GraphAdjoint::createUnitDims(Location loc, Value value,
                                   ArrayRef<int64_t> dims,
                                   RankedTensorType type) {
  if (dims.empty())
    return castTo(loc, value, type);
  // The unit dimensions go with the dimension before them, the first ones with
  // the first that stays.
  SmallVector<OpFoldResult> sizes, kept = getSizes(value);
  SmallVector<ReassociationIndices> groups;
  unsigned next = 0;
  ReassociationIndices leading;
  SmallVector<int64_t> shape;
  auto valueType = cast<RankedTensorType>(value.getType());
  for (int64_t i = 0; i < type.getRank(); ++i) {
    bool isUnit = llvm::is_contained(dims, i);
    shape.push_back(isUnit ? 1 : valueType.getDimSize(next));
    sizes.push_back(isUnit ? builder.getIndexAttr(1) : kept[next]);
    next += !isUnit;
    if (isUnit && groups.empty()) {
      leading.push_back(i);
      continue;
    }
    if (!isUnit) {
      groups.push_back(leading);
      leading.clear();
    }
    groups.back().push_back(i);
  }
  Value expanded = tensor::ExpandShapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), value,
      groups, sizes);
  return castTo(loc, expanded, type);
}
