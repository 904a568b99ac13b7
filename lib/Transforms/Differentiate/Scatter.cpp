//===- Scatter.cpp - Backward pass of scatters ----------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is written over has no part in the result: the destination gets the
// cotangent of the result with zeros scattered into it. A source element gets
// the cotangent of where it went. Of several that went to one place the last
// one is there, and the others get nothing; which one that is, is found by a
// scatter of their numbers.
//
//===----------------------------------------------------------------------===//

#include "../Utils/ScalarCast.h"
#include "GraphAdjoint.h"
#include "Loops.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

namespace {

/// Gives to one scatter's operands.
class ScatterAdjoint {
public:
  ScatterAdjoint(GraphAdjoint &graph, ScatterOp op)
      : graph(graph), builder(graph.builder), op(op), loc(op.getLoc()),
        dim(op.getScatterDim()), cotangent(graph.getCotangent(op.getResult())),
        element(op.getDest().getType().getElementType()) {}
  void visit();

private:
  /// For each element of the destination the coordinate along `dim` of the
  /// point that wrote it last, -1 if none did.
  Value createWriters();
  /// The cotangent of the element that each point of the index tensor wrote,
  /// zero if it is not there in the end.
  Value createGather();

  GraphAdjoint &graph;
  OpBuilder &builder;
  ScatterOp op;
  Location loc;
  int64_t dim;
  Value cotangent;
  Type element;
};

} // namespace

Value ScatterAdjoint::createWriters() {
  Type i64 = builder.getI64Type();
  SmallVector<OpFoldResult> sizes = graph.getSizes(op.getIndex());
  AffineMap identity = builder.getMultiDimIdentityMap(sizes.size());
  Value numbers =
      createLoops(graph, loc, sizes.size(), {}, {{i64, sizes, identity}},
                  [&](OpBuilder &b, ValueRange) {
                    Value number = linalg::IndexOp::create(b, loc, dim);
                    return SmallVector<Value>{
                        arith::IndexCastOp::create(b, loc, i64, number)};
                  })
          ->front();
  Value nobody = createScalarConstant(builder, loc, i64, -1);
  Value empty =
      tensor::EmptyOp::create(builder, loc, graph.getSizes(op.getDest()), i64);
  Value start =
      linalg::FillOp::create(builder, loc, nobody, empty).getResult(0);
  return ScatterOp::create(builder, loc, start.getType(), numbers, start,
                           op.getIndex(), dim);
}

Value ScatterAdjoint::createGather() {
  // One point per line is the last one.
  bool isOnce = op.getIndex().getType().getDimSize(dim) == 1;
  Value writers = isOnce ? Value() : createWriters();
  SmallVector<OpFoldResult> sizes = graph.getSizes(op.getIndex());
  Value extent = getValueOrCreateConstantIndexOp(
      builder, loc, graph.getSizes(op.getDest())[dim]);
  unsigned rank = sizes.size();
  Value out = tensor::EmptyOp::create(builder, loc, sizes, element);
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, out.getType(), op.getIndex(), out,
      ArrayRef<AffineMap>{identity, identity}, iterators,
      [&](OpBuilder &b, Location, ValueRange args) {
        SmallVector<Value> point;
        for (unsigned d = 0; d < rank; ++d)
          point.push_back(linalg::IndexOp::create(b, loc, d));
        Value number = point[dim], place = args[0];
        if (!place.getType().isIndex())
          place = arith::IndexCastOp::create(b, loc, b.getIndexType(), place);
        point[dim] = place;
        // As unsigned numbers, negative indices are too large.
        Value inBounds = arith::CmpIOp::create(
            b, loc, arith::CmpIPredicate::ult, place, extent);
        auto found = scf::IfOp::create(
            b, loc, inBounds,
            [&](OpBuilder &inner, Location) {
              Value value =
                  tensor::ExtractOp::create(inner, loc, cotangent, point);
              if (!isOnce) {
                Value writer =
                    tensor::ExtractOp::create(inner, loc, writers, point);
                number = arith::IndexCastOp::create(inner, loc,
                                                    inner.getI64Type(), number);
                Value isLast = arith::CmpIOp::create(
                    inner, loc, arith::CmpIPredicate::eq, writer, number);
                value = arith::SelectOp::create(
                    inner, loc, isLast, value,
                    createScalarConstant(inner, loc, element, 0));
              }
              scf::YieldOp::create(inner, loc, value);
            },
            [&](OpBuilder &inner, Location) {
              Value none = createScalarConstant(inner, loc, element, 0);
              scf::YieldOp::create(inner, loc, none);
            });
        linalg::YieldOp::create(b, loc, found.getResult(0));
      });
  return generic.getResult(0);
}

void ScatterAdjoint::visit() {
  if (graph.isActive(op.getDest())) {
    Value zero = createScalarConstant(builder, loc, element, 0);
    graph.accumulate(op.getDest(),
                     ScatterOp::create(builder, loc, op.getDest().getType(),
                                       zero, cotangent, op.getIndex(), dim),
                     /*isMasked=*/true);
  }
  Value source = op.getSource();
  if (!graph.isActive(source))
    return;
  Value gathered = createGather();
  if (!isa<RankedTensorType>(source.getType())) {
    gathered = graph.castElements(loc, gathered, getSumType(element));
    gathered =
        castScalar(builder, loc, graph.createTotal(loc, gathered), element);
  }
  graph.accumulate(source, gathered, /*isMasked=*/true);
}

void differentiate::visitScatter(GraphAdjoint &graph, ScatterOp op) {
  ScatterAdjoint(graph, op).visit();
}
