//===- TensorShapes.cpp - Tensor operations that rearrange ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::scan::reference;

namespace {
/// A list of index-typed attributes and values.
struct MixedIndices {
  SmallVector<int64_t> constants;
  SmallVector<std::optional<Slot>> slots;

  MixedIndices() = default;
  MixedIndices(Compiler &compiler, ArrayRef<OpFoldResult> mixed) {
    for (OpFoldResult entry : mixed) {
      if (auto value = dyn_cast<Value>(entry)) {
        constants.push_back(0);
        slots.push_back(compiler.lookup(value));
      } else {
        constants.push_back(cast<IntegerAttr>(cast<Attribute>(entry)).getInt());
        slots.push_back(std::nullopt);
      }
    }
  }
  SmallVector<int64_t> read(Frame &frame) const {
    SmallVector<int64_t> values = constants;
    for (auto [value, slot] : llvm::zip(values, slots))
      if (slot)
        value = frame.integer(*slot);
    return values;
  }
};

/// A box inside a tensor: offsets, sizes and strides per dimension.
struct Box {
  SmallVector<int64_t> offsets, sizes, strides;

  /// An error unless the box lies within `shape`.
  LogicalResult verify(Operation *op, ArrayRef<int64_t> shape) const {
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      int64_t offset = offsets[dim], size = sizes[dim], stride = strides[dim];
      if (size < 0)
        return op->emitOpError("expected a size of 0 or more in dimension ")
               << dim << ", found " << size;
      // An empty slice may be anywhere: upstream's tiling over threads makes
      // such for those that have nothing to do.
      if (size == 0)
        continue;
      int64_t last = offset, distance = 0, end = shape[dim];
      bool overflows = llvm::MulOverflow(size - 1, stride, distance) ||
                       llvm::AddOverflow(offset, distance, last);
      if (overflows || offset < 0 || offset >= end || last < 0 || last >= end)
        return op->emitOpError("slice is out of bounds in dimension ")
               << dim << ": offset " << offset << ", size " << size
               << " and stride " << stride << " do not fit into extent "
               << shape[dim];
    }
    return success();
  }

  /// The position of a point of the box in the tensor around it.
  int64_t getPosition(ArrayRef<int64_t> point,
                      ArrayRef<int64_t> tensorStrides) const {
    int64_t position = 0;
    for (size_t dim = 0; dim < point.size(); ++dim)
      position +=
          (offsets[dim] + point[dim] * strides[dim]) * tensorStrides[dim];
    return position;
  }
};
} // namespace

/// `shape` without the dimensions that are marked as dropped.
static SmallVector<int64_t> dropDims(ArrayRef<int64_t> shape,
                                     const llvm::SmallBitVector &dropped) {
  SmallVector<int64_t> kept;
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (!dropped.test(dim))
      kept.push_back(extent);
  return kept;
}

static Step compileExtractSlice(Compiler &compiler, tensor::ExtractSliceOp op) {
  Use source = compiler.use(op.getSourceMutable());
  Slot result = compiler.lookup(op.getResult());
  MixedIndices offsets(compiler, op.getMixedOffsets());
  MixedIndices sizes(compiler, op.getMixedSizes());
  MixedIndices strides(compiler, op.getMixedStrides());
  return [=, dropped =
                 op.getDroppedDims()](Frame &frame) mutable -> LogicalResult {
    Tensor from = frame.take(source);
    Box box{offsets.read(frame), sizes.read(frame), strides.read(frame)};
    if (failed(box.verify(op, from.shape)))
      return failure();
    FailureOr<Tensor> to =
        frame.session.allocate(op, result.format, dropDims(box.sizes, dropped));
    if (failed(to))
      return failure();
    SmallVector<int64_t> fromStrides = getStrides(from.shape);
    SmallVector<int64_t> point(from.shape.size(), 0);
    for (int64_t i = 0, e = to->getNumElements(); i < e; ++i) {
      to->store(i, from.load(box.getPosition(point, fromStrides)));
      nextPoint(point, box.sizes);
    }
    return setResult(frame, op, 0, result, std::move(*to));
  };
}

/// Writes `op`'s source into a box of `dest`, which becomes `result`.
template <typename InsertOp>
static Step compileInsert(Compiler &compiler, InsertOp op, Use dest,
                          Slot result) {
  Use source = compiler.use(op.getSourceMutable());
  MixedIndices offsets(compiler, op.getMixedOffsets());
  MixedIndices sizes(compiler, op.getMixedSizes());
  MixedIndices strides(compiler, op.getMixedStrides());
  return [=, dropped =
                 op.getDroppedDims()](Frame &frame) mutable -> LogicalResult {
    Tensor from = frame.take(source);
    FailureOr<Tensor> to = frame.session.makeUnique(op, frame.take(dest));
    if (failed(to))
      return failure();
    Box box{offsets.read(frame), sizes.read(frame), strides.read(frame)};
    if (failed(box.verify(op, to->shape)))
      return failure();
    SmallVector<int64_t> expected = dropDims(box.sizes, dropped);
    if (ArrayRef<int64_t>(expected) != ArrayRef<int64_t>(from.shape))
      return op.emitOpError(
                 "source has other extents than the slice: expected ")
             << describeShape(expected) << ", found "
             << describeShape(from.shape);
    SmallVector<int64_t> toStrides = getStrides(to->shape);
    SmallVector<int64_t> point(to->shape.size(), 0);
    for (int64_t i = 0, e = from.getNumElements(); i < e; ++i) {
      to->store(box.getPosition(point, toStrides), from.load(i));
      nextPoint(point, box.sizes);
    }
    // The type is that of the destination, which has been checked.
    frame.tensor(result) = std::move(*to);
    return success();
  };
}

/// In the terminator of scf.forall: the shared tensor, which the body has as an
/// argument, is replaced.
static Step compileParallelInsert(Compiler &compiler,
                                  tensor::ParallelInsertSliceOp op) {
  Slot shared = compiler.lookup(op.getDest());
  return compileInsert(compiler, op, {shared, /*isLastUse=*/true}, shared);
}

static FailureOr<Step> compilePad(Compiler &compiler, tensor::PadOp op) {
  FailureOr<ProgramPtr> body = compiler.compileRegion(op.getRegion());
  if (failed(body))
    return failure();
  Use source = compiler.use(op.getSourceMutable());
  Slot result = compiler.lookup(op.getResult());
  MixedIndices low(compiler, op.getMixedLowPad());
  MixedIndices high(compiler, op.getMixedHighPad());
  return Step([=, body = *body](Frame &frame) mutable -> LogicalResult {
    Tensor from = frame.take(source);
    SmallVector<int64_t> before = low.read(frame), after = high.read(frame);
    SmallVector<int64_t> shape;
    for (auto [dim, extent] : llvm::enumerate(from.shape)) {
      int64_t sum = 0, padded = 0;
      if (before[dim] < 0 || after[dim] < 0 ||
          llvm::AddOverflow(before[dim], after[dim], sum) ||
          llvm::AddOverflow(sum, extent, padded))
        return op.emitOpError("expected a padding of 0 or more in dimension ")
               << dim << ", found " << before[dim] << " and " << after[dim];
      shape.push_back(padded);
    }
    FailureOr<Tensor> to = frame.session.allocate(op, result.format, shape);
    if (failed(to))
      return failure();
    SmallVector<int64_t> fromStrides = getStrides(from.shape);
    SmallVector<int64_t> point(shape.size(), 0);
    for (int64_t i = 0, e = to->getNumElements(); i < e; ++i) {
      int64_t position = 0;
      bool inside = true;
      for (size_t dim = 0; dim < shape.size(); ++dim) {
        int64_t index = point[dim] - before[dim];
        inside &= index >= 0 && index < from.shape[dim];
        position += index * fromStrides[dim];
      }
      if (inside) {
        to->store(i, from.load(position));
      } else {
        for (auto [slot, index] : llvm::zip(body->arguments, point))
          frame.scalar(slot).i = index;
        if (failed(body->run(frame)))
          return failure();
        to->store(i, frame.scalar(body->yields[0].slot));
      }
      nextPoint(point, shape);
    }
    return setResult(frame, op, 0, result, std::move(*to));
  });
}

static Step compileConcat(Compiler &compiler, tensor::ConcatOp op) {
  SmallVector<Slot> inputs = compiler.lookupAll(op.getInputs());
  Slot result = compiler.lookup(op.getResult());
  size_t dim = op.getDim();
  return [=](Frame &frame) mutable -> LogicalResult {
    SmallVector<int64_t> shape(
        ArrayRef<int64_t>(frame.tensor(inputs[0]).shape));
    for (auto [i, slot] : llvm::enumerate(ArrayRef(inputs).drop_front())) {
      SmallVector<int64_t> expected = shape;
      ArrayRef<int64_t> found = frame.tensor(slot).shape;
      expected[dim] = found[dim];
      if (ArrayRef<int64_t>(expected) != found)
        return op.emitOpError("operand #")
               << i + 1 << " does not fit: expected " << describeShape(expected)
               << ", found " << describeShape(found);
      shape[dim] += found[dim];
    }
    FailureOr<Tensor> to = frame.session.allocate(op, result.format, shape);
    if (failed(to))
      return failure();
    // Blocks of rows: one from each input in turn.
    int64_t outer = countElements(ArrayRef(shape).take_front(dim));
    int64_t inner = countElements(ArrayRef(shape).drop_front(dim + 1));
    int64_t target = 0;
    for (int64_t o = 0; o < outer; ++o)
      for (Slot slot : inputs) {
        const Tensor &from = frame.tensor(slot);
        int64_t rows = from.shape[dim] * inner;
        for (int64_t i = 0; i < rows; ++i)
          to->store(target++, from.load(o * rows + i));
      }
    return setResult(frame, op, 0, result, std::move(*to));
  };
}

/// The same elements in another shape.
static LogicalResult reshape(Frame &frame, Operation *op, Slot result,
                             Tensor tensor, ArrayRef<int64_t> shape) {
  bool isNegative = llvm::any_of(shape, [](int64_t d) { return d < 0; });
  if (isNegative || countElements(shape) != tensor.getNumElements())
    return op->emitOpError("shapes have different numbers of elements: "
                           "expected ")
           << describeShape(shape) << ", found " << describeShape(tensor.shape);
  tensor.shape.assign(shape.begin(), shape.end());
  return setResult(frame, op, 0, result, std::move(tensor));
}

static Step compileExpandShape(Compiler &compiler, tensor::ExpandShapeOp op) {
  Use source = compiler.use(op.getSrcMutable());
  Slot result = compiler.lookup(op.getResult());
  MixedIndices sizes(compiler, op.getMixedOutputShape());
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  return [=](Frame &frame) mutable -> LogicalResult {
    Tensor tensor = frame.take(source);
    SmallVector<int64_t> shape = sizes.read(frame);
    for (auto [dim, group] : llvm::enumerate(groups)) {
      SmallVector<int64_t> part;
      for (int64_t target : group)
        part.push_back(shape[target]);
      if (countElements(part) != tensor.shape[dim])
        return op.emitOpError("dimension ")
               << dim << " cannot be expanded: expected " << describeShape(part)
               << ", found extent " << tensor.shape[dim];
    }
    return reshape(frame, op, result, std::move(tensor), shape);
  };
}

static Step compileCollapseShape(Compiler &compiler,
                                 tensor::CollapseShapeOp op) {
  Use source = compiler.use(op.getSrcMutable());
  Slot result = compiler.lookup(op.getResult());
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  return [=](Frame &frame) mutable -> LogicalResult {
    Tensor tensor = frame.take(source);
    SmallVector<int64_t> shape;
    for (const ReassociationIndices &group : groups) {
      SmallVector<int64_t> part;
      for (int64_t dim : group)
        part.push_back(tensor.shape[dim]);
      shape.push_back(countElements(part));
    }
    return reshape(frame, op, result, std::move(tensor), shape);
  };
}

static Step compileReshape(Compiler &compiler, tensor::ReshapeOp op) {
  Use source = compiler.use(op.getSourceMutable());
  Slot shapeSlot = compiler.lookup(op.getShape());
  Slot result = compiler.lookup(op.getResult());
  return [=](Frame &frame) mutable -> LogicalResult {
    const Tensor &extents = frame.tensor(shapeSlot);
    SmallVector<int64_t> shape;
    for (int64_t i = 0, e = extents.getNumElements(); i < e; ++i)
      shape.push_back(signExtend(extents.load(i).i, extents.format.width));
    return reshape(frame, op, result, frame.take(source), shape);
  };
}

FailureOr<Step> mlir::scan::reference::compileTensorReshape(Compiler &compiler,
                                                            Operation *op) {
  return llvm::TypeSwitch<Operation *, FailureOr<Step>>(op)
      .Case([&](tensor::ExpandShapeOp op) {
        return compileExpandShape(compiler, op);
      })
      .Case([&](tensor::CollapseShapeOp op) {
        return compileCollapseShape(compiler, op);
      })
      .Case([&](tensor::ReshapeOp op) { return compileReshape(compiler, op); })
      .Default([](Operation *) { return Step(); });
}

FailureOr<Step> mlir::scan::reference::compileTensorSlice(Compiler &compiler,
                                                          Operation *op) {
  return llvm::TypeSwitch<Operation *, FailureOr<Step>>(op)
      .Case([&](tensor::ExtractSliceOp op) {
        return compileExtractSlice(compiler, op);
      })
      .Case([&](tensor::InsertSliceOp op) {
        return compileInsert(compiler, op, compiler.use(op.getDestMutable()),
                             compiler.lookup(op.getResult()));
      })
      .Case([&](tensor::ParallelInsertSliceOp op) {
        return compileParallelInsert(compiler, op);
      })
      .Case([&](tensor::ConcatOp op) { return compileConcat(compiler, op); })
      .Case([&](tensor::PadOp op) { return compilePad(compiler, op); })
      .Default([](Operation *) { return Step(); });
}
