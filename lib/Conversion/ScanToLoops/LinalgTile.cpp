//===- LinalgTile.cpp - Points of a structured operation ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::scan;

LinalgTile::LinalgTile(OpBuilder &builder, linalg::LinalgOp op,
                       unsigned laneLoop, std::optional<unsigned> rowLoop,
                       bool fuses)
    : builder(builder), op(op), loc(op.getLoc()), body(*op.getBlock()),
      laneLoop(laneLoop), rowLoop(rowLoop), fuses(fuses) {
  for (Range range : op.createLoopRanges(builder, loc))
    sizes.push_back(getValueOrCreateConstantIndexOp(builder, loc, range.size));
  for (OpOperand *input : op.getDpsInputOperands())
    if (isa<MemRefType>(input->get().getType()))
      sources[op.getMatchingBlockArgument(input)] = {
          input->get(), op.getMatchingIndexingMap(input)};
  chooseMemRefs();
  findVariations();
}

//===----------------------------------------------------------------------===//
// What there is to know of the operation
//===----------------------------------------------------------------------===//

/// A type that both memrefs can be cast to; null if there is none.
static MemRefType join(MemRefType a, MemRefType b) {
  SmallVector<int64_t> strides, others;
  int64_t offset, other;
  if (a.getElementType() != b.getElementType() ||
      a.getMemorySpace() != b.getMemorySpace() ||
      failed(a.getStridesAndOffset(strides, offset)) ||
      failed(b.getStridesAndOffset(others, other)))
    return {};
  auto same = [](int64_t x, int64_t y) {
    return x == y ? x : ShapedType::kDynamic;
  };
  SmallVector<int64_t> shape(a.getShape());
  for (unsigned d = 0, e = shape.size(); d < e; ++d) {
    shape[d] = same(shape[d], b.getDimSize(d));
    strides[d] = same(strides[d], others[d]);
  }
  return MemRefType::get(
      shape, a.getElementType(),
      StridedLayoutAttr::get(a.getContext(), same(offset, other), strides),
      a.getMemorySpace());
}

/// A selection of two elements by what is the same at all points is one of two
/// memrefs, of which one is read.
void LinalgTile::chooseMemRefs() {
  for (auto select : body.getOps<arith::SelectOp>()) {
    auto condition = dyn_cast<BlockArgument>(select.getCondition());
    auto yes = sources.find(select.getTrueValue());
    auto no = sources.find(select.getFalseValue());
    if (!condition || condition.getOwner() != &body || yes == sources.end() ||
        no == sources.end() || yes->second.map != no->second.map ||
        !yes->first.hasOneUse() || !no->first.hasOneUse())
      continue;
    Value flag = op.getMatchingOpOperand(condition)->get();
    MemRefType type = join(cast<MemRefType>(yes->second.memref.getType()),
                           cast<MemRefType>(no->second.memref.getType()));
    if (!type || isa<MemRefType>(flag.getType()))
      continue;
    auto cast = [&](Value memref) {
      return builder.createOrFold<memref::CastOp>(loc, type, memref);
    };
    Source chosen = {arith::SelectOp::create(builder, loc, flag,
                                             cast(yes->second.memref),
                                             cast(no->second.memref)),
                     yes->second.map};
    // An operand that is such a selection itself stays one: who emits the body
    // comes by it.
    for (Value operand : {select.getTrueValue(), select.getFalseValue()})
      if (isa<BlockArgument>(operand))
        sources.erase(operand);
    sources[select] = chosen;
  }
}

LinalgTile::Variation LinalgTile::getVariation(AffineMap map) const {
  return {rowLoop && map.isFunctionOfDim(*rowLoop),
          map.isFunctionOfDim(laneLoop)};
}

void LinalgTile::findVariations() {
  for (BlockArgument argument : body.getArguments())
    variations[argument] = getVariation(
        op.getMatchingIndexingMap(op.getMatchingOpOperand(argument)));
  for (Operation &inner : body.without_terminator()) {
    Variation variation;
    if (auto number = dyn_cast<linalg::IndexOp>(inner))
      variation = {rowLoop == number.getDim(), laneLoop == number.getDim()};
    for (Value operand : inner.getOperands()) {
      variation.ofRows |= getVariation(operand).ofRows;
      variation.ofLanes |= getVariation(operand).ofLanes;
    }
    for (Value result : inner.getResults())
      variations[result] = variation;
  }
}

//===----------------------------------------------------------------------===//
// Indices and values
//===----------------------------------------------------------------------===//

void LinalgTile::forPoints(
    Variation variation, function_ref<void(int64_t row, int64_t vector)> each) {
  for (int64_t row = 0; row < (variation.ofRows ? shape.rows : 1); ++row)
    for (int64_t v = 0; v < (variation.ofLanes ? shape.vectors : 1); ++v)
      each(row, v);
}

Value LinalgTile::index(int64_t number) {
  return arith::ConstantIndexOp::create(builder, loc, number);
}

Value LinalgTile::getIndex(unsigned loop, int64_t row, int64_t vector) {
  int64_t offset = loop == laneLoop  ? vector * shape.lanes
                   : rowLoop == loop ? row
                                     : 0;
  if (offset == 0)
    return point[loop];
  return arith::AddIOp::create(builder, loc, point[loop], index(offset));
}

SmallVector<Value> LinalgTile::getIndices(AffineMap map, int64_t row,
                                          int64_t vector) {
  SmallVector<Value> indices;
  for (AffineExpr result : map.getResults())
    indices.push_back(
        getIndex(cast<AffineDimExpr>(result).getPosition(), row, vector));
  return indices;
}

Value LinalgTile::widen(Value scalar) {
  Value &vector = widened[scalar];
  if (!vector)
    vector = vector::BroadcastOp::create(
        builder, loc, VectorType::get(shape.lanes, scalar.getType()), scalar);
  return vector;
}

Value LinalgTile::get(Value value, int64_t row, int64_t vector, bool asVector) {
  Variation variation = getVariation(value);
  Value found = value;
  if (value.getParentBlock() == &body)
    found = emitted.lookup(
        {value, variation.ofRows ? row : 0, variation.ofLanes ? vector : 0});
  return asVector && !isa<VectorType>(found.getType()) ? widen(found) : found;
}

void LinalgTile::set(Value value, int64_t row, int64_t vector, Value found) {
  emitted[{value, row, vector}] = found;
}

Value LinalgTile::load(const Source &source, int64_t row, int64_t vector) {
  SmallVector<Value> indices = getIndices(source.map, row, vector);
  if (shape.lanes == 1 || !getVariation(source.map).ofLanes)
    return memref::LoadOp::create(builder, loc, source.memref, indices);
  Type element = cast<MemRefType>(source.memref.getType()).getElementType();
  return vector::LoadOp::create(builder, loc,
                                VectorType::get(shape.lanes, element),
                                source.memref, indices);
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

arith::MulFOp LinalgTile::getFusedProduct(arith::AddFOp sum) {
  Type type = sum.getType();
  if (!fuses || op.getNumReductionLoops() == 0 ||
      !(type.isF32() || type.isF64()))
    return {};
  auto isOutput = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == &body &&
           op.isDpsInit(op.getMatchingOpOperand(argument));
  };
  for (auto [total, added] : {std::pair(sum.getLhs(), sum.getRhs()),
                              std::pair(sum.getRhs(), sum.getLhs())})
    if (auto product = added.getDefiningOp<arith::MulFOp>();
        product && product->getBlock() == &body && product->hasOneUse() &&
        isOutput(total))
      return product;
  return {};
}

SmallVector<Value> LinalgTile::emitPoint(Operation &inner, int64_t row,
                                         int64_t vector, bool asVector) {
  auto getOperand = [&](Value operand) {
    return get(operand, row, vector, asVector);
  };
  if (auto number = dyn_cast<linalg::IndexOp>(inner)) {
    Value first = getIndex(number.getDim(), row, vector);
    if (!asVector)
      return {first};
    SmallVector<int64_t> numbers =
        llvm::to_vector(llvm::seq<int64_t>(shape.lanes));
    Value lanes = arith::ConstantOp::create(
        builder, loc, builder.getIndexVectorAttr(numbers));
    return {arith::AddIOp::create(builder, loc, widen(first), lanes)};
  }
  if (auto sum = dyn_cast<arith::AddFOp>(inner))
    if (arith::MulFOp product = getFusedProduct(sum)) {
      Value total =
          sum.getLhs() == product.getResult() ? sum.getRhs() : sum.getLhs();
      return {math::FmaOp::create(builder, loc, getOperand(product.getLhs()),
                                  getOperand(product.getRhs()),
                                  getOperand(total))};
    }
  IRMapping mapping;
  for (Value operand : inner.getOperands())
    mapping.map(operand, getOperand(operand));
  Operation *clone = builder.clone(inner, mapping);
  if (asVector)
    for (OpResult result : clone->getResults())
      result.setType(VectorType::get(shape.lanes, result.getType()));
  return llvm::to_vector_of<Value>(clone->getResults());
}

void LinalgTile::emitOperation(Operation &inner) {
  if (inner.use_empty())
    return;
  if (auto source = sources.find(inner.getResult(0)); source != sources.end()) {
    forPoints(getVariation(source->first), [&](int64_t row, int64_t v) {
      set(inner.getResult(0), row, v, load(source->second, row, v));
    });
    return;
  }
  if (isa<arith::MulFOp>(inner))
    if (auto sum = dyn_cast<arith::AddFOp>(*inner.user_begin());
        sum && getFusedProduct(sum) == &inner)
      return;
  Variation variation = getVariation(inner.getResult(0));
  bool isVector = variation.ofLanes && shape.lanes > 1;
  forPoints(variation, [&](int64_t row, int64_t v) {
    for (auto [result, value] : llvm::zip_equal(
             inner.getResults(), emitPoint(inner, row, v, isVector)))
      set(result, row, v, value);
  });
}

SmallVector<Value> LinalgTile::emitBody(ValueRange outputs) {
  emitted.clear();
  widened.clear();
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (argument.use_empty())
      continue;
    if (!isa<MemRefType>(input->get().getType()))
      set(argument, 0, 0, input->get());
    else if (auto source = sources.find(argument); source != sources.end())
      forPoints(getVariation(argument), [&](int64_t row, int64_t v) {
        set(argument, row, v, load(source->second, row, v));
      });
  }
  for (OpOperand &output : op.getDpsInitsMutable()) {
    BlockArgument argument = op.getMatchingBlockArgument(&output);
    if (!argument.use_empty())
      forPoints(getVariation(argument), [&](int64_t row, int64_t v) {
        set(argument, row, v, outputs.front());
        outputs = outputs.drop_front();
      });
  }
  for (Operation &inner : body.without_terminator())
    emitOperation(inner);
  SmallVector<Value> yielded;
  for (OpOperand &output : op.getDpsInitsMutable()) {
    Value value = op.getMatchingYieldValue(&output)->get();
    forPoints(getVariation(op.getMatchingBlockArgument(&output)),
              [&](int64_t row, int64_t v) {
                yielded.push_back(
                    get(value, row, v, /*asVector=*/shape.lanes > 1));
              });
  }
  return yielded;
}

SmallVector<Value> LinalgTile::emitReductions(ArrayRef<unsigned> loops,
                                              SmallVector<Value> outputs) {
  if (loops.empty())
    return emitBody(outputs);
  auto loop = scf::ForOp::create(builder, loc, index(0), sizes[loops.front()],
                                 index(1), outputs);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  point[loops.front()] = loop.getInductionVar();
  scf::YieldOp::create(
      builder, loc,
      emitReductions(loops.drop_front(),
                     llvm::to_vector_of<Value>(loop.getRegionIterArgs())));
  return llvm::to_vector_of<Value>(loop.getResults());
}

void LinalgTile::emit(ArrayRef<Value> first, TileShape tile) {
  shape = tile;
  point.assign(first.begin(), first.end());
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  // Elements that the body does not read are not loaded.
  SmallVector<Value> outputs;
  auto forElements = [&](bool onlyRead,
                         function_ref<void(Source, int64_t, int64_t)> each) {
    for (OpOperand &output : op.getDpsInitsMutable()) {
      BlockArgument argument = op.getMatchingBlockArgument(&output);
      if (!onlyRead || !argument.use_empty())
        forPoints(getVariation(argument), [&](int64_t row, int64_t v) {
          each({output.get(), op.getMatchingIndexingMap(&output)}, row, v);
        });
    }
  };
  forElements(/*onlyRead=*/true, [&](Source source, int64_t row, int64_t v) {
    outputs.push_back(load(source, row, v));
  });
  SmallVector<Value> results = emitReductions(reductions, std::move(outputs));
  Value *next = results.begin();
  forElements(/*onlyRead=*/false, [&](Source target, int64_t row, int64_t v) {
    SmallVector<Value> indices = getIndices(target.map, row, v);
    Value element = *next++;
    if (shape.lanes > 1)
      vector::StoreOp::create(builder, loc, element, target.memref, indices);
    else
      memref::StoreOp::create(builder, loc, element, target.memref, indices);
  });
}
