//===- Grid.cpp - How a domain is shared out to threads -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Grid.h"
#include "Emit.h"

using namespace mlir;
using namespace mlir::scan;

SmallVector<AffineExpr> mlir::scan::getSymbolicExtents(ArrayRef<int64_t> domain,
                                                       MLIRContext *context) {
  SmallVector<AffineExpr> extents;
  unsigned numSymbols = 0;
  for (int64_t extent : domain)
    extents.push_back(ShapedType::isDynamic(extent)
                          ? getAffineSymbolExpr(numSymbols++, context)
                          : getAffineConstantExpr(extent, context));
  return extents;
}

Value mlir::scan::multiplyExtents(ImplicitLocOpBuilder &b,
                                  ArrayRef<Value> extents,
                                  ArrayRef<unsigned> dims) {
  Value count = indexConstant(b, 1);
  for (unsigned dim : dims)
    count = b.createOrFold<arith::MulIOp>(count, extents[dim]);
  return count;
}

void mlir::scan::createCoordinates(ImplicitLocOpBuilder &b, Value number,
                                   ArrayRef<Value> extents,
                                   ArrayRef<unsigned> dims,
                                   MutableArrayRef<Value> point) {
  if (dims.empty())
    return;
  for (unsigned dim : llvm::reverse(dims.drop_front())) {
    point[dim] = b.createOrFold<arith::RemUIOp>(number, extents[dim]);
    number = b.createOrFold<arith::DivUIOp>(number, extents[dim]);
  }
  point[dims.front()] = number;
}

AffineMap mlir::scan::getGridMap(AffineExpr blocks, unsigned numSymbols) {
  AffineExpr one = getAffineConstantExpr(1, blocks.getContext());
  AffineExpr columns = blocks.floorDiv(kGridLimit) + one;
  return AffineMap::get(0, numSymbols, {blocks.ceilDiv(columns), columns, one},
                        blocks.getContext());
}

gpu::KernelDim3 mlir::scan::createGrid(ImplicitLocOpBuilder &b, Value blocks) {
  Value one = indexConstant(b, 1);
  Value y = addConstant(
      b, b.createOrFold<arith::DivUIOp>(blocks, indexConstant(b, kGridLimit)),
      1);
  Value x = b.createOrFold<arith::MaxUIOp>(
      b.createOrFold<arith::CeilDivUIOp>(blocks, y), one);
  return {x, y, one};
}

Value mlir::scan::createBlockNumber(ImplicitLocOpBuilder &b) {
  Value x = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  Value y = gpu::BlockIdOp::create(b, gpu::Dimension::y);
  Value width = gpu::GridDimOp::create(b, gpu::Dimension::x);
  return arith::AddIOp::create(b, arith::MulIOp::create(b, y, width), x);
}

Value mlir::scan::createThreadNumber(ImplicitLocOpBuilder &b, int64_t threads) {
  Value first = mulConstant(b, createBlockNumber(b), threads);
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  return arith::AddIOp::create(b, first, thread);
}
