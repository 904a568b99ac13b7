//===- ElementwiseView.cpp - One look at all elementwise code -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementwiseView.h"
#include "IR/ExpensiveOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::scan;

Value scan::materializeScalar(OpBuilder &builder, Location loc, Type type,
                              Attribute attr) {
  if (isa<ComplexType>(type))
    return complex::ConstantOp::create(builder, loc, type,
                                       cast<ArrayAttr>(attr));
  return arith::ConstantOp::create(builder, loc, cast<TypedAttr>(attr));
}

bool ElementwiseView::addOperand(Value value, AffineMap map, std::string &why) {
  Type type = value.getType();
  if (auto tensorType = dyn_cast<RankedTensorType>(type)) {
    operands.push_back({value, {}, tensorType.getElementType(), map});
    return true;
  }
  if (isa<ShapedType>(type)) {
    why = "it reads a value that is neither a ranked tensor nor a scalar";
    return false;
  }
  Operand operand = {
      value, {}, type, AffineMap::get(numLoops, 0, op->getContext())};
  if (matchPattern(value, m_Constant(&operand.constant)))
    operand.value = {};
  operands.push_back(operand);
  return true;
}

std::optional<ElementwiseView>
ElementwiseView::getLinalg(Operation *operation, std::string &why,
                           bool allowReductions) {
  auto op = cast<linalg::LinalgOp>(operation);
  if (!op.hasPureTensorSemantics() ||
      !(op.isAllParallelLoops() || allowReductions)) {
    why = "it works on buffers or has a reduction";
    return std::nullopt;
  }
  Block *body = op.getBlock();
  for (Operation &inner : body->without_terminator())
    if (!isMemoryEffectFree(&inner)) {
      why = "its body has side effects";
      return std::nullopt;
    }
  ElementwiseView view(op, op.getNumLoops());
  view.loopExtents = op.getStaticLoopRanges();
  for (auto [i, type] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (type == utils::IteratorType::reduction)
      view.reductions.set(i);
    else if (type != utils::IteratorType::parallel) {
      why = "it has a loop that is neither parallel nor a reduction";
      return std::nullopt;
    }
  }
  for (BlockArgument argument : body->getArguments()) {
    if (argument.use_empty())
      continue;
    OpOperand &operand = op->getOpOperand(argument.getArgNumber());
    if (!view.addOperand(operand.get(), op.getMatchingIndexingMap(&operand),
                         why))
      return std::nullopt;
    if (view.hasReductions() && op.isDpsInit(&operand))
      view.accumulators[op.getTiedOpResult(&operand).getResultNumber()] =
          view.keys.size();
    view.keys.push_back(argument);
  }
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured) {
    if (isa<ShapedType>(value.getType())) {
      why = "its body reads a whole tensor";
      return std::nullopt;
    }
    if (!view.addOperand(value, AffineMap(), why))
      return std::nullopt;
    view.keys.push_back(value);
  }
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    // Each element of a result is written once, or by all the points of the
    // reduction.
    bool isOnto =
        map.isProjectedPermutation() &&
        map.getNumResults() + view.reductions.count() == map.getNumDims() &&
        llvm::none_of(map.getResults(), [&](AffineExpr expr) {
          return view.reductions.test(cast<AffineDimExpr>(expr).getPosition());
        });
    if (!isOnto) {
      why = "it does not write each element of its result once";
      return std::nullopt;
    }
    view.resultMaps.push_back(map);
  }
  return view;
}

std::optional<ElementwiseView> ElementwiseView::getTensorOp(Operation *op,
                                                            std::string &why) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type) {
    why = "its result is not a ranked tensor";
    return std::nullopt;
  }
  ElementwiseView view(op, type.getRank());
  view.loopExtents = llvm::to_vector(type.getShape());
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(type.getRank(), op->getContext());
  view.resultMaps.assign(op->getNumResults(), identity);
  // The sizes of a splat are no part of its body.
  unsigned numOperands = isa<tensor::SplatOp>(op) ? 1 : op->getNumOperands();
  for (Value value : op->getOperands().take_front(numOperands)) {
    if (!view.addOperand(value, identity, why))
      return std::nullopt;
    view.keys.push_back(value);
  }
  return view;
}

/// A reshape that only adds or removes extents of 1.
std::optional<ElementwiseView> ElementwiseView::getReshape(Operation *op,
                                                           std::string &why) {
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
  auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
  auto source = cast<RankedTensorType>(op->getOperand(0).getType());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  RankedTensorType larger = collapse ? source : result;
  ElementwiseView view(op, result.getRank());
  view.loopExtents = llvm::to_vector(result.getShape());
  MLIRContext *context = op->getContext();
  SmallVector<AffineExpr> indices(source.getRank(),
                                  getAffineConstantExpr(0, context));
  SmallVector<ReassociationIndices> groups =
      collapse ? collapse.getReassociationIndices()
               : expand.getReassociationIndices();
  for (auto [i, group] : llvm::enumerate(groups)) {
    // The one dimension of the group that is more than 1.
    int64_t kept = group.front();
    for (int64_t dim : group)
      if (larger.getDimSize(dim) != 1)
        kept = dim;
    for (int64_t dim : group)
      if (dim != kept && larger.getDimSize(dim) != 1) {
        why = "it joins or splits dimensions";
        return std::nullopt;
      }
    indices[collapse ? kept : i] =
        getAffineDimExpr(collapse ? i : kept, context);
  }
  AffineMap map = AffineMap::get(result.getRank(), 0, indices, context);
  if (!view.addOperand(op->getOperand(0), map, why))
    return std::nullopt;
  view.keys.push_back(op->getOperand(0));
  view.resultMaps.push_back(
      AffineMap::getMultiDimIdentityMap(result.getRank(), context));
  return view;
}

bool ElementwiseView::isExpensive() const {
  return isa<linalg::LinalgOp>(op) ? containsExpensive(op)
                                   : scan::isExpensive(op);
}

std::optional<ElementwiseView>
ElementwiseView::get(Operation *op, std::string &why, bool allowReductions) {
  if (isa<linalg::LinalgOp>(op))
    return getLinalg(op, why, allowReductions);
  Attribute attr;
  if (op->getNumResults() == 1 && matchPattern(op, m_Constant(&attr))) {
    Type type = op->getResult(0).getType();
    auto dense = dyn_cast<DenseElementsAttr>(attr);
    if (isa<ShapedType>(type) && !(dense && dense.isSplat())) {
      why = "it is a constant of several elements";
      return std::nullopt;
    }
    auto tensorType = dyn_cast<RankedTensorType>(type);
    unsigned rank = tensorType ? tensorType.getRank() : 0;
    ElementwiseView view(op, rank);
    if (tensorType)
      view.loopExtents = llvm::to_vector(tensorType.getShape());
    if (dense)
      attr = dense.getSplatValue<Attribute>();
    view.operands.push_back({Value(), attr, getElementTypeOrSelf(type),
                             AffineMap::get(rank, 0, op->getContext())});
    view.keys.push_back(Value());
    view.resultMaps.push_back(
        AffineMap::getMultiDimIdentityMap(rank, op->getContext()));
    return view;
  }
  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
    return getReshape(op, why);
  if (isa<tensor::SplatOp, tensor::CastOp>(op) ||
      (OpTrait::hasElementwiseMappableTraits(op) && op->getNumRegions() == 0 &&
       isMemoryEffectFree(op)))
    return getTensorOp(op, why);
  why = "it is not elementwise";
  return std::nullopt;
}

SmallVector<Value>
ElementwiseView::inlineBody(OpBuilder &builder, ValueRange elements,
                            function_ref<Value(unsigned)> getIndex) const {
  IRMapping mapping;
  for (auto [key, element] : llvm::zip_equal(keys, elements))
    if (key)
      mapping.map(key, element);
  if (isa<linalg::LinalgOp>(op)) {
    Block &body = op->getRegion(0).front();
    for (Operation &inner : body.without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(inner))
        mapping.map(index.getResult(), getIndex(index.getDim()));
      else
        builder.clone(inner, mapping);
    }
    return llvm::map_to_vector(
        body.getTerminator()->getOperands(),
        [&](Value value) { return mapping.lookup(value); });
  }
  // A constant, a splat, a cast or a reshape passes its one element on.
  if (!OpTrait::hasElementwiseMappableTraits(op))
    return {elements.front()};
  Operation *copy = builder.clone(*op, mapping);
  for (Value result : copy->getResults())
    result.setType(getElementTypeOrSelf(result.getType()));
  return copy->getResults();
}
