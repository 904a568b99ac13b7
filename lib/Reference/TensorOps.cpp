//===- TensorOps.cpp - Elements and whole tensors -------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::scan::reference;

/// The position of the element at `indices`; an error if there is none.
static FailureOr<int64_t> getPosition(Frame &frame, Operation *op,
                                      const Tensor &tensor,
                                      ArrayRef<Slot> indices) {
  int64_t position = 0;
  for (auto [dim, slot] : llvm::enumerate(indices)) {
    int64_t index = frame.integer(slot);
    int64_t extent = tensor.shape[dim];
    if (index < 0 || index >= extent)
      return op->emitOpError("index ")
             << index << " is out of bounds: dimension " << dim
             << " has extent " << extent;
    position = position * extent + index;
  }
  return position;
}

/// The static type's shape with the dynamic extents filled in from operands.
static FailureOr<SmallVector<int64_t>>
getRuntimeShape(Frame &frame, Operation *op, RankedTensorType type,
                ArrayRef<Slot> dynamicSizes) {
  SmallVector<int64_t> shape(type.getShape());
  auto next = dynamicSizes.begin();
  for (int64_t &extent : shape) {
    if (!ShapedType::isDynamic(extent))
      continue;
    extent = frame.integer(*next++);
    if (extent < 0)
      return op->emitOpError("expected an extent of 0 or more, found ")
             << extent;
  }
  return shape;
}

static Step compileDim(Compiler &compiler, tensor::DimOp op) {
  Slot source = compiler.lookup(op.getSource());
  Slot index = compiler.lookup(op.getIndex());
  Slot result = compiler.lookup(op.getResult());
  return [=](Frame &frame) mutable -> LogicalResult {
    const Tensor &tensor = frame.tensor(source);
    int64_t dim = frame.integer(index);
    int64_t rank = tensor.shape.size();
    if (dim < 0 || dim >= rank)
      return op.emitOpError("dimension ")
             << dim << " is out of bounds: the tensor has rank " << rank;
    frame.scalar(result).i = tensor.shape[dim];
    return success();
  };
}

static Step compileRank(Compiler &compiler, tensor::RankOp op) {
  Slot source = compiler.lookup(op.getTensor());
  Slot result = compiler.lookup(op.getResult());
  return [=](Frame &frame) {
    frame.scalar(result).i = frame.tensor(source).shape.size();
    return success();
  };
}

/// tensor.empty has zeros, so that reading what nobody wrote is reproducible.
static Step compileEmpty(Compiler &compiler, tensor::EmptyOp op) {
  SmallVector<Slot> sizes = compiler.lookupAll(op.getDynamicSizes());
  Slot result = compiler.lookup(op.getResult());
  return [=](Frame &frame) mutable -> LogicalResult {
    FailureOr<SmallVector<int64_t>> shape =
        getRuntimeShape(frame, op, op.getType(), sizes);
    if (failed(shape))
      return failure();
    FailureOr<Tensor> tensor =
        frame.session.allocate(op, result.format, *shape);
    if (failed(tensor))
      return failure();
    return setResult(frame, op, 0, result, std::move(*tensor));
  };
}

static Step compileSplat(Compiler &compiler, tensor::SplatOp op) {
  Slot input = compiler.lookup(op.getInput());
  SmallVector<Slot> sizes = compiler.lookupAll(op.getDynamicSizes());
  Slot result = compiler.lookup(op.getResult());
  return [=](Frame &frame) mutable -> LogicalResult {
    FailureOr<SmallVector<int64_t>> shape =
        getRuntimeShape(frame, op, op.getType(), sizes);
    if (failed(shape))
      return failure();
    FailureOr<Tensor> tensor =
        frame.session.allocate(op, result.format, *shape);
    if (failed(tensor))
      return failure();
    for (int64_t i = 0, e = tensor->getNumElements(); i < e; ++i)
      tensor->store(i, frame.scalar(input));
    return setResult(frame, op, 0, result, std::move(*tensor));
  };
}

static Step compileFromElements(Compiler &compiler, tensor::FromElementsOp op) {
  SmallVector<Slot> elements = compiler.lookupAll(op.getElements());
  Slot result = compiler.lookup(op.getResult());
  return [=](Frame &frame) mutable -> LogicalResult {
    FailureOr<Tensor> tensor =
        frame.session.allocate(op, result.format, op.getType().getShape());
    if (failed(tensor))
      return failure();
    for (auto [i, slot] : llvm::enumerate(elements))
      tensor->store(i, frame.scalar(slot));
    return setResult(frame, op, 0, result, std::move(*tensor));
  };
}

static Step compileExtract(Compiler &compiler, tensor::ExtractOp op) {
  Slot source = compiler.lookup(op.getTensor());
  SmallVector<Slot> indices = compiler.lookupAll(op.getIndices());
  Slot result = compiler.lookup(op.getResult());
  return [=](Frame &frame) mutable -> LogicalResult {
    const Tensor &tensor = frame.tensor(source);
    FailureOr<int64_t> position = getPosition(frame, op, tensor, indices);
    if (failed(position))
      return failure();
    frame.scalar(result) = tensor.load(*position);
    return success();
  };
}

static Step compileInsert(Compiler &compiler, tensor::InsertOp op) {
  Slot scalar = compiler.lookup(op.getScalar());
  Use dest = compiler.use(op.getDestMutable());
  SmallVector<Slot> indices = compiler.lookupAll(op.getIndices());
  Slot result = compiler.lookup(op.getResult());
  return [=](Frame &frame) mutable -> LogicalResult {
    FailureOr<Tensor> tensor = frame.session.makeUnique(op, frame.take(dest));
    if (failed(tensor))
      return failure();
    FailureOr<int64_t> position = getPosition(frame, op, *tensor, indices);
    if (failed(position))
      return failure();
    tensor->store(*position, frame.scalar(scalar));
    return setResult(frame, op, 0, result, std::move(*tensor));
  };
}

static Step compileCast(Compiler &compiler, tensor::CastOp op) {
  Use source = compiler.use(op.getSourceMutable());
  Slot result = compiler.lookup(op.getResult());
  return [=](Frame &frame) mutable {
    return setResult(frame, op, 0, result, frame.take(source));
  };
}

/// The elements keep their bits, and the formats their width.
static FailureOr<Step> compileBitcast(Compiler &compiler,
                                      tensor::BitcastOp op) {
  Use source = compiler.use(op.getSourceMutable());
  Slot result = compiler.lookup(op.getResult());
  if (source.slot.format.getByteSize() != result.format.getByteSize())
    return op.emitOpError("is not supported by the reference interpreter on "
                          "values that are held in a wider accumulator type");
  return Step([=](Frame &frame) mutable -> LogicalResult {
    FailureOr<Tensor> tensor = frame.session.makeUnique(op, frame.take(source));
    if (failed(tensor))
      return failure();
    tensor->format = result.format;
    return setResult(frame, op, 0, result, std::move(*tensor));
  });
}

static FailureOr<Step> compileGenerate(Compiler &compiler,
                                       tensor::GenerateOp op) {
  FailureOr<ProgramPtr> body = compiler.compileRegion(op.getBody());
  if (failed(body))
    return failure();
  SmallVector<Slot> sizes = compiler.lookupAll(op.getDynamicExtents());
  Slot result = compiler.lookup(op.getResult());
  return Step([=, body = *body](Frame &frame) mutable -> LogicalResult {
    FailureOr<SmallVector<int64_t>> shape =
        getRuntimeShape(frame, op, op.getType(), sizes);
    if (failed(shape))
      return failure();
    FailureOr<Tensor> tensor =
        frame.session.allocate(op, result.format, *shape);
    if (failed(tensor))
      return failure();
    SmallVector<int64_t> point(shape->size(), 0);
    for (int64_t i = 0, e = tensor->getNumElements(); i < e; ++i) {
      for (auto [slot, index] : llvm::zip(body->arguments, point))
        frame.scalar(slot).i = index;
      if (failed(body->run(frame)))
        return failure();
      tensor->store(i, frame.scalar(body->yields[0].slot));
      nextPoint(point, *shape);
    }
    return setResult(frame, op, 0, result, std::move(*tensor));
  });
}

FailureOr<Step> mlir::scan::reference::compileTensorOp(Compiler &compiler,
                                                       Operation *op) {
  return llvm::TypeSwitch<Operation *, FailureOr<Step>>(op)
      .Case([&](tensor::DimOp op) { return compileDim(compiler, op); })
      .Case([&](tensor::RankOp op) { return compileRank(compiler, op); })
      .Case([&](tensor::EmptyOp op) { return compileEmpty(compiler, op); })
      .Case([&](tensor::SplatOp op) { return compileSplat(compiler, op); })
      .Case([&](tensor::FromElementsOp op) {
        return compileFromElements(compiler, op);
      })
      .Case([&](tensor::ExtractOp op) { return compileExtract(compiler, op); })
      .Case([&](tensor::InsertOp op) { return compileInsert(compiler, op); })
      .Case([&](tensor::CastOp op) { return compileCast(compiler, op); })
      .Case([&](tensor::BitcastOp op) { return compileBitcast(compiler, op); })
      .Case(
          [&](tensor::GenerateOp op) { return compileGenerate(compiler, op); })
      .Case([&](tensor::ScatterOp op) {
        return compileTensorScatter(compiler, op);
      })
      .Default([](Operation *) { return Step(); });
}
