//===- AssociativeAdjoint.cpp - Backward pass of associative scans --------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AssociativeAdjoint.h"
#include "../Normalize/CombineRewrite.h"
#include "../Segments/Segments.h"
#include "../Utils/ScalarCast.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

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
  parts.init();
  ValueRange finals = op.getFinalResults();
  SmallVector<OpFoldResult> all = graph.getSizes(op.getInputs().front());
  sizes.assign(all.begin(), all.begin() + rank);
  createPrevious();
  for (const Part &part : parts) {
    Value result = op.getScanResults()[part.leaf];
    Value cotangent = graph.getCotangent(result);
    Value last =
        finals.empty() ? Value() : graph.getCotangent(finals[part.leaf]);
    inputs.push_back(parts.extract(op.getInputs()[part.leaf], part));
    cotangents.push_back(cotangent ? parts.extract(cotangent, part) : Value());
    lastCotangents.push_back(last ? parts.extract(last, part) : Value());
  }
}

void AssociativeAdjoint::initCarried() {
  unsigned n = parts.size();
  const Sparsity &a = combine->getAccumulated(), &b = combine->getNew();
  llvm::SmallBitVector reached(n), wanted(n);
  SmallVector<unsigned> carried;
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
  backward.emplace(
      graph, op,
      BackwardOperands{parts, *combine, segments, sizes, lastCotangents},
      carried);
  needsFirst = op.getInits().empty() && !b.isIdentity();
}

//===----------------------------------------------------------------------===//
// What the loops read
//===----------------------------------------------------------------------===//

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
// Loops over all elements
//===----------------------------------------------------------------------===//

SmallVector<LoopOperand> AssociativeAdjoint::getReads(ArrayRef<Value> more) {
  SmallVector<LoopOperand> reads;
  for (const Part &part : parts)
    reads.push_back({parts.extract(previous[part.leaf], part), identity});
  for (Value input : inputs)
    reads.push_back({input, identity});
  firstCotangent = reads.size();
  for (Value cotangent : cotangents)
    if (cotangent)
      reads.push_back({cotangent, identity});
  firstMore = reads.size();
  for (Value value : more)
    reads.push_back({value, identity});
  if (segments.headFlags)
    reads.push_back({segments.headFlags, segments.getHeadFlagsMap(rank)});
  if (lastIndex)
    reads.push_back({lastIndex, AffineMap::get(rank, 0, builder.getContext())});
  return reads;
}

Value AssociativeAdjoint::createIsFirst(OpBuilder &b, ValueRange args) {
  if (!needsFirst)
    return {};
  Type i64 = b.getI64Type();
  Value index = linalg::IndexOp::create(b, loc, dim);
  Value position = arith::IndexCastOp::create(b, loc, i64, index);
  Value start = lastIndex ? args.back() : createScalarConstant(b, loc, i64, 0);
  Value isFirst =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, position, start);
  if (!segments.headFlags)
    return isFirst;
  return arith::OrIOp::create(b, loc, isFirst,
                              args.drop_back(lastIndex ? 1 : 0).back());
}

SmallVector<Value> AssociativeAdjoint::getCombineValues(OpBuilder &b,
                                                        ValueRange args,
                                                        Value isFirst) {
  unsigned n = parts.size();
  SmallVector<Value> values;
  for (unsigned i = 0; i < 2 * n; ++i) {
    Value value = args[i];
    // Any state will do where none is: the slopes there are not used. But they
    // have to be numbers if they are differentiated again, and zero might not
    // be one of the states that f takes.
    if (i < n && isFirst && !combine->isPolynomial())
      value = arith::SelectOp::create(b, loc, isFirst, args[n + i], value);
    values.push_back(castScalar(b, loc, value, combine->getType(i % n)));
  }
  return values;
}

SmallVector<Value> AssociativeAdjoint::getCotangents(OpBuilder &b,
                                                     ValueRange args) {
  SmallVector<Value> values(parts.size());
  unsigned next = firstCotangent;
  for (unsigned i = 0; i < parts.size(); ++i)
    if (cotangents[i])
      values[i] = castScalar(b, loc, args[next++], combine->getType(i));
  return values;
}

SmallVector<Value> AssociativeAdjoint::getWholeCotangents(OpBuilder &b,
                                                          ValueRange args) {
  SmallVector<Value> g(parts.size());
  // The cotangents of an exclusive scan are those of the states before.
  if (!op.getExclusive())
    g = getCotangents(b, args);
  for (auto [k, i] : llvm::enumerate(backward->getCarried())) {
    Value state = args[firstMore + k];
    g[i] = g[i] ? ScalarMath{b, loc}.add(g[i], state) : state;
  }
  return g;
}

SmallVector<Value> AssociativeAdjoint::createMaps() {
  ArrayRef<unsigned> carried = backward->getCarried();
  auto entries = backward->getEntries();
  SmallVector<LoopOperand> reads = getReads({});
  SmallVector<LoopResult> writes;
  for (auto [row, column] : entries)
    writes.push_back({combine->getType(carried[row]), sizes, identity});
  for (unsigned i : carried)
    writes.push_back({combine->getType(i), sizes, identity});
  return *createLoops(
      graph, loc, rank, reads, writes, [&](OpBuilder &b, ValueRange args) {
        ScalarMath math{b, loc};
        unsigned n = parts.size();
        SmallVector<Value> at =
            getCombineValues(b, args, createIsFirst(b, args));
        SmallVector<SmallVector<Value>> columns(carried.size());
        SmallVector<Value> yields;
        auto orConstant = [&](Value value, Entry entry, unsigned part) {
          if (value && entry != Entry::One)
            return value;
          return math.constant(combine->getType(part),
                               entry == Entry::One ? 1.0 : 0.0);
        };
        for (auto [row, column] : entries) {
          // Column j of the transposed matrix is row j of the matrix.
          SmallVector<Value> &values = columns[column];
          if (values.empty()) {
            SmallVector<Value> seeds(n);
            unsigned part = carried[column];
            seeds[part] = math.constant(combine->getType(part), 1.0);
            values = combine->emit(b, at, seeds);
          }
          yields.push_back(orConstant(values[carried[row]],
                                      backward->getPattern().at(row, column),
                                      carried[row]));
        }
        SmallVector<Value> seeds = getCotangents(b, args);
        SmallVector<Value> through =
            op.getExclusive() ? seeds
                              : combine->emit(b, at, seeds, graph.isMasked());
        for (unsigned i : carried)
          yields.push_back(orConstant(through[i], Entry::Zero, i));
        return yields;
      });
}

//===----------------------------------------------------------------------===//
// What the operands get
//===----------------------------------------------------------------------===//

void AssociativeAdjoint::accumulateInit(unsigned leaf, ArrayRef<Value> values) {
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
      graph.accumulate(
          init,
          castScalar(builder, loc, graph.createTotal(loc, values[i]), element));
  }
  if (!type)
    return;
  if (Value joined = parts.join(init, leaf, ofLeaf, type))
    graph.accumulate(init, joined);
}

void AssociativeAdjoint::accumulateInits() {
  SmallVector<Value> first(parts.size());
  for (auto [i, value] :
       llvm::zip_equal(backward->getCarried(), backward->getFirst()))
    first[i] = value;
  for (auto [leaf, init] : llvm::enumerate(op.getInits())) {
    if (!graph.isActive(init))
      continue;
    for (auto [part, value] : llvm::zip_equal(parts, first))
      if (part.leaf == leaf && value)
        value = segments.sumForInit(init, value, part.position.size());
    accumulateInit(leaf, first);
  }
}

/// At each start the gradients of the states before it: A_t^T g_t.
void AssociativeAdjoint::accumulateInitsAtHeads() {
  if (llvm::none_of(op.getInits(),
                    [&](Value init) { return graph.isActive(init); }))
    return;
  SmallVector<LoopOperand> reads = getReads(backward->getStates());
  reads.push_back({segments.getAllHeadFlags(), segments.getHeadFlagsMap(rank)});
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
          values[i] = segments.sumOverHeads(values[i], lastCotangents[i]);
    accumulateInit(leaf, values);
  }
}

void AssociativeAdjoint::accumulateInputs() {
  SmallVector<LoopOperand> reads = getReads(backward->getStates());
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
      if (Value joined = parts.join(input, leaf, values,
                                    cast<RankedTensorType>(input.getType())))
        graph.accumulate(input, joined);
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
  if (!backward->getCarried().empty()) {
    backward->create(createMaps());
    if (segments.areFlags())
      accumulateInitsAtHeads();
    else
      accumulateInits();
  }
  accumulateInputs();
  return success();
}

LogicalResult differentiate::visitAssociative(GraphAdjoint &graph,
                                              AssociativeOp op, Refuse refuse) {
  return AssociativeAdjoint(graph, op).visit(refuse);
}
