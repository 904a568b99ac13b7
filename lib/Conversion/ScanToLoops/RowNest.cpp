//===- RowNest.cpp - Loops over the rows of a kernel ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::scan;

RowNest::RowNest(OpBuilder &builder, KernelEmitter &emitter,
                 ArrayRef<RowGroup> wanted, Walk walk)
    : builder(builder), emitter(emitter), loc(emitter.getLoc()), walk(walk) {
  KernelOp kernel = emitter.getKernel();
  for (unsigned d = 0; d < kernel.getDomainRank(); ++d)
    if (d != kernel.getDim())
      outer.push_back(d);
  if (!outer.empty())
    staticSize = emitter.getStaticSizes()[outer.back()];
  for (RowGroup group : wanted)
    if (group.rows > 1 &&
        (ShapedType::isDynamic(staticSize) || staticSize >= group.rows))
      groups.push_back(group);
  point.indices.resize(kernel.getDomainRank());
}

void RowNest::emitRows(Value begin, Value end) {
  unsigned d = outer.back();
  for (RowGroup group : groups) {
    Value step = emitter.index(group.rows);
    Value rest = arith::RemUIOp::create(builder, loc, end, step);
    Value whole = arith::SubIOp::create(builder, loc, end, rest);
    auto loop = scf::ForOp::create(builder, loc, begin, whole, step);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    SmallVector<Point> points(group.rows / group.lanes, point);
    for (auto [i, rows] : llvm::enumerate(points)) {
      rows.indices[d] = arith::AddIOp::create(
          builder, loc, loop.getInductionVar(), emitter.index(i * group.lanes));
      rows.laneDim = d;
      rows.width = group.lanes;
    }
    walk(points);
    if (!ShapedType::isDynamic(staticSize) && staticSize % group.rows == 0)
      return;
    begin = whole;
  }
  auto loop = scf::ForOp::create(builder, loc, begin, end, emitter.index(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  point.indices[d] = loop.getInductionVar();
  walk(point);
}

void RowNest::emitRest(ArrayRef<unsigned> done, Value begin, Value end) {
  OpBuilder::InsertionGuard guard(builder);
  if (outer.empty())
    return walk(point);
  Value zero = emitter.index(0), one = emitter.index(1);
  for (unsigned d : ArrayRef(outer).drop_back()) {
    if (llvm::is_contained(done, d))
      continue;
    auto loop =
        scf::ForOp::create(builder, loc, zero, emitter.getSizes()[d], one);
    point.indices[d] = loop.getInductionVar();
    builder.setInsertionPointToStart(loop.getBody());
  }
  if (llvm::is_contained(done, outer.back()))
    return emitRows(begin, end);
  emitRows(zero, emitter.getSizes()[outer.back()]);
}

void RowNest::emit() { emitRest(/*done=*/{}, Value(), Value()); }

void RowNest::emitParts(ThreadParts &parts, ArrayRef<unsigned> dims) {
  Value step = emitter.index(groups.empty() ? 1 : groups.front().rows);
  SmallVector<Value> extents;
  for (unsigned d : dims) {
    Value extent = emitter.getSizes()[d];
    if (d == outer.back() && !groups.empty())
      extent = arith::CeilDivUIOp::create(builder, loc, extent, step);
    extents.push_back(extent);
  }
  auto prepare = [] {};
  parts.emit(extents, prepare, [&](ArrayRef<Value> indices) {
    Value begin, end;
    for (auto [d, i] : llvm::zip_equal(dims, indices)) {
      if (d != outer.back()) {
        point.indices[d] = i;
        continue;
      }
      begin = arith::MulIOp::create(builder, loc, i, step);
      end = arith::AddIOp::create(builder, loc, begin, step);
      end = arith::MinUIOp::create(builder, loc, end, emitter.getSizes()[d]);
    }
    emitRest(dims, begin, end);
  });
}
