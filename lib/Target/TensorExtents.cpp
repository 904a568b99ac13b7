//===- TensorExtents.cpp - Extents of tensors in a host function ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostExpression.h"
#include "IR/Extents.h"
#include "IndexTracer.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::scan;

FailureOr<Attribute> IndexTracer::traceTensor(Value tensor,
                                              unsigned dimension) {
  FailureOr<AffineExpr> extent = traceTensorExtent(tensor, dimension);
  if (failed(extent))
    return failure();
  return getHostExpression(*extent, symbols);
}

FailureOr<AffineExpr> IndexTracer::traceTensorExtent(Value tensor,
                                                     unsigned dimension) {
  ExtentSource source = resolveExtent(tensor, dimension);
  if (source.dim < 0)
    return traceFold(source.value);
  auto value = cast<Value>(source.value);
  unsigned dim = source.dim;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != &function.front())
      return failure();
    return getSymbol(getExtentName(argument.getArgNumber(), dim));
  }
  return llvm::TypeSwitch<Operation *, FailureOr<AffineExpr>>(
             value.getDefiningOp())
      .Case([&](tensor::ExpandShapeOp expand) {
        return traceFold(expand.getMixedOutputShape()[dim]);
      })
      .Case([&](tensor::CollapseShapeOp collapse) -> FailureOr<AffineExpr> {
        AffineExpr product = getConstant(1);
        // Named: a loop over an element of a temporary outlives the temporary.
        SmallVector<ReassociationIndices> groups =
            collapse.getReassociationIndices();
        for (int64_t part : groups[dim]) {
          FailureOr<AffineExpr> extent =
              traceTensorExtent(collapse.getSrc(), part);
          if (failed(extent))
            return failure();
          product = product * *extent;
        }
        return product;
      })
      .Case([&](tensor::ExtractSliceOp slice) -> FailureOr<AffineExpr> {
        llvm::SmallBitVector dropped = slice.getDroppedDims();
        unsigned kept = 0;
        for (auto [i, size] : llvm::enumerate(slice.getMixedSizes()))
          if (!dropped.test(i) && kept++ == dim)
            return traceFold(size);
        return failure();
      })
      .Case([&](tensor::PadOp pad) -> FailureOr<AffineExpr> {
        FailureOr<AffineExpr> low = traceFold(pad.getMixedLowPad()[dim]);
        FailureOr<AffineExpr> high = traceFold(pad.getMixedHighPad()[dim]);
        FailureOr<AffineExpr> inner = traceTensorExtent(pad.getSource(), dim);
        if (failed(low) || failed(high) || failed(inner))
          return failure();
        return *low + *inner + *high;
      })
      .Case([&](tensor::ConcatOp concat) -> FailureOr<AffineExpr> {
        if (concat.getDim() != dim)
          return traceTensorExtent(concat.getInputs().front(), dim);
        AffineExpr sum = getConstant(0);
        for (Value input : concat.getInputs()) {
          FailureOr<AffineExpr> extent = traceTensorExtent(input, dim);
          if (failed(extent))
            return failure();
          sum = sum + *extent;
        }
        return sum;
      })
      .Default([&](Operation *op) -> FailureOr<AffineExpr> {
        // Elementwise operations on tensors.
        if (op->hasTrait<OpTrait::Elementwise>())
          for (Value operand : op->getOperands())
            if (isa<RankedTensorType>(operand.getType()))
              return traceTensorExtent(operand, dim);
        return failure();
      });
}
