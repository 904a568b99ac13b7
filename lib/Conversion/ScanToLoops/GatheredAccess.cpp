//===- GatheredAccess.cpp - Elements of gathered inputs -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most steps of packed sequences start none, and have no place: a branch, which
// is predicted, keeps them from memory. Neighbouring columns have the same
// place, and are loaded as a vector.
//
//===----------------------------------------------------------------------===//

#include "IR/ScatteredOutputs.h"
#include "OperandAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;

AffineMap OperandAccess::getReadMap(OpOperand &operand) {
  AffineMap map = kernel.getIndexingMap(operand);
  unsigned number = operand.getOperandNumber();
  bool isGathered =
      number < kernel.getInputs().size() && kernel.isGathered(number);
  return isGathered ? getWrittenMap(map, kernel.getDim()) : map;
}

static Value toIndex(OpBuilder &builder, Location loc, Value place) {
  Type type = builder.getIndexType();
  if (auto vector = dyn_cast<VectorType>(place.getType()))
    type = vector.clone(type);
  return arith::IndexCastOp::create(builder, loc, type, place);
}

/// How many places there are in a gathered input, an index.
static Value createExtent(OpBuilder &builder, Location loc, Value source,
                          AffineMap map) {
  return getValueOrCreateConstantIndexOp(
      builder, loc,
      memref::getMixedSize(builder, loc, source,
                           KernelOp::getGatheredDim(map)));
}

/// What `load` returns where `condition` holds, and zeros of `types` elsewhere.
static SmallVector<Value>
createIfOrZeros(OperandAccess &access, OpBuilder &builder, Location loc,
                Value condition, Type type, int64_t width, int64_t count,
                function_ref<SmallVector<Value>()> load) {
  Type result = width > 1 ? VectorType::get(width, type) : type;
  auto branch =
      scf::IfOp::create(builder, loc, SmallVector<Type>(count, result),
                        condition, /*addThenBlock=*/true,
                        /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> loaded = load();
  scf::YieldOp::create(builder, loc, loaded);
  builder.setInsertionPointToStart(branch.elseBlock());
  SmallVector<Value> zeros(count, access.zero(type, width));
  scf::YieldOp::create(builder, loc, zeros);
  return llvm::to_vector_of<Value>(branch.getResults());
}

/// At one place, an index, for all lanes.
SmallVector<Value> OperandAccess::loadAtPlace(OpOperand &operand,
                                              const Point &point, Value place) {
  AffineMap map = kernel.getIndexingMap(operand);
  Value extent = createExtent(builder, loc, operand.get(), map);
  // As an unsigned number, a negative place is above every extent.
  Value inBounds = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, place, extent);
  return createIfOrZeros(*this, builder, loc, inBounds,
                         getElementTypeOrSelf(operand.get().getType()),
                         point.width,
                         KernelOp::getNumElements(operand.get(), map), [&]() {
                           Point from = point;
                           from.indices[kernel.getDim()] = place;
                           SmallVector<Value> elements;
                           load(operand, from, elements);
                           return elements;
                         });
}

/// At a place, of a vector of indices, for each lane.
SmallVector<Value> OperandAccess::loadAtPlaces(OpOperand &operand,
                                               const Point &point,
                                               Value places) {
  AffineMap map = kernel.getIndexingMap(operand);
  Value extent =
      splat(createExtent(builder, loc, operand.get(), map), point.width);
  Value inBounds = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, places, extent);
  Value isAny = vector::ReductionOp::create(
      builder, loc, vector::CombiningKind::OR, inBounds);
  Type type = getElementTypeOrSelf(operand.get().getType());
  int64_t count = KernelOp::getNumElements(operand.get(), map);
  return createIfOrZeros(
      *this, builder, loc, isAny, type, point.width, count, [&]() {
        SmallVector<SmallVector<Value>> lanes(count);
        for (auto [lane, at] : llvm::enumerate(getLanes(point))) {
          Value place = vector::ExtractOp::create(builder, loc, places,
                                                  static_cast<int64_t>(lane));
          for (auto [i, element] :
               llvm::enumerate(loadAtPlace(operand, at, place)))
            lanes[i].push_back(element);
        }
        auto vectorType = VectorType::get(point.width, type);
        return llvm::map_to_vector(lanes,
                                   [&](ArrayRef<Value> elements) -> Value {
                                     return vector::FromElementsOp::create(
                                         builder, loc, vectorType, elements);
                                   });
      });
}

void OperandAccess::loadGathered(OpOperand &operand, const Point &point,
                                 Value place,
                                 SmallVectorImpl<Value> &elements) {
  place = toIndex(builder, loc, place);
  if (point.width == 1) {
    llvm::append_range(elements, loadAtPlace(operand, point, place));
    return;
  }
  OpOperand &places = operandsOf(
      kernel.getInputs())[kernel.getPlacesInput(operand.getOperandNumber())];
  if (getLaneAccess(places, point.laneDim) != LaneAccess::Invariant) {
    llvm::append_range(elements, loadAtPlaces(operand, point, place));
    return;
  }
  place = vector::ExtractOp::create(builder, loc, place, int64_t(0));
  llvm::append_range(elements, loadAtPlace(operand, point, place));
}
