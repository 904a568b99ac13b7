//===- TensorOps.cpp - Derivatives of what moves elements -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphAdjoint.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

namespace {

struct TensorOps {
  GraphAdjoint &graph;
  OpBuilder &builder;

  Value cotangent(Operation *op) {
    return graph.getCotangent(op->getResult(0));
  }

  void visit(tensor::CastOp op) {
    graph.accumulate(op.getSource(), cotangent(op)); // accumulate() casts back
  }

  /// Zeros but for the slice.
  void visit(tensor::ExtractSliceOp op) {
    Value zeros = graph.createZeros(op.getLoc(), op.getSource());
    graph.accumulate(
        op.getSource(),
        tensor::InsertSliceOp::create(builder, op.getLoc(), cotangent(op),
                                      zeros, op.getMixedOffsets(),
                                      op.getMixedSizes(), op.getMixedStrides()),
        /*isMasked=*/true);
  }

  void visit(tensor::InsertSliceOp op) {
    Location loc = op.getLoc();
    graph.accumulate(op.getSource(),
                     tensor::ExtractSliceOp::create(
                         builder, loc, op.getSourceType(), cotangent(op),
                         op.getMixedOffsets(), op.getMixedSizes(),
                         op.getMixedStrides()));
    if (!graph.isActive(op.getDest()))
      return;
    Value zeros = graph.createZeros(loc, op.getSource());
    zeros = graph.castTo(loc, zeros, op.getSourceType());
    graph.accumulate(
        op.getDest(),
        tensor::InsertSliceOp::create(builder, loc, zeros, cotangent(op),
                                      op.getMixedOffsets(), op.getMixedSizes(),
                                      op.getMixedStrides()),
        /*isMasked=*/true);
  }

  /// The part of the cotangent that lies where an operand does.
  Value slice(Operation *op, Value operand, ArrayRef<OpFoldResult> offsets) {
    SmallVector<OpFoldResult> ones(offsets.size(), builder.getIndexAttr(1));
    Value part =
        tensor::ExtractSliceOp::create(builder, op->getLoc(), cotangent(op),
                                       offsets, graph.getSizes(operand), ones);
    return graph.castTo(op->getLoc(), part, operand.getType());
  }

  LogicalResult visit(tensor::PadOp op, Refuse refuse) {
    Value padding = op.getConstantPaddingValue();
    if (!padding || graph.isActive(padding))
      return refuse(op, "pads with a value that depends on an argument, or "
                        "differs; tensor.concat with it has a derivative");
    graph.accumulate(op.getSource(),
                     slice(op, op.getSource(), op.getMixedLowPad()));
    return success();
  }

  void visit(tensor::ConcatOp op) {
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
    OpFoldResult &along = offsets[op.getDim()];
    for (Value input : op.getInputs()) {
      if (graph.isActive(input))
        graph.accumulate(input, slice(op, input, offsets));
      OpFoldResult size = graph.getSizes(input)[op.getDim()];
      std::optional<int64_t> before = getConstantIntValue(along),
                             more = getConstantIntValue(size);
      along = before && more
                  ? OpFoldResult(builder.getIndexAttr(*before + *more))
                  : OpFoldResult(builder.createOrFold<arith::AddIOp>(
                        op.getLoc(),
                        getValueOrCreateConstantIndexOp(builder, op.getLoc(),
                                                        along),
                        getValueOrCreateConstantIndexOp(builder, op.getLoc(),
                                                        size)));
    }
  }

  void visit(tensor::ExpandShapeOp op) {
    graph.accumulate(op.getSrc(),
                     tensor::CollapseShapeOp::create(
                         builder, op.getLoc(), op.getSrcType(), cotangent(op),
                         op.getReassociationIndices()));
  }

  void visit(tensor::CollapseShapeOp op) {
    graph.accumulate(op.getSrc(),
                     tensor::ExpandShapeOp::create(
                         builder, op.getLoc(), op.getSrcType(), cotangent(op),
                         op.getReassociationIndices(),
                         graph.getSizes(op.getSrc())));
  }

  void visit(tensor::SplatOp op) {
    Location loc = op.getLoc();
    Type type = op.getInput().getType();
    Value wide = graph.castElements(loc, cotangent(op), getSumType(type));
    accumulateScalar(op.getInput(), graph.createTotal(loc, wide));
  }

  void visit(tensor::ExtractOp op) {
    Value zeros = graph.createZeros(op.getLoc(), op.getTensor());
    zeros = graph.castTo(op.getLoc(), zeros, op.getTensor().getType());
    graph.accumulate(op.getTensor(),
                     tensor::InsertOp::create(builder, op.getLoc(),
                                              cotangent(op), zeros,
                                              op.getIndices()),
                     /*isMasked=*/true);
  }

  void visit(tensor::InsertOp op) {
    Location loc = op.getLoc();
    graph.accumulate(op.getScalar(),
                     tensor::ExtractOp::create(builder, loc, cotangent(op),
                                               op.getIndices()));
    Value zero = ScalarMath{builder, loc}.constant(op.getScalar().getType(), 0);
    graph.accumulate(op.getDest(),
                     tensor::InsertOp::create(builder, loc, zero, cotangent(op),
                                              op.getIndices()),
                     /*isMasked=*/true);
  }

  void visit(tensor::FromElementsOp op) {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    for (auto [i, element] : llvm::enumerate(op.getElements())) {
      if (!graph.isActive(element))
        continue;
      SmallVector<Value> indices;
      int64_t rest = i, below = type.getNumElements();
      for (int64_t extent : type.getShape()) {
        below /= extent;
        indices.push_back(
            arith::ConstantIndexOp::create(builder, loc, rest / below));
        rest %= below;
      }
      graph.accumulate(element, tensor::ExtractOp::create(
                                    builder, loc, cotangent(op), indices));
    }
  }

  void accumulateScalar(Value scalar, Value wide) {
    if (wide.getType() != scalar.getType())
      wide = arith::TruncFOp::create(builder, wide.getLoc(), scalar.getType(),
                                     wide);
    graph.accumulate(scalar, wide);
  }
};

} // namespace

LogicalResult differentiate::visitTensorOp(GraphAdjoint &graph, Operation *op,
                                           Refuse refuse) {
  TensorOps visitor{graph, graph.builder};
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<tensor::CastOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
            tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::SplatOp,
            tensor::ExtractOp, tensor::InsertOp, tensor::FromElementsOp,
            tensor::ConcatOp>([&](auto op) {
        visitor.visit(op);
        return success();
      })
      .Case([&](tensor::PadOp op) { return visitor.visit(op, refuse); })
      .Default([&](Operation *op) {
        return refuse(op,
                      "moves elements in a way that has no derivative here; "
                      "tensor.extract_slice and tensor.insert_slice have one");
      });
}
