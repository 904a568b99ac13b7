//===- KernelEmitter.cpp - Code for one point of a scan -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::scan;

KernelEmitter::KernelEmitter(OpBuilder &builder, KernelOp kernel)
    : builder(builder), kernel(kernel), loc(kernel.getLoc()),
      staticSizes(kernel.getStaticDomainShape()),
      carried(kernel.getCarriedLeaves()) {
  for (OpFoldResult size : kernel.getDomainSizes(builder, loc))
    sizes.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
}

Value KernelEmitter::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

MutableArrayRef<OpOperand> KernelEmitter::operandsOf(OperandRange group) {
  if (group.empty())
    return {};
  return kernel->getOpOperands().slice(group.getBeginOperandIndex(),
                                       group.size());
}

Value KernelEmitter::getTime(Value i) {
  if (!kernel.getReverse())
    return i;
  Value last =
      arith::SubIOp::create(builder, loc, sizes[kernel.getDim()], index(1));
  return arith::SubIOp::create(builder, loc, last, i);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

SmallVector<Value> KernelEmitter::indicesOf(AffineMap map,
                                            ArrayRef<Value> point,
                                            ArrayRef<int64_t> trailing,
                                            int64_t element) {
  SmallVector<Value> indices;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      indices.push_back(point[dim.getPosition()]);
    else
      indices.push_back(index(0));
  }
  // Row-major position of `element` in the trailing block.
  SmallVector<int64_t> position(trailing.size());
  for (int64_t i = trailing.size() - 1; i >= 0; --i) {
    position[i] = element % trailing[i];
    element /= trailing[i];
  }
  for (int64_t coordinate : position)
    indices.push_back(index(coordinate));
  return indices;
}

SmallVector<Point> KernelEmitter::getLanes(const Point &point) {
  SmallVector<Point> lanes;
  for (int64_t lane = 0; lane < point.width; ++lane) {
    Point scalar = point;
    scalar.width = 1;
    scalar.indices[point.laneDim] = arith::AddIOp::create(
        builder, loc, point.indices[point.laneDim], index(lane));
    lanes.push_back(std::move(scalar));
  }
  return lanes;
}

KernelEmitter::LaneAccess KernelEmitter::getLaneAccess(OpOperand &operand,
                                                       unsigned laneDim) {
  AffineMap map = kernel.getIndexingMap(operand);
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type || !map.isFunctionOfDim(laneDim))
    return LaneAccess::Invariant;
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  bool isContiguous = type.getRank() == map.getNumResults() && last &&
                      last.getPosition() == laneDim &&
                      type.isLastDimUnitStride();
  if (!isContiguous)
    return LaneAccess::Elements;
  return type.getElementType().isInteger(1) ? LaneAccess::Flags
                                            : LaneAccess::Contiguous;
}

Value KernelEmitter::getFlagAddress(Value source, ValueRange indices) {
  // A vector of i1 is packed to bits, a memref of i1 has one byte each: there
  // is no op on memrefs that loads these bytes as a vector.
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, source);
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, source);
  address = arith::AddIOp::create(builder, loc, address, metadata.getOffset());
  for (auto [position, stride] :
       llvm::zip_equal(indices, metadata.getStrides()))
    address = arith::AddIOp::create(
        builder, loc, address,
        arith::MulIOp::create(builder, loc, position, stride));
  Value word =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), address);
  return LLVM::IntToPtrOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), word);
}

void KernelEmitter::load(OpOperand &operand, const Point &point,
                         SmallVectorImpl<Value> &elements) {
  Value source = operand.get();
  auto type = dyn_cast<MemRefType>(source.getType());
  if (!type) {
    elements.push_back(splat(source, point.width));
    return;
  }
  AffineMap map = kernel.getIndexingMap(operand);
  ArrayRef<int64_t> trailing = KernelOp::getTrailingShape(source, map);
  int64_t count = KernelOp::getNumElements(source, map);
  for (int64_t element = 0; element < count; ++element) {
    auto loadScalar = [&](const Point &at) -> Value {
      return memref::LoadOp::create(
          builder, loc, source, indicesOf(map, at.indices, trailing, element));
    };
    if (point.width == 1) {
      elements.push_back(loadScalar(point));
      continue;
    }
    auto vectorType = VectorType::get(point.width, type.getElementType());
    switch (getLaneAccess(operand, point.laneDim)) {
    case LaneAccess::Invariant:
      elements.push_back(splat(loadScalar(point), point.width));
      break;
    case LaneAccess::Contiguous:
      elements.push_back(vector::LoadOp::create(
          builder, loc, vectorType, source,
          indicesOf(map, point.indices, trailing, element)));
      break;
    case LaneAccess::Flags: {
      Value address = getFlagAddress(
          source, indicesOf(map, point.indices, trailing, element));
      Value bytes = LLVM::LoadOp::create(
          builder, loc, VectorType::get(point.width, builder.getI8Type()),
          address, /*alignment=*/1);
      elements.push_back(
          arith::TruncIOp::create(builder, loc, vectorType, bytes));
      break;
    }
    case LaneAccess::Elements: {
      SmallVector<Value> lanes =
          llvm::map_to_vector(getLanes(point), loadScalar);
      elements.push_back(
          vector::FromElementsOp::create(builder, loc, vectorType, lanes));
      break;
    }
    }
  }
}

void KernelEmitter::loadShifted(OpOperand &operand, const Point &point,
                                SmallVectorImpl<Value> &elements) {
  unsigned number = operand.getOperandNumber(), dim = kernel.getDim();
  OpOperand &boundary = kernel->getOpOperand(kernel.getBoundary(number));
  Point from = point;
  from.indices[dim] = arith::SubIOp::create(builder, loc, point.indices[dim],
                                            index(kernel.getShift(number)));
  // As an unsigned number, what is below zero is above every extent.
  Value isInside = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, from.indices[dim], sizes[dim]);
  Type type = getElementTypeOrSelf(operand.get().getType());
  if (point.width > 1)
    type = VectorType::get(point.width, type);
  int64_t count =
      KernelOp::getNumElements(operand.get(), kernel.getIndexingMap(operand));
  auto branch = scf::IfOp::create(builder, loc, SmallVector<Type>(count, type),
                                  isInside, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> inside, outside;
  builder.setInsertionPointToStart(branch.thenBlock());
  load(operand, from, inside);
  scf::YieldOp::create(builder, loc, inside);
  builder.setInsertionPointToStart(branch.elseBlock());
  load(boundary, point, outside);
  // A scalar is the boundary of all elements.
  outside.resize(count, outside.front());
  scf::YieldOp::create(builder, loc, outside);
  llvm::append_range(elements, branch.getResults());
}

void KernelEmitter::store(OpOperand &operand, const Point &point,
                          ValueRange elements, bool isAdded) {
  Value target = operand.get();
  AffineMap map = kernel.getIndexingMap(operand);
  ArrayRef<int64_t> trailing = KernelOp::getTrailingShape(target, map);
  auto storeScalar = [&](Value value, ValueRange indices) {
    if (isAdded)
      value = add(memref::LoadOp::create(builder, loc, target, indices), value);
    memref::StoreOp::create(builder, loc, value, target, indices);
  };
  for (auto [element, value] : llvm::enumerate(elements)) {
    if (point.width == 1) {
      storeScalar(value, indicesOf(map, point.indices, trailing, element));
      continue;
    }
    LaneAccess access = getLaneAccess(operand, point.laneDim);
    if (access == LaneAccess::Flags) {
      Value address = getFlagAddress(
          target, indicesOf(map, point.indices, trailing, element));
      Value bytes = arith::ExtUIOp::create(
          builder, loc, VectorType::get(point.width, builder.getI8Type()),
          value);
      LLVM::StoreOp::create(builder, loc, bytes, address, /*alignment=*/1);
      continue;
    }
    if (access == LaneAccess::Contiguous) {
      SmallVector<Value> indices =
          indicesOf(map, point.indices, trailing, element);
      Value sum = value;
      if (isAdded)
        sum = add(vector::LoadOp::create(builder, loc,
                                         cast<VectorType>(value.getType()),
                                         target, indices),
                  value);
      vector::StoreOp::create(builder, loc, sum, target, indices);
      continue;
    }
    for (auto [lane, at] : llvm::enumerate(getLanes(point))) {
      Value scalar = vector::ExtractOp::create(builder, loc, value,
                                               static_cast<int64_t>(lane));
      storeScalar(scalar, indicesOf(map, at.indices, trailing, element));
    }
  }
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

Value KernelEmitter::splat(Value scalar, int64_t width) {
  if (width == 1)
    return scalar;
  return vector::BroadcastOp::create(
      builder, loc, VectorType::get(width, scalar.getType()), scalar);
}

Value KernelEmitter::zero(Type type, int64_t width) {
  if (auto complexType = dyn_cast<ComplexType>(type)) {
    Attribute part = builder.getZeroAttr(complexType.getElementType());
    return complex::ConstantOp::create(builder, loc, complexType,
                                       builder.getArrayAttr({part, part}));
  }
  if (width > 1)
    type = VectorType::get(width, type);
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

Value KernelEmitter::createIndex(unsigned dim, const Point &point) {
  Value first = splat(point.indices[dim], point.width);
  if (point.width == 1 || dim != point.laneDim)
    return first;
  SmallVector<int64_t> numbers =
      llvm::to_vector(llvm::seq<int64_t>(point.width));
  Value lanes = arith::ConstantOp::create(builder, loc,
                                          builder.getIndexVectorAttr(numbers));
  return arith::AddIOp::create(builder, loc, first, lanes);
}

SmallVector<Value> KernelEmitter::inlineRegion(Region &region,
                                               ValueRange arguments,
                                               const Point &point) {
  Block &block = region.front();
  int64_t width = point.width;
  IRMapping mapping;
  for (auto [parameter, argument] :
       llvm::zip_equal(block.getArguments(), arguments))
    if (argument)
      mapping.map(parameter, argument);
  for (Operation &op : block.without_terminator()) {
    if (width > 1) {
      if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
        auto type = VectorType::get(width, constant.getType());
        mapping.map(
            constant.getResult(),
            arith::ConstantOp::create(
                builder, loc, DenseElementsAttr::get(type, constant.getValue()))
                .getResult());
        continue;
      }
    }
    if (auto index = dyn_cast<IndexOp>(op)) {
      mapping.map(index.getResult(), createIndex(index.getDim(), point));
      continue;
    }
    Operation *clone = builder.clone(op, mapping);
    clone->walk([&](IndexOp index) {
      index.replaceAllUsesWith(point.indices[index.getDim()]);
      index.erase();
    });
    if (width > 1)
      for (OpResult result : clone->getResults())
        result.setType(VectorType::get(width, result.getType()));
  }
  return llvm::map_to_vector(
      block.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookup(value); });
}

SmallVector<SmallVector<Value>>
KernelEmitter::loadInvariants(const Point &point) {
  SmallVector<SmallVector<Value>> invariants;
  for (auto [i, operand] : llvm::enumerate(operandsOf(kernel.getInputs()))) {
    invariants.emplace_back();
    // Of a shifted one, the steps at the boundary differ.
    if (kernel.getShift(i) == 0 &&
        !kernel.getIndexingMap(operand).isFunctionOfDim(kernel.getDim()))
      load(operand, point, invariants.back());
  }
  return invariants;
}

SmallVector<Value>
KernelEmitter::loadInputs(const Point &point,
                          ArrayRef<SmallVector<Value>> invariants) {
  SmallVector<Value> elements;
  for (auto [i, operand] : llvm::enumerate(operandsOf(kernel.getInputs()))) {
    if (!invariants.empty() && !invariants[i].empty())
      llvm::append_range(elements, invariants[i]);
    else if (kernel.getShift(i) != 0)
      loadShifted(operand, point, elements);
    else
      load(operand, point, elements);
  }
  return elements;
}

SmallVector<Value> KernelEmitter::initialize(const Point &point) {
  SmallVector<Value> elements;
  for (OpOperand &operand : operandsOf(kernel.getInits()))
    load(operand, point, elements);
  return inlineRegion(kernel.getInitialize(), elements, point);
}

SmallVector<Value> KernelEmitter::zeroState(int64_t width) {
  return llvm::map_to_vector(kernel.getLeafTypes(),
                             [&](Type type) { return zero(type, width); });
}

KernelEmitter::Step KernelEmitter::step(ValueRange state, ValueRange inputs,
                                        const Point &point) {
  SmallVector<Value> fresh = inlineRegion(kernel.getLoad(), inputs, point);
  Step result;
  result.state = fresh;
  SmallVector<Value> exclusive(state);
  if (state.empty()) {
    // The verifier sees to it that nobody uses what is missing here.
    exclusive.assign(kernel.getNumLeaves(), Value());
  } else {
    SmallVector<Value> arguments(state);
    llvm::append_range(arguments, fresh);
    result.state = inlineRegion(kernel.getCombine(), arguments, point);
  }
  SmallVector<Value> arguments(result.state);
  llvm::append_range(arguments, exclusive);
  llvm::append_range(arguments, inputs);
  result.outputs = inlineRegion(kernel.getStore(), arguments, point);
  return result;
}

void KernelEmitter::storeOutputs(const Point &point, ValueRange elements,
                                 ArrayRef<bool> held) {
  for (auto [i, operand] : llvm::enumerate(operandsOf(kernel.getOutputs()))) {
    int64_t count =
        KernelOp::getNumElements(operand.get(), kernel.getIndexingMap(operand));
    if (held.empty() || count == 0 || !held.front())
      store(operand, point, elements.take_front(count), kernel.isReduction(i));
    elements = elements.drop_front(count);
    held = held.drop_front(held.empty() ? 0 : count);
  }
}

void KernelEmitter::finalize(const Point &point, ValueRange state) {
  SmallVector<Value> values = inlineRegion(kernel.getFinalize(), state, point);
  ValueRange elements(values);
  for (OpOperand &operand : operandsOf(kernel.getFinals())) {
    int64_t count =
        KernelOp::getNumElements(operand.get(), kernel.getIndexingMap(operand));
    store(operand, point, elements.take_front(count));
    elements = elements.drop_front(count);
  }
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

Value KernelEmitter::add(Value a, Value b) {
  Type type = getElementTypeOrSelf(a.getType());
  if (isa<ComplexType>(type))
    return complex::AddOp::create(builder, loc, a, b);
  if (isa<FloatType>(type))
    return arith::AddFOp::create(builder, loc, a, b);
  return arith::AddIOp::create(builder, loc, a, b);
}

SmallVector<bool> KernelEmitter::getHeldSums(unsigned dim) {
  SmallVector<bool> held;
  for (auto [output, map] :
       llvm::zip_equal(kernel.getOutputs(), kernel.getOutputMaps()))
    held.append(KernelOp::getNumElements(output, map),
                !map.isFunctionOfDim(dim));
  if (!llvm::is_contained(held, true))
    held.clear();
  return held;
}

SmallVector<Value> KernelEmitter::zeroSums(ArrayRef<bool> held, int64_t width) {
  SmallVector<Value> sums;
  Operation *yield = kernel.getStore().front().getTerminator();
  for (auto [i, isHeld] : llvm::enumerate(held))
    if (isHeld)
      sums.push_back(zero(yield->getOperand(i).getType(), width));
  return sums;
}

void KernelEmitter::addToSums(ArrayRef<bool> held, ValueRange elements,
                              SmallVectorImpl<Value> &sums) {
  Value *sum = sums.begin();
  for (auto [isHeld, element] : llvm::zip(held, elements))
    if (isHeld) {
      *sum = add(*sum, element);
      ++sum;
    }
}

SmallVector<Value> KernelEmitter::reduceLanes(ValueRange sums) {
  // They are added up in any order in any case.
  auto flags = arith::FastMathFlags::reassoc;
  return llvm::map_to_vector(sums, [&](Value sum) -> Value {
    return isa<VectorType>(sum.getType())
               ? vector::ReductionOp::create(
                     builder, loc, vector::CombiningKind::ADD, sum, flags)
               : sum;
  });
}

void KernelEmitter::storeSums(const Point &point, ArrayRef<bool> held,
                              ValueRange sums) {
  for (OpOperand &operand : operandsOf(kernel.getOutputs())) {
    int64_t count =
        KernelOp::getNumElements(operand.get(), kernel.getIndexingMap(operand));
    if (count == 0 || held.empty())
      continue;
    if (held.front()) {
      store(operand, point, sums.take_front(count), /*isAdded=*/true);
      sums = sums.drop_front(count);
    }
    held = held.drop_front(count);
  }
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

bool KernelEmitter::isVectorizable(unsigned laneDim) {
  auto fits = [](Type type) {
    return isa<IntegerType, IndexType, FloatType>(type);
  };
  for (Region &region : kernel->getRegions()) {
    if (region.empty())
      continue;
    if (!llvm::all_of(region.front().getArgumentTypes(), fits))
      return false;
    for (Operation &op : region.front().without_terminator()) {
      bool isMappable = isa<arith::ConstantOp, IndexOp>(op) ||
                        OpTrait::hasElementwiseMappableTraits(&op);
      if (!isMappable || op.getNumRegions() != 0 ||
          !llvm::all_of(op.getResultTypes(), fits))
        return false;
    }
  }
  int64_t contiguous = 0, elements = 0;
  for (OperandRange group : {kernel.getInputs(), kernel.getOutputs()}) {
    for (OpOperand &operand : operandsOf(group)) {
      LaneAccess access = getLaneAccess(operand, laneDim);
      contiguous +=
          access == LaneAccess::Contiguous || access == LaneAccess::Flags;
      elements += access == LaneAccess::Elements;
    }
  }
  return contiguous > elements;
}
