//===- BatchedOps.cpp - Operations with a batch ---------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopBatcher.h"
#include "Scan/IR/ScanDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::scan;

/// A type like `type` with the batch at `position`.
static RankedTensorType getBatchedType(Type type, int64_t position,
                                       OpFoldResult count) {
  SmallVector<int64_t> shape;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  std::optional<int64_t> extent = getConstantIntValue(count);
  shape.insert(shape.begin() + position,
               extent ? *extent : static_cast<int64_t>(ShapedType::kDynamic));
  return RankedTensorType::get(shape, getElementTypeOrSelf(type));
}

/// An operation on scalars, or elementwise on tensors.
LogicalResult LoopBatcher::convertElementwise(Operation *op) {
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType();
  auto tensorType = dyn_cast<RankedTensorType>(type);
  if (tensorType && !OpTrait::hasElementwiseMappableTraits(op))
    return obstacle.set(op, "'" + op->getName().getStringRef() +
                                "' is not computed for all iterations at once");
  int64_t rank = tensorType ? tensorType.getRank() : 0;
  AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
  SmallVector<Batched> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<std::pair<int64_t, Value>> operands;
  SmallVector<OpFoldResult> sizes;
  int64_t position = 0;
  for (Value operand : op->getOperands()) {
    FailureOr<Batched> value = get(op, operand);
    if (failed(value))
      return failure();
    bool isTensor = isa<RankedTensorType>(operand.getType());
    if (value->position < 0 && !isTensor) {
      operands.push_back({-1, value->value});
      continue;
    }
    operands.push_back({static_cast<int64_t>(inputs.size()), {}});
    inputs.push_back(*value);
    maps.push_back(isTensor ? identity
                            : AffineMap::get(rank, 0, rewriter.getContext()));
    if (isTensor && sizes.empty() && rank > 0) {
      sizes = tensor::getMixedSizes(rewriter, loc, value->value);
      if (value->position >= 0) {
        position = value->position;
        sizes.erase(sizes.begin() + value->position);
      }
    }
  }
  SmallVector<OpFoldResult> batched(sizes);
  batched.insert(batched.begin() + position, count);
  Value empty = tensor::EmptyOp::create(rewriter, loc, batched,
                                        getElementTypeOrSelf(type));
  SmallVector<utils::IteratorType> parallel(rank,
                                            utils::IteratorType::parallel);
  Value result = createGeneric(
      loc, inputs, maps, {empty, position}, identity, parallel,
      [&](OpBuilder &builder, ValueRange arguments) {
        Operation *copy = op->clone();
        for (auto [i, operand] : llvm::enumerate(operands))
          copy->setOperand(i, operand.first < 0 ? operand.second
                                                : arguments[operand.first]);
        copy->getResult(0).setType(getElementTypeOrSelf(type));
        builder.insert(copy);
        return copy->getResult(0);
      });
  set(op->getResult(0), result, position);
  return success();
}

LogicalResult LoopBatcher::convertStructured(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1)
    return obstacle.set(op, "'" + op->getName().getStringRef() +
                                "' has several results, or memrefs");
  Location loc = op.getLoc();
  SmallVector<Batched> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<Value> scalars(op.getNumDpsInputs());
  SmallVector<int64_t> argumentOf;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    FailureOr<Batched> value = get(op, operand->get());
    if (failed(value))
      return failure();
    argumentOf.push_back(inputs.size());
    inputs.push_back(*value);
    maps.push_back(op.getMatchingIndexingMap(operand));
  }
  // Scalars that the body captures.
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  SmallVector<std::pair<Value, int64_t>> capturedInputs;
  IRMapping uniform;
  for (Value value : captured) {
    FailureOr<Batched> batched = get(op, value);
    if (failed(batched))
      return failure();
    if (batched->position < 0) {
      uniform.map(value, batched->value);
      continue;
    }
    capturedInputs.push_back({value, static_cast<int64_t>(inputs.size())});
    inputs.push_back(*batched);
    maps.push_back(AffineMap::get(op.getNumLoops(), 0, rewriter.getContext()));
  }
  OpOperand *initOperand = op.getDpsInitOperand(0);
  FailureOr<Batched> init = get(op, initOperand->get());
  if (failed(init))
    return failure();
  // Where it stands in an input of the same rank, if there is one.
  Type type = op->getResult(0).getType();
  int64_t position = init->position >= 0 ? init->position : 0;
  if (init->position < 0)
    for (auto [input, operand] : llvm::zip(inputs, op.getDpsInputs()))
      if (input.position >= 0 && isa<RankedTensorType>(operand.getType()) &&
          cast<RankedTensorType>(operand.getType()).getRank() ==
              cast<RankedTensorType>(type).getRank()) {
        position = input.position;
        break;
      }
  Value dest = getAt(*init, position, type);
  Value result = createGeneric(
      loc, inputs, maps, {dest, position},
      op.getMatchingIndexingMap(initOperand), op.getIteratorTypesArray(),
      [&](OpBuilder &builder, ValueRange arguments) {
        IRMapping mapping(uniform);
        Block &body = *op.getBlock();
        for (auto [i, argument] : llvm::enumerate(argumentOf))
          mapping.map(body.getArgument(i), arguments[argument]);
        for (auto [value, argument] : capturedInputs)
          mapping.map(value, arguments[argument]);
        mapping.map(body.getArguments().back(), arguments.back());
        for (Operation &inner : body.without_terminator()) {
          Operation *copy = builder.clone(inner, mapping);
          if (auto index = dyn_cast<linalg::IndexOp>(copy))
            index.setDim(index.getDim() + 1);
        }
        return mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
      });
  set(op->getResult(0), result, position);
  return success();
}

LogicalResult LoopBatcher::convertScan(Operation *op) {
  auto associative = dyn_cast<AssociativeOp>(op);
  auto linear = dyn_cast<LinearRecurrenceOp>(op);
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  if ((associative ? associative.getSegments() : linear.getSegments()) ||
      !captured.empty())
    return obstacle.set(op, "a scan in the loop has segments");
  int64_t dim = associative ? associative.getDim() : linear.getDim();
  unsigned numInputs = associative ? associative.getInputs().size() : 2;
  SmallVector<Batched> operands;
  int64_t position = -1;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    FailureOr<Batched> value = get(op, operand);
    if (failed(value))
      return failure();
    operands.push_back(*value);
    if (position < 0 && i < numInputs)
      position = value->position;
  }
  if (position < 0)
    position = 0;
  // A state has no dimension of the time.
  int64_t statePosition = position <= dim ? position : position - 1;
  auto input = cast<RankedTensorType>(op->getOperand(0).getType());
  SmallVector<int64_t> stateShape(input.getShape());
  stateShape.erase(stateShape.begin() + dim);
  IRMapping mapping;
  Operation *copy = op->clone(mapping);
  for (auto [i, operand] : llvm::enumerate(operands)) {
    bool isInput = i < numInputs;
    Type type = op->getOperand(i).getType();
    if (isInput) {
      copy->setOperand(i, getAt(operand, position, type));
      continue;
    }
    bool isScalar = !isa<RankedTensorType>(type);
    // A number that all rows start from stays one.
    if (isScalar && operand.position < 0) {
      copy->setOperand(i, operand.value);
      continue;
    }
    if (isScalar && !stateShape.empty()) {
      copy->destroy();
      return obstacle.set(op, "all rows of a scan start from one number, which "
                              "is another one in each iteration");
    }
    copy->setOperand(i, getAt(operand, statePosition, type));
  }
  for (auto [i, result] : llvm::enumerate(copy->getResults())) {
    auto type = cast<RankedTensorType>(result.getType());
    bool isState = type.getRank() < input.getRank();
    result.setType(
        getBatchedType(type, isState ? statePosition : position, count));
  }
  if (position <= dim) {
    if (auto scan = dyn_cast<AssociativeOp>(copy))
      scan.setDim(dim + 1);
    else
      cast<LinearRecurrenceOp>(copy).setDim(dim + 1);
  }
  rewriter.insert(copy);
  for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults())) {
    bool isState =
        cast<RankedTensorType>(from.getType()).getRank() < input.getRank();
    set(from, to, isState ? statePosition : position);
  }
  return success();
}

LogicalResult LoopBatcher::convertCast(Operation *op) {
  FailureOr<Batched> source = get(op, op->getOperand(0));
  if (failed(source))
    return failure();
  Type type = source->isWhole ? op->getResult(0).getType()
                              : getBatchedType(op->getResult(0).getType(),
                                               source->position, count);
  if (source->isWhole)
    return obstacle.set(op, "a carried tensor is cast");
  set(op->getResult(0),
      tensor::CastOp::create(rewriter, op->getLoc(), type, source->value),
      source->position);
  return success();
}

/// A tensor of which all elements are a scalar that each iteration has.
LogicalResult LoopBatcher::convertSplat(Operation *op, Value scalar) {
  FailureOr<Batched> value = get(op, scalar);
  if (failed(value))
    return failure();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (type.getRank() == 0) {
    set(op->getResult(0), value->value, value->position);
    return success();
  }
  if (!type.hasStaticShape())
    return obstacle.set(op, "'tensor.splat' has dynamic extents");
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(rewriter.getContext(), type.getShape());
  sizes.insert(sizes.begin(), count);
  Value empty = tensor::EmptyOp::create(rewriter, op->getLoc(), sizes,
                                        type.getElementType());
  SmallVector<utils::IteratorType> parallel(type.getRank(),
                                            utils::IteratorType::parallel);
  set(op->getResult(0),
      createGeneric(op->getLoc(), *value,
                    AffineMap::get(type.getRank(), 0, rewriter.getContext()),
                    {empty, 0}, rewriter.getMultiDimIdentityMap(type.getRank()),
                    parallel,
                    [](OpBuilder &, ValueRange arguments) -> Value {
                      return arguments.front();
                    }),
      0);
  return success();
}
