//===- CaptureGradients.cpp - Gradients of weights behind the loop --------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CaptureGradients.h"
#include "TimeLoops.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

static bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

static int64_t getRank(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getRank() : 0;
}

//===----------------------------------------------------------------------===//
// In the body
//===----------------------------------------------------------------------===//

std::optional<SmallVector<OpFoldResult>>
CaptureGradients::getSizesOutside(Value value) {
  SmallVector<OpFoldResult> sizes;
  if (!isa<RankedTensorType>(value.getType()))
    return sizes;
  for (OpFoldResult size : inner.getSizes(value)) {
    sizes.push_back(recurrence.getOutside(size));
    if (!sizes.back())
      return std::nullopt;
  }
  return sizes;
}

std::optional<CaptureGradients::Source>
CaptureGradients::getSource(Value value) {
  Source source;
  source.rank = getRank(value.getType());
  if (Value capture = recurrence.getCaptureOf(value)) {
    source.outside = capture;
    return source;
  }
  if (isConstant(value)) {
    source.outside = outer.builder.clone(*value.getDefiningOp())->getResult(0);
    return source;
  }
  source.hasTime = true;
  if (Value input = recurrence.getInputOf(value)) {
    source.outside = input;
    return source;
  }
  std::optional<SmallVector<OpFoldResult>> sizes = getSizesOutside(value);
  if (!sizes || !ScanDialect::isSupportedElementType(
                    getElementTypeOrSelf(value.getType())))
    return std::nullopt;
  source.output = recurrence.addOutput(value, *sizes);
  return source;
}

AffineMap CaptureGradients::addTime(AffineMap map, bool hasTime) {
  MLIRContext *context = map.getContext();
  int64_t numLoops = map.getNumDims(), at = getTimeDim(numLoops);
  SmallVector<AffineExpr> loops, exprs;
  for (int64_t i = 0; i < numLoops; ++i)
    loops.push_back(getAffineDimExpr(i + (i >= at), context));
  for (AffineExpr expr : map.getResults())
    exprs.push_back(expr.replaceDims(loops));
  if (hasTime)
    exprs.insert(exprs.begin() + getTimeDim(map.getNumResults()),
                 getAffineDimExpr(at, context));
  return AffineMap::get(numLoops + 1, 0, exprs, context);
}

/// The captures that `op` reads at fewer indices than it has loops.
static SmallVector<Value>
getSummedCaptures(linalg::LinalgOp op, GraphAdjoint &inner,
                  const RecurrenceBuilder &recurrence) {
  SetVector<Value> summed;
  DenseSet<Value> others;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (!recurrence.getCaptureOf(value) || !inner.isActive(value) ||
        !op.payloadUsesValueFromOperand(&operand))
      continue;
    bool isSum =
        op.isDpsInput(&operand) &&
        op.getMatchingIndexingMap(&operand).getNumResults() < op.getNumLoops();
    if (isSum)
      summed.insert(value);
    else
      others.insert(value);
  }
  summed.remove_if([&](Value value) { return others.contains(value); });
  return summed.takeVector();
}

/// Fails where something is neither known outside nor can be an output.
bool CaptureGradients::fill(Deferred &deferred, linalg::LinalgOp op) {
  deferred.iterators = op.getIteratorTypesArray();
  int64_t timeLoop = getTimeDim(op.getNumLoops());
  deferred.iterators.insert(deferred.iterators.begin() + timeLoop,
                            utils::IteratorType::parallel);
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isOut = op.isDpsInit(&operand);
    Source source;
    source.hasTime = true;
    // A sum goes on from its destination and does not look at it.
    if (!isOut ||
        (op.payloadUsesValueFromOperand(&operand) && op.isAllParallelLoops())) {
      std::optional<Source> found = getSource(value);
      if (!found || (isOut && !found->hasTime))
        return false;
      source = *found;
    }
    deferred.maps.push_back(addTime(map, source.hasTime));
    if (!isOut) {
      deferred.inputs.push_back(source);
      continue;
    }
    deferred.elements.push_back(getElementTypeOrSelf(value.getType()));
    deferred.destinations.push_back(source);
    std::optional<SmallVector<OpFoldResult>> sizes = getSizesOutside(value);
    if (!sizes)
      return false;
    sizes->insert(sizes->begin() + getTimeDim(sizes->size()), steps);
    deferred.destinationSizes.push_back(std::move(*sizes));
  }
  for (Value result : op->getResults()) {
    std::optional<Source> &cotangent = deferred.cotangents.emplace_back();
    deferred.isMasked |= inner.isMasked(result);
    if (!inner.getCotangent(result))
      continue;
    cotangent = getSource(inner.getCotangent(result));
    if (!cotangent || !cotangent->hasTime)
      return false;
  }
  IRMapping mapping;
  SetVector<Value> above;
  getUsedValuesDefinedAbove(op->getRegions(), above);
  for (Value value : above) {
    if (!isConstant(value))
      return false;
    mapping.map(value,
                outer.builder.clone(*value.getDefiningOp())->getResult(0));
  }
  deferred.region = std::make_unique<Region>();
  op->getRegion(0).cloneInto(deferred.region.get(), mapping);
  deferred.region->walk([&](linalg::IndexOp index) {
    int64_t loop = index.getDim();
    index.setDim(loop + (loop >= timeLoop));
  });
  return true;
}

SmallVector<Value> CaptureGradients::defer(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || llvm::none_of(op->getResults(), [&](Value result) {
        return static_cast<bool>(inner.getCotangent(result));
      }))
    return {};
  SmallVector<Value> captures = getSummedCaptures(linalgOp, inner, recurrence);
  if (captures.empty())
    return {};
  Deferred deferred(op->getLoc());
  if (!fill(deferred, linalgOp))
    return {};
  for (auto [i, operand] : llvm::enumerate(linalgOp.getDpsInputs()))
    if (llvm::is_contained(captures, operand))
      deferred.wanted.push_back(i);
  all.push_back(std::move(deferred));
  return captures;
}

//===----------------------------------------------------------------------===//
// Behind the loop
//===----------------------------------------------------------------------===//

Value CaptureGradients::getTensor(const Source &source, RecurrenceOp backward) {
  if (!source.hasTime)
    return source.outside;
  bool isOutput = source.output >= 0;
  if (Value known = isOutput ? tensorOf.lookup(source.output) : Value())
    return known;
  OpBuilder &builder = outer.builder;
  Location loc = backward.getLoc();
  Value tensor =
      isOutput ? backward.getOutputs()[source.output] : source.outside;
  // An input may have rows that are not walked over.
  if (!isOutput && steps != tensor::getMixedSize(builder, loc, tensor, dim))
    tensor = createRows(builder, loc, tensor,
                        tensor::getMixedSizes(builder, loc, tensor), dim,
                        builder.getIndexAttr(0), steps);
  auto type = cast<RankedTensorType>(tensor.getType());
  // The unit dimensions in front of a row that is narrower than `dim`.
  if (int64_t units = type.getRank() - 1 - source.rank) {
    SmallVector<ReassociationIndices> groups(source.rank + 1);
    groups.front() = llvm::to_vector<2>(llvm::seq<int64_t>(0, units + 1));
    for (int64_t i = 1; i <= source.rank; ++i)
      groups[i] = {units + i};
    tensor = tensor::CollapseShapeOp::create(builder, loc, tensor, groups);
  }
  if (isOutput)
    tensorOf[source.output] = tensor;
  return tensor;
}

LogicalResult CaptureGradients::emit(Deferred &deferred, RecurrenceOp backward,
                                     Refuse refuse) {
  OpBuilder &builder = outer.builder;
  Location loc = deferred.loc;
  GraphAdjoint graph(builder);
  SmallVector<Value> inputs, destinations;
  // A capture may be an input as well: it is asked for by another name.
  SmallVector<UnrealizedConversionCastOp> names;
  for (auto [i, source] : llvm::enumerate(deferred.inputs)) {
    Value tensor = getTensor(source, backward);
    if (llvm::is_contained(deferred.wanted, i)) {
      names.push_back(UnrealizedConversionCastOp::create(
          builder, loc, tensor.getType(), tensor));
      tensor = names.back().getResult(0);
      graph.activate(tensor);
    }
    inputs.push_back(tensor);
  }
  for (auto [source, sizes, element] : llvm::zip(
           deferred.destinations, deferred.destinationSizes, deferred.elements))
    destinations.push_back(
        source.outside || source.output >= 0
            ? getTensor(source, backward)
            : tensor::EmptyOp::create(builder, loc, sizes, element));
  auto loops = linalg::GenericOp::create(
      builder, loc, ValueRange(destinations).getTypes(), inputs, destinations,
      deferred.maps, deferred.iterators);
  loops.getRegion().takeBody(*deferred.region);
  graph.activateResults(loops);
  for (auto [result, cotangent] :
       llvm::zip(loops.getResults(), deferred.cotangents))
    if (cotangent)
      graph.accumulate(result, getTensor(*cotangent, backward),
                       deferred.isMasked);
  graph.enter(loops.getResults());
  if (failed(visitLoops(graph, loops, refuse)))
    return failure();
  for (UnrealizedConversionCastOp name : names) {
    Value capture = name.getOperand(0);
    if (Value gradient = graph.getCotangent(name.getResult(0)))
      outer.accumulate(capture, gradient, graph.isMasked(name.getResult(0)));
  }
  loops.erase();
  for (UnrealizedConversionCastOp name : names) {
    name.getResult(0).replaceAllUsesWith(name.getOperand(0));
    name.erase();
  }
  return success();
}

LogicalResult CaptureGradients::emit(RecurrenceOp backward, Refuse refuse) {
  for (Deferred &deferred : all)
    if (failed(emit(deferred, backward, refuse)))
      return failure();
  return success();
}
