//===- ZeroFills.cpp - Fills with zero take no kernel ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementwiseKernel.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::scan;

/// Whether all bits of a constant are zero: not so of a negative zero.
static bool isZeroBits(Attribute value) {
  if (auto parts = dyn_cast_or_null<ArrayAttr>(value))
    return llvm::all_of(parts, isZeroBits);
  if (auto integer = dyn_cast_or_null<IntegerAttr>(value))
    return integer.getValue().isZero();
  auto number = dyn_cast_or_null<FloatAttr>(value);
  return number && number.getValue().isPosZero();
}

/// Whether `memref` has all elements of a buffer of the function, in the
/// buffer's order.
static bool isWholeBuffer(Value memref) {
  auto isDense = [](Value value) {
    auto type = dyn_cast<MemRefType>(value.getType());
    return type && type.getLayout().isIdentity();
  };
  if (!isDense(memref))
    return false;
  while (Operation *view = memref.getDefiningOp()) {
    if (!isa<memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp>(
            view))
      break;
    memref = view->getOperand(0);
    if (!isDense(memref))
      return false;
  }
  if (auto argument = dyn_cast<BlockArgument>(memref))
    return isa<func::FuncOp>(argument.getOwner()->getParentOp());
  return isa<memref::AllocOp>(memref.getDefiningOp());
}

bool mlir::scan::lowerToMemset(RewriterBase &rewriter, linalg::LinalgOp op) {
  Value scalar = getFilledWith(op);
  if (!scalar || !isa<func::FuncOp>(op->getParentOp()))
    return false;
  Attribute value;
  if (auto constant = scalar.getDefiningOp<complex::ConstantOp>())
    value = constant.getValue();
  else
    matchPattern(scalar, m_Constant(&value));
  Value target = op.getDpsInits()[0];
  if (!isZeroBits(value) || !isWholeBuffer(target))
    return false;
  rewriter.setInsertionPoint(op);
  rewriter.replaceOpWithNewOp<gpu::MemsetOp>(op, /*asyncToken=*/Type(),
                                             /*asyncDependencies=*/ValueRange(),
                                             target, scalar);
  return true;
}
