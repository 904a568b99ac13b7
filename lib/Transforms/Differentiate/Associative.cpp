//===- Associative.cpp - Associative scans backwards ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Normalize/CombineRewrite.h"
#include "../Segments/Segments.h"
#include "../Utils/ScalarCast.h"
#include "AssociativeAdjoint.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

ArrayRef<int64_t> AssociativeAdjoint::getTrailingShape(unsigned leaf) {
  auto type = dyn_cast<RankedTensorType>(op.getLeafTypes()[leaf]);
  return type ? type.getShape() : ArrayRef<int64_t>();
}

LogicalResult AssociativeAdjoint::initCombine(Refuse refuse) {
  // It refuses leaves of more elements than anybody unrolls.
  NormalizeObstacle obstacle;
  if (failed(scalarizeCombine(op.getCombine(), scalars, obstacle)))
    return refuse(obstacle.op, obstacle.reason);
  SmallVector<Type> types;
  for (auto [i, type] : llvm::enumerate(op.getLeafTypes())) {
    auto block = dyn_cast<RankedTensorType>(type);
    types.append(block ? block.getNumElements() : 1, op.getAccumulatorType(i));
  }
  promoteCombine(scalars, region, types);
  combine.emplace(region.front());
  return combine->init(refuse);
}

void AssociativeAdjoint::initParts() {
  for (unsigned leaf = 0, e = op.getNumLeaves(); leaf < e; ++leaf) {
    ArrayRef<int64_t> shape = getTrailingShape(leaf);
    SmallVector<int64_t> strides = computeStrides(shape);
    for (int64_t i = 0, n = ShapedType::getNumElements(shape); i < n; ++i)
      parts.push_back({leaf, delinearize(i, strides)});
  }
  ValueRange finals = op.getFinalResults();
  SmallVector<OpFoldResult> all = graph.getSizes(op.getInputs().front());
  sizes.assign(all.begin(), all.begin() + rank);
  createPrevious();
  for (const Part &part : parts) {
    Value result = op.getScanResults()[part.leaf];
    Value cotangent = graph.getCotangent(result);
    Value last =
        finals.empty() ? Value() : graph.getCotangent(finals[part.leaf]);
    inputs.push_back(getPart(op.getInputs()[part.leaf], part));
    cotangents.push_back(cotangent ? getPart(cotangent, part) : Value());
    lastCotangents.push_back(last ? getPart(last, part) : Value());
  }
}

void AssociativeAdjoint::initCarried() {
  unsigned n = parts.size();
  const Sparsity &a = combine->getAccumulated(), &b = combine->getNew();
  llvm::SmallBitVector reached(n), wanted(n);
  for (unsigned i = 0; i < n; ++i) {
    if (cotangents[i] || lastCotangents[i])
      reached.set(i);
    if (!op.getInits().empty() && graph.isActive(op.getInits()[parts[i].leaf]))
      wanted.set(i);
    if (graph.isActive(op.getInputs()[parts[i].leaf]))
      for (unsigned j = 0; j < n; ++j)
        if (b.at(j, i) != Entry::Zero)
          wanted.set(j);
    // Without an init the first element is a state, too.
    if (op.getInits().empty() && graph.isActive(op.getInputs()[parts[i].leaf]))
      wanted.set(i);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned i = 0; i < n; ++i)
      for (unsigned j = 0; j < n; ++j) {
        if (a.at(j, i) == Entry::Zero)
          continue;
        if (reached[j] && !reached[i]) {
          reached.set(i);
          changed = true;
        }
        if (wanted[i] && !wanted[j]) {
          wanted.set(j);
          changed = true;
        }
      }
  }
  for (unsigned i = 0; i < n; ++i)
    if (reached[i] && wanted[i] && isDifferentiable(combine->getType(i)))
      carried.push_back(i);
  pattern = a.transpose().select(carried);
  closed = pattern.closure();
  for (unsigned i = 0; i < carried.size(); ++i)
    for (unsigned j = 0; j < carried.size(); ++j)
      if (closed.at(i, j) == Entry::Value)
        entries.push_back({i, j});
  needsFirst = op.getInits().empty() && !b.isIdentity();
}

//===----------------------------------------------------------------------===//
// Parts of leaves
//===----------------------------------------------------------------------===//

Value AssociativeAdjoint::getPart(Value tensor, const Part &part) {
  if (part.position.empty())
    return tensor;
  auto type = cast<RankedTensorType>(tensor.getType());
  unsigned leading = type.getRank() - part.position.size();
  SmallVector<OpFoldResult> extents = graph.getSizes(tensor), offsets;
  offsets.assign(leading, builder.getIndexAttr(0));
  for (int64_t position : part.position)
    offsets.push_back(builder.getIndexAttr(position));
  for (unsigned i = leading; i < extents.size(); ++i)
    extents[i] = builder.getIndexAttr(1);
  SmallVector<OpFoldResult> strides(extents.size(), builder.getIndexAttr(1));
  auto sliceType = RankedTensorType::get(type.getShape().take_front(leading),
                                         type.getElementType());
  return tensor::ExtractSliceOp::create(builder, loc, sliceType, tensor,
                                        offsets, extents, strides);
}

Value AssociativeAdjoint::joinParts(Value like, unsigned leaf,
                                    ArrayRef<Value> values,
                                    RankedTensorType type) {
  SmallVector<Value> ofLeaf;
  SmallVector<const Part *> places;
  for (auto [part, value] : llvm::zip_equal(parts, values))
    if (part.leaf == leaf) {
      ofLeaf.push_back(value);
      places.push_back(&part);
    }
  if (places.size() == 1 && places.front()->position.empty())
    return ofLeaf.front();
  if (llvm::none_of(ofLeaf, [](Value value) { return bool(value); }))
    return {};
  SmallVector<OpFoldResult> extents = graph.getSizes(like);
  Value joined = graph.createFill(loc, type.getElementType(), extents, 0.0);
  unsigned leading = type.getRank() - getTrailingShape(leaf).size();
  SmallVector<OpFoldResult> strides(extents.size(), builder.getIndexAttr(1));
  for (unsigned i = leading; i < extents.size(); ++i)
    extents[i] = builder.getIndexAttr(1);
  for (auto [place, value] : llvm::zip_equal(places, ofLeaf)) {
    if (!value)
      continue;
    SmallVector<OpFoldResult> offsets(leading, builder.getIndexAttr(0));
    for (int64_t position : place->position)
      offsets.push_back(builder.getIndexAttr(position));
    joined = tensor::InsertSliceOp::create(builder, loc, value, joined, offsets,
                                           extents, strides);
  }
  return joined;
}

void AssociativeAdjoint::createPrevious() {
  for (auto [i, result] : llvm::enumerate(op.getScanResults())) {
    if (op.getExclusive()) {
      previous.push_back(result);
      continue;
    }
    Value init = op.getInits().empty() ? Value() : op.getInits()[i];
    Value shifted = ShiftOp::create(
        builder, loc, result.getType(), result,
        segments.getBoundary(init, result), builder.getI64IntegerAttr(dim),
        builder.getI64IntegerAttr(op.getReverse() ? -1 : 1));
    previous.push_back(segments.selectPrevious(init, shifted));
  }
}

//===----------------------------------------------------------------------===//
// What the operands get
//===----------------------------------------------------------------------===//

void AssociativeAdjoint::giveInit(unsigned leaf, ArrayRef<Value> values) {
  Value init = op.getInits()[leaf];
  Type element = getElementTypeOrSelf(init.getType());
  auto type = dyn_cast<RankedTensorType>(init.getType());
  SmallVector<Value> ofLeaf(values.size());
  for (auto [i, part] : llvm::enumerate(parts)) {
    if (part.leaf != leaf || !values[i])
      continue;
    if (type)
      ofLeaf[i] = graph.castElements(loc, values[i], element);
    else
      graph.give(init, castScalar(builder, loc,
                                  graph.createTotal(loc, values[i]), element));
  }
  if (!type)
    return;
  if (Value joined = joinParts(init, leaf, ofLeaf, type))
    graph.give(init, joined);
}

void AssociativeAdjoint::giveInits() {
  for (auto [leaf, init] : llvm::enumerate(op.getInits())) {
    if (!graph.isActive(init))
      continue;
    for (auto [part, value] : llvm::zip_equal(parts, first))
      if (part.leaf == leaf && value)
        value = segments.sumForInit(init, value, part.position.size());
    giveInit(leaf, first);
  }
}

/// At each start the gradients of the states before it: A_t^T g_t.
void AssociativeAdjoint::giveInitsAtStarts() {
  if (llvm::none_of(op.getInits(),
                    [&](Value init) { return graph.isActive(init); }))
    return;
  SmallVector<Value> states;
  for (unsigned i : carried)
    states.push_back(u[i]);
  SmallVector<LoopOperand> reads = getReads(states);
  reads.push_back({segments.getAllStarts(), segments.getStartsMap(rank)});
  SmallVector<LoopResult> writes;
  for (unsigned i = 0; i < parts.size(); ++i)
    writes.push_back({combine->getType(i), sizes, identity});
  SmallVector<Value> values = *createLoops(
      graph, loc, rank, reads, writes, [&](OpBuilder &b, ValueRange args) {
        ScalarMath math{b, loc};
        SmallVector<Value> own = getCotangents(b, args);
        SmallVector<Value> yields =
            combine->emit(b, getCombineValues(b, args, /*isFirst=*/{}),
                          getWholeCotangents(b, args), graph.isMasked());
        yields.resize(parts.size());
        for (auto [i, value] : llvm::enumerate(yields)) {
          // The state before the first step of an exclusive scan is a result.
          if (op.getExclusive() && own[i])
            value = value ? math.add(own[i], value) : own[i];
          if (!graph.isActive(op.getInits()[parts[i].leaf]))
            value = {};
          if (value)
            value = math.select(args.back(), value,
                                math.constant(combine->getType(i), 0.0));
        }
        return yields;
      });
  for (auto [leaf, init] : llvm::enumerate(op.getInits())) {
    if (!graph.isActive(init))
      continue;
    if (!hasScanDim(init, op.getInputs()[leaf]))
      for (auto [i, part] : llvm::enumerate(parts))
        if (part.leaf == leaf && values[i])
          values[i] = segments.sumOverStarts(values[i], lastCotangents[i]);
    giveInit(leaf, values);
  }
}

void AssociativeAdjoint::giveInputs() {
  SmallVector<Value> states;
  for (unsigned i : carried)
    states.push_back(u[i]);
  SmallVector<LoopOperand> reads = getReads(states);
  SmallVector<LoopResult> writes;
  for (auto [i, part] : llvm::enumerate(parts))
    writes.push_back({getElementTypeOrSelf(op.getInputs()[part.leaf].getType()),
                      sizes, identity});
  SmallVector<Value> values = *createLoops(
      graph, loc, rank, reads, writes, [&](OpBuilder &b, ValueRange args) {
        unsigned n = parts.size();
        Value isFirst = createIsFirst(b, args);
        SmallVector<Value> at = getCombineValues(b, args, isFirst);
        SmallVector<Value> g = getWholeCotangents(b, args);
        SmallVector<Value> through = combine->emit(b, at, g, graph.isMasked()),
                           yields;
        for (auto [i, part] : llvm::enumerate(parts)) {
          Value value = through[n + i];
          if (!graph.isActive(op.getInputs()[part.leaf])) {
            value = {};
          } else if (isFirst && (value || g[i])) {
            Value none = ScalarMath{b, loc}.constant(combine->getType(i), 0.0);
            value = arith::SelectOp::create(b, loc, isFirst, g[i] ? g[i] : none,
                                            value ? value : none);
          }
          yields.push_back(value);
        }
        return yields;
      });
  for (auto [leaf, input] : llvm::enumerate(op.getInputs()))
    if (graph.isActive(input))
      if (Value joined = joinParts(input, leaf, values,
                                   cast<RankedTensorType>(input.getType())))
        graph.give(input, joined);
}

LogicalResult AssociativeAdjoint::visit(Refuse refuse) {
  if (failed(initCombine(refuse)))
    return failure();
  initParts();
  initCarried();
  if (needsFirst && op.getReverse()) {
    Value extent = getValueOrCreateConstantIndexOp(builder, loc, sizes[dim]);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value last = arith::SubIOp::create(builder, loc, extent, one);
    lastIndex =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), last);
  }
  if (!carried.empty()) {
    createMaps();
    createBackwardScan();
    if (segments.areFlags())
      giveInitsAtStarts();
    else
      giveInits();
  } else {
    u.resize(parts.size());
  }
  giveInputs();
  return success();
}

LogicalResult differentiate::visitAssociative(GraphAdjoint &graph,
                                              AssociativeOp op, Refuse refuse) {
  return AssociativeAdjoint(graph, op).visit(refuse);
}
