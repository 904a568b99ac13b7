//===- IndexedScan.cpp - How scans index operands and results -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexedScan.h"
#include "CombineRegion.h"
#include "Divisions.h"
#include "Extents.h"
#include "ScatteredOutputs.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::impl;

/// The map of an operand that has all dimensions of the domain but `dim`, or of
/// a scalar.
static AffineMap getInitMap(Type type, unsigned rank, unsigned dim) {
  AffineMap map = AffineMap::getMultiDimIdentityMap(rank, type.getContext());
  return isa<ShapedType>(type)
             ? map.dropResult(dim)
             : AffineMap::get(rank, /*symbolCount=*/0, type.getContext());
}

/// The map of an init or of final states of `leaf`. Where there is one state
/// per segment, their dimension is none of the domain.
static AffineMap getStateMap(Type type, Type leaf, Value segments,
                             unsigned rank, unsigned dim) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() < cast<RankedTensorType>(leaf).getRank())
    return getInitMap(type, rank, dim);
  AffineMap map = AffineMap::getMultiDimIdentityMap(rank, type.getContext());
  if (!areOffsets(segments))
    return map;
  SmallVector<AffineExpr> exprs(map.getResults());
  exprs[dim] = getAffineConstantExpr(0, type.getContext());
  return AffineMap::get(rank, /*symbolCount=*/0, exprs, type.getContext());
}

/// The map of the segments of a scan: of offsets, whose dimension is none of
/// the domain, or of flags, one per step or per point.
static AffineMap getSegmentsMap(Value segments, unsigned rank, unsigned dim) {
  MLIRContext *context = segments.getContext();
  auto type = cast<RankedTensorType>(segments.getType());
  if (areOffsets(segments))
    return AffineMap::get(rank, 0, getAffineConstantExpr(0, context), context);
  SmallVector<AffineExpr> exprs;
  for (unsigned i = 0, e = type.getRank(); i < e; ++i) {
    unsigned d = e == rank ? i : dim;
    exprs.push_back(d != dim && type.getDimSize(i) == 1
                        ? getAffineConstantExpr(0, context)
                        : getAffineDimExpr(d, context));
  }
  return AffineMap::get(rank, 0, exprs, context);
}

IndexedScan::IndexedScan(KernelOp op)
    : op(op), rank(op.getDomainRank()), dim(op.getDim()) {
  operandMaps =
      llvm::to_vector(op.getIndexingMaps().getAsValueRange<AffineMapAttr>());
  for (OpOperand &output : op.getOutputsMutable()) {
    AffineMap &map = operandMaps[output.getOperandNumber()];
    map = getWrittenMap(map, dim);
  }
  if (op->getNumResults())
    resultMaps.assign(operandMaps.end() - op->getNumResults(),
                      operandMaps.end());
}

IndexedScan::IndexedScan(AssociativeOp op)
    : op(op), rank(op.getIterationRank()), dim(op.getDim()) {
  AffineMap map = AffineMap::getMultiDimIdentityMap(rank, op.getContext());
  operandMaps.assign(op.getInputs().size(), map);
  for (auto [init, leaf] : llvm::zip(op.getInits(), op.getInputs()))
    operandMaps.push_back(getStateMap(init.getType(), leaf.getType(),
                                      op.getSegments(), rank, dim));
  if (op.getSegments())
    operandMaps.push_back(getSegmentsMap(op.getSegments(), rank, dim));
  resultMaps.assign(op.getScanResults().size(), map);
  for (auto [final, leaf] : llvm::zip(op.getFinalResults(), op.getInputs()))
    resultMaps.push_back(getStateMap(final.getType(), leaf.getType(),
                                     op.getSegments(), rank, dim));
}

IndexedScan::IndexedScan(LinearRecurrenceOp op)
    : op(op), rank(op.getB().getType().getRank()), dim(op.getDim()) {
  AffineMap map = AffineMap::getMultiDimIdentityMap(rank, op.getContext());
  SmallVector<AffineExpr> exprs(map.getResults());
  RankedTensorType a = op.getA().getType(), b = op.getB().getType();
  for (unsigned i = 0; i < rank; ++i)
    if (i != dim && a.getDimSize(i) == 1 && b.getDimSize(i) != 1)
      exprs[i] = getAffineConstantExpr(0, op.getContext());
  operandMaps = {AffineMap::get(rank, 0, exprs, op.getContext()), map};
  if (op.getInit())
    operandMaps.push_back(
        getStateMap(op.getInit().getType(), b, op.getSegments(), rank, dim));
  if (op.getSegments())
    operandMaps.push_back(getSegmentsMap(op.getSegments(), rank, dim));
  resultMaps.push_back(map);
  if (op.getLast())
    resultMaps.push_back(
        getStateMap(op.getLast().getType(), b, op.getSegments(), rank, dim));
}

IndexedScan::IndexedScan(ShiftOp op)
    : op(op), rank(op.getSource().getType().getRank()), dim(op.getDim()) {
  AffineMap map = AffineMap::getMultiDimIdentityMap(rank, op.getContext());
  operandMaps = {map, getInitMap(op.getBoundary().getType(), rank, dim)};
  resultMaps = {map};
}

OpFoldResult IndexedScan::getExtentOutside(OpBuilder &builder, Value segments,
                                           Value value, unsigned i) {
  auto type = cast<ShapedType>(value.getType());
  if (!type.isDynamicDim(i))
    return builder.getIndexAttr(type.getDimSize(i));
  // Offsets themselves, or something that there is one of per segment.
  SmallVector<OpFoldResult> sizes = {OpFoldResult()};
  Location loc = segments.getLoc();
  if (value == segments)
    return tensor::getMixedSize(builder, loc, segments, 0);
  reifyFinalShape(builder, loc, /*dim=*/0, segments, sizes);
  return sizes.front();
}

bool IndexedScan::anyOperand(
    unsigned d, function_ref<bool(Value, unsigned)> callback) const {
  for (auto [operand, map] : llvm::zip_equal(op->getOperands(), operandMaps)) {
    if (!isa<ShapedType>(operand.getType()))
      continue;
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (expr == getAffineDimExpr(d, op->getContext()) && callback(operand, i))
        return true;
  }
  return false;
}

std::optional<int64_t> IndexedScan::getStaticExtent(unsigned d) const {
  std::optional<int64_t> extent;
  anyOperand(d, [&](Value operand, unsigned i) {
    auto type = cast<ShapedType>(operand.getType());
    if (!type.isDynamicDim(i))
      extent = type.getDimSize(i);
    return extent.has_value();
  });
  return extent;
}

OpFoldResult IndexedScan::getExtent(OpBuilder &builder, unsigned d) const {
  if (std::optional<int64_t> extent = getStaticExtent(d))
    return builder.getIndexAttr(*extent);
  OpFoldResult extent;
  anyOperand(d, [&](Value operand, unsigned i) {
    extent = isa<TensorType>(operand.getType())
                 ? tensor::getMixedSize(builder, op->getLoc(), operand, i)
                 : memref::getMixedSize(builder, op->getLoc(), operand, i);
    return true;
  });
  return extent;
}

bool IndexedScan::isExtent(OpFoldResult extent, unsigned d) const {
  if (std::optional<int64_t> known = getStaticExtent(d))
    if (isSameExtent(extent, Builder(op).getIndexAttr(*known)))
      return true;
  return anyOperand(d, [&](Value operand, unsigned i) {
    return isExtentOf(extent, operand, i);
  });
}

bool IndexedScan::hasSameExtents() const {
  for (unsigned d = 0; d < rank; ++d) {
    Value first;
    unsigned firstDim;
    if (anyOperand(d, [&](Value operand, unsigned i) {
          if (first)
            return !haveSameExtent(first, firstDim, operand, i);
          first = operand;
          firstDim = i;
          return false;
        }))
      return false;
  }
  return true;
}

Speculation::Speculatability
scan::impl::getScanSpeculatability(const IndexedScan &scan) {
  return scan.hasSameExtents() && !hasUnsafeOperation(scan.op)
             ? Speculation::Speculatable
             : Speculation::NotSpeculatable;
}
