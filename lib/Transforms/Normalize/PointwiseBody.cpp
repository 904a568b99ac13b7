//===- PointwiseBody.cpp - A step of a recurrence, lane by lane -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element of a row is computed from the elements that it depends on, back to
// block arguments: each value is asked for under a map from the lane to its own
// dimensions. States can be read at the lane itself only.
//
//===----------------------------------------------------------------------===//

#include "PointwiseBody.h"
#include "../Utils/ScalarCast.h"
#include "IR/ElementwiseView.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::scan;

PointwiseBody::PointwiseBody(RecurrenceOp op, NormalizeObstacle &obstacle)
    : op(op), obstacle(obstacle), code(std::make_unique<Block>()),
      builder(op.getContext()) {
  numLanes = cast<RankedTensorType>(op.getInits()[0].getType()).getRank() - 1;
  for (unsigned state = 0, e = op.getNumStates(); state < e; ++state)
    for (BlockArgument row : op.getWindowArguments(state)) {
      rowTypes.push_back(getElementTypeOrSelf(row.getType()));
      code->addArgument(rowTypes.back(), op.getLoc());
    }
  builder.setInsertionPointToEnd(code.get());
}

PointwiseBody::~PointwiseBody() = default;

Value PointwiseBody::fail(Operation *at, const Twine &reason) {
  if (!obstacle.op)
    obstacle = {at, reason.str()};
  return {};
}

/// The value of `element` in the code, as a `type`.
Value PointwiseBody::read(Element element, Type type) {
  auto found = llvm::find(elements, element);
  unsigned number = found - elements.begin();
  if (found == elements.end()) {
    element.type = type.isIndex() ? builder.getI64Type() : type;
    elements.push_back(element);
    code->addArgument(element.type, op.getLoc());
  }
  Value value = code->getArgument(rowTypes.size() + number);
  if (!type.isIndex())
    return value;
  return arith::IndexCastOp::create(builder, op.getLoc(), type, value);
}

Value PointwiseBody::evaluateArgument(BlockArgument argument, AffineMap map) {
  unsigned number = argument.getArgNumber();
  if (map.isIdentity())
    sameExtents.unionSets(current, number);
  if (number == 0)
    return read({{}, {}, {}, map, {}}, argument.getType());
  if (number <= rowTypes.size()) {
    if (map.isIdentity())
      return code->getArgument(number - 1);
    return fail(op, "reads a state at other places than the one that it "
                    "computes");
  }
  SmallVector<unsigned> seen;
  for (AffineExpr expr : map.getResults())
    if (auto lane = dyn_cast<AffineDimExpr>(expr)) {
      if (llvm::is_contained(seen, lane.getPosition()))
        return fail(op, "reads the diagonal of a row");
      seen.push_back(lane.getPosition());
    }
  return read({argument, {}, {}, map, {}},
              getElementTypeOrSelf(argument.getType()));
}

Value PointwiseBody::evaluateTensorOp(Operation *inner, unsigned result,
                                      AffineMap map) {
  std::string why;
  std::optional<ElementwiseView> view = ElementwiseView::get(inner, why);
  if (!view)
    return fail(inner, "is no elementwise code: " + why);
  // From the lanes to the loops.
  AffineMap loops = inversePermutation(view->getResultMap(result)).compose(map);
  SmallVector<Value> read;
  for (const ElementwiseView::Operand &operand : view->getOperands()) {
    if (!operand.value) {
      read.push_back(materializeScalar(builder, inner->getLoc(),
                                       operand.elementType, operand.constant));
      continue;
    }
    AffineMap from =
        operand.map ? operand.map
                    : AffineMap::get(view->getNumLoops(), 0, op.getContext());
    Value element = evaluate(operand.value, from.compose(loops));
    if (!element)
      return {};
    read.push_back(element);
  }
  bool isIndexed = true;
  auto getIndex = [&](unsigned loop) -> Value {
    AffineExpr expr = loops.getResult(loop);
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return arith::ConstantIndexOp::create(builder, inner->getLoc(),
                                            constant.getValue());
    if (auto lane = dyn_cast<AffineDimExpr>(expr))
      return this->read({{}, lane.getPosition(), {}, AffineMap(), {}},
                        builder.getIndexType());
    isIndexed = false;
    return arith::ConstantIndexOp::create(builder, inner->getLoc(), 0);
  };
  SmallVector<Value> results = view->inlineBody(builder, read, getIndex);
  if (!isIndexed)
    return fail(inner, "reads an index that is no lane's");
  return results[result];
}

/// An operation on scalars, the same for all lanes.
Value PointwiseBody::evaluateScalarOp(Operation *inner, unsigned result) {
  if (inner->getNumRegions() != 0 || !isMemoryEffectFree(inner))
    return fail(inner, "is control flow or has effects");
  MLIRContext *context = op.getContext();
  if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
    SmallVector<AffineExpr> place;
    for (Value index : extract.getIndices()) {
      std::optional<int64_t> constant = getConstantIntValue(index);
      if (!constant)
        return fail(inner, "reads an element at an index that is no constant");
      place.push_back(getAffineConstantExpr(*constant, context));
    }
    return evaluate(extract.getTensor(),
                    AffineMap::get(numLanes, 0, place, context));
  }
  if (auto dim = dyn_cast<tensor::DimOp>(inner)) {
    auto row = dyn_cast<BlockArgument>(dim.getSource());
    std::optional<int64_t> number = dim.getConstantIndex();
    if (!row || row.getOwner() != &op.getBody().front() || !number)
      return fail(inner, "computes with an extent that is not one of a row");
    return read({row, {}, static_cast<unsigned>(*number), AffineMap(), {}},
                builder.getIndexType());
  }
  if (llvm::any_of(inner->getOperandTypes(), llvm::IsaPred<ShapedType>))
    return fail(inner, "makes a scalar of a row");
  IRMapping mapping;
  for (Value operand : inner->getOperands()) {
    Value scalar = evaluate(operand, AffineMap::get(numLanes, 0, context));
    if (!scalar)
      return {};
    mapping.map(operand, scalar);
  }
  return builder.clone(*inner, mapping)->getResult(result);
}

Value PointwiseBody::evaluate(Value value, AffineMap map) {
  Value found = known.lookup({value, map});
  if (!found) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      found = evaluateArgument(argument, map);
    else if (isa<ShapedType>(value.getType()))
      found = evaluateTensorOp(value.getDefiningOp(),
                               cast<OpResult>(value).getResultNumber(), map);
    else
      found = evaluateScalarOp(value.getDefiningOp(),
                               cast<OpResult>(value).getResultNumber());
    known[{value, map}] = found;
  } else if (auto argument = dyn_cast<BlockArgument>(value);
             argument && map.isIdentity()) {
    sameExtents.unionSets(current, argument.getArgNumber());
  }
  return found;
}

/// All rows that one lane computes have to have the same extents, so that one
/// lane can compute them: those that are not static because of elementwise code
/// that reads both.
LogicalResult PointwiseBody::checkExtents() {
  Block &body = op.getBody().front();
  unsigned first = body.getNumArguments();
  auto shape = [&](Value row) {
    auto type = dyn_cast<RankedTensorType>(row.getType());
    return type ? type.getShape() : ArrayRef<int64_t>();
  };
  ArrayRef<int64_t> lanes = shape(op.getWindowArguments(0).front());
  for (unsigned i = 0, e = yields.size(); i < e; ++i) {
    Value row = i < op.getNumStates() ? op.getWindowArguments(i).front()
                                      : body.getTerminator()->getOperand(i);
    if (shape(row).size() != numLanes)
      return fail(op, "has rows of different ranks"), failure();
    bool isStatic = !ShapedType::isDynamicShape(lanes) && shape(row) == lanes;
    if (!isStatic && !sameExtents.isEquivalent(first, first + i))
      return fail(op, "has rows whose extents may differ"), failure();
  }
  return success();
}

LogicalResult PointwiseBody::compute() {
  if (op.getSegments())
    return fail(op, "has segments (--scan-expand-recurrence-segments)"),
           failure();
  Block &body = op.getBody().front();
  unsigned firstYield = body.getNumArguments();
  AffineMap lane = builder.getMultiDimIdentityMap(numLanes);
  for (unsigned i = 0; i < firstYield + body.getTerminator()->getNumOperands();
       ++i)
    sameExtents.insert(i);
  unsigned number = 1;
  for (unsigned state = 0, e = op.getNumStates(); state < e; ++state)
    for (BlockArgument row : op.getWindowArguments(state)) {
      auto type = dyn_cast<RankedTensorType>(row.getType());
      if ((type ? type.getRank() : 0) != numLanes)
        return fail(op, "has states whose rows have different ranks"),
               failure();
      // The row that is yielded has the extents of the previous ones.
      sameExtents.unionSets(firstYield + state, number++);
    }
  for (auto [i, row] : llvm::enumerate(body.getTerminator()->getOperands())) {
    auto type = dyn_cast<RankedTensorType>(row.getType());
    if ((type ? type.getRank() : 0) != numLanes)
      return fail(op, "has rows of different ranks"), failure();
    current = firstYield + i;
    // Not what another row has found: this one has to read it for its extents.
    known.clear();
    Value element = evaluate(row, lane);
    if (!element)
      return failure();
    yields.push_back(element);
  }
  return checkExtents();
}

SmallVector<Value> PointwiseBody::moveTo(Block &block, ValueRange rows,
                                         ValueRange read) {
  IRMapping mapping;
  for (auto [argument, value] :
       llvm::zip_equal(code->getArguments(),
                       llvm::concat<const Value>(llvm::to_vector(rows),
                                                 llvm::to_vector(read))))
    mapping.map(argument, value);
  OpBuilder end(op.getContext());
  end.setInsertionPointToEnd(&block);
  for (Operation &inner : *code)
    end.clone(inner, mapping);
  return llvm::map_to_vector(
      yields, [&](Value value) { return mapping.lookup(value); });
}
