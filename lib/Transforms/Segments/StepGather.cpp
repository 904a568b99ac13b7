//===- StepGather.cpp - One state per segment at its steps ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors that have at each step the state of a segment, by its number. What
// kernels read of one at some steps only, they read of the states themselves
// (--scan-fuse-segment-inits).
//
//===----------------------------------------------------------------------===//

#include "../Utils/ScalarCast.h"
#include "Segments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;

Value scan::gatherPerStep(OpBuilder &builder, Location loc, Value states,
                          Value numbers, Value leaf, int64_t dim) {
  auto type = cast<RankedTensorType>(leaf.getType());
  unsigned rank = type.getRank();
  Value count = getValueOrCreateConstantIndexOp(
      builder, loc, tensor::getMixedSize(builder, loc, states, dim));
  Type elementType = getElementTypeOrSelf(states.getType());
  Value out = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, leaf), elementType);
  SmallVector<AffineMap> maps = {
      AffineMap::get(rank, 0, builder.getAffineDimExpr(dim)),
      builder.getMultiDimIdentityMap(rank)};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, out.getType(), numbers, out, maps, iterators,
             [&](OpBuilder &b, Location, ValueRange args) {
               Value number = arith::IndexCastOp::create(
                   b, loc, b.getIndexType(), args[0]);
               // As an unsigned number, -1 is above every extent.
               Value isAny = arith::CmpIOp::create(
                   b, loc, arith::CmpIPredicate::ult, number, count);
               SmallVector<Value> point;
               for (int64_t d = 0; d < rank; ++d)
                 point.push_back(
                     d == dim ? number
                              : linalg::IndexOp::create(b, loc, d).getResult());
               auto state = scf::IfOp::create(
                   b, loc, isAny,
                   [&](OpBuilder &inner, Location) {
                     Value element =
                         tensor::ExtractOp::create(inner, loc, states, point);
                     scf::YieldOp::create(inner, loc, element);
                   },
                   [&](OpBuilder &inner, Location) {
                     Value zero =
                         createScalarConstant(inner, loc, elementType, 0);
                     scf::YieldOp::create(inner, loc, zero);
                   });
               linalg::YieldOp::create(b, loc, state.getResult(0));
             })
      .getResult(0);
}

static bool isZero(Attribute attribute) {
  if (auto parts = dyn_cast_or_null<ArrayAttr>(attribute))
    return llvm::all_of(parts, isZero);
  if (auto number = dyn_cast_or_null<FloatAttr>(attribute))
    return number.getValue().isPosZero();
  auto number = dyn_cast_or_null<IntegerAttr>(attribute);
  return number && number.getValue().isZero();
}

/// Whether `value` is how many states there are along `dim`.
static bool isCount(Value value, Value states, int64_t dim) {
  auto type = cast<RankedTensorType>(states.getType());
  if (!type.isDynamicDim(dim))
    return isConstantIntValue(value, type.getDimSize(dim));
  auto extent = value.getDefiningOp<tensor::DimOp>();
  return extent && extent.getSource() == states &&
         extent.getConstantIndex() == dim;
}

std::optional<StepGather> scan::matchStepGather(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  if (!generic || generic.getNumDpsInputs() != 1 ||
      generic.getNumResults() != 1 ||
      generic.getNumParallelLoops() != generic.getNumLoops() ||
      !generic.hasPureTensorSemantics())
    return std::nullopt;
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  Type number = getElementTypeOrSelf(generic.getDpsInputs().front());
  if (!(number.isInteger(32) || number.isInteger(64)) ||
      maps[0].getNumResults() != 1 || !maps[0].isProjectedPermutation() ||
      !maps[1].isIdentity())
    return std::nullopt;
  int64_t dim = maps[0].getDimPosition(0);
  Block *body = generic.getBody();
  auto choice = body->getTerminator()->getOperand(0).getDefiningOp<scf::IfOp>();
  if (!choice || choice.getNumResults() != 1)
    return std::nullopt;
  Attribute otherwise;
  auto extract =
      choice.thenYield().getOperand(0).getDefiningOp<tensor::ExtractOp>();
  auto inBounds = choice.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!extract || !inBounds ||
      inBounds.getPredicate() != arith::CmpIPredicate::ult ||
      !matchPattern(choice.elseYield().getOperand(0), m_Constant(&otherwise)) ||
      !isZero(otherwise))
    return std::nullopt;
  Value states = extract.getTensor(), place = inBounds.getLhs();
  if (states.getParentBlock() == body ||
      !isCount(inBounds.getRhs(), states, dim))
    return std::nullopt;
  auto cast = place.getDefiningOp<arith::IndexCastOp>();
  if (!cast || cast.getIn() != body->getArgument(0))
    return std::nullopt;
  for (auto [d, index] : llvm::enumerate(extract.getIndices())) {
    auto loop = index.getDefiningOp<linalg::IndexOp>();
    bool isRight = static_cast<int64_t>(d) == dim ? index == place
                                                  : loop && loop.getDim() == d;
    if (!isRight)
      return std::nullopt;
  }
  return StepGather{states, generic.getDpsInputs().front(), dim};
}
