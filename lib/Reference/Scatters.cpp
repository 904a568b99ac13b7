//===- Scatters.cpp - scan.scatter and tensor.scatter ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScanWalk.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::reference;

static int64_t loadIndex(const Tensor &tensor, int64_t position) {
  return signExtend(tensor.load(position).i, tensor.format.width);
}

//===----------------------------------------------------------------------===//
// scan.scatter
//===----------------------------------------------------------------------===//

static LogicalResult verifyExtents(ScatterOp op, const Tensor &dest,
                                   const Tensor &index, const Tensor *source) {
  for (auto [d, pair] : llvm::enumerate(llvm::zip(index.shape, dest.shape))) {
    auto [found, most] = pair;
    if (static_cast<int64_t>(d) != op.getScatterDim() && found > most)
      return op.emitOpError("the index tensor does not fit the destination: "
                            "expected at most ")
             << describeShape(dest.shape) << ", found "
             << describeShape(index.shape);
  }
  if (source && source->shape != index.shape)
    return op.emitOpError("the source does not fit the index tensor: expected ")
           << describeShape(index.shape) << ", found "
           << describeShape(source->shape);
  return success();
}

FailureOr<Step> mlir::scan::reference::compileScatter(Compiler &compiler,
                                                      ScatterOp op) {
  Use sourceUse = compiler.use(op.getSourceMutable());
  Use destUse = compiler.use(op.getDestMutable());
  Use indexUse = compiler.use(op.getIndexMutable());
  Slot resultSlot = compiler.lookup(op.getResult());
  return Step([=](Frame &frame) mutable -> LogicalResult {
    bool isScalar = !sourceUse.slot.isTensor;
    Tensor source = isScalar ? Tensor() : frame.take(sourceUse);
    Tensor index = frame.take(indexUse);
    FailureOr<Tensor> dest = frame.session.makeUnique(op, frame.take(destUse));
    if (failed(dest) ||
        failed(verifyExtents(op, *dest, index, isScalar ? nullptr : &source)))
      return failure();
    int64_t dim = op.getScatterDim();
    SmallVector<int64_t> strides = getStrides(dest->shape);
    SmallVector<int64_t> point(index.shape.size(), 0);
    for (int64_t i = 0, e = index.getNumElements(); i < e; ++i) {
      int64_t place = loadIndex(index, i);
      if (place >= 0 && place < dest->shape[dim])
        dest->store(dot(point, strides) + (place - point[dim]) * strides[dim],
                    isScalar ? frame.scalar(sourceUse.slot) : source.load(i));
      nextPoint(point, index.shape);
    }
    return setResult(frame, op, 0, resultSlot, std::move(*dest));
  });
}

//===----------------------------------------------------------------------===//
// tensor.scatter
//===----------------------------------------------------------------------===//

/// The last dimension of `indices` has coordinates along the dimensions
/// `scatter_dims`; for each of the others' points, a slice of `source` goes
/// there. Where the coordinates repeat, the operation does not say what
/// happens: here the last slice wins.
FailureOr<Step>
mlir::scan::reference::compileTensorScatter(Compiler &compiler,
                                            tensor::ScatterOp op) {
  Use sourceUse = compiler.use(op.getSourceMutable());
  Use destUse = compiler.use(op.getDestMutable());
  Use indicesUse = compiler.use(op.getIndicesMutable());
  Slot resultSlot = compiler.lookup(op.getResult());
  SmallVector<int64_t> dims(op.getScatterDims());
  return Step([=](Frame &frame) mutable -> LogicalResult {
    Tensor source = frame.take(sourceUse), indices = frame.take(indicesUse);
    FailureOr<Tensor> dest = frame.session.makeUnique(op, frame.take(destUse));
    if (failed(dest))
      return failure();
    SmallVector<int64_t> slice(dest->shape.begin(), dest->shape.end());
    for (int64_t dim : dims)
      slice[dim] = 1;
    int64_t sliceSize = countElements(slice), numDims = dims.size();
    int64_t numSlices =
        countElements(ArrayRef<int64_t>(indices.shape).drop_back());
    if (source.getNumElements() != numSlices * sliceSize)
      return op.emitOpError("source does not fit: expected ")
             << numSlices << " slices of " << describeShape(slice) << ", found "
             << describeShape(source.shape);
    SmallVector<int64_t> strides = getStrides(dest->shape);
    for (int64_t n = 0; n < numSlices && sliceSize > 0; ++n) {
      int64_t start = 0;
      for (auto [k, dim] : llvm::enumerate(dims)) {
        int64_t index = loadIndex(indices, n * numDims + k);
        if (index < 0 || index >= dest->shape[dim])
          return op.emitOpError("index ")
                 << index << " is out of bounds: dimension " << dim
                 << " has extent " << dest->shape[dim];
        start += index * strides[dim];
      }
      SmallVector<int64_t> point(slice.size(), 0);
      for (int64_t i = 0; i < sliceSize; ++i) {
        dest->store(start + dot(point, strides),
                    source.load(n * sliceSize + i));
        nextPoint(point, slice);
      }
    }
    return setResult(frame, op, 0, resultSlot, std::move(*dest));
  });
}
