//===- OperandAccess.cpp - Elements of operands at a point ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandAccess.h"
#include "IR/ScatteredOutputs.h"
#include "Interleaved.h"
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

int64_t mlir::scan::getStorageBits(Type type) {
  type = getElementTypeOrSelf(type);
  if (auto complexType = dyn_cast<ComplexType>(type))
    return 2 * getStorageBits(complexType.getElementType());
  // As processors with vectors have it.
  if (type.isIndex())
    return 64;
  return std::max(8u, type.getIntOrFloatBitWidth());
}

OperandAccess::OperandAccess(OpBuilder &builder, KernelOp kernel)
    : builder(builder), kernel(kernel), loc(kernel.getLoc()) {
  for (OpFoldResult size : kernel.getDomainSizes(builder, loc))
    sizes.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
}

Value OperandAccess::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

MutableArrayRef<OpOperand> OperandAccess::operandsOf(OperandRange group) {
  if (group.empty())
    return {};
  return kernel->getOpOperands().slice(group.getBeginOperandIndex(),
                                       group.size());
}

Value OperandAccess::splat(Value scalar, int64_t width) {
  if (width == 1)
    return scalar;
  return vector::BroadcastOp::create(
      builder, loc, VectorType::get(width, scalar.getType()), scalar);
}

Value OperandAccess::zero(Type type, int64_t width) {
  if (auto complexType = dyn_cast<ComplexType>(type)) {
    Attribute part = builder.getZeroAttr(complexType.getElementType());
    return complex::ConstantOp::create(builder, loc, complexType,
                                       builder.getArrayAttr({part, part}));
  }
  if (width > 1)
    type = VectorType::get(width, type);
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

Value OperandAccess::zeroLike(Value value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getZeroAttr(value.getType()));
}

Value OperandAccess::add(Value a, Value b) {
  Type type = getElementTypeOrSelf(a.getType());
  if (isa<ComplexType>(type))
    return complex::AddOp::create(builder, loc, a, b);
  if (isa<FloatType>(type))
    return arith::AddFOp::create(builder, loc, a, b);
  return arith::AddIOp::create(builder, loc, a, b);
}

SmallVector<Value> OperandAccess::indicesOf(AffineMap map,
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

SmallVector<Point> OperandAccess::getLanes(const Point &point) {
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

/// Whether the trailing blocks of a memref, behind `dims` dimensions, lie side
/// by side along the last of these, so that shuffles take them apart.
static bool areInterleaved(MemRefType type, unsigned dims) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (type.getRank() <= dims || !type.getElementType().isIntOrFloat() ||
      type.getElementType().isInteger(1) ||
      failed(type.getStridesAndOffset(strides, offset)))
    return false;
  int64_t count = 1;
  for (int64_t i = type.getRank() - 1; i >= dims; --i) {
    if (strides[i] != count)
      return false;
    count *= type.getDimSize(i);
  }
  return count == strides[dims - 1] && count >= 1 && count <= kMaxInterleaved;
}

OperandAccess::LaneAccess OperandAccess::getLaneAccess(OpOperand &operand,
                                                       unsigned laneDim) {
  AffineMap map = kernel.getIndexingMap(operand);
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type || !map.isFunctionOfDim(laneDim))
    return LaneAccess::Invariant;
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  bool isContiguous = type.getRank() == map.getNumResults() && last &&
                      last.getPosition() == laneDim &&
                      type.isLastDimUnitStride();
  if (!isContiguous && last && last.getPosition() == laneDim &&
      areInterleaved(type, map.getNumResults()))
    return LaneAccess::Interleaved;
  if (!isContiguous)
    return LaneAccess::Elements;
  return type.getElementType().isInteger(1) ? LaneAccess::Flags
                                            : LaneAccess::Contiguous;
}

SmallVector<OpOperand *> OperandAccess::getContiguousOutputs(unsigned laneDim) {
  SmallVector<OpOperand *> outputs;
  for (auto [i, operand] : llvm::enumerate(operandsOf(kernel.getOutputs())))
    if (!kernel.isReduction(i) &&
        getLaneAccess(operand, laneDim) == LaneAccess::Contiguous)
      outputs.push_back(&operand);
  return outputs;
}

bool OperandAccess::canBeMasked(unsigned laneDim) {
  return llvm::all_of(kernel->getOpOperands(), [&](OpOperand &operand) {
    LaneAccess access = getLaneAccess(operand, laneDim);
    return access == LaneAccess::Contiguous || access == LaneAccess::Invariant;
  });
}

Value OperandAccess::getAddress(Value source, ValueRange indices) {
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, source);
  Value position = metadata.getOffset();
  for (auto [i, stride] : llvm::zip_equal(indices, metadata.getStrides()))
    position = arith::AddIOp::create(
        builder, loc, position, arith::MulIOp::create(builder, loc, i, stride));
  int64_t bytes = getStorageBits(source.getType()) / 8;
  if (bytes != 1)
    position = arith::MulIOp::create(builder, loc, position, index(bytes));
  Value base =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, source);
  return arith::AddIOp::create(builder, loc, base, position);
}

Value OperandAccess::getAddress(OpOperand &operand, const Point &point) {
  AffineMap map = kernel.getIndexingMap(operand);
  return getAddress(operand.get(),
                    indicesOf(map, point.indices,
                              KernelOp::getTrailingShape(operand.get(), map),
                              /*element=*/0));
}

Value OperandAccess::getPointer(Value source, ValueRange indices) {
  Value word = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                          getAddress(source, indices));
  return LLVM::IntToPtrOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), word);
}

SmallVector<Value> OperandAccess::getBlockPointers(OpOperand &operand,
                                                   const Point &point) {
  AffineMap map = getReadMap(operand);
  Value source = operand.get();
  Value first =
      getPointer(source, indicesOf(map, point.indices,
                                   KernelOp::getTrailingShape(source, map),
                                   /*element=*/0));
  int64_t bytes = point.width * getStorageBits(source.getType()) / 8;
  SmallVector<Value> pointers;
  for (int64_t i = 0, e = KernelOp::getNumElements(source, map); i < e; ++i)
    pointers.push_back(LLVM::GEPOp::create(
        builder, loc, first.getType(), builder.getI8Type(), first,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i * bytes)}));
  return pointers;
}

SmallVector<Value> OperandAccess::loadBlocks(OpOperand &operand,
                                             const Point &point) {
  Type element = getElementTypeOrSelf(operand.get().getType());
  auto type = VectorType::get(point.width, element);
  SmallVector<Value> vectors;
  for (Value pointer : getBlockPointers(operand, point))
    vectors.push_back(LLVM::LoadOp::create(builder, loc, type, pointer,
                                           getStorageBits(element) / 8));
  return splitBlocks(builder, loc, vectors);
}

void OperandAccess::storeBlocks(OpOperand &operand, const Point &point,
                                ValueRange elements) {
  unsigned alignment = getStorageBits(operand.get().getType()) / 8;
  SmallVector<Value> parts(elements);
  for (auto [vector, pointer] : llvm::zip_equal(
           joinBlocks(builder, loc, parts), getBlockPointers(operand, point)))
    LLVM::StoreOp::create(builder, loc, vector, pointer, alignment);
}

void OperandAccess::load(OpOperand &operand, const Point &point,
                         SmallVectorImpl<Value> &elements) {
  Value source = operand.get();
  auto type = dyn_cast<MemRefType>(source.getType());
  if (!type) {
    elements.push_back(splat(source, point.width));
    return;
  }
  AffineMap map = getReadMap(operand);
  ArrayRef<int64_t> trailing = KernelOp::getTrailingShape(source, map);
  int64_t count = KernelOp::getNumElements(source, map);
  LaneAccess access = point.width == 1 ? LaneAccess::Elements
                                       : getLaneAccess(operand, point.laneDim);
  if (access == LaneAccess::Interleaved) {
    llvm::append_range(elements, loadBlocks(operand, point));
    return;
  }
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
    switch (access) {
    case LaneAccess::Invariant:
      elements.push_back(splat(loadScalar(point), point.width));
      break;
    case LaneAccess::Contiguous: {
      SmallVector<Value> indices =
          indicesOf(map, point.indices, trailing, element);
      if (point.mask)
        elements.push_back(vector::MaskedLoadOp::create(
            builder, loc, vectorType, source, indices, point.mask,
            zero(type.getElementType(), point.width)));
      else
        elements.push_back(
            vector::LoadOp::create(builder, loc, vectorType, source, indices));
      break;
    }
    case LaneAccess::Flags: {
      // A vector of i1 is packed to bits, a memref of i1 has one byte each.
      Value address =
          getPointer(source, indicesOf(map, point.indices, trailing, element));
      Value bytes = LLVM::LoadOp::create(
          builder, loc, VectorType::get(point.width, builder.getI8Type()),
          address, /*alignment=*/1);
      elements.push_back(
          arith::TruncIOp::create(builder, loc, vectorType, bytes));
      break;
    }
    case LaneAccess::Interleaved:
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

void OperandAccess::prefetchInputs(const Point &point, bool isNear) {
  constexpr int64_t kLineBits = 64 * 8;
  constexpr unsigned kFirstLevel = 3, kSecondLevel = 2;
  for (OpOperand &operand : operandsOf(kernel.getInputs())) {
    if (getLaneAccess(operand, point.laneDim) != LaneAccess::Contiguous ||
        kernel.isGathered(operand.getOperandNumber()))
      continue;
    Value source = operand.get();
    AffineMap map = kernel.getIndexingMap(operand);
    int64_t step = kLineBits / getStorageBits(source.getType());
    for (int64_t lane = 0; lane < point.width; lane += step) {
      SmallVector<Value> indices =
          indicesOf(map, point.indices, /*trailing=*/{}, /*element=*/0);
      indices.back() =
          arith::AddIOp::create(builder, loc, indices.back(), index(lane));
      memref::PrefetchOp::create(builder, loc, source, indices,
                                 /*isWrite=*/false,
                                 isNear ? kFirstLevel : kSecondLevel,
                                 /*isDataCache=*/true);
    }
  }
}

void OperandAccess::loadInBounds(OpOperand &operand, const Point &point,
                                 SmallVectorImpl<Value> &elements) {
  Point from = point;
  Value &i = from.indices[kernel.getDim()];
  i = arith::SubIOp::create(builder, loc, i,
                            index(kernel.getShift(operand.getOperandNumber())));
  load(operand, from, elements);
}

void OperandAccess::loadShifted(OpOperand &operand, const Point &point,
                                SmallVectorImpl<Value> &elements) {
  unsigned number = operand.getOperandNumber(), dim = kernel.getDim();
  OpOperand &boundary = kernel->getOpOperand(kernel.getBoundary(number));
  Point from = point;
  from.indices[dim] = arith::SubIOp::create(builder, loc, point.indices[dim],
                                            index(kernel.getShift(number)));
  // As an unsigned number, what is below zero is above every extent.
  Value inBounds = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, from.indices[dim], sizes[dim]);
  Type type = getElementTypeOrSelf(operand.get().getType());
  if (point.width > 1)
    type = VectorType::get(point.width, type);
  int64_t count =
      KernelOp::getNumElements(operand.get(), kernel.getIndexingMap(operand));
  auto branch = scf::IfOp::create(builder, loc, SmallVector<Type>(count, type),
                                  inBounds, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> inside, outside;
  builder.setInsertionPointToStart(branch.thenBlock());
  load(operand, from, inside);
  scf::YieldOp::create(builder, loc, inside);
  builder.setInsertionPointToStart(branch.elseBlock());
  load(boundary, point, outside);
  // A scalar is the boundary of all elements; a complex one, which was split,
  // has two parts.
  for (size_t parts = outside.size(); int64_t(outside.size()) < count;)
    outside.push_back(outside[outside.size() - parts]);
  scf::YieldOp::create(builder, loc, outside);
  llvm::append_range(elements, branch.getResults());
}

void OperandAccess::store(OpOperand &operand, const Point &point,
                          ValueRange elements, StoreKind kind) {
  bool isAdded = kind == StoreKind::Add;
  Value target = operand.get();
  AffineMap map = kernel.getIndexingMap(operand);
  ArrayRef<int64_t> trailing = KernelOp::getTrailingShape(target, map);
  auto storeScalar = [&](Value value, ValueRange indices) {
    if (isAdded)
      value = add(memref::LoadOp::create(builder, loc, target, indices), value);
    memref::StoreOp::create(builder, loc, value, target, indices);
  };
  LaneAccess access = point.width == 1 ? LaneAccess::Elements
                                       : getLaneAccess(operand, point.laneDim);
  if (access == LaneAccess::Interleaved) {
    SmallVector<Value> stored(elements);
    if (isAdded)
      for (auto [value, before] :
           llvm::zip_equal(stored, loadBlocks(operand, point)))
        value = add(before, value);
    return storeBlocks(operand, point, stored);
  }
  for (auto [element, value] : llvm::enumerate(elements)) {
    if (point.width == 1) {
      storeScalar(value, indicesOf(map, point.indices, trailing, element));
      continue;
    }
    if (access == LaneAccess::Flags) {
      Value address =
          getPointer(target, indicesOf(map, point.indices, trailing, element));
      Value bytes = arith::ExtUIOp::create(
          builder, loc, VectorType::get(point.width, builder.getI8Type()),
          value);
      LLVM::StoreOp::create(builder, loc, bytes, address, /*alignment=*/1);
      continue;
    }
    if (access == LaneAccess::Contiguous) {
      SmallVector<Value> indices =
          indicesOf(map, point.indices, trailing, element);
      if (point.mask) {
        Value stored = value;
        if (isAdded)
          stored = add(vector::MaskedLoadOp::create(
                           builder, loc, cast<VectorType>(value.getType()),
                           target, indices, point.mask, zeroLike(value)),
                       value);
        vector::MaskedStoreOp::create(builder, loc, target, indices, point.mask,
                                      stored);
        continue;
      }
      Value stored = value;
      if (isAdded)
        stored = add(vector::LoadOp::create(builder, loc,
                                            cast<VectorType>(value.getType()),
                                            target, indices),
                     value);
      auto stores =
          vector::StoreOp::create(builder, loc, stored, target, indices);
      int64_t bytes = point.width * getStorageBits(target.getType()) / 8;
      if (kind == StoreKind::Streaming && bytes >= kMinStreamedBytes) {
        stores.setNontemporal(true);
        stores.setAlignment(bytes);
      }
      continue;
    }
    for (auto [lane, at] : llvm::enumerate(getLanes(point))) {
      Value scalar = vector::ExtractOp::create(builder, loc, value,
                                               static_cast<int64_t>(lane));
      storeScalar(scalar, indicesOf(map, at.indices, trailing, element));
    }
  }
}

void OperandAccess::storeAtPlace(OpOperand &operand, const Point &point,
                                 Value place, ValueRange elements) {
  Value target = operand.get(), extent = sizes[kernel.getDim()];
  AffineMap map = kernel.getIndexingMap(operand);
  ArrayRef<int64_t> trailing = KernelOp::getTrailingShape(target, map);
  // A negative place counts from the end. As an unsigned number, one that is
  // still negative is above every extent.
  Value fromEnd = arith::AddIOp::create(builder, loc, place, extent);
  Value isNegative = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, place, index(0));
  place = arith::SelectOp::create(builder, loc, isNegative, fromEnd, place);
  Value isInside = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, place, extent);
  auto branch = scf::IfOp::create(builder, loc, isInside);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  for (auto [element, value] : llvm::enumerate(elements)) {
    SmallVector<Value> indices =
        indicesOf(map, point.indices, trailing, element);
    indices[*getPlaceDim(map)] = place;
    memref::StoreOp::create(builder, loc, value, target, indices);
  }
}
